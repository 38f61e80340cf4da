// The kernel for AVX2 with fused multiply-add, if the baseline of the build has it.

#include "algebra/product_kernel_body.hpp"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

namespace rarefact {
namespace {

struct Fused256 {
  static __m256d of(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
  static __m256 of(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
};

constexpr KernelSet avx2_set = {kernel_of<SimdOf<double, 4, 4, Fused256>>("AVX2"),
                                kernel_of<SimdOf<float, 8, 4, Fused256>>("AVX2")};

}  // namespace

const KernelSet* avx2_kernels() {
  return &avx2_set;
}

}  // namespace rarefact

#else

const rarefact::KernelSet* rarefact::avx2_kernels() {
  return nullptr;
}

#endif
