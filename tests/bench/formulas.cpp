/// A step of every built-in rule that a formula says as well beside a step of that formula, in turns: medians and their
/// ratio.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bench/gaussian_memory.hpp"
#include "core/machine.hpp"
#include "model/column_layout.hpp"
#include "model/symmetric_layout.hpp"
#include "reference/as_formulas.hpp"
#include "reference/with_defaults.hpp"
#include "steps.hpp"

namespace {

using namespace rarefact;

double median_of(std::vector<double> numbers) {
  std::nth_element(numbers.begin(), numbers.begin() + std::ssize(numbers) / 2, numbers.end());
  return numbers[numbers.size() / 2];
}

/// Both train on the same memory; the caches are as warm for one as for the other.
template <class Memory>
void compare(benchmark::State& state, const Memory& memory,
             const RuleFactory<typename Memory::State> OptimizerRow::*factory, const OptimizerRow& row) {
  const Workers workers(threads);
  const ParameterValues parameters = with_defaults(row.parameters, {});
  const auto rule = (row.*factory)(parameters);
  const auto formula = (optimizer_row("formula").*factory)(*as_formula(row, parameters));
  Training<Memory> one(memory, *rule, 0.01, workers), other(memory, *formula, 0.01, workers);
  const auto milliseconds = [](auto& step) {
    const auto begin = std::chrono::steady_clock::now();
    step();
    return 1e3 * std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (int i = 0; i < 2; ++i) one(), other();
  std::vector<double> of_rule, of_formula;
  for (auto _ : state) {
    of_rule.push_back(milliseconds(one));
    of_formula.push_back(milliseconds(other));
  }
  state.counters["row_ms"] = median_of(of_rule);
  state.counters["formula_ms"] = median_of(of_formula);
  state.counters["ratio"] = median_of(of_formula) / median_of(of_rule);
  state.SetLabel("goal: ratio at most 1.2");
}

ClassGroups power_law(double classes) {
  return make_spectrum("power_law", {{"count", classes}, {"exponent", 1.5}}, {});
}

void on_columns(benchmark::State& state, const OptimizerRow* row) {
  compare(state, ColumnMemory({power_law(1e6), 0}), &OptimizerRow::columns, *row);
}

void on_symmetric(benchmark::State& state, const OptimizerRow* row) {
  const ParameterValues spectrum{{"groups", 64.0}, {"group_size", 1e6 / 64}, {"exponent", 1.5}};
  const SymmetricMemory<double> memory({make_spectrum("grouped_power_law", spectrum, {}), 0}, 1, {}, {});
  compare(state, memory, &OptimizerRow::symmetric, *row);
}

void on_dense(benchmark::State& state, const OptimizerRow* row) {
  compare(state, gaussian_memory(*row, 1024, 1024), &OptimizerRow::dense, *row);
}

/// One benchmark a rule and engine.
const bool registered = [] {
  pin_blocking();
  keep_freed_memory();
  for (const OptimizerRow& row : optimizer_catalogue()) {
    if (row.definitions || !as_formula(row, with_defaults(row.parameters, {}))) continue;
    const auto add = [&](const char* engine, auto run, int steps) {
      benchmark::RegisterBenchmark(fmt::format("formula_{}/{}", engine, row.name).c_str(), run, &row)
          ->Unit(benchmark::kMillisecond)
          ->UseRealTime()
          ->Iterations(steps);
    };
    if (row.symmetries_of(with_defaults(row.parameters, {})).keeps_wrong_ties && row.columns)
      add("columns", on_columns, 60);
    add("symmetric", on_symmetric, 2000);
    add("dense", on_dense, 15);
  }
  return true;
}();

}  // namespace
