/// What a step of a small run consists of, besides products (dense.cpp): each with its goal for one core with AVX2.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "algebra/lu.hpp"
#include "algebra/polar.hpp"
#include "algebra/polar_newton.hpp"
#include "model/entry_functions.hpp"

namespace {

using namespace rarefact;

/// Like a gradient in the task basis: I - 11ᵀ/n with columns of sizes k^-2, moved by `t`.
Matrix graded(Index n, double t) {
  Matrix x = Matrix::Constant(n, n, -1.0 / static_cast<double>(n));
  for (Index k = 0; k < n; ++k) {
    x(k, k) += 1 + t / static_cast<double>(k + 1);
    x.col(k).array() += -x.col(k).sum() / static_cast<double>(n);
    x.col(k) *= std::pow(k + 1, -2);
  }
  return x;
}

void label(benchmark::State& state, const char* at_16, const char* at_64, const char* at_128 = "") {
  state.SetLabel(fmt::format("goal: at most {} us", state.range(0) == 16   ? at_16
                                                    : state.range(0) == 64 ? at_64
                                                                           : at_128));
}

void refined_polar(benchmark::State& state) {
  const Index n = state.range(0);
  WarmStartPolar<double> polar;
  double t = 0;
  for (auto _ : state) benchmark::DoNotOptimize(polar(graded(n, t += 1e-3)).data());
  label(state, "12", "200");
  state.counters["scratch"] = static_cast<double>(polar.from_scratch());
}
BENCHMARK(refined_polar)->Arg(16)->Arg(64)->Unit(benchmark::kMicrosecond);

void newton(benchmark::State& state) {
  const Matrix x = Matrix::Random(state.range(0), state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(newton_polar(x, Workers::serial()));
  label(state, "20", "350");
}
BENCHMARK(newton)->Arg(16)->Arg(64)->Unit(benchmark::kMicrosecond);

void small_inverse(benchmark::State& state) {
  const Matrix x = Matrix::Random(state.range(0), state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(small_inverse_transposed(x));
  label(state, "1.5", "25", "150");
}
BENCHMARK(small_inverse)->Arg(16)->Arg(64)->Arg(128)->Unit(benchmark::kMicrosecond);

void values(benchmark::State& state) {
  const Matrix x = graded(state.range(0), 0);
  for (auto _ : state) benchmark::DoNotOptimize(nonzero_singular_values(x).data());
  label(state, "12", "250");
}
BENCHMARK(values)->Arg(16)->Arg(64)->Unit(benchmark::kMicrosecond);

void softmax_column(benchmark::State& state) {
  const Vector logits = Vector::Random(state.range(0)) * 10;
  Vector ratios;
  for (auto _ : state) {
    ratios = logits;
    to_ratios<double>(Eigen::Map<Vector>(ratios.data(), ratios.size()), 10.0);
    benchmark::DoNotOptimize(ratios.data());
  }
  label(state, "0.1", "0.3");
}
BENCHMARK(softmax_column)->Arg(16)->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
