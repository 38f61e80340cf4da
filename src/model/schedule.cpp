#include "model/schedule.hpp"

#include <boost/math/constants/constants.hpp>
#include <cmath>

namespace rarefact {

namespace {

using std::sin, std::sqrt;

template <class Real>
Real constant(const ScheduleTime&) {
  return Real(1);
}

template <class Real>
Real inverse_sqrt(const ScheduleTime& time) {
  return 1 / sqrt(Real(Real(static_cast<double>(time.step)) + time.offset));
}

/// The remaining fraction of the run, in (0, 1].
template <class Real>
Real linear(const ScheduleTime& time) {
  return Real(static_cast<double>(time.steps - time.step)) / static_cast<double>(time.steps);
}

/// (1 + cos πt/T)/2 = cos² πt/(2T), which does not cancel at the end.
template <class Real>
Real cosine(const ScheduleTime& time) {
  const Real root = sin(Real(linear<Real>(time) * boost::math::constants::half_pi<Real>()));
  return root * root;
}

}  // namespace

const std::vector<ScheduleRow>& schedule_catalogue() {
  static const std::vector<ScheduleRow> rows = {
      {{"constant", "the same step size throughout", "η_t = η", ""}, constant<double>, constant<Real50>},
      {{"inverse_sqrt", "slow decay, whatever the number of steps", "η_t = η/√(t + t0)", ""},
       inverse_sqrt<double>,
       inverse_sqrt<Real50>},
      {{"linear", "linearly to zero at the end of the run", "η_t = η (1 - t/T)", ""},
       linear<double>,
       linear<Real50>},
      {{"cosine", "half a cosine wave to zero at the end of the run", "η_t = η (1 + cos(πt/T))/2", ""},
       cosine<double>,
       cosine<Real50>}};
  return rows;
}

const ScheduleRow& schedule_row(const std::string& name) {
  return row_named(schedule_catalogue(), name, "schedule");
}

}  // namespace rarefact
