#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>
#include <numeric>

#include "core/compensated_sum.hpp"
#include "sim/margin_flow.hpp"

namespace rarefact {

namespace {

/// The largest relative change of u per update at which the flow begins, and the tolerance of a stride
/// (relative to margins above 1). The checking run has larger ones.
constexpr double max_change = 0.03, max_checking_change = 0.06;
constexpr double stride_tolerance = 2e-15, checking_tolerance = 1e-13;

/// Relative tolerance for equal strides, the rounding of margins below 700.
constexpr double equal_strides = 1e-12;

/// The largest move of a margin in a stride, because the method estimates the error at both ends only.
constexpr double max_moved = 0.25, max_checking_moved = 0.35;

}  // namespace

NormFlow::NormFlow(const ColumnMemory& memory, const ForwardPlan& plan, double step_size)
    : log_wrong_(std::log(memory.answers() - 1)),
      ratio_(memory.answers() / (memory.answers() - 1)),
      step_size_(step_size),
      max_change_(plan.checking ? max_checking_change : max_change),
      max_moved_(plan.checking ? max_checking_moved : max_moved),
      tolerance_(plan.checking ? checking_tolerance : stride_tolerance) {
  for (const Cell& cell : memory.cells()) {
    probability_.push_back(cell.training);
    count_.push_back(cell.classes);
  }
}

double NormFlow::pull(const State& x, State& out) const {
  out.resize(x.size());
  const auto size = std::ssize(x);
  const Eigen::Map<const Eigen::ArrayXd> margins(x.data(), size), p(probability_.data(), size),
      n(count_.data(), size);
  Eigen::Map<Eigen::ArrayXd> pf(out.data(), size);
  // e^-y, y = m - ln(K-1), in units of the largest, so that errors below 1e-308 are distinguished.
  const double lowest = margins.minCoeff() - log_wrong_;
  if (lowest > 0) {
    pf = (lowest + log_wrong_ - margins).exp();
    pf *= p / (1 + std::exp(-lowest) * pf);
  } else {
    pf = p / (1 + (margins - log_wrong_).exp());
  }
  const double unit = 1 / pf.maxCoeff();
  return step_size_ * std::sqrt(ratio_) * unit / std::sqrt((n * (pf * unit).square()).sum());
}

void NormFlow::update(const State& x, State& u) const {
  const double length = pull(x, u);
  for (double& value : u) value *= length;
}

void NormFlow::flow(const State& x, State& v, int terms) const {
  State at = x, u;
  v.assign(x.size(), 0);
  for (const double factor : shift_logarithm(terms)) {
    const double length = pull(at, u), weight = length * factor;
    for (std::size_t i = 0; i < u.size(); ++i) {
      at[i] += length * u[i];
      v[i] += weight * u[i];
    }
  }
}

NormFlow::Pace NormFlow::pace(const State& x) const {
  State u, next = x, second;
  update(x, u);
  for (std::size_t i = 0; i < x.size(); ++i) next[i] += u[i];
  update(next, second);
  Pace pace;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = second[i] - u[i];
    pace.change = std::max(pace.change, std::abs(difference / u[i]));
    pace.fastest = std::max(pace.fastest, u[i] - difference / 2);
  }
  return pace;
}

bool NormFlow::alike(const State& u) const {
  const auto [lowest, highest] = std::ranges::minmax(u);
  return highest - lowest <= equal_strides * highest;
}

bool NormFlow::begin(const Vector&, const Vector& now, const Vector&, double) {
  x_.assign(now.begin(), now.end());
  left_out_.assign(x_.size(), 0);
  return true;
}

Vector NormFlow::after(double n) {
  namespace odeint = boost::numeric::odeint;
  odeint::runge_kutta_fehlberg78<State> stepper;
  int min_terms = 2;
  const State still(x_.size(), 0.0);
  State v, at, moved(x_.size()), next(x_.size()), error(x_.size());
  while (time_ < n) {
    if (stride_for_ever_ == 0) {
      update(x_, v);
      if (alike(v))
        stride_for_ever_ =
            step_size_ * std::sqrt(ratio_ / std::accumulate(count_.begin(), count_.end(), 0.0));
    }
    if (stride_for_ever_ > 0) {
      for (double& x : x_) x += (n - time_) * stride_for_ever_;
      time_ = n;
      break;
    }
    const auto [change, fastest] = pace(x_);
    const double stride = std::floor(std::min({stride_, max_moved_ / fastest, n - time_}));
    // A stride costs about a hundred updates.
    if (change > max_change_ || stride < 30) {
      update(x_, v);
      for (std::size_t i = 0; i < x_.size(); ++i) add_carried(x_[i], left_out_[i], v[i]);
      ++time_;
      ++updates_;
      stride_ = std::max(stride_, 0.1 / change);
      continue;
    }
    const int terms = std::max(min_terms, shift_terms(change));
    const auto field = [&](const State& z, State& d, double) {
      at = x_;
      for (std::size_t i = 0; i < z.size(); ++i) at[i] += z[i];
      flow(at, d, terms);
    };
    stepper.do_step(field, still, time_, moved, stride, error);
    double worst = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      next[i] = x_[i] + moved[i];
      const double ratio = std::abs(error[i]) / (tolerance_ * std::max(1.0, std::abs(next[i])));
      if (!(ratio <= worst)) worst = ratio;  // also if it is NaN
    }
    const double factor = 0.9 * std::pow(worst, -1.0 / 8);
    const double last_change = pace(next).change;
    if (worst <= 1 && last_change <= 1.5 * max_change_) {
      const int needed = shift_terms(last_change);
      if (needed > terms) {
        min_terms = needed;  // the same stride again
        continue;
      }
      min_terms = 2;
      for (std::size_t i = 0; i < x_.size(); ++i) add_carried(x_[i], left_out_[i], moved[i]);
      time_ = stride == n - time_ ? n : time_ + stride;
      stride_ = stride * std::clamp(factor, 0.5, 5.0);
    } else {
      stride_ = stride * (factor >= 0.1 ? std::min(factor, 0.5) : 0.1);
    }
  }
  return Eigen::Map<const Vector>(x_.data(), std::ssize(x_));
}

void NormFlow::exchange(Archive& archive) {
  std::vector<double> x(x_.begin(), x_.end());
  archive(x, left_out_, time_, stride_, stride_for_ever_, updates_);
  x_.assign(x.begin(), x.end());
}

}  // namespace rarefact
