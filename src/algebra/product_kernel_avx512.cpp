// The kernel for AVX-512, compiled whatever the baseline of the build (CMakeLists.txt), and called only if
// the processor has it.

#include "algebra/product_kernel_body.hpp"

#if defined(__AVX512F__)

#include <immintrin.h>

namespace rarefact {
namespace {

struct Fused512 {
  static __m512d of(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
  static __m512 of(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
};

constexpr KernelSet avx512_set = {kernel_of<SimdOf<double, 8, 8, Fused512>>("AVX-512"),
                                  kernel_of<SimdOf<float, 16, 8, Fused512>>("AVX-512")};

}  // namespace

const KernelSet* avx512_kernels() {
  return &avx512_set;
}

}  // namespace rarefact

#else

const rarefact::KernelSet* rarefact::avx512_kernels() {
  return nullptr;
}

#endif
