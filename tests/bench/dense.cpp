/// Steps of the dense engine with Gaussian embeddings. PyTorch's seconds for the same work:
/// tests/bench/compare_torch.py.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "core/machine.hpp"
#include "model/dense_layout.hpp"
#include "model/embedding.hpp"
#include "model/make_spectrum.hpp"
#include "optim/update_rule.hpp"
#include "reference/with_defaults.hpp"
#include "sim/inputs.hpp"
#include "steps.hpp"

namespace {

using namespace rarefact;

/// Facts with p ∝ k^-1.5 and Gaussian embeddings, as a run of this rule holds them: by triangles on sides that rotate.
DenseMemory gaussian_memory(const Symmetries& symmetries, Index classes, double dimension) {
  const auto side = [&](const char* stream, bool rotates) {
    const auto made = std::make_shared<const Matrix>(
        embedding_row("gaussian").make({{"dimension", dimension}}, {.classes = classes, .stream = stream}));
    return rotates ? triangular_factor(made) : made;
  };
  const ClassGroups groups =
      make_spectrum("power_law", {{"count", static_cast<double>(classes)}, {"exponent", 1.5}}, {});
  return {{groups, 0},
          side("query", symmetries.queries_rotate),
          side("answer", symmetries.answers_rotate),
          {.keeps_task = symmetries.reads_task}};
}

/// A product of two square matrices that fit the caches, and one with a triangle, as embeddings on sides that rotate are.
void small_product(benchmark::State& state) {
  const Index n = state.range(0);
  const Matrix a = Matrix::Random(n, n), b = Matrix::Random(n, n);
  const Matrix left = state.range(1) != 0 ? Matrix(a.triangularView<Eigen::Upper>()) : a;
  Matrix c(n, n);
  for (auto _ : state) {
    multiply(view_of(left), view_of(b), c.data(), n, Workers::serial());
    benchmark::DoNotOptimize(c.data());
  }
  state.SetLabel(n == 16               ? "goal: at most 0.3 us"
                 : state.range(1) != 0 ? "triangle; goal: at most 9 us with AVX2"
                                       : "goal: at most 13 us with AVX2");
}
BENCHMARK(small_product)->Args({16, 0})->Args({64, 0})->Args({64, 1})->Unit(benchmark::kMicrosecond);

void dense_step(benchmark::State& state, const char* name, const char* goal) {
  pin_blocking();
  keep_freed_memory();
  const auto classes = static_cast<Index>(state.range(0));
  const auto dimension = static_cast<double>(state.range(1));
  const Workers workers(threads);
  const OptimizerRow& row = optimizer_row(name);
  const ParameterValues parameters = with_defaults(row.parameters, {});
  const auto rule = row.make<DenseMatrix>(parameters);
  const DenseMemory memory = gaussian_memory(row.symmetries_of(parameters), classes, dimension);
  time_steps(state, memory, *rule, 0.1, 1, workers);
  state.SetLabel(fmt::format("K = {}, d = {}; goal: {} faster than PyTorch", classes, dimension, goal));
}
const bool registered = [] {
  struct Row {
    const char *rule, *goal;
    int classes, dimension;
  };
  for (const Row& row : {Row{"muon", "2x", 1024, 1024},
                         {"muon", "4x", 256, 256},
                         {"muon", "2x", 8192, 512},
                         {"gd", "1.4x", 1024, 1024},
                         {"signgd", "1.4x", 1024, 1024},
                         {"adam", "1.4x", 1024, 1024},
                         {"gd", "1.5x", 16384, 256}})
    benchmark::RegisterBenchmark(fmt::format("dense_step/{}", row.rule).c_str(), dense_step, row.rule,
                                 row.goal)
        ->Args({row.classes, row.dimension})
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  return true;
}();

}  // namespace
