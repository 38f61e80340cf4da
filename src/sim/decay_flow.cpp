#include <array>
#include <boost/numeric/odeint/algebra/array_algebra.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

#include "core/compensated_sum.hpp"
#include "model/log_odds.hpp"
#include "sim/margin_flow.hpp"
#include "theory/margin_paths.hpp"

namespace rarefact {

namespace {

/// As in norm_flow.cpp; of a margin alone, so a stride may be long.
constexpr double steepest = 0.03, steepest_checking = 0.06;
constexpr double error_allowed = 2e-16, checking_error_allowed = 1e-15;

/// Longest stride times the steepness of the field: beyond, the estimate of its error may vanish by chance.
constexpr double longest = 0.2;

/// A margin that moves no farther is at rest; a distance that is a smaller part of a margin is 0.
constexpr double least_move = 4 * std::numeric_limits<double>::epsilon(), nothing = 1e-18;

}  // namespace

DecayFlow::DecayFlow(const ColumnMemory& memory, const ForwardPlan& plan, const Step<double>& step,
                     const Workers& workers)
    : shrink_(step.size * step.decay),
      log_wrong_(std::log(memory.answers() - 1)),
      max_change_(plan.checking ? steepest_checking : steepest),
      tolerance_(plan.checking ? checking_error_allowed : error_allowed),
      workers_(workers) {
  const double k = memory.answers();
  for (const Cell& cell : memory.cells()) {
    const double limit = l2_margin<double>(cell.training, k, step.decay, memory.label_noise());
    ways_.push_back({step.size * cell.training * k / (k - 1), limit, logistic(log_wrong_ - limit),
                     logistic(limit - log_wrong_)});
  }
}

double DecayFlow::Way::update(double distance, double shrink) const {
  return -speed * error * right * std::expm1(distance) / (error + right * std::exp(distance)) -
         shrink * distance;
}

double DecayFlow::slope(const Way& way, double distance) const {
  const double from = way.limit + distance - log_wrong_, to = way.limit - log_wrong_;
  const auto curve = [](double y) { return logistic(y) * logistic(-y); };
  return shrink_ + way.speed * (from * to < 0 ? 0.25 : std::max(curve(from), curve(to)));
}

bool DecayFlow::begin(const Vector&, const Vector& now, const Vector& farthest, double) {
  distance_ = now;
  for (Index i = 0; i < now.size(); ++i) {
    distance_(i) -= ways_[i].limit;
    const bool rests = farthest(i) <= least_move * std::max(1.0, std::abs(now(i)));
    if (!rests && slope(ways_[i], distance_(i)) > max_change_) return false;
  }
  stride_ = Vector::Constant(now.size(), 100);
  time_ = 0;
  return true;
}

double DecayFlow::flow(const Way& way, double distance, const std::vector<double>& weights) const {
  double sum = 0;
  for (const double weight : weights) {
    const double u = way.update(distance, shrink_);
    sum += weight * u;
    distance += u;
  }
  return sum;
}

void DecayFlow::move(const Way& way, double n, double& distance, double& stride) const {
  namespace odeint = boost::numeric::odeint;
  using State = std::array<double, 1>;
  odeint::runge_kutta_fehlberg78<State, double, State, double, odeint::array_algebra> stepper;
  const double unit = std::max(1.0, std::abs(way.limit));
  double time = 0, left_out = 0;
  while (time < n && std::abs(distance) > nothing * unit) {
    const double u = way.update(distance, shrink_),
                 change = std::abs(way.update(distance + u, shrink_) / u - 1);
    const double steep = slope(way, distance),
                 length = std::floor(std::min({stride, n - time, longest / steep}));
    if (change > max_change_ || length < 2) {
      add_carried(distance, left_out, u);
      ++time;
      stride = std::max(stride, 4.0);
      continue;
    }
    const std::vector<double> weights = shift_logarithm(shift_terms(std::max(change, steep)));
    State moved = {0}, error = {0};
    const auto field = [&](const State& z, State& d, double) { d[0] = flow(way, distance + z[0], weights); };
    stepper.do_step(field, State{0}, time, moved, length, error);
    const double worst = std::abs(error[0]) / (tolerance_ * unit),
                 factor = 0.9 * std::pow(std::max(worst, 1e-9), -1.0 / 8);
    if (worst <= 1 && std::abs(distance + moved[0]) <= std::abs(distance)) {
      add_carried(distance, left_out, moved[0]);
      time = length == n - time ? n : time + length;
      stride = length * std::clamp(factor, 0.5, 5.0);
    } else {
      stride = length * (factor >= 0.1 ? std::min(factor, 0.5) : 0.1);
    }
  }
}

Vector DecayFlow::after(double n) {
  workers_.for_tiles(distance_.size(), 16, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) move(ways_[i], n - time_, distance_(i), stride_(i));
  });
  time_ = n;
  Vector margins = distance_;
  for (Index i = 0; i < margins.size(); ++i) margins(i) += ways_[i].limit;
  return margins;
}

void DecayFlow::exchange(Archive& archive) {
  archive(distance_, stride_, time_);
}

}  // namespace rarefact
