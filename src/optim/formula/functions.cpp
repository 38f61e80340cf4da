#include <fmt/format.h>

#include <cmath>

#include "optim/formula/builder.hpp"

namespace rarefact::formula {

namespace {

constexpr std::size_t any_number = 3;

template <Op op, Left left = Left::number>
int plain(Builder& build, const Syntax& call) {
  std::vector<int> arguments;
  for (const Syntax& one : call.arguments) arguments.push_back(build(one));
  return build.make(op, std::move(arguments), call, 0, left);
}

template <Left left>
int mean(Builder& build, const Syntax& call) {
  return build.mean(build(call.arguments[0]), left, call);
}

int rms(Builder& build, const Syntax& call) {
  const int x = build(call.arguments[0]);
  const int squares = build.mean(build.make(Op::power, {x}, call, 2), Left::number, call);
  return build.make(Op::root, {squares}, call);
}

int clip(Builder& build, const Syntax& call) {
  const auto& a = call.arguments;
  const int above = build.make(Op::maximum, {build(a[0]), build(a[1])}, call);
  return build.make(Op::minimum, {above, build(a[2])}, call);
}

int where(Builder& build, const Syntax& call) {
  const Syntax& condition = call.arguments[0];
  if (condition.kind != Syntax::Kind::comparison)
    build.refuse(condition,
                 fmt::format("\"{}\" is no comparison; expected where(x > y, a, b)", to_text(condition)));
  int larger = build(condition.arguments[0]), smaller = build(condition.arguments[1]);
  if (condition.text == "<") std::swap(larger, smaller);
  const int yes = build(call.arguments[1]), no = build(call.arguments[2]);
  return build.make(Op::where, {larger, smaller, yes, no}, call);
}

int ema(Builder& build, const Syntax& call) {
  const double keep = build.constant_of(call.arguments[1], "the second argument of ema");
  return build.average(call, keep, 1 - keep);
}

int decay(Builder& build, const Syntax& call) {
  return build.average(call, build.constant_of(call.arguments[1], "the second argument of decay"), 1);
}

int previous(Builder& build, const Syntax& call) {
  return build.previous(call);
}

int spectral(Builder& build, const Syntax& call) {
  const int x = build(call.arguments[0]);
  const Syntax& function = call.arguments[1];
  if (function.kind != Syntax::Kind::lambda)
    build.refuse(function,
                 fmt::format("\"{}\" is no lambda; expected spectral(X, lambda s: ...)", to_text(function)));
  return build.make(Op::spectral, {x, build.with_variable(function)}, call);
}

template <Op op>
int with_constant(Builder& build, const Syntax& call) {
  const int x = build(call.arguments[0]);
  const double value =
      build.constant_of(call.arguments[1], fmt::format("the second argument of {}", call.text).c_str());
  if (op == Op::smooth_polar && !(value >= 0))
    build.refuse(call.arguments[1], fmt::format("λ of smooth_polar is {}; expected a number >= 0", value));
  if (op == Op::top && (!(value >= 1) || value != std::floor(value)))
    build.refuse(call.arguments[1], fmt::format("r of top is {}; expected a whole number >= 1", value));
  return build.make(op, {x}, call, value);
}

int polar(Builder& build, const Syntax& call) {
  return build.make(Op::spectral_power, {build(call.arguments[0])}, call, 0);
}

int with_polynomial(Builder& build, const Syntax& call, PolarPolynomial polynomial, std::size_t offset_at) {
  const int x = build(call.arguments[0]);
  if (call.arguments.size() > offset_at) {
    polynomial.norm_offset = build.constant_of(call.arguments[offset_at], "what is added to the norm");
    if (!(polynomial.norm_offset >= 0))
      build.refuse(call.arguments[offset_at], "what is added to the norm is below 0");
  }
  Node node{Op::polynomial, {x}};
  node.polynomial = std::move(polynomial);
  return build.make(std::move(node), call);
}

template <const std::vector<Quintic>& list(), double factor>
int known_polynomial(Builder& build, const Syntax& call) {
  double number = static_cast<double>(list().size());
  if (call.arguments.size() > 1)
    number = build.constant_of(call.arguments[1], fmt::format("the steps of {}", call.text).c_str());
  if (!(number >= 1 && number <= most_polar_steps) || number != std::floor(number))
    build.refuse(call.arguments[1],
                 fmt::format("{} steps; expected a whole number from 1 to {}", number, most_polar_steps));
  return with_polynomial(
      build, call, {.steps = taken_steps(list(), static_cast<std::size_t>(number)), .norm_factor = factor},
      2);
}

int quintic(Builder& build, const Syntax& call) {
  const Syntax& list = call.arguments[1];
  PolarPolynomial polynomial;
  for (const Syntax& triple : list.arguments) {
    if (triple.kind != Syntax::Kind::list || triple.arguments.size() != 3) break;
    Quintic& step = polynomial.steps.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) step[i] = build.constant_of(triple.arguments[i], "a coefficient");
  }
  if (list.kind != Syntax::Kind::list || polynomial.steps.size() != list.arguments.size())
    build.refuse(list, fmt::format("\"{}\" is no list of triples; expected [[a, b, c], ...]", to_text(list)));
  return with_polynomial(build, call, std::move(polynomial), 2);
}

const std::vector<Quintic>& newton_schulz_list() {
  static const std::vector<Quintic> list(newton_schulz_default_steps, newton_schulz_step());
  return list;
}

}  // namespace

