#include "optim/formula/tile.hpp"

#include "optim/formula/numbers.hpp"

namespace rarefact::formula {

namespace {

template <class Real>
using TileNumbers = Eigen::Array<Real, Eigen::Dynamic, 1, 0, tile_length, 1>;

/// Calls f with an argument as an Eigen array, or as a constant array.
template <class Real, class F>
void with(const Run<Real>& x, Index n, F f) {
  if (x.single) {
    f(TileNumbers<Real>::Constant(n, *x.at));
  } else {
    f(Eigen::Map<const TileNumbers<Real>>(x.at, n));
  }
}

/// out = f(result, x).
template <class Real, class F>
void of_one(const Tile<Real>& tile, F f) {
  Eigen::Map<TileNumbers<Real>> result(tile.out, tile.n);
  with(tile.x[0], tile.n, [&](const auto& a) { f(result, a); });
}
template <class Real, class F>
void of_two(const Tile<Real>& tile, F f) {
  of_one(tile, [&](auto& result, const auto& a) {
    with(tile.x[1], tile.n, [&](const auto& b) { f(result, a, b); });
  });
}

}  // namespace

template <class Real>
void Kernels<Real>::combine(const Tile<Real>& tile) {
  const Real &fa = tile.how.factor[0], &fb = tile.how.factor[1];
  of_two(tile, [&](auto& result, const auto& a, const auto& b) { result = fa * a + fb * b; });
}

template <class Real>
void Kernels<Real>::exact_zeros(const Tile<Real>& tile) {
  using std::abs;
  const Real tolerance = Real(16) * std::numeric_limits<Real>::epsilon();
  for (Index i = 0; i < tile.n; ++i) {
    const Real a = tile.how.factor[0] * tile.x[0](i), b = tile.how.factor[1] * tile.x[1](i), sum = a + b;
    tile.out[i] = abs(sum) <= tolerance * (abs(a) + abs(b)) ? Real(0) : sum;
  }
}

template <class Real>
void Kernels<Real>::hypotenuse(const Tile<Real>& tile) {
  const Real min_normal = std::numeric_limits<Real>::min();
  const Real &fa = tile.how.factor[0], &fb = tile.how.factor[1];
  of_two(tile, [&](auto& result, const auto& a, const auto& b) {
    // By the quotient of the smaller by the larger, without overflow or underflow.
    const TileNumbers<Real> p = (fa * a).abs(), q = (fb * b).abs();
    const auto larger = p.max(q).max(min_normal);
    result = larger * ((p.min(q) / larger).square() + Real(1)).sqrt();
    if (!(result.minCoeff() > min_normal)) result = (p.max(q) > Real(0)).select(result, Real(0));
  });
}

template <class Real>
void Kernels<Real>::scale(const Tile<Real>& tile) {
  of_one(tile, [&](auto& result, const auto& a) { result = tile.how.factor[0] * a; });
}

template <class Real>
void Kernels<Real>::convert(const Tile<Real>& tile) {
  for (Index i = 0; i < tile.n; ++i) tile.out[i] = shifted(tile.x[0](i), static_cast<int>(tile.how.number));
}

template <class Real>
void Kernels<Real>::multiply(const Tile<Real>& tile) {
  of_two(tile, [](auto& result, const auto& a, const auto& b) { result = a * b; });
}

template <class Real>
void Kernels<Real>::divide(const Tile<Real>& tile) {
  bool zero = false;
  with(tile.x[1], tile.n, [&](const auto& b) { zero = !(b.abs().minCoeff() > Real(0)); });
  if (!zero) return of_two(tile, [](auto& result, const auto& a, const auto& b) { result = a / b; });
  for (Index i = 0; i < tile.n; ++i) {
    const Real a = tile.x[0](i), b = tile.x[1](i);
    tile.out[i] = quotient_of(a, b);
    if (b == Real(0) && !(a == Real(0))) tile.divided_by_zero(i);
  }
}

template <class Real>
void Kernels<Real>::minimum(const Tile<Real>& tile) {
  const Real &fa = tile.how.factor[0], &fb = tile.how.factor[1];
  of_two(tile, [&](auto& result, const auto& a, const auto& b) { result = (fa * a).min(fb * b); });
}

template <class Real>
void Kernels<Real>::maximum(const Tile<Real>& tile) {
  const Real &fa = tile.how.factor[0], &fb = tile.how.factor[1];
  of_two(tile, [&](auto& result, const auto& a, const auto& b) { result = (fa * a).max(fb * b); });
}

template <class Real>
void Kernels<Real>::absolute(const Tile<Real>& tile) {
  of_one(tile, [](auto& result, const auto& a) { result = a.abs(); });
}

template <class Real>
void Kernels<Real>::root(const Tile<Real>& tile) {
  of_one(tile, [&](auto& result, const auto& a) { result = (tile.how.factor[0] * a).sqrt(); });
}

template <class Real>
void Kernels<Real>::square(const Tile<Real>& tile) {
  of_one(tile, [](auto& result, const auto& a) { result = a.square(); });
}

template <class Real>
void Kernels<Real>::larger_term(const Tile<Real>& sum) {
  const Real &fa = sum.how.factor[0], &fb = sum.how.factor[1];
  const Real min_normal = std::numeric_limits<Real>::min(),
             least = Real(2) * min_normal / std::numeric_limits<Real>::epsilon();
  of_two(sum, [&](auto& result, const auto& a, const auto& b) {
    result = (fa * a).abs().max((fb * b).abs());
    // A term may have underflowed in the unit of the other.
    result = (result < min_normal && (a != Real(0) || b != Real(0))).select(least, Real(64) * result);
  });
}

template <class Real>
void Kernels<Real>::underflowing(const Tile<Real>& product) {
  const Real least = Real(2) * std::numeric_limits<Real>::min() / std::numeric_limits<Real>::epsilon();
  Eigen::Map<TileNumbers<Real>> sizes(product.out, product.n);
  sizes.setConstant(product.how.factor[0] == Real(0) ? Real(0) : least);
  for (std::size_t j = 0; j < product.arguments; ++j) {
    with(product.x[j], product.n, [&](const auto& x) { sizes = (x == Real(0)).select(Real(0), sizes); });
  }
}

template struct Kernels<double>;
template struct Kernels<Real50>;

}  // namespace rarefact::formula
