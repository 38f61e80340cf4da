#include "optim/formula/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/syntax.hpp"
#include "core/text.hpp"
#include "optim/formula/simplify.hpp"

namespace rarefact::formula {

namespace {

constexpr std::size_t any_number = 3;

/// A definition that could not become a node; its problem has been said.
struct Refused {};

class Builder;

/// A function of the language.
struct Function {
  std::string name;
  std::size_t least, most;  ///< arguments
  int (*make)(Builder&, const Syntax& call);
};

const std::vector<Function>& function_rows();

const std::map<std::string, Op> leaf_names = {{"G", Op::gradient},
                                              {"W", Op::weights},
                                              {"T", Op::task},
                                              {"C", Op::second_moment},
                                              {"t", Op::step}};

class Builder {
 public:
  Builder(const ParameterValues& definitions, std::vector<ParameterProblem>& problems)
      : problems_(problems) {
    for (const auto& [key, value] : definitions.all()) {
      if (const auto* text = std::get_if<std::string>(&value)) {
        definition(key, *text);
      } else {
        name(key).constant = std::get<double>(value);
      }
    }
  }

  Graph graph() {
    try {
      if (problems_.empty()) graph_.direction = built(names_.at("direction"));
    } catch (const Refused&) {
    }
    if (!problems_.empty()) return std::move(graph_);
    for (const auto& [word, meaning] : names_) {
      if (!meaning.node && !meaning.constant) graph_.unused.push_back(meaning.key);
    }
    return std::move(graph_);
  }

  /// What the text of a definition says of a part of it.
  [[noreturn]] void refuse(const Syntax& part, std::string message) {
    say(part.offset, std::move(message));
    throw Refused();
  }

  int make(Node node, const Syntax& at) {
    node.text = to_text(at);
    node.key = key_;
    if (at.offset > 0 || whole_ != node.text) node.offset = at.offset;
    return simplified(graph_, std::move(node));
  }
  int make(Op op, std::vector<int> arguments, const Syntax& at, double number = 0,
           Left left = Left::number) {
    return make(Node{op, std::move(arguments), number, left}, at);
  }
  int number(double value, const Syntax& at) { return make(Op::number, {}, at, value); }

  /// The node of an expression.
  int operator()(const Syntax& at) {
    using Kind = Syntax::Kind;
    const auto& a = at.arguments;
    switch (at.kind) {
      case Kind::number:
        return number(at.number, at);
      case Kind::name:
        return named(at);
      case Kind::call:
        return called(at);
      case Kind::negative:
        return make(Op::multiply, {number(-1, at), (*this)(a[0])}, at);
      case Kind::transpose:
        return make(Op::transpose, {(*this)(a[0])}, at);
      case Kind::binary:
        return operation(at);
      case Kind::comparison:
        refuse(at, "a comparison stands only in where(x > y, a, b)");
      case Kind::lambda:
        refuse(at, "a lambda stands only in spectral(X, lambda s: ...)");
      case Kind::list:
        break;
    }
    refuse(at, "a list stands only in quintic(X, [[a, b, c], ...])");
  }

  /// A number that does not change during a run.
  double constant_of(const Syntax& at, const char* what) {
    const Node& node = graph_.nodes[static_cast<std::size_t>((*this)(at))];
    if (!constant(node))
      refuse(at, fmt::format("{} is \"{}\"; expected a number that does not change", what, to_text(at)));
    return node.number;
  }

  /// The value of `x` that an anonymous state takes: keep·s + take·x.
  int average(const Syntax& call, double keep, double take) {
    const int x = (*this)(call.arguments[0]);
    for (const Anonymous& one : anonymous_) {
      if (one.of == x && one.keep == keep && one.take == take) return one.after;
    }
    const int before = new_state(to_text(call), call);
    const int kept = make(Op::multiply, {number(keep, call), before}, call);
    const int taken = make(Op::multiply, {number(take, call), x}, call);
    const int after = make(Op::add, {kept, taken}, call, 1);
    const Node& leaf = graph_.nodes[static_cast<std::size_t>(before)];
    graph_.states[static_cast<std::size_t>(leaf.number)].after = after;
    anonymous_.push_back({x, keep, take, after});
    return after;
  }

  /// prev(NAME).
  int previous(const Syntax& call) {
    const Syntax& at = call.arguments[0];
    const auto found = names_.find(at.text);
    if (at.kind != Syntax::Kind::name || found == names_.end() || !found->second.is_state)
      refuse(at, fmt::format("prev is of a state, and \"{}\" is none", to_text(at)));
    return before(found->second, at);
  }

