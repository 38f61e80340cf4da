// The loops for AVX-512, compiled whatever the baseline of the build, like product_kernel_avx512.cpp.

#include "algebra/eight_kernels_body.hpp"

const rarefact::EightKernels* rarefact::eight_kernels_avx512() {
#if defined(__AVX512F__)
  return &kernels_of_eight;
#else
  return nullptr;
#endif
}
