#include "optim/formula/tile.hpp"

#include <cmath>
#include <limits>

#include "optim/formula/numbers.hpp"

namespace rarefact::formula {

namespace {

template <class Real>
using Numbers = Eigen::Array<Real, Eigen::Dynamic, 1, 0, tile_length, 1>;

/// Calls f with each argument as an Eigen array or as a constant one.
template <class Real, class F>
void with(const Run<Real>& x, Index n, F f) {
  if (x.single) {
    f(Numbers<Real>::Constant(n, *x.at));
  } else {
    f(Eigen::Map<const Numbers<Real>>(x.at, n));
  }
}

template <class Real, class F>
void with_two(const Run<Real>* x, Index n, F f) {
  with(x[0], n, [&](const auto& a) { with(x[1], n, [&](const auto& b) { f(a, b); }); });
}

/// One by one, for what no vector unit does.
template <class Real, class F>
void one_by_one(const Run<Real>* x, Real* out, Index n, F f) {
  const Index step = x[0].single ? 0 : 1;
  for (Index i = 0; i < n; ++i) out[i] = f(x[0].at[i * step]);
}

template <class Real>
Real at(const Run<Real>& x, Index i) {
  return x.at[x.single ? 0 : i];
}

template <class Real>
void divide(const Run<Real>* x, Real* out, Index n, const std::function<void(Index)>& by_zero) {
  Eigen::Map<Numbers<Real>> result(out, n);
  bool zero = false;
  with(x[1], n, [&](const auto& b) { zero = !(b.abs().minCoeff() > Real(0)); });
  if (!zero) return with_two(x, n, [&](const auto& a, const auto& b) { result = a / b; });
  for (Index i = 0; i < n; ++i) {
    const Real a = at(x[0], i), b = at(x[1], i);
    out[i] = quotient_of(a, b);
    if (b == Real(0) && !(a == Real(0))) by_zero(i);
  }
}

}  // namespace

template <class Real>
void run_tile(const TileInstruction<Real>& instruction, const Run<Real>* x, Real* out, Index n,
              const std::function<void(Index)>& divided_by_zero) {
  using std::abs, std::exp, std::log, std::pow;
  const Real &fa = instruction.factor[0], &fb = instruction.factor[1];
  Eigen::Map<Numbers<Real>> result(out, n);
  switch (instruction.op) {
    case TileOp::combine:
      return with_two(x, n, [&](const auto& a, const auto& b) { result = fa * a + fb * b; });
    case TileOp::exact_zeros: {
      const Real tolerance = Real(16) * std::numeric_limits<Real>::epsilon();
      for (Index i = 0; i < n; ++i) {
        const Real a = fa * at(x[0], i), b = fb * at(x[1], i), sum = a + b;
        out[i] = abs(sum) <= tolerance * (abs(a) + abs(b)) ? Real(0) : sum;
      }
      return;
    }
    case TileOp::hypotenuse: {
      const Real least = std::numeric_limits<Real>::min();
      return with_two(x, n, [&](const auto& a, const auto& b) {
        // The quotient of the smaller by the larger: nothing over- or underflows.
        const Numbers<Real> p = (fa * a).abs(), q = (fb * b).abs();
        const auto larger = p.max(q).max(least);
        result = larger * ((p.min(q) / larger).square() + Real(1)).sqrt();
        if (!(result.minCoeff() > least)) result = (p.max(q) > Real(0)).select(result, Real(0));
      });
    }
    case TileOp::scale:
      return with(x[0], n, [&](const auto& a) { result = fa * a; });
    case TileOp::multiply:
      return with_two(x, n, [&](const auto& a, const auto& b) { result = a * b; });
    case TileOp::divide:
      return divide(x, out, n, divided_by_zero);
    case TileOp::minimum:
      return with_two(x, n, [&](const auto& a, const auto& b) { result = (fa * a).min(fb * b); });
    case TileOp::maximum:
      return with_two(x, n, [&](const auto& a, const auto& b) { result = (fa * a).max(fb * b); });
    case TileOp::where:
      for (Index i = 0; i < n; ++i) {
        const bool larger = fa * at(x[0], i) > fb * at(x[1], i);
        out[i] = larger ? instruction.factor[2] * at(x[2], i) : instruction.factor[3] * at(x[3], i);
      }
      return;
    case TileOp::absolute:
      return with(x[0], n, [&](const auto& a) { result = a.abs(); });
    case TileOp::sign:
      return one_by_one(x, out, n, [](const Real& a) { return sign_of(a); });
    case TileOp::root:
      return with(x[0], n, [&](const auto& a) { result = (fa * a).sqrt(); });
    case TileOp::square:
      return with(x[0], n, [&](const auto& a) { result = a.square(); });
    case TileOp::power:
      return one_by_one(x, out, n,
                        [&](const Real& a) { return Real(fa * power_of(a, instruction.exponent)); });
    case TileOp::raise:
      for (Index i = 0; i < n; ++i) out[i] = pow(Real(fa * at(x[0], i)), Real(fb * at(x[1], i)));
      return;
    case TileOp::exponential:
      return one_by_one(x, out, n, [&](const Real& a) { return Real(exp(Real(fa * a))); });
    case TileOp::logarithm:
      return one_by_one(x, out, n, [&](const Real& a) { return Real(log(a) + fa); });
    case TileOp::tangent:
      return one_by_one(x, out, n, [&](const Real& a) { return tangent_of(Real(fa * a)); });
  }
}

template void run_tile(const TileInstruction<double>&, const Run<double>*, double*, Index,
                       const std::function<void(Index)>&);
template void run_tile(const TileInstruction<Real50>&, const Run<Real50>*, Real50*, Index,
                       const std::function<void(Index)>&);

}  // namespace rarefact::formula
