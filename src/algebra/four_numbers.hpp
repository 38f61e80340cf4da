#pragma once

/// Vectors of four numbers; a processor without such vectors computes by two.

namespace rarefact {

typedef double Four __attribute__((vector_size(32), aligned(alignof(double)), may_alias));

inline const Four& four_at(const double* x) {
  return *reinterpret_cast<const Four*>(x);
}
inline Four& four_at(double* x) {
  return *reinterpret_cast<Four*>(x);
}

struct FourByFour {
  Four vector[4];
};

/// Vector i of the result has the i-th number of each vector.
inline FourByFour transposed(const Four& a, const Four& b, const Four& c, const Four& d) {
  const Four even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
             odd = __builtin_shufflevector(a, b, 1, 5, 3, 7),
             even_below = __builtin_shufflevector(c, d, 0, 4, 2, 6),
             odd_below = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return {__builtin_shufflevector(even, even_below, 0, 1, 4, 5),
          __builtin_shufflevector(odd, odd_below, 0, 1, 4, 5),
          __builtin_shufflevector(even, even_below, 2, 3, 6, 7),
          __builtin_shufflevector(odd, odd_below, 2, 3, 6, 7)};
}

}  // namespace rarefact
