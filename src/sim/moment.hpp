#pragma once

/// A recorded step of a training: the input of probes.

#include <cmath>

#include "algebra/product.hpp"
#include "algebra/ranked_qr.hpp"
#include "model/column_layout.hpp"
#include "sim/rank_bound.hpp"
#include "sim/robust.hpp"
#include "sim/stepper.hpp"
#include "sim/training_plan.hpp"

namespace rarefact {

/// Numbers are in the memory's precision until they are read.
template <class Memory>
class MomentOf final : public Moment {
 public:
  using M = typename Memory::State;
  using Real = ScalarOf<M>;
  static constexpr MemoryKind kind = Memory::kind;

  /// All arguments must outlive it.
  MomentOf(const Memory& memory, const TrainingPlan& plan, const RuleContext<M>& context,
           const TrainingState<M>& state, const Stepper<M>& stepper)
      : memory_(memory), plan_(plan), context_(context), state_(state), stepper_(stepper) {}

  RhoMeasures rho(double epsilon) override {
    RightAnswers right;
    if constexpr (kind == MemoryKind::dense || kind == MemoryKind::symmetric) right = memory_.right_answers();
    auto logits = logits_for_rho(memory_.logits(state_.w), right);
    for (Index l = 0; l < logits.margin.size(); ++l)
      if (state_.seen.advantage[l] == 0) logits.margin(l) = Real(0);
    if constexpr (std::is_same_v<Real, double>) {
      if (plan_.complete_logits) logits = plan_.complete_logits(std::move(logits));
    }
    return measure_rho(logits, epsilon);
  }

  RobustMeasures robust(double noise, std::int64_t draws) override {
    if constexpr (kind == MemoryKind::dense)
      if (draws > 0) return robust_by(noise, draws);
    // The right logit beyond the mean of all others, which are equal.
    const std::vector<double> right = memory_.right_logits(state_.w, context_.workers);
    const M logits = memory_.logits(state_.w);
    std::vector<Real> sum(right.size(), Real(0));
    for_runs(logits, [&](Index l, Index, Index size, const Real* times, const Real* entry) {
      for (Index k = 0; k < size; ++k) sum[l] += (times ? times[k] : Real(1)) * entry[k];
    });
    const std::vector<Cell> cells = memory_.cells();
    const Real others(plan_.problem.loss.classes - 1);
    std::vector<double> margin, count;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const bool tied = state_.seen.advantage[c] == 0;
      margin.push_back(tied ? 0 : static_cast<double>(Real(right[c] - (sum[c] - right[c]) / others)));
      count.push_back(cells[c].classes);
    }
    RobustMeasures found{robust_by_integral(margin, count, noise, context_.workers), {}, 0, not_a_number};
    for (std::size_t c = 0; c < cells.size(); ++c)
      found.total += cells[c].classes * cells[c].probability * found.top1[c];
    return found;
  }
  double balance() override {
    return difference([&](const M& x) { return multiplied(transposed(x), x, context_.workers); });
  }
  double root_balance() override {
    // √(XᵀX) = Pᵀ X with the polar factor P of X: squares would lose half of the digits.
    return difference([&](const M& x) {
      typename M::Polar polar;
      return multiplied(transposed(polar(x, context_.workers)), x, context_.workers);
    });
  }
  SingularValues weight_values() override {
    return largest(singular_values(state_.w), plan_.max_ranks.weights);
  }
  SingularValues update_values() override {
    using std::abs, std::ldexp;
    if (update_values_) return *update_values_;
    SingularValues& values =
        update_values_.emplace(largest(singular_values(*state_.update.matrix), plan_.max_ranks.update));
    if (state_.update.of) {
      double rank = number_of(singular_values(*state_.update.of));
      if (state_.update.also_of) rank += number_of(singular_values(*state_.update.also_of));
      values = largest(std::move(values), rank);
    }
    for (double& value : values.values)
      value = static_cast<double>(ldexp(Real(value * abs(state_.update.scale)), state_.update.exponent));
    return values;
  }
  double update_size() override { return static_cast<double>(state_.update.size); }
  double update_leakage() override {
    const Real part = memory_.left_null_part(*state_.update.matrix, context_.workers);
    return static_cast<double>(Real(part / frobenius_norm(*state_.update.matrix)));
  }
  double weight_deviation() override { return deviation(state_.w, {}); }
  double update_deviation() override { return deviation(*state_.update.matrix, Real(-1 / scale())); }
  std::vector<double> push() override {
    using std::ldexp;
    std::vector<double> push = memory_.right_logits(*state_.update.matrix, context_.workers);
    for (double& x : push) {
      if (x == 0) continue;  // of a zero direction the scale may be infinite
      x = static_cast<double>(ldexp(Real(-x * state_.update.scale), state_.update.exponent));
      if (std::abs(x) < std::numeric_limits<double>::min()) x = 0;
    }
    return push;
  }

