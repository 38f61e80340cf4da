#pragma once

/// Random formula rules, well typed: every value is made for the two indices it must have.

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "optim/update_rule.hpp"

namespace laws {

using namespace rarefact;

class FormulaGenerator {
 public:
  /// The same number, the same formulas.
  explicit FormulaGenerator(std::uint64_t which) : random_(17, "formulas"), which_(which) {}

  /// A rule of up to two states, one definition and a direction. A few of them are refused: numbers that may be negative
  /// below a root, states that stay zero.
  ParameterValues rule() {
    states_ = {};
    const int count = pick(3);
    for (int s = 0; s < count; ++s) {
      const std::array shapes = {weight,         weight,          Shape{out, in}, Shape{out, one},
                                 Shape{one, in}, Shape{out, out}, Shape{in, in},  number};
      states_.push_back({s == 0 ? "m" : "v", shapes[pick(static_cast<int>(shapes.size()))]});
    }
    const std::vector<State> all = states_;
    ParameterValues rule;
    for (const State& state : all) {
      const std::string decay = chance(50) ? "0.9*" : "0.5*";
      rule.set("state." + state.name,
               decay + state.name + " + " + (chance(40) ? positive(state.shape, 2) : value(state.shape, 2)));
    }
    rule.set("direction", value(weight, 3 + pick(2)));
    return rule;
  }

 private:
  enum Leg { one, out, in, answers, queries };
  struct Shape {
    Leg rows, columns;
    bool operator==(const Shape&) const = default;
  };
  struct State {
    std::string name;
    Shape shape;
  };
  static constexpr Shape weight = {out, in}, number = {one, one}, task = {answers, queries};

  int pick(int below) { return static_cast<int>(random_.uniform(which_, next_++) * below); }
  bool chance(int percent) { return pick(100) < percent; }
  std::string any_of(std::initializer_list<const char*> choices) {
    return *(choices.begin() + pick(static_cast<int>(choices.size())));
  }

  static bool is_matrix(Shape s) { return s.rows != one && s.columns != one; }

  /// The same or, sometimes, one that is stretched to it.
  Shape beside(Shape s) {
    if (which_ % 2 == 1 && chance(90)) return s;
    if (chance(20)) s.rows = one;
    if (chance(20)) s.columns = one;
    return s;
  }

  std::string leaf(Shape s) {
    std::vector<std::string> all;
    for (const State& state : states_) {
      if (state.shape == s) all.push_back(state.name), all.push_back("prev(" + state.name + ")");
      if (state.shape == Shape{s.columns, s.rows}) all.push_back(state.name + ".T");
    }
    const auto add = [&](Shape of, std::initializer_list<const char*> texts) {
      if (of == s) all.insert(all.end(), texts.begin(), texts.end());
    };
    add(weight, {"G", "G", "G", "W"});
    add({in, out}, {"G.T", "G.T", "W.T"});
    add(task, {"T"});
    add({queries, answers}, {"T.T"});
    add({out, out}, {"G@G.T", "G@W.T"});
    add({in, in}, {"C", "G.T@G", "W.T@G"});
    add({out, one}, {"rownorm(G)", "rowsum(G)", "rowmean(G**2)", "rowmax(G)"});
    add({one, in}, {"colnorm(G)", "colsum(G)", "colmean(G**2)", "colmax(G)"});
    add({in, one}, {"colnorm(G).T"});
    add({one, out}, {"rowsum(G).T"});
    add({answers, one}, {"rownorm(T)"});
    add({one, queries}, {"colmax(T)"});
    add(number, {"norm(G)", "2", "0.3", "t", "d_out", "d_in", "nuclear(G)", "sum(G)", "-1"});
    if (all.empty()) return "1";
    return all[pick(static_cast<int>(all.size()))];
  }

  /// Of matrices of a weight's axes, or of those of the task.
  Leg inner(Shape s) {
    const bool of_task = s.rows >= answers || s.columns >= answers;
    return of_task ? (chance(50) ? answers : queries) : chance(50) ? out : in;
  }

