#include "sim/fast_forward.hpp"

#include <limits>

#include "sim/margin_flow.hpp"

namespace rarefact {

namespace {

/// Orders of the series of a margin, and the slope below which it is used. Successive terms decrease by a
/// factor of the slope; compared with single steps in 64-bit mantissas, margins of 400 random rules are
/// accurate to 1e-13.
constexpr int order = 9, checking_order = 7;
constexpr double max_slope = 0.01, max_checking_slope = 0.02;

/// Rounding error of an update relative to the margin.
constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();

/// Margins that evolve independently: gradient descent with or without momentum.
class SingleMargins final : public MarginIntegrator {
 public:
  SingleMargins(const ColumnMemory& memory, const ForwardPlan& plan, double step_size, const Workers& workers)
      : flow_(plan.rule, memory.answers(), memory.label_noise(), plan.checking ? checking_order : order),
        slope_(plan.checking ? max_checking_slope : max_slope),
        workers_(workers) {
    const double k = memory.answers();
    for (const Cell& cell : memory.cells()) speed_.push_back(step_size * cell.training * k / (k - 1));
  }

  bool begin(const Vector& before, const Vector& now, const Vector& farthest, double updates) override {
    for (Index i = 0; i < now.size(); ++i) {
      const bool at_rest = farthest(i) <= rounding * std::max(1.0, std::abs(now(i)));
      if (!at_rest && !follows(before(i), now(i), updates, speed_[i])) return false;
    }
    margins_ = now;
    near_ = Vector::Zero(now.size());
    return true;
  }

  Vector after(double n) override {
    if (starts_.empty())
      for (Index i = 0; i < margins_.size(); ++i) starts_.push_back(flow_.from(margins_(i), speed_[i]));
    Vector margins(margins_.size());
    workers_.for_tiles(margins.size(), 64, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) margins(i) = starts_[i].margin_after(n, near_(i));
    });
    return margins;
  }

  void exchange(Archive& archive) override { archive(margins_, near_); }

 private:
  /// True if the flow is slow at a margin and the last updates followed it, so momentum has forgotten the
  /// start: what it still remembers would move the margin about as far again.
  bool follows(double before, double now, double updates, double c) const {
    if (!(flow_.slope(now, c) <= slope_)) return false;
    double near = 0;
    const double led = flow_.from(before, c).margin_after(updates, near);
    return std::abs(led - now) <= 2 * rounding * std::max(1.0, std::abs(now));
  }

  MarginFlow flow_;
  double slope_;
  const Workers& workers_;
  std::vector<double> speed_;  // c
  Vector margins_, near_;
  std::vector<MarginFlow::Start> starts_;
};

}  // namespace

Leaps::Leaps(Ruled<ColumnMatrix> rule, const ColumnMemory& memory, const ForwardPlan& plan,
             const Step<double>& step, const Workers& workers)
    : OneMatrix(std::move(rule), true),
      answers_(memory.answers()),
      judging_(static_cast<std::int64_t>(std::ceil(1 / (1 - plan.rule.momentum)))) {
  if (plan.rule.normalised) {
    way_ = std::make_unique<NormFlow>(memory, plan, step.size);
  } else if (step.decay > 0) {
    way_ = std::make_unique<DecayFlow>(memory, plan, step, workers);
  } else {
    way_ = std::make_unique<SingleMargins>(memory, plan, step.size, workers);
  }
}

bool Leaps::ready(std::int64_t step, const ColumnMatrix& w) {
  if (begun_ >= 0) return true;
  if (step < judged_) return false;
  const Vector now = w.right - w.wrong;
  if (step > judged_) {
    farthest_ = farthest_.cwiseMax((now - before_).cwiseAbs());
    if (step < judged_ + judging_) return false;
    if (way_->begin(before_, now, farthest_, static_cast<double>(step - judged_))) {
      begun_ = step;
      return true;
    }
    judged_ = step + step / 4;
  }
  if (step == judged_) {
    before_ = now;
    farthest_ = Vector::Zero(now.size());
  }
  return false;
}

bool Leaps::advance(TrainingState<ColumnMatrix>& state, const RuleContext<ColumnMatrix>& context,
                    std::int64_t until) {
  if (!ready(state.step, state.w)) return OneMatrix::advance(state, context, until);
  const Vector margins = way_->after(static_cast<double>(until - begun_));
  state.w.right = margins * ((answers_ - 1) / answers_);
  state.w.wrong = margins * (-1 / answers_);
  state.step = until;
  state.updates = begun_ + way_->updates();
  return true;
}

void Leaps::exchange(Archive& archive) {
  OneMatrix::exchange(archive);
  archive(before_, farthest_, judged_, begun_, *way_);
}

}  // namespace rarefact
