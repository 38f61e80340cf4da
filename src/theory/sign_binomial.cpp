/// Signs of minibatches. A class that is drawn moves its margin by 2η, others stay where they are, so without label noise
/// the margin after t steps is exactly 2η Binomial(t, 1 - (1-p)^B). The prediction is the mean over the samples.

#include <boost/math/distributions/binomial.hpp>

#include "theory/prediction.hpp"

namespace rarefact {

namespace {

/// E f(stride J), J the number of steps of t that draw a class. P(j) f(stride j) rises and then falls, as both factors are
/// logarithmically concave: its sum goes outwards from the largest term.
template <class F>
double mean_of(std::int64_t t, double drawn, double missed, double stride, F f) {
  const auto n = static_cast<double>(t);
  // P(j+1)/P(j) and back
  const auto rise = [&](double j) { return (n - j) / (j + 1) * (drawn / missed); };
  const auto fall = [&](double j) { return j / (n - j + 1) * (missed / drawn); };
  double mode = 0, beyond = n;
  while (mode < beyond) {
    const double j = std::floor((mode + beyond) / 2), here = f(stride * j);
    if (here > 0 && rise(j) * (f(stride * (j + 1)) / here) > 1)
      mode = j + 1;
    else
      beyond = j;
  }
  // Of the rarer of the two, whose 1 - p has all digits.
  const bool rarely = drawn < missed;
  const double peak = boost::math::pdf(boost::math::binomial_distribution<>(n, rarely ? drawn : missed),
                                       rarely ? mode : n - mode);
  double sum = peak * f(stride * mode);
  const double least = sum * std::numeric_limits<double>::epsilon() / 16;
  const auto add = [&](double j, double weight) {
    const double term = weight * f(stride * j);
    sum += term;
    return term > least;
  };
  for (double j = mode, weight = peak; j < n;)
    if (weight *= rise(j); !add(++j, weight)) break;
  for (double j = mode, weight = peak; j > 0;)
    if (weight *= fall(j); !add(--j, weight)) break;
  return sum;
}

std::vector<PredictedMean> means(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const double stride = 2 * step_size_at<double>(input), total = input.class_total;
  std::vector<PredictedMean> table;
  table.reserve(steps.size() * input.class_count.size());
  for (const std::int64_t step : steps)
    for (std::size_t g = 0; g < input.class_count.size(); ++g) {
      const double none = input.batch * std::log1p(-input.training(g));
      const auto mean = [&](auto f) { return mean_of(step, -std::expm1(none), std::exp(none), stride, f); };
      table.push_back({mean([&](double m) { return error_of_margin<double>(m, total); }),
                       mean([&](double m) { return excess_loss_of_margin<double>(m, total, 0.0); })});
    }
  return table;
}

Objection require_minibatches(const PredictionInput& input) {
  return unless(input.batch > 0, "the prediction is for fresh samples at every step");
}

}  // namespace

PredictionRow sign_binomial() {
  PredictionRow row{{"sign-binomial", "mean over samples of the errors and losses under signs of minibatches",
                     "E f(2ηJ), J ~ Binomial(t, 1 - (1-p)^B), f the error or loss of a margin",
                     "derived in docs/closed-forms.md"}};
  row.variant = "mean";
  row.validity =
      "exact for the mean over samples, rule tra_signgd with orthonormal embeddings and rule signgd with identity "
      "embeddings, B fresh samples at every step (data.mode = \"minibatch\"), one answer per query, classes that are written out, constant step size, "
      "label noise 0; compare it with the mean over seeds and its interval, not with one run";
  row.rules = {"tra_signgd", "signgd"};
  row.hypotheses = {require_minibatches, require_noiseless, require_own_answers, require_task_basis};
  row.means = means;
  return row;
}

}  // namespace rarefact
