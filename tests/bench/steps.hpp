#pragma once

#include <benchmark/benchmark.h>

#include <cmath>

#include "core/parallel.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

inline constexpr int threads = 2;

/// Training from zero; one call is one step W <- W - η D: evaluate, direction, update.
template <class Memory>
class Training {
 public:
  using M = typename Memory::State;

  Training(const Memory& memory, UpdateRule<M>& rule, double step_size, const Workers& workers)
      : memory_(memory), rule_(rule), step_size_(step_size), workers_(workers), w_(memory.zero()) {
    if constexpr (requires { memory.polar_hint(); }) context_.polar = memory.polar_hint();
  }
  Training(const Training&) = delete;

  void operator()() {
    memory_.evaluate(w_, &gradient_, nullptr, workers_);
    const Direction<M> d = rule_.direction(gradient_, context_);
    combine(w_, 1, std::ldexp(-step_size_ * d.scale, d.exponent), *d.matrix);
  }

 private:
  const Memory& memory_;
  UpdateRule<M>& rule_;
  double step_size_;
  const Workers& workers_;
  M w_;
  Gradient<M> gradient_;
  RuleContext<M> context_{[this](const M& x) { return memory_.to_ambient(x); }, workers_};
};

/// `warm` steps before the clock starts.
template <class Memory>
void time_steps(benchmark::State& state, const Memory& memory, UpdateRule<typename Memory::State>& rule,
                double step_size, int warm, const Workers& workers) {
  Training<Memory> step(memory, rule, step_size, workers);
  for (int i = 0; i < warm; ++i) step();
  for (auto _ : state) step();
}

}  // namespace rarefact
