#include <cmath>

#include "metrics/metric.hpp"
#include "model/log_odds.hpp"

namespace rarefact {

namespace {

constexpr ClassFunction error = of_class([](const auto& c) { return c.error(); });
constexpr ClassFunction excess_loss = of_class([](const auto& c) { return c.excess_loss(); });
constexpr ClassFunction advantage = of_class([](const auto& c) { return c.advantage(); });
constexpr ClassFunction right_answer =
    of_class([]<class Real>(const SeenClass<Real>& c) { return logistic(Real(-c.log_odds())); });

double share_gone(double loss, const LossScale& scale) {
  return 1 - loss / std::log(scale.classes);
}

}  // namespace

std::vector<MetricRow> class_metric_rows() {
  const auto known = &Observation::total_excess_loss;
  return {
      {{"loss", "population loss", "L = Σ_l p_l L_l, L_l = -Σ_k π(k|l) ln p̂(k|l)", ""},
       "loss",
       "nat",
       ClassMeasure{.value = excess_loss, .above_least = true, .known = known},
       {.predicted = true}},
      {{"excess_loss", "loss above its lower bound", "L - L* = Σ_l p_l KL(π(.|l) || p̂(.|l))", ""},
       "excess loss",
       "nat",
       ClassMeasure{.value = excess_loss, .known = known},
       {.predicted = true}},
      // Of the errors, so nothing is subtracted from 1.
      {{"gap", "how unevenly the classes are learned", "Δ = max_l p̂(l|l) - min_l p̂(l|l)", ""},
       "gap between best and worst class",
       "1",
       ClassMeasure{.over = Over::spread, .value = error, .known = &Observation::gap},
       {.predicted = true}},
      {{"error", "probability of a wrong answer, mean over the group's classes",
        "1 - p̂(l|l) = Σ_{k≠l} p̂(k|l)", ""},
       "error of the class",
       "1",
       ClassMeasure{.over = Over::each, .value = error},
       {.predicted = true, .certified = true}},
      {{"class_loss", "loss of a class, mean over the group's classes", "L_l = -Σ_k π(k|l) ln p̂(k|l)", ""},
       "loss of the class",
       "nat",
       ClassMeasure{.over = Over::each, .value = excess_loss, .above_least = true},
       {.predicted = true, .certified = true}},
      {{"recovered_count", "facts whose right logit is strictly the largest",
        "#{l : S_ll > S_kl for every k ≠ l}", "kim2026"},
       "recovered facts",
       "1",
       ClassMeasure{.over = Over::count, .value = advantage, .positive = true}},
      {{"recovered_weight", "probability mass of the recovered facts",
        "Σ_l p_l 1[S_ll > S_kl for every k ≠ l]", "kim2026"},
       "mass of the recovered facts",
       "1",
       ClassMeasure{.value = advantage, .positive = true}},
      {{"soft_recovery", "probability of the right answer, mean over the facts by probability",
        "Σ_l p_l p̂(l|l)", "kim2026"},
       "mean probability of the right answer",
       "1",
       ClassMeasure{.value = right_answer}},
      {{"loss_drop", "share of the loss at W = 0 that is gone, 1 at best without label noise",
        "(ln K - L)/ln K", "kim2026"},
       "share of the first loss that is gone",
       "1",
       ClassMeasure{.value = excess_loss, .above_least = true, .finished = share_gone, .known = known}},
  };
}

}  // namespace rarefact
