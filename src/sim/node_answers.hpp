#pragma once

/// Measures of answers for nodes of a smooth answer law: for answers of chosen ranks, and for all queries.

#include "experiment/experiment.hpp"
#include "model/observation.hpp"
#include "rarefact/result.hpp"
#include "sim/answer_groups.hpp"
#include "sim/class_rows.hpp"

namespace rarefact {

/// The answers of the rows of a result with only quadratures, each answer once, most frequent first. An
/// answer of a node represents as many as the node does.
AnswerGroups answer_groups_at(const Spectrum& spectrum, const ClassRows& rows, double least_loss);

/// The loss of answers. Every query of answer k has only this answer, and they are identical, so the error is
/// theirs and
///   answer_loss = -((1-α) q_k ln p̂(k|l of k) + α b_k Σ_l p_l ln p̂(k|l)) / ((1-α) q_k + α b_k)
class NodeAnswers {
 public:
  /// Of the answers of the rows, which have these ranks.
  NodeAnswers(const SmoothLaw& law, const std::vector<double>& ranks, const Experiment& experiment,
              const AnswerGroups& groups);

  /// From errors and log-odds ln(wrong/right) of the queries, and Σ_l p_l ln p̂(k|l), which only noise needs. NaN where a
  /// group has no row.
  LawMeasures measures(double top1_error, const double* error, const double* log_odds,
                       const double* mean_log) const;
  /// Σ_l p_l ln p̂(k|l) if all wrong answers of a query are equally likely, from the log-odds of nodes with
  /// this mass and of the chosen answers.
  std::vector<double> mean_log(const Observation& seen, const std::vector<double>& node_mass,
                               const double* log_odds) const;

 private:
  double label_noise_, answers_;
  std::vector<double> group_;  // of each row's answer
  std::size_t groups_;
  std::vector<double> frequency_, background_;  // q_k and α b_k of the chosen answers
};

/// Σ_l p_l (1 - π₀ of the answer with the largest logit): `right` is the mass of queries whose own answer has
/// it; ties are counted node by node.
double top1_error(const Observation& seen, const std::vector<double>& node_mass, double right,
                  double answers);

}  // namespace rarefact
