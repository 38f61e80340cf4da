/// Conversion of directions to OneStep, the closed forms that need no search, and the search for ϱ.

#include "theory/one_step.hpp"

#include "algebra/runs.hpp"
#include "core/bracketed_root.hpp"
#include "model/log_odds.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

using std::exp, std::log, std::log1p, std::pow;

/// The wrong answers of a cell: logits relative to the right one at unit step size, and their counts.
template <class Real>
struct WrongAnswers {
  VectorOf<Real> gap;
  VectorOf<Real> count;  ///< empty: one of each
  Real largest_gap;
};

template <class Real>
WrongAnswers<Real> wrong_answers(const std::vector<Real>& gap, const std::vector<Real>& count) {
  const auto size = static_cast<Index>(gap.size());
  require_legal(size > 0, "one step needs at least two classes");
  WrongAnswers<Real> wrong{Eigen::Map<const VectorOf<Real>>(gap.data(), size), {}, {}};
  if (!count.empty()) wrong.count = Eigen::Map<const VectorOf<Real>>(count.data(), size);
  wrong.largest_gap = wrong.gap.maxCoeff();
  return wrong;
}

bool answers_are_queries(const DenseMatrix& direction) {
  return direction.entries.rows() == direction.entries.cols();
}
template <class Real>
bool answers_are_queries(const SymmetricMatrix<Real>& direction) {
  return direction.structure().square() && !direction.structure().has_multiplicity();
}

template <class Real>
OneStepLogits<Real> logits_of(std::vector<WrongAnswers<Real>> all) {
  const auto cells = static_cast<Index>(all.size());
  OneStepLogits<Real> logits{{}, VectorOf<Real>(cells)};
  for (Index cell = 0; cell < cells; ++cell) logits.margin(cell) = -all[cell].largest_gap;
  const auto shared = std::make_shared<const std::vector<WrongAnswers<Real>>>(std::move(all));
  logits.log_odds = [shared](const Real& step_size) {
    VectorOf<Real> log_odds(static_cast<Index>(shared->size()));
    for (Index cell = 0; cell < log_odds.size(); ++cell) {
      const WrongAnswers<Real>& wrong = (*shared)[cell];
      Real sum(0);  // at least one term has exponent 0
      for (Index k = 0; k < wrong.gap.size(); ++k) {
        const Real likelihood = exp(Real(step_size * (wrong.gap(k) - wrong.largest_gap)));
        sum += wrong.count.size() == 0 ? likelihood : Real(wrong.count(k) * likelihood);
      }
      log_odds(cell) = step_size * wrong.largest_gap + log(sum);
    }
    return log_odds;
  };
  return logits;
}

}  // namespace

template <class Real>
OneStepLogits<Real> logits_of_margins(const VectorOf<Real>& margins, const Real& class_total) {
  const Real others = log(Real(class_total - 1));
  return {[margins, others](const Real& step_size) {
            return VectorOf<Real>((-step_size * margins).array() + others);
          },
          margins};
}

template <class M>
OneStepLogits<typename M::Scalar> logits_of_direction(const M& direction, const RightAnswers& right) {
  using Real = typename M::Scalar;
  const Runs<M> runs(direction);
  require_legal(
      right.empty() ? answers_are_queries(direction) : static_cast<Index>(right.size()) == runs.columns(),
      "a direction of logits must be square and without identical classes, or the right answers must be given");
  std::vector<WrongAnswers<Real>> all;
  for (Index l = 0; l < runs.columns(); ++l) {
    Index own = right.empty() ? runs.diagonal(l) : right[l];  // in the first run
    Real of_right(0);
    std::vector<Real> gap, count;
    runs.for_column(
        l,
        [&](Index size, const Real* times, const Real* logit) {
          if (own >= 0) of_right = logit[own];
          for (Index k = 0; k < size; ++k) {
            if (k == own) continue;
            gap.push_back(logit[k] - of_right);
            if (times) count.push_back(times[k]);
          }
          own = -1;
        },
        direction);
    all.push_back(wrong_answers(gap, count));
  }
  return logits_of(std::move(all));
}

template <class Real>
Probability<Real> rho_gd(const Real& class_total, const Real& probability_ratio, const Real& epsilon) {
  require_legal(class_total >= Real(2) && class_total <= Real(1e300), "K must lie in [2, 1e300]");
  require_legal(probability_ratio > Real(0) && probability_ratio <= Real(1),
                "min p / max p must lie in (0, 1]");
  require_legal(epsilon > Real(0) && epsilon < Real(1), "ε must lie in (0, 1)");
  // (K-1)^{1-r} as (K-1) (K-1)^{-r}: 1 - r loses digits of a small r, which a power of 1e300 would amplify.
  // Multiplied from the left, no product leaves [1e-308, 1e300].
  const Real others = class_total - 1;
  const Real odds = others * pow(others, Real(-probability_ratio)) *
                    pow(Real(epsilon / (Real(1) - epsilon)), probability_ratio);
  return {Real(1) / (Real(1) + odds), odds / (Real(1) + odds)};
}

template <class Real>
std::optional<OneStepRho<Real>> one_step_rho(const OneStepLogits<Real>& logits, const Real& epsilon) {
  require_legal(epsilon > Real(0) && epsilon < Real(0.5), "ε must lie in (0, 1/2)");
  const VectorOf<Real> start = logits.log_odds(Real(0));
  require_legal(start.size() > 0 && start.size() == logits.margin.size(),
                "log-odds and margins must have the same length, at least 1");
  const Real largest = logits.margin.maxCoeff();
  if (!(largest > Real(0))) return std::nullopt;

  const Real wanted = log(epsilon) - log1p(Real(-epsilon));
  const auto shortage = [&](const Real& step_size) {
    return Real(logits.log_odds(step_size).minCoeff() - wanted);
  };
  // In exact arithmetic the ends bracket the root; the slack allows for measured margins.
  const Real slack(1e-6);
  const Real low = (Real(1) - slack) * -wanted / largest;
  const Real high = (Real(1) + slack) * (start.maxCoeff() - wanted) / largest;
  if (!(shortage(low) >= Real(0) && shortage(high) <= Real(0))) {
    throw std::domain_error(
        "the log-odds contradict the margins: the logits are not linear in the step size");
  }
  const Real threshold = bracketed_root(shortage, low, high).second;

  OneStepRho<Real> rho;
  rho.threshold = threshold;
  const Real worst = logits.log_odds(threshold).maxCoeff();
  rho.at_threshold = {logistic(Real(-worst)), logistic(worst)};
  rho.infimum = logits.margin.minCoeff() < Real(0) ? Real(0) : rho.at_threshold.value;
  return rho;
}

template OneStepLogits<double> logits_of_margins(const VectorOf<double>&, const double&);
template OneStepLogits<Real50> logits_of_margins(const VectorOf<Real50>&, const Real50&);
template OneStepLogits<double> logits_of_direction(const DenseMatrix&, const RightAnswers&);
template OneStepLogits<double> logits_of_direction(const SymmetricMatrix<double>&, const RightAnswers&);
template OneStepLogits<Real50> logits_of_direction(const SymmetricMatrix<Real50>&, const RightAnswers&);
template Probability<double> rho_gd(const double&, const double&, const double&);
template Probability<Real50> rho_gd(const Real50&, const Real50&, const Real50&);
template std::optional<OneStepRho<double>> one_step_rho(const OneStepLogits<double>&, const double&);
template std::optional<OneStepRho<Real50>> one_step_rho(const OneStepLogits<Real50>&, const Real50&);

}  // namespace rarefact
