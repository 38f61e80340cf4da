#pragma once

#include <benchmark/benchmark.h>

#include <cmath>

#include "core/parallel.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

inline constexpr int threads = 2;

/// Steps W <- W - η D, `warm` of them before the clock starts.
template <class Memory>
void time_steps(benchmark::State& state, const Memory& memory, UpdateRule<typename Memory::State>& rule,
                double step_size, int warm, const Workers& workers) {
  using M = typename Memory::State;
  RuleContext<M> context{[&](const M& x) { return memory.to_ambient(x); }, workers};
  if constexpr (requires { memory.polar_hint(); }) context.polar = memory.polar_hint();
  M w = memory.zero();
  Gradient<M> gradient;
  const auto step = [&] {
    memory.evaluate(w, &gradient, nullptr, workers);
    const Direction<M> d = rule.direction(gradient, context);
    combine(w, 1, std::ldexp(-step_size * d.scale, d.exponent), *d.matrix);
  };
  for (int i = 0; i < warm; ++i) step();
  for (auto _ : state) step();
}

}  // namespace rarefact