  double alignment() override {
    Gradient<M> population;
    // Repetitions round it as the gradient of a step: a direction that is rounding differs between them.
    const RandomRounding* rounding = context_.rounding;
    memory_.evaluate(state_.w, &population, nullptr, context_.workers, rounding);
    if (rounding) rounding->gradient(population);
    typename M::Polar polar;
    PolarHint hint = context_.polar;
    double most = plan_.gradient_rank;
    if constexpr (kind == MemoryKind::dense || kind == MemoryKind::symmetric) {
      if (std::isfinite(most) && !plan_.experiment.own_answers())
        most = std::min(most, gradient_rank_at(memory_.laws(), memory_.logits(state_.w)));
      if (most < static_cast<double>(any_rank)) hint.known_rank = static_cast<Index>(most);
      if constexpr (kind == MemoryKind::symmetric) hint.known_rank = memory_.zero().structure().rows() - 1;
    }
    if constexpr (kind == MemoryKind::dense) {
      // A dependent column may turn a direction that is smaller than its rounding.
      const Matrix& x = population.ambient().entries;
      const Vector norms = x.colwise().norm();
      if (hint.mixed_columns && rank_decision<double>(x, norms, hint.known_rank).dropped > 0)
        return not_a_number;
    }
    const M factor = polar(population.ambient(), context_.workers, hint);
    const Real rank = inner(factor, factor);
    // At W = 0 laws alone decide the rank; later logits add directions, and rounding may hide them.
    if (std::isfinite(most) && rank + Real(0.5) < Real(most) && largest_entry(state_.w) > Real(0))
      return not_a_number;
    const auto along = inner(*state_.update.matrix, factor) / rank;
    return static_cast<double>(std::ldexp(1.0, state_.update.exponent) * Real(along * state_.update.scale));
  }

  CurvatureMeasures curvature() override {
    using std::ldexp, std::ilogb, std::isfinite;
    // Squares of the entries of D must not overflow, so its scale is moved to x.
    M unit = *state_.update.matrix;
    const Real norm = frobenius_norm(unit);
    const int size = norm > 0 && isfinite(norm) ? std::max(ilogb(norm), -1000) : 0;
    combine(unit, ldexp(Real(1), -size), Real(0), unit);
    const Real x = norm == 0
                       ? Real(0)
                       : ldexp(Real(state_.next.size * state_.update.scale), state_.update.exponent + size);
    const DirectionalTaylor<Real> found = memory_.expansion(state_.w, unit, x, state_.seen, context_.workers);
    const Real penalty = x * Real(x * found.variance) / Real(2);
    return {.first_order_gain = static_cast<double>(Real(x * found.slope)),
            .curvature_penalty = static_cast<double>(penalty),
            .taylor_remainder = static_cast<double>(found.remainder),
            .nds = static_cast<double>(Real(found.variance / found.size)),
            .nds_effective =
                plan_.orthonormal ? static_cast<double>(Real(found.variance / found.spread)) : not_a_number};
  }

  double twin_gain() override {
    using std::abs;
    if constexpr (kind == MemoryKind::symmetric) {
      return static_cast<double>(abs(state_.next.size * state_.update.size)) *
             memory_.twin_gain(state_.gradient);
    } else {
      return not_a_number;
    }
  }

 private:
  /// On the engine dense.
  RobustMeasures robust_by(double noise, std::int64_t draws) const {
    const Matrix& w = state_.w.entries;
    const Matrix* embedding = memory_.answer();
    const Matrix answers = embedding ? product(embedding->transpose(), w, context_.workers) : w;
    std::vector<double> mass;
    for (const Cell& cell : memory_.cells()) mass.push_back(cell.probability);
    const RandomStream stream(plan_.experiment.seed_of({}), "test_noise");
    return robust_by_draws(memory_.logits(state_.w).entries, answers, memory_.right_answers(), mass, noise,
                           static_cast<Index>(draws), stream, context_.workers);
  }
  static constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  /// ‖f(U) - f(Vᵀ)‖_F.
  template <class F>
  double difference(const F& f) const {
    const std::vector<const M*> factors = stepper_.factors();
    if (factors.empty()) return not_a_number;
    M of_left = f(*factors[0]);
    combine(of_left, Real(1), Real(-1), f(transposed(*factors[1])));
    return static_cast<double>(frobenius_norm(of_left));
  }
  double deviation(const M& x, std::optional<Real> size) const {
    if (!plan_.experiment.own_answers()) return not_a_number;
    if constexpr (kind == MemoryKind::dense)
      return memory_.identity_deviation(x, size, context_.workers);
    else
      return identity_deviation(memory_.logits(x), size);
  }
  Real scale() const {
    using std::ldexp;
    return ldexp(state_.update.scale, state_.update.exponent);
  }

  const Memory& memory_;
  const TrainingPlan& plan_;
  const RuleContext<M>& context_;
  const TrainingState<M>& state_;
  const Stepper<M>& stepper_;
  std::optional<SingularValues> update_values_ = {};
};

}  // namespace rarefact
