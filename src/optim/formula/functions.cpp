#include <fmt/format.h>

#include <cmath>

#include "optim/formula/builder.hpp"

namespace rarefact::formula {

namespace {

constexpr std::size_t any_number = 3;

int plain(Builder& build, const Syntax& call, Op op, KeptAxis left) {
  std::vector<int> arguments;
  for (const Syntax& syntax : call.arguments) arguments.push_back(build(syntax));
  return build.make(op, std::move(arguments), call, 0, left);
}

/// A reduction over rows, columns or all entries.
auto over(Op op, KeptAxis left) {
  return [op, left](Builder& build, const Syntax& call) { return plain(build, call, op, left); };
}

template <KeptAxis left>
int mean(Builder& build, const Syntax& call) {
  return build.mean(build(call.arguments[0]), left, call);
}

int rms(Builder& build, const Syntax& call) {
  const int x = build(call.arguments[0]);
  const int squares = build.mean(build.make(op::power, {x}, call, 2), KeptAxis::number, call);
  return build.make(op::root, {squares}, call);
}

int clip(Builder& build, const Syntax& call) {
  const auto& a = call.arguments;
  const int x = build(a[0]), low = build(a[1]), high = build(a[2]);
  if (const auto least = build.constant_at(low), most = build.constant_at(high);
      least && most && *least > *most)
    build.refuse(a[1],
                 fmt::format("the lower end {} is above the upper end {}", to_text(a[1]), to_text(a[2])));
  return build.make(op::clip, {x, low, high}, call);
}

int where(Builder& build, const Syntax& call) {
  const Syntax& condition = call.arguments[0];
  if (condition.kind != Syntax::Kind::comparison)
    build.refuse(condition,
                 fmt::format("\"{}\" is not a comparison; expected where(x > y, a, b)", to_text(condition)));
  int larger = build(condition.arguments[0]), smaller = build(condition.arguments[1]);
  if (condition.text == "<") std::swap(larger, smaller);
  const int yes = build(call.arguments[1]), no = build(call.arguments[2]);
  return build.make(op::where, {larger, smaller, yes, no}, call);
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
    build.refuse(function, fmt::format("\"{}\" is not a lambda; expected spectral(X, lambda s: ...)",
                                       to_text(function)));
  return build.make(op::spectral, {x, build.with_variable(function)}, call);
}

/// power(X, p), of a constant or another number.
int raised(Builder& build, const Syntax& call) {
  const int x = build(call.arguments[0]), p = build(call.arguments[1]);
  if (const std::optional<double> constant = build.constant_at(p))
    return build.make(op::spectral_power, {x}, call, *constant);
  return build.make(op::spectral_raise, {x, p}, call);
}

int with_constant(Builder& build, const Syntax& call, Op op) {
  const int x = build(call.arguments[0]);
  const double value =
      build.constant_of(call.arguments[1], fmt::format("the second argument of {}", call.text).c_str());
  if (op == op::smooth_polar && !(value >= 0))
    build.refuse(call.arguments[1], fmt::format("λ of smooth_polar is {}; expected a number >= 0", value));
  // λ = 0 is the polar factor with its rank decision, which s/√(s² + λ²) does not have.
  if (op == op::smooth_polar && value == 0) return build.make(op::spectral_power, {x}, call, 0);
  if (op == op::top && (!(value >= 1) || value != std::floor(value)))
    build.refuse(call.arguments[1], fmt::format("r of top is {}; expected an integer >= 1", value));
  return build.make(op, {x}, call, value);
}

auto of_constant(Op op) {
  return [op](Builder& build, const Syntax& call) { return with_constant(build, call, op); };
}

int polar(Builder& build, const Syntax& call) {
  return build.make(op::spectral_power, {build(call.arguments[0])}, call, 0);
}

int with_polynomial(Builder& build, const Syntax& call, PolarPolynomial polynomial, std::size_t offset_at) {
  const int x = build(call.arguments[0]);
  if (call.arguments.size() > offset_at) {
    polynomial.norm_offset = build.constant_of(call.arguments[offset_at], "what is added to the norm");
    if (!(polynomial.norm_offset >= 0))
      build.refuse(call.arguments[offset_at], "what is added to the norm is below 0");
  }
  Node node{op::polynomial, {x}};
  node.polynomial = std::move(polynomial);
  return build.make(std::move(node), call);
}

template <const std::vector<Quintic>& list(), const double& factor>
int known_polynomial(Builder& build, const Syntax& call) {
  double number = static_cast<double>(list().size());
  if (call.arguments.size() > 1)
    number = build.constant_of(call.arguments[1], fmt::format("the steps of {}", call.text).c_str());
  if (!(number >= 1 && number <= max_polar_steps) || number != std::floor(number))
    build.refuse(call.arguments[1],
                 fmt::format("{} steps; expected an integer from 1 to {}", number, max_polar_steps));
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
    build.refuse(list,
                 fmt::format("\"{}\" is not a list of triples; expected [[a, b, c], ...]", to_text(list)));
  return with_polynomial(build, call, std::move(polynomial), 2);
}

constexpr double newton_schulz_norm_factor = 1;

const std::vector<Quintic>& newton_schulz_list() {
  static const std::vector<Quintic> list(newton_schulz_default_steps, newton_schulz_step());
  return list;
}

/// Functions that are not one operation on all their arguments.
std::vector<Function> other_functions() {
  return {
      {"clip", 3, 3, clip, "clip(X, low, high)", "entries limited to the interval between two numbers"},
      {"where", any_number, any_number, where, "where(X > Y, A, B)",
       "entry of A where X > Y (or X < Y), else of B"},
      {"ema", 2, 2, ema, "ema(X, b)", "a state without a name: s = b s + (1 - b) X, from 0"},
      {"decay", 2, 2, decay, "decay(X, b)", "a state without a name: s = b s + X, from 0"},
      {"prev", 1, 1, previous, "prev(m)", "the state m before this update"},
      {"sum", 1, 1, over(op::sum, KeptAxis::number), "sum(X)", "sum of all entries"},
      {"rowsum", 1, 1, over(op::sum, KeptAxis::rows), "rowsum(X)", "sum of each row, d_out x 1"},
      {"colsum", 1, 1, over(op::sum, KeptAxis::columns), "colsum(X)", "sum of each column, 1 x d_in"},
      {"mean", 1, 1, mean<KeptAxis::number>, "mean(X)", "sum(X) over the number of entries"},
      {"rowmean", 1, 1, mean<KeptAxis::rows>, "rowmean(X)", "rowsum(X)/d_in"},
      {"colmean", 1, 1, mean<KeptAxis::columns>, "colmean(X)", "colsum(X)/d_out"},
      {"norm", 1, 1, over(op::norm, KeptAxis::number), "norm(X)", "root of the sum of squares (Frobenius)"},
      {"rownorm", 1, 1, over(op::norm, KeptAxis::rows), "rownorm(X)",
       "root of the sum of squares of each row"},
      {"colnorm", 1, 1, over(op::norm, KeptAxis::columns), "colnorm(X)",
       "root of the sum of squares of each column"},
      {"rms", 1, 1, rms, "rms(X)", "root of the mean of squares"},
      {"maxabs", 1, 1, over(op::largest, KeptAxis::number), "maxabs(X)", "largest absolute value"},
      {"rowmax", 1, 1, over(op::largest, KeptAxis::rows), "rowmax(X)", "largest absolute value of each row"},
      {"colmax", 1, 1, over(op::largest, KeptAxis::columns), "colmax(X)",
       "largest absolute value of each column"},
      {"spectral", 2, 2, spectral, "spectral(X, lambda s: f)",
       "U f(Σ) Vᵀ of X = U Σ Vᵀ; a singular value of 0 stays 0"},
      {"power", 2, 2, raised, "power(X, p)",
       "U f(Σ) Vᵀ with f = s^p, also for p < 0; p may change, as with step; of X@X.T it is the power of a symmetric "
       "matrix"},
      {"polar", 1, 1, polar, "polar(X)", "U Vᵀ, the polar factor: power(X, 0)"},
      {"smooth_polar", 2, 2, of_constant(op::smooth_polar), "smooth_polar(X, λ)",
       "U f(Σ) Vᵀ with f = s/√(s² + λ²)"},
      {"newton_schulz", 1, 3, known_polynomial<newton_schulz_list, newton_schulz_norm_factor>,
       "newton_schulz(X, n, δ)",
       "n steps of Muon's polynomial (5) on X/(norm(X) + δ); n and δ (1e-7) may be omitted"},
      {"polar_express", 1, 3, known_polynomial<polar_express_steps, polar_express_norm_factor>,
       "polar_express(X, n, δ)", "the same with the steps of Polar Express (10) on X/(1.01 norm(X) + δ)"},
      {"quintic", 2, 3, quintic, "quintic(X, [[a, b, c], ...], δ)",
       "steps X ← aX + b(XXᵀ)X + c(XXᵀ)²X of your own on X/(norm(X) + δ)"},
      {"top", 2, 2, of_constant(op::top), "top(X, r)", "the part of X with its r largest singular values"},
  };
}

}  // namespace

const std::vector<Function>& function_rows() {
  static const std::vector<Function> rows = [] {
    std::vector<Function> all;
    const auto add_operations = [&](bool entrywise) {
      for (const Operation& row : operations()) {
        if (row.call.empty() || row.entrywise() != entrywise) continue;
        all.push_back({row.name, row.arity, row.arity, over(&row, KeptAxis::number), row.call, row.meaning});
      }
    };
    add_operations(true);
    const std::vector<Function> others = other_functions();
    all.insert(all.end(), others.begin(), others.end());
    add_operations(false);
    return all;
  }();
  return rows;
}

}  // namespace rarefact::formula
