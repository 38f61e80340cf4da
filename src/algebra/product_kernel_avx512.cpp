// Compiled for AVX-512 whatever the baseline of the build (CMakeLists.txt), and called only where the
// processor has it.

#include "algebra/product_kernel_sets.hpp"

#if defined(__AVX512F__)

#include <immintrin.h>

#include "algebra/product_kernel_body.hpp"

namespace rarefact {
namespace {

struct Double {
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

struct Float {
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

constexpr ProductKernel<double> of_doubles = {"AVX-512", 24, 8, add_block<Double>};
constexpr ProductKernel<float> of_floats = {"AVX-512", 48, 8, add_block<Float>};

}  // namespace

KernelSet<double> avx512_double() {
  return {&of_doubles};
}
KernelSet<float> avx512_float() {
  return {&of_floats};
}

}  // namespace rarefact

#else

namespace rarefact {

KernelSet<double> avx512_double() {
  return {};
}
KernelSet<float> avx512_float() {
  return {};
}

}  // namespace rarefact

#endif
