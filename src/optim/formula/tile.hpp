#pragma once

/// Entrywise operations on short runs that stay in the cache: a formula of ten operations reads its matrices
/// once instead of ten times.

#include <functional>

#include "core/types.hpp"

namespace rarefact::formula {

/// Numbers per tile.
inline constexpr Index tile_length = 512;

/// An array of numbers, or a single number that is broadcast.
template <class Real>
struct Run {
  const Real* at = nullptr;
  bool single = false;

  const Real& operator()(Index i) const { return at[single ? 0 : i]; }
};

template <class Real>
struct Tile;
template <class Real>
using TileKernel = void (*)(const Tile<Real>&);

/// out_i = scale·f(factor_0 x_0i, ...). The factors convert values of different units.
template <class Real>
struct TileInstruction {
  TileKernel<Real> kernel = nullptr;
  Real factor[4] = {Real(1), Real(1), Real(1), Real(1)};
  double number = 0;  ///< constant of the node
  Real scale = Real(1);
};

/// An instruction on n numbers.
template <class Real>
struct Tile {
  const TileInstruction<Real>& how;
  const Run<Real>* x;
  std::size_t arguments;
  Real* out;
  Index n;
  /// Called with each i at which a nonzero number is divided by 0.
  const std::function<void(Index)>& divided_by_zero;
};

/// Vectorised kernels. Those that ignore factors, or the scale, expect 1.
template <class Real>
struct Kernels {
  static void combine(const Tile<Real>& tile);      ///< a x + b y
  static void exact_zeros(const Tile<Real>& tile);  ///< the same, with rounding noise set to 0
  static void hypotenuse(const Tile<Real>& tile);   ///< ((a x)² + (b y)²)^½
  static void scale(const Tile<Real>& tile);        ///< a x
  static void convert(const Tile<Real>& tile);      ///< shifted(x, number)
  static void multiply(const Tile<Real>& tile);
  static void divide(const Tile<Real>& tile);  ///< 0/0 = 0
  static void minimum(const Tile<Real>& tile);
  static void maximum(const Tile<Real>& tile);
  static void absolute(const Tile<Real>& tile);
  static void root(const Tile<Real>& tile);
  static void square(const Tile<Real>& tile);

  // Sizes of rounding errors that results of 0 may hide.

  /// The larger term of each entry of a sum, in units whose last places exceed what the sum takes for 0.
  static void larger_term(const Tile<Real>& sum);
  /// For entries of a product or power, in units whose last place is the smallest normal number; 0 where an
  /// operand is 0.
  static void underflowing(const Tile<Real>& product);
};

/// The kernel of a scalar function. F is a lambda without captures.
template <class F, class Real>
void each_number(const Tile<Real>& tile) {
  Real x[4] = {};
  for (Index i = 0; i < tile.n; ++i) {
    for (std::size_t k = 0; k < tile.arguments; ++k) x[k] = tile.how.factor[k] * tile.x[k](i);
    tile.out[i] = tile.how.scale * F()(static_cast<const Real*>(x), tile.how.number);
  }
}

}  // namespace rarefact::formula