  std::string value(Shape s, int depth) {
    if (depth <= 0) return leaf(s);
    // Of operations on single entries few formulas keep a rotation: every other one has hardly any.
    static constexpr std::array gentle = {0, 1, 8, 10, 12, 13, 14, 15, 16, 3};
    int kind = pick(is_matrix(s) ? 17 : 14);
    if (which_ % 2 == 1 && chance(95)) kind = gentle[pick(is_matrix(s) ? 10 : 6)];
    const auto other = [&] { return value(beside(s), depth - 1); };
    switch (kind) {
      case 0:
        return leaf(s);
      case 1:
        return fmt::format("({} {} {})", value(s, depth - 1), any_of({"+", "-"}), other());
      case 2:
        return fmt::format("({}*{})", value(s, depth - 1), other());
      case 3:
        return fmt::format("({}/{})", value(s, depth - 1),
                           chance(70) ? "(" + positive(beside(s), depth - 1) + " + 0.1)" : other());
      case 4:
        return fmt::format("{}({})", any_of({"abs", "sign", "tanh", "sign", "tanh"}), value(s, depth - 1));
      case 5:
        return fmt::format("({})**{}", value(s, depth - 1), any_of({"2", "3", "-1"}));
      case 6:
        return fmt::format("{}({}, {})", any_of({"minimum", "maximum"}), value(s, depth - 1), other());
      case 7:
        return fmt::format("where({} {} {}, {}, {})", value(s, depth - 1), any_of({">", "<"}), other(),
                           other(), value(s, depth - 1));
      case 8:
        return fmt::format("{}({}, {})", any_of({"ema", "decay"}), value(s, depth - 1),
                           any_of({"0.9", "0.5", "0"}));
      case 9:
        return positive(s, depth);
      case 10:
        return "(" + value({s.columns, s.rows}, depth - 1) + ").T";
      case 11:
        return fmt::format("clip({}, -0.7, {})", value(s, depth - 1), any_of({"0.5", "norm(G)"}));
      case 12:
        return fmt::format("({}*{})", value(number, depth - 1), value(s, depth - 1));
      case 13:
        return product_or_reduction(s, depth);
      case 14:
        return product_or_reduction(s, depth);
      case 15:
        if (s == weight && chance(60)) return fmt::format("ambient({})", value(task, depth - 1));
        return of_spectrum(s, depth);
      default:
        return of_spectrum(s, depth);
    }
  }

  std::string of_spectrum(Shape s, int depth) {
    const std::string x = value(s, depth - 1);
    switch (pick(6)) {
      case 0:
        return fmt::format("polar({})", x);
      case 1:
        return fmt::format("power({}, {})", x, any_of({"0.5", "-0.5", "2", "-1"}));
      case 2:
        return fmt::format(
            "spectral({}, lambda s: {})", x,
            any_of({"where(s > 0.5, s, 0)", "s**2/(s + 1)", "tanh(s)", "s**0.5", "minimum(s, 1)"}));
      case 3:
        return fmt::format("smooth_polar({}, {})", x, any_of({"0", "0.1"}));
      case 4:
        return fmt::format("newton_schulz({}, 2, {})", x, any_of({"0", "0.1"}));
      default:
        return fmt::format("quintic({}, [[2, -1.5, 0.5]], 0)", x);
    }
  }

  std::string product_or_reduction(Shape s, int depth) {
    if (s == number) {
      const Shape of = chance(60) ? weight : Shape{chance(50) ? out : one, chance(50) ? in : one};
      if (chance(15)) return fmt::format("inner({}, {})", value(of, depth - 1), value(of, depth - 1));
      if (chance(15))
        return fmt::format("trace({})", value(chance(50) ? Shape{out, out} : Shape{in, in}, depth - 1));
      if (is_matrix(of) && chance(20))
        return fmt::format("{}({})", any_of({"nuclear", "spectral_norm"}), value(of, depth - 1));
      return fmt::format("{}({})", any_of({"sum", "mean", "norm", "rms", "maxabs"}), value(of, depth - 1));
    }
    if (chance(is_matrix(s) ? 100 : 40)) {
      const Leg along = inner(s);
      return fmt::format("({} @ {})", value({s.rows, along}, depth - 1),
                         value({along, s.columns}, depth - 1));
    }
    const bool of_rows = s.columns == one;
    const Leg gone = of_rows ? (s.rows == out       ? in
                                : s.rows == in      ? out
                                : s.rows == answers ? queries
                                                    : answers)
                             : (s.columns == in        ? out
                                : s.columns == out     ? in
                                : s.columns == queries ? answers
                                                       : queries);
    return fmt::format("{}{}({})", of_rows ? "row" : "col", any_of({"sum", "mean", "norm", "max"}),
                       value(of_rows ? Shape{s.rows, gone} : Shape{gone, s.columns}, depth - 1));
  }

  /// Never negative.
  std::string positive(Shape s, int depth) {
    if (depth <= 0) return fmt::format("({})**2", leaf(s));
    switch (pick(8)) {
      case 0:
        return fmt::format("({})**2", value(s, depth - 1));
      case 1:
        return fmt::format("abs({})", value(s, depth - 1));
      case 2:
        return fmt::format("sqrt({})", positive(s, depth - 1));
      case 3:
        return fmt::format("({} + {})", positive(s, depth - 1), positive(beside(s), depth - 1));
      case 4:
        return fmt::format("ema({}, 0.9)", positive(s, depth - 1));
      case 5:
        return fmt::format("({})**{}", positive(s, depth - 1), any_of({"0.5", "0.3", "-0.5"}));
      case 6:
        return fmt::format("exp({}({}))", any_of({"tanh", "sign"}), value(s, depth - 1));
      default:
        if (s.columns == one && s.rows == out) return fmt::format("rownorm({})", value(weight, depth - 1));
        if (s.rows == one && s.columns == in) return fmt::format("colnorm({})", value(weight, depth - 1));
        return fmt::format("({}/norm({}))**2", value(s, depth - 1), value(weight, depth - 1));
    }
  }

  RandomStream random_;
  std::uint64_t which_, next_ = 0;
  std::vector<State> states_;
};

}  // namespace laws
