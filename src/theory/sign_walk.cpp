#include "theory/sign_walk.hpp"

#include <cmath>

#include "core/real50.hpp"

namespace rarefact {

template <class Real>
Real sign_walk(Given<Real> stride, Given<Real> optimum, std::int64_t step) {
  using std::ceil;
  Real top = ceil(Real(optimum / stride));  // n, not an integer type: it may exceed every one
  // The quotient is rounded; the comparisons that define n are those of the walk itself.
  if (stride * (top - 1) >= optimum) top -= 1;
  if (stride * top < optimum) top += 1;
  const Real t = static_cast<Real>(step);
  if (t <= top) return stride * t;
  const bool rests = stride * top == optimum;
  const bool below = (step - static_cast<std::int64_t>(top)) % 2 != 0;
  return stride * (below && !rests ? Real(top - 1) : top);
}

template double sign_walk<double>(const double&, const double&, std::int64_t);
template Real50 sign_walk<Real50>(const Real50&, const Real50&, std::int64_t);

}  // namespace rarefact
