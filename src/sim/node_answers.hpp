#pragma once

/// What nodes of a smooth law of answers show besides: of the answers of chosen ranks, and of all queries.

#include "experiment/experiment.hpp"
#include "model/observation.hpp"
#include "rarefact/result.hpp"
#include "sim/answer_groups.hpp"
#include "sim/class_rows.hpp"

namespace rarefact {

/// Answers of the rows of a result of quadratures alone, each answer once, the most frequent first. An answer of a node
/// stands for as many as the node does.
AnswerGroups answer_groups_at(const Spectrum& spectrum, const ClassRows& rows, double least_loss);

/// Loss of answers. Every query of answer k has that one alone, and they are alike, so that the error is theirs and
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
  /// Σ_l p_l ln p̂(k|l) where all wrong answers of a query are equally likely: `nodes` log-odds, each of queries of this
  /// mass, and those of the chosen answers.
  std::vector<double> mean_log(const Observation& seen, const std::vector<double>& node_mass,
                               const double* log_odds) const;

 private:
  double label_noise_, answers_;
  std::vector<double> group_;  // of each row's answer
  std::size_t groups_;
  std::vector<double> frequency_, background_;  // q_k and α b_k of the chosen answers
};

/// Σ_l p_l (1 - π₀ of the answer with the largest logit): `right` is the mass of queries whose own answer has it, and of
/// ties counts what each node has.
double top1_error(const Observation& seen, const std::vector<double>& node_mass, double right,
                  double answers);

}  // namespace rarefact