  int with_variable(const Syntax& lambda) {
    const auto outer = std::exchange(variable_, lambda.text);
    const int body = (*this)(lambda.arguments[0]);
    variable_ = outer;
    return body;
  }

  /// x / how many indices there are along what the sum went over: number of the leg is found by the calculus.
  int mean(int x, Left left, const Syntax& at) {
    const int total = make(Op::sum, {x}, at, 0, left);
    int size = make(Op::size, {x}, at, 0, left);
    return make(Op::divide, {total, size}, at);
  }

 private:
  struct Meaning {
    std::string key;
    std::optional<Syntax> tree = {};
    std::string text = {};
    std::optional<double> constant = {};
    bool is_state = false, under_way = false;
    std::optional<int> node = {}, before = {};
  };

  /// A state of ema or decay.
  struct Anonymous {
    int of;
    double keep, take;
    int after;
  };

  void say(std::optional<std::size_t> offset, std::string message) {
    problems_.push_back({key_, offset, std::move(message)});
  }

  /// The meaning of the last part of a key; a problem where the name has another already.
  Meaning& name(const std::string& key) {
    const std::string word = key.substr(key.find('.') + 1);
    key_ = key;
    const bool function = find_row(function_rows(), word) != nullptr;
    if (function || leaf_names.contains(word) || word == "d_out" || word == "d_in" || word == "lambda") {
      say({}, fmt::format("'{}' means something in formulas already; choose another name", word));
    } else if (const auto found = names_.find(word); found != names_.end()) {
      say({}, fmt::format("'{}' is {} as well; choose another name", word, found->second.key));
    }
    Meaning& meaning = names_[word];
    meaning.key = key;
    return meaning;
  }

  void definition(const std::string& key, const std::string& text) {
    Meaning& meaning = name(key);
    meaning.is_state = key.starts_with("state.");
    try {
      meaning.tree = parsed(text);
      meaning.text = to_text(*meaning.tree);
    } catch (const SyntaxError& error) {
      key_ = key;
      say(error.offset, error.problems().front().message);
    }
  }

  int new_state(const std::string& word, const Syntax& at) {
    const auto place = static_cast<double>(graph_.states.size());
    const int node = make(Op::state, {}, at, place);
    graph_.nodes[static_cast<std::size_t>(node)].text = word;
    graph_.states.push_back({word, node, node});
    return node;
  }

  /// The node of a state's value before the update. What it becomes must be known as well.
  int before(Meaning& meaning, const Syntax& at) {
    if (!meaning.before) {
      meaning.before = new_state(meaning.key.substr(meaning.key.find('.') + 1), at);
      waiting_.push_back(&meaning);
    }
    return *meaning.before;
  }

  /// The node of a definition, which is built when it is first needed.
  int built(Meaning& meaning) {
    if (meaning.node) return *meaning.node;
    const std::string word = meaning.key.substr(meaning.key.find('.') + 1);
    chain_.push_back(word);
    meaning.under_way = true;
    const auto outer_key = std::exchange(key_, meaning.key);
    const auto outer_text = std::exchange(whole_, meaning.text);
    const auto outer_variable = std::exchange(variable_, "");
    int node = (*this)(*meaning.tree);
    meaning.node = node;
    if (meaning.before) set_after(meaning);
    meaning.under_way = false;
    chain_.pop_back();
    // States whose old value alone was asked for.
    if (chain_.empty()) {
      while (!waiting_.empty()) {
        Meaning& state = *waiting_.back();
        waiting_.pop_back();
        if (!state.node) built(state);
        set_after(state);
      }
    }
    key_ = outer_key;
    whole_ = outer_text;
    variable_ = outer_variable;
    return node;
  }

  void set_after(Meaning& state) {
    const Node& leaf = graph_.nodes[static_cast<std::size_t>(*state.before)];
    graph_.states[static_cast<std::size_t>(leaf.number)].after = *state.node;
  }

  int named(const Syntax& at) {
    const std::string& word = at.text;
    if (!variable_.empty() && word == variable_) return make(Op::variable, {}, at);
    if (const auto leaf = leaf_names.find(word); leaf != leaf_names.end()) return make(leaf->second, {}, at);
    // The size of W is that of G.
    if (word == "d_out" || word == "d_in")
      return make(Op::size, {make(Op::gradient, {}, at)}, at, 0,
                  word == "d_out" ? Left::columns : Left::rows);
    const auto found = names_.find(word);
    if (found == names_.end() || word == "direction") no_such(at, word);
    Meaning& meaning = found->second;
    if (meaning.constant) return number(*meaning.constant, at);
    // Its own update sees the value before.
    if (meaning.is_state && key_ == meaning.key) return before(meaning, at);
    if (meaning.under_way) {
      const auto begin = std::find(chain_.begin(), chain_.end(), word);
      const std::string way = joined({begin, chain_.end()}, " -> ");
      key_ = meaning.key;
      const std::string& last = chain_.back();
      say({}, fmt::format(
                  "'{}' needs itself within one step ({} -> {}); prev({}) is the value of the step before",
                  word, way, word, meaning.is_state ? word : names_.at(last).is_state ? last : word));
      throw Refused();
    }
    return built(meaning);
  }

