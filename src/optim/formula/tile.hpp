#pragma once

/// Entrywise operations on runs of numbers short enough for the cache: a formula of ten operations reads its matrices
/// once instead of ten times.

#include <functional>

#include "core/types.hpp"

namespace rarefact::formula {

/// How many numbers an operation takes at a time.
inline constexpr Index tile_length = 512;

/// Numbers side by side, or one that stands for all.
template <class Real>
struct Run {
  const Real* at = nullptr;
  bool single = false;
};

/// The factors bring values of different units together: every argument x is read as factor·x.
enum class TileOp {
  combine,      ///< a x + b y
  exact_zeros,  ///< the same; what cancels to rounding is 0
  hypotenuse,   ///< ((a x)² + (b y)²)^½
  scale,        ///< a x
  multiply,
  divide,  ///< 0/0 = 0
  minimum,
  maximum,
  where,  ///< a x > b y ? c u : d v
  absolute,
  sign,
  root,
  square,
  power,  ///< a x^p; 0 of 0 where p < 0
  raise,
  exponential,
  logarithm,  ///< ln x + a
  tangent
};

template <class Real>
struct TileInstruction {
  TileOp op = TileOp::scale;
  Real factor[4] = {Real(1), Real(1), Real(1), Real(1)};
  double exponent = 1;  ///< p
};

/// out_i = op(x_i, ...) for n numbers. `divided_by_zero` is told each i at which a number that is not zero was divided by 0.
template <class Real>
void run_tile(const TileInstruction<Real>& instruction, const Run<Real>* x, Real* out, Index n,
              const std::function<void(Index)>& divided_by_zero);

}  // namespace rarefact::formula
