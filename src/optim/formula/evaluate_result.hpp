#pragma once

/// What FormulaRule shows of a step, and what it keeps for the next.

#include "optim/formula/evaluate.hpp"

namespace rarefact::formula {

template <class M>
std::map<int, int> FormulaRule<M>::keep_states() {
  const int direction = rule_.graph.direction;
  if (node(direction).op == op::state) shown_ = value(direction).held();
  std::map<int, int> moved;
  std::vector<std::pair<int, Value<M>>> copies;
  for (const State& state : rule_.graph.states) {
    const Value<M>& after = value(state.after);
    if (schedule_.in_place[state.after] == state.before) {
      value(state.before).exponent = after.exponent;
      continue;
    }
    const bool leaf = node(state.after).op->leaf;
    if (!leaf && !after.view && moved.emplace(state.after, state.before).second) continue;
    Value<M>& copy = copies.emplace_back(state.before, after).second;
    copy.matrix = after.held();
    copy.view = nullptr;
  }
  for (const auto& [after, before] : moved) std::swap(value(after), value(before));
  for (auto& [before, copy] : copies) value(before) = std::move(copy);
  return moved;
}

template <class M>
void FormulaRule<M>::scale(Direction<M>& direction) {
  using std::ldexp;
  for (const int factor : rule_.graph.factors) {
    direction.scale *= value(factor).numbers(0);
    direction.exponent += std::max(value(factor).exponent, zero_exponent);
    normalise(direction.scale, direction.exponent);
  }
  for (const int divisor : rule_.graph.divisors) {
    const Value<M>& by = value(divisor);
    const bool nothing = by.numbers(0) == Real(0);
    if (nothing && largest(plain(rule_.graph.direction)) > Real(0))
      fail(fmt::format("something that is not 0 was divided by {}, which is 0", part(divisor)));
    direction.scale = nothing ? Real(0) : Real(direction.scale / by.numbers(0));
    if (!nothing) direction.exponent -= by.exponent;
    normalise(direction.scale, direction.exponent);
  }
  direction.exponent = std::max(direction.exponent, zero_exponent);
  direction.size = ldexp(direction.scale, direction.exponent);
}

}  // namespace rarefact::formula
