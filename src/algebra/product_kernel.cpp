#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "algebra/product_kernel_body.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// For any processor: one lane, and the C library's fused multiply-add if the hardware has none.
template <class Number>
struct Portable {
  using Real = Number;
  using Vector = Number;
  static constexpr int lanes = 1, columns = 4;
  static Vector load(const Real* x) { return *x; }
  static void store(Real* x, Vector v) { *x = v; }
  static Vector broadcast(Real x) { return x; }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return std::fma(a, b, c); }
};

}  // namespace

template <class Real>
std::span<const ProductKernel<Real>> product_kernels() {
  constexpr auto of_set = [] {
    if constexpr (std::is_same_v<Real, double>)
      return &KernelSet::of_doubles;
    else
      return &KernelSet::of_floats;
  }();
  static const auto found = [] {
    std::vector<ProductKernel<Real>> kernels = {kernel_of<Portable<Real>>("portable")};
    if (const KernelSet* set = avx2_kernels()) kernels.push_back(set->*of_set);
#if defined(__x86_64__)
    const KernelSet* widest = avx512_kernels();
    if (widest && __builtin_cpu_supports("avx512f")) kernels.push_back(widest->*of_set);
#endif
    return kernels;
  }();
  return found;
}

template <class Real>
const ProductKernel<Real>& product_kernel() {
  static const ProductKernel<Real>& chosen = []() -> const ProductKernel<Real>& {
    const char* wanted = std::getenv("RAREFACT_KERNEL");
    const std::span<const ProductKernel<Real>> kernels = product_kernels<Real>();
    for (const ProductKernel<Real>& kernel : kernels) {
      if (wanted && std::string_view(wanted) == kernel.name) return kernel;
    }
    if (wanted && *wanted != 0)
      throw InputError(std::string("RAREFACT_KERNEL names no kernel of this processor: ") + wanted);
    return kernels.back();
  }();
  return chosen;
}

template std::span<const ProductKernel<double>> product_kernels();
template std::span<const ProductKernel<float>> product_kernels();
template const ProductKernel<double>& product_kernel();
template const ProductKernel<float>& product_kernel();

}  // namespace rarefact
