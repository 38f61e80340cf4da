// The kernel for AVX-512, compiled whatever the baseline of the build (CMakeLists.txt), and called only if
// the processor has it.

#include "algebra/product_kernel_body.hpp"

#if defined(__AVX512F__)

#include <immintrin.h>

namespace rarefact {
namespace {

struct Avx512Double {
  using Real = double;
  using Vector = __m512d;
  static constexpr int lanes = 8, columns = 8;
  static Vector zero() { return _mm512_setzero_pd(); }
  static Vector load(const double* x) { return _mm512_loadu_pd(x); }
  static void store(double* x, Vector v) { _mm512_storeu_pd(x, v); }
  static Vector broadcast(double x) { return _mm512_set1_pd(x); }
  static Vector add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
};

struct Avx512Float {
  using Real = float;
  using Vector = __m512;
  static constexpr int lanes = 16, columns = 8;
  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector load(const float* x) { return _mm512_loadu_ps(x); }
  static void store(float* x, Vector v) { _mm512_storeu_ps(x, v); }
  static Vector broadcast(float x) { return _mm512_set1_ps(x); }
  static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static Vector multiply_add(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
};

constexpr KernelSet avx512_set = {{"AVX-512", 24, 8, add_block<Avx512Double>},
                                  {"AVX-512", 48, 8, add_block<Avx512Float>}};

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