  [[noreturn]] void no_such(const Syntax& at, const std::string& word) {
    std::vector<std::string> candidates = {"d_out", "d_in"};
    for (const auto& [leaf, op] : leaf_names) candidates.push_back(leaf);
    for (const auto& [other, meaning] : names_) {
      if (other != "direction") candidates.push_back(other);
    }
    if (find_row(function_rows(), word)) refuse(at, fmt::format("{0} is a function; expected {0}(...)", word));
    refuse(at, fmt::format("there is nothing named '{}'{}", word,
                           did_you_mean(nearest_name(word, candidates), "")));
  }

  int called(const Syntax& at) {
    const Function* function = find_row(function_rows(), at.text);
    if (function == nullptr) {
      std::vector<std::string> all;
      for (const Function& one : function_rows()) all.push_back(one.name);
      refuse(at, fmt::format("there is no function '{}'{}", at.text,
                             did_you_mean(nearest_name(at.text, all), "")));
    }
    const std::size_t got = at.arguments.size();
    if (got < function->least || got > function->most) {
      const std::string wanted = function->least == function->most
                                     ? fmt::format("{}", function->least)
                                     : fmt::format("{} to {}", function->least, function->most);
      refuse(at, fmt::format("{} takes {} argument{}, and got {}", at.text, wanted,
                             function->most == 1 ? "" : "s", got));
    }
    return function->make(*this, at);
  }

  int operation(const Syntax& at) {
    const int x = (*this)(at.arguments[0]), y = (*this)(at.arguments[1]);
    if (at.text == "+" || at.text == "-") return make(Op::add, {x, y}, at, at.text == "+" ? 1 : -1);
    if (at.text == "*") return make(Op::multiply, {x, y}, at);
    if (at.text == "/") return make(Op::divide, {x, y}, at);
    if (at.text == "@") return make(Op::product, {x, y}, at);
    const Node& exponent = graph_.nodes[static_cast<std::size_t>(y)];
    if (constant(exponent)) return make(Op::power, {x}, at, exponent.number);
    return make(Op::raise, {x, y}, at);
  }

  std::vector<ParameterProblem>& problems_;
  std::map<std::string, Meaning> names_;
  std::vector<Anonymous> anonymous_;
  std::vector<std::string> chain_;    ///< names whose definitions are being built
  std::vector<Meaning*> waiting_;     ///< states of which the value before is needed
  std::string key_, whole_, variable_;  ///< of the definition that is being built
  Graph graph_;
};

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
    build.refuse(condition, fmt::format("\"{}\" is no comparison; expected where(x > y, a, b)", to_text(condition)));
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
    build.refuse(function, fmt::format("\"{}\" is no lambda; expected spectral(X, lambda s: ...)", to_text(function)));
  return build.make(Op::spectral, {x, build.with_variable(function)}, call);
}

template <Op op>
int with_constant(Builder& build, const Syntax& call) {
  const int x = build(call.arguments[0]);
  const double value =
      build.constant_of(call.arguments[1], fmt::format("the second argument of {}", call.text).c_str());
  if (op == Op::smooth_polar && !(value >= 0))
    build.refuse(call.arguments[1], fmt::format("λ of smooth_polar is {}; expected a number >= 0", value));
  // With the rank decision of the polar factor, which s/√(s² + λ²) of rounding has not.
  if (op == Op::smooth_polar && value == 0) return build.make(Op::spectral_power, {x}, call, 0);
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
    build.refuse(call.arguments[1], fmt::format("{} steps; expected a whole number from 1 to {}", number,
                                                most_polar_steps));
  return with_polynomial(
      build, call,
      {.steps = taken_steps(list(), static_cast<std::size_t>(number)), .norm_factor = factor}, 2);
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

}  // namespace

bool Node::same_value(const Node& other) const {
  return op == other.op && arguments == other.arguments && number == other.number && left == other.left &&
         polynomial.steps == other.polynomial.steps &&
         polynomial.norm_factor == other.polynomial.norm_factor &&
         polynomial.norm_offset == other.polynomial.norm_offset;
}

Graph graph_of(const ParameterValues& definitions, std::vector<ParameterProblem>& problems) {
  return Builder(definitions, problems).graph();
}

}  // namespace rarefact::formula
