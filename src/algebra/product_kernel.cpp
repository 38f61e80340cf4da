#include "algebra/product_kernel.hpp"

#include <cmath>
#include <vector>

#include "algebra/product_kernel_body.hpp"
#include "algebra/product_kernel_sets.hpp"

namespace rarefact {

namespace {

/// Any processor: one lane, the fused operation of the C library where the hardware has none.
template <class Number>
struct Portable {
  using Real = Number;
  using Vector = Number;
  static constexpr int lanes = 1, columns = 4;
  static Vector zero() { return 0; }
  static Vector load(const Real* x) { return *x; }
  static void store(Real* x, Vector v) { *x = v; }
  static Vector broadcast(Real x) { return x; }
  static Vector add(Vector a, Vector b) { return a + b; }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return std::fma(a, b, c); }
};

template <class Real>
constexpr ProductKernel<Real> portable = {"portable", 3, 4, add_block<Portable<Real>>};

template <class Real>
std::vector<ProductKernel<Real>> runnable(KernelSet<Real> avx2, KernelSet<Real> avx512) {
  std::vector<ProductKernel<Real>> kernels = {portable<Real>};
  if (avx2.kernel) kernels.push_back(*avx2.kernel);
#if defined(__x86_64__)
  if (avx512.kernel && __builtin_cpu_supports("avx512f")) kernels.push_back(*avx512.kernel);
#else
  static_cast<void>(avx512);
#endif
  return kernels;
}

}  // namespace

template <>
std::span<const ProductKernel<double>> product_kernels<double>() {
  static const auto kernels = runnable(avx2_double(), avx512_double());
  return kernels;
}

template <>
std::span<const ProductKernel<float>> product_kernels<float>() {
  static const auto kernels = runnable(avx2_float(), avx512_float());
  return kernels;
}

}  // namespace rarefact
