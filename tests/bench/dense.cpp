/// Steps of the dense engine with Gaussian embeddings, and its matrix products beside Eigen's. PyTorch's
/// seconds for the same work: tests/bench/compare_torch.py.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "algebra/product.hpp"
#include "bench/gaussian_memory.hpp"
#include "core/machine.hpp"
#include "reference/with_defaults.hpp"
#include "steps.hpp"

namespace {

using namespace rarefact;

void dense_step(benchmark::State& state, const char* name, const char* goal) {
  pin_blocking();
  keep_freed_memory();
  const auto classes = static_cast<Index>(state.range(0));
  const auto dimension = static_cast<double>(state.range(1));
  const Workers workers(threads);
  const OptimizerRow& row = optimizer_row(name);
  const auto rule = row.dense(with_defaults(row.parameters, {}));
  const DenseMemory memory = gaussian_memory(row, classes, dimension);
  time_steps(state, memory, *rule, 0.1, 1, workers);
  state.SetLabel(fmt::format("K = {}, d = {}; goal: {} faster than PyTorch", classes, dimension, goal));
}
BENCHMARK_CAPTURE(dense_step, muon_1024, "muon", "2x")
    ->Args({1024, 1024})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(dense_step, muon_256, "muon", "4x")
    ->Args({256, 256})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(dense_step, muon_8192, "muon", "2x")
    ->Args({8192, 512})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(dense_step, gd_1024, "gd", "1.4x")
    ->Args({1024, 1024})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(dense_step, signgd_1024, "signgd", "1.4x")
    ->Args({1024, 1024})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(dense_step, adam_1024, "adam", "1.4x")
    ->Args({1024, 1024})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(dense_step, gd_16384, "gd", "1.5x")
    ->Args({16384, 256})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

Matrix numbers(Index n) {
  return Matrix::Random(n, n);
}

void count_operations(benchmark::State& state, double n) {
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
}

/// One thread: 0 the library's product at the baseline of the build, 1 and up the program's kernels.
void product_rate(benchmark::State& state) {
  pin_blocking();
  const Index n = state.range(0);
  const auto kernels = product_kernels<double>();
  const auto which = static_cast<std::size_t>(state.range(1));
  if (which > kernels.size()) return state.SkipWithError("this processor has no such kernel");
  const Matrix a = numbers(n), b = numbers(n);
  Matrix c(n, n);
  for (auto _ : state) {
    if (which == 0) {
      c.noalias() = a * b;
    } else {
      const PackedFactor<double> left(view_of(a), Workers::serial(), kernels[which - 1]);
      const Index tile = product_tile(n, 1);
      for (Index j = 0; j < n; j += tile)
        left.times(view_of(b).middle_columns(j, std::min(tile, n - j)), c.col(j).data(), n);
    }
    benchmark::DoNotOptimize(c.data());
  }
  count_operations(state, static_cast<double>(n));
  state.SetLabel(which == 0 ? "Eigen"
                            : std::string(kernels[which - 1].name) + "; goal: 90 % of the best library");
}
BENCHMARK(product_rate)->ArgsProduct({{256, 1024}, {0, 2, 3}})->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
