// The kernel for AVX2 with fused multiply-add, if the baseline of the build has it.

#include "algebra/product_kernel_body.hpp"

#if defined(__AVX2__) && defined(__FMA__)

#include <immintrin.h>

namespace rarefact {
namespace {

struct Avx2Double {
  using Real = double;
  using Vector = __m256d;
  static constexpr int lanes = 4, columns = 4;
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector load(const double* x) { return _mm256_loadu_pd(x); }
  static void store(double* x, Vector v) { _mm256_storeu_pd(x, v); }
  static Vector broadcast(double x) { return _mm256_set1_pd(x); }
  static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
};

struct Avx2Float {
  using Real = float;
  using Vector = __m256;
  static constexpr int lanes = 8, columns = 4;
  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector load(const float* x) { return _mm256_loadu_ps(x); }
  static void store(float* x, Vector v) { _mm256_storeu_ps(x, v); }
  static Vector broadcast(float x) { return _mm256_set1_ps(x); }
  static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
};

constexpr KernelSet avx2_set = {{"AVX2", 12, 4, add_block<Avx2Double>},
                                {"AVX2", 24, 4, add_block<Avx2Float>}};

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
