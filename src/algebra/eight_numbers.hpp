#pragma once

/// Vectors of eight doubles, for sources that are compiled for different instruction sets: the same operations in the
/// same order, so that the bytes do not depend on the processor. Products are added only by `multiply_add`. Everything is
/// local to the including source, as in product_kernel_body.hpp.

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))
#include <immintrin.h>
#endif

namespace rarefact {
namespace {

constexpr int eight = 8;

/// Bits of eight numbers that are kept: from place 8 - i on those of the numbers from i on, from place 7 - i of the second
/// the bits of number i alone.
constexpr long long kept_from[2 * eight] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};
constexpr long long kept_alone[2 * eight - 1] = {0, 0, 0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0};

#if defined(__AVX512F__)

/// `columns`, `rows`: how many columns, and vectors of rows, fit the registers.
struct Eight {
  static constexpr int columns = 8, rows = 8;
  __m512d x;
  static Eight zero() { return {_mm512_setzero_pd()}; }
  static Eight of(double number) { return {_mm512_set1_pd(number)}; }
  static Eight load(const double* from) { return {_mm512_load_pd(from)}; }
  void store(double* to) const { _mm512_store_pd(to, x); }
  Eight masked(const long long* bits) const {
    return {_mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(x), _mm512_loadu_si512(bits)))};
  }
  /// x_i + x_i+4; masked, because g++ 12 warns of what the plain intrinsics leave undefined.
  __m256d halves() const {
    return _mm512_maskz_extractf64x4_pd(0xff, x, 0) + _mm512_maskz_extractf64x4_pd(0xff, x, 1);
  }
};
inline Eight multiply_add(Eight a, Eight b, Eight c) {
  return {_mm512_fmadd_pd(a.x, b.x, c.x)};
}
inline Eight product(Eight a, Eight b) {
  return {a.x * b.x};
}
inline Eight sum(Eight a, Eight b) {
  return {a.x + b.x};
}
inline Eight joined(__m256d low, __m256d high) {
  return {_mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(low), high, 1)};
}

#elif defined(__AVX2__) && defined(__FMA__)

struct Eight {
  static constexpr int columns = 2, rows = 2;
  __m256d low, high;
  static Eight zero() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
  static Eight of(double number) { return {_mm256_set1_pd(number), _mm256_set1_pd(number)}; }
  static Eight load(const double* from) { return {_mm256_load_pd(from), _mm256_load_pd(from + 4)}; }
  void store(double* to) const {
    _mm256_store_pd(to, low);
    _mm256_store_pd(to + 4, high);
  }
  Eight masked(const long long* bits) const {
    const double* of = reinterpret_cast<const double*>(bits);
    return {_mm256_and_pd(low, _mm256_loadu_pd(of)), _mm256_and_pd(high, _mm256_loadu_pd(of + 4))};
  }
  __m256d halves() const { return low + high; }
};
inline Eight multiply_add(Eight a, Eight b, Eight c) {
  return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}
inline Eight product(Eight a, Eight b) {
  return {a.low * b.low, a.high * b.high};
}
inline Eight sum(Eight a, Eight b) {
  return {a.low + b.low, a.high + b.high};
}
inline Eight joined(__m256d low, __m256d high) {
  return {low, high};
}

#else

struct Eight {
  static constexpr int columns = 1, rows = 1;
  double x[eight];
  static Eight zero() { return {}; }
  static Eight of(double number) {
    Eight result;
    for (double& entry : result.x) entry = number;
    return result;
  }
  static Eight load(const double* from) {
    Eight result;
    for (int i = 0; i < eight; ++i) result.x[i] = from[i];
    return result;
  }
  void store(double* to) const {
    for (int i = 0; i < eight; ++i) to[i] = x[i];
  }
  Eight masked(const long long* bits) const {
    Eight result;
    for (int i = 0; i < eight; ++i) result.x[i] = bits[i] ? x[i] : 0;
    return result;
  }
};
inline Eight multiply_add(const Eight& a, const Eight& b, const Eight& c) {
  Eight result;
  for (int i = 0; i < eight; ++i) result.x[i] = __builtin_fma(a.x[i], b.x[i], c.x[i]);
  return result;
}
inline Eight product(const Eight& a, const Eight& b) {
  Eight result;
  for (int i = 0; i < eight; ++i) result.x[i] = a.x[i] * b.x[i];
  return result;
}
inline Eight sum(const Eight& a, const Eight& b) {
  Eight result;
  for (int i = 0; i < eight; ++i) result.x[i] = a.x[i] + b.x[i];
  return result;
}

#endif

#if defined(__AVX512F__) || (defined(__AVX2__) && defined(__FMA__))

inline double total(const Eight& of) {
  const __m256d four = of.halves();
  const __m128d low = _mm256_castpd256_pd128(four), high = _mm256_extractf128_pd(four, 1);
  return (low[0] + low[1]) + (high[0] + high[1]);
}
inline __m256d four_totals(const Eight* of) {
  const __m256d ab = _mm256_hadd_pd(of[0].halves(), of[1].halves()),
                cd = _mm256_hadd_pd(of[2].halves(), of[3].halves());
  return _mm256_blend_pd(ab, cd, 0xc) + _mm256_permute2f128_pd(ab, cd, 0x21);
}
/// The totals of eight vectors.
inline Eight totals(const Eight* of) {
  return joined(four_totals(of), four_totals(of + 4));
}
/// Eight numbers that are `stride` apart.
inline Eight gathered(const double* x, long stride) {
  return joined(__m256d{x[0], x[stride], x[2 * stride], x[3 * stride]},
                __m256d{x[4 * stride], x[5 * stride], x[6 * stride], x[7 * stride]});
}

#else

inline double total(const Eight& of) {
  const double* x = of.x;
  return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}
inline Eight totals(const Eight* of) {
  Eight result;
  for (int i = 0; i < eight; ++i) result.x[i] = total(of[i]);
  return result;
}
inline Eight gathered(const double* x, long stride) {
  Eight result;
  for (int i = 0; i < eight; ++i) result.x[i] = x[i * stride];
  return result;
}

#endif

/// The numbers from i on, and zeros.
inline Eight from(const Eight& x, long i) {
  return x.masked(kept_from + eight - i);
}
/// Number i alone, and zeros.
inline Eight alone(double number, long i) {
  return Eight::of(number).masked(kept_alone + eight - 1 - i);
}

}  // namespace
}  // namespace rarefact
