#include <algorithm>
#include <cmath>

#include "core/bracketed_root.hpp"
#include "core/real50.hpp"
#include "theory/margin_paths.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

template <class Real>
Real l2_margin(Given<Real> class_probability, Given<Real> class_total, Given<Real> decay,
               Given<Real> label_noise) {
  using std::log;
  require_legal(class_probability >= Real(0) && class_total >= Real(2) && decay > Real(0) &&
                    label_noise >= Real(0) && label_noise < Real(1),
                "expected p >= 0, K >= 2, λ > 0 and 0 <= α < 1");
  if (class_probability == Real(0)) return Real(0);
  const Real speed = margin_speed<Real>(class_probability, class_total),
             wrong = wrong_answer_probability<Real>(class_total, label_noise);
  const auto pull = [&](const Real& m) {
    return Real(speed * (error_of_margin<Real>(m, class_total) - wrong) - decay * m);
  };
  // The error is at most 1, and from m = 1 on e^m < pK/λ.
  const Real highest =
      std::min(Real(speed / decay), std::max(Real(1), Real(log(Real(speed / decay * class_total)))));
  const auto [low, high] = bracketed_root<Real>(pull, Real(0), highest);
  return (low + high) / Real(2);
}

template double l2_margin<double>(const double&, const double&, const double&, const double&);
template Real50 l2_margin<Real50>(const Real50&, const Real50&, const Real50&, const Real50&);

}  // namespace rarefact
