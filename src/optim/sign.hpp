#pragma once

namespace rarefact {

/// sign(x) with sign(0) = 0; not-a-number stays what it is.
template <class Real>
Real sign_of(const Real& x) {
  return x > Real(0) ? Real(1) : (x < Real(0) ? Real(-1) : x);
}

}  // namespace rarefact