const std::vector<Function>& function_rows() {
  static const std::vector<Function> rows = {
      {"minimum", 2, 2, plain<Op::minimum>},
      {"maximum", 2, 2, plain<Op::maximum>},
      {"clip", 3, 3, clip},
      {"where", any_number, any_number, where},
      {"abs", 1, 1, plain<Op::absolute>},
      {"sign", 1, 1, plain<Op::sign>},
      {"sqrt", 1, 1, plain<Op::root>},
      {"exp", 1, 1, plain<Op::exponential>},
      {"log", 1, 1, plain<Op::logarithm>},
      {"tanh", 1, 1, plain<Op::tangent>},
      {"ema", 2, 2, ema},
      {"decay", 2, 2, decay},
      {"prev", 1, 1, previous},
      {"ambient", 1, 1, plain<Op::ambient>},
      {"sum", 1, 1, plain<Op::sum>},
      {"rowsum", 1, 1, plain<Op::sum, Left::rows>},
      {"colsum", 1, 1, plain<Op::sum, Left::columns>},
      {"mean", 1, 1, mean<Left::number>},
      {"rowmean", 1, 1, mean<Left::rows>},
      {"colmean", 1, 1, mean<Left::columns>},
      {"norm", 1, 1, plain<Op::norm>},
      {"rownorm", 1, 1, plain<Op::norm, Left::rows>},
      {"colnorm", 1, 1, plain<Op::norm, Left::columns>},
      {"rms", 1, 1, rms},
      {"maxabs", 1, 1, plain<Op::largest>},
      {"rowmax", 1, 1, plain<Op::largest, Left::rows>},
      {"colmax", 1, 1, plain<Op::largest, Left::columns>},
      {"inner", 2, 2, plain<Op::inner>},
      {"trace", 1, 1, plain<Op::trace>},
      {"nuclear", 1, 1, plain<Op::nuclear>},
      {"spectral_norm", 1, 1, plain<Op::spectral_norm>},
      {"spectral", 2, 2, spectral},
      {"power", 2, 2, with_constant<Op::spectral_power>},
      {"polar", 1, 1, polar},
      {"smooth_polar", 2, 2, with_constant<Op::smooth_polar>},
      {"newton_schulz", 1, 3, known_polynomial<newton_schulz_list, 1.0>},
      {"polar_express", 1, 3, known_polynomial<polar_express_steps, polar_express_norm_factor>},
      {"quintic", 2, 3, quintic},
      {"top", 2, 2, with_constant<Op::top>},
      {"eigenbasis", 1, 1, plain<Op::eigenbasis>},
  };
  return rows;
}

}  // namespace rarefact::formula
