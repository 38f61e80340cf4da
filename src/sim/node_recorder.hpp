#pragma once

/// The sink of runs on nodes: totals over all classes, and values at chosen ranks.

#include "sim/node_answers.hpp"
#include "sim/quadrature_run.hpp"
#include "sim/recorder.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

/// Where a run on nodes is looked at: the queries of the rows, and after them the ends of the law.
struct NodeTargets {
  std::vector<QueryAt> queries;
  /// Of their answers: where queries of an answer differ each once, else one for every query.
  std::vector<double> ranks;
  std::vector<std::size_t> rank_of;     ///< of every query
  std::size_t rows = 0, row_ranks = 0;  ///< how many of them are of rows

  NodeTargets(const SmoothLaw& law, const std::vector<QueryAt>& row_queries,
              const std::vector<QueryAt>& ends);
  /// The ranks of the rows.
  std::vector<double> answers() const {
    return {ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(row_ranks)};
  }
};

/// Cells of the nodes come first, those of a rank one after the other. In the columns engine the targets are cells without
/// weight after those, and after them all places of their answers, where these differ; in the symmetric algebra they are
/// interpolated between the nodes, the ends with them: single classes beyond the nodes.
class NodeRecorder : public Recorder {
 public:
  /// `law`: of what a rank of the nodes is. Targets with ends are interpolated. `noisy`: there is label noise.
  NodeRecorder(const std::vector<Cell>& cells, const QueryNodes& nodes, const SmoothLaw& law,
               const NodeTargets& targets, bool noisy, NodeRun& run);
  void state(std::size_t record, const Observation& seen) override;
  void cells(const std::string& variable, const std::vector<double>& per_cell) override;
  /// Of a law of answers: what is recorded of them besides.
  void measure_answers(NodeAnswers answers) { answers_ = std::move(answers); }
  void exchange(Archive& archive) override { archive(run_); }
  /// Logits of the nodes' cells, and after them those of the ends. Only where there are some.
  OneStepLogits<double> with_ends(OneStepLogits<double> nodes) const;

 private:
  using Seen = SeenClasses<double>;
  bool interpolates() const { return ends() > 0; }
  Index ends() const { return static_cast<Index>(targets_.queries.size() - targets_.rows); }
  /// Totals over the nodes, and values of `chosen` from `first` on: the rows, and after them the ends.
  void add(const Seen& seen, const Seen& chosen, std::size_t first);
  double total_of_steps(const std::vector<double>& value, Over over) const;
  /// Errors and log-odds of the rows' answers, place by place, and `mean_log` of Σ_l p_l ln p̂(k|l) where that is seen.
  void add_answers(const Observation& seen, const double* error, const double* log_odds,
                   const Vector& mean_log);
  /// The weight of the nodes at a place up to a rank.
  double weight_of_place(std::size_t place, double ranks) const;
  /// At the targets' ranks and the nodes' places; `of_rank` values at every rank of the nodes.
  Matrix at_ranks(const double* per_cell, Index of_rank) const;
  /// The targets of these.
  Vector chosen(const Matrix& at_ranks) const;
  Vector interpolated(const double* per_cell) const { return chosen(at_ranks(per_cell, places())); }
  Index places() const { return static_cast<Index>(nodes_.places.size()); }

  const QueryNodes& nodes_;
  const SmoothLaw& law_;
  const NodeTargets& targets_;
  bool noisy_;
  NodeRun& run_;
  CellWeights<double> weights_;       // of the nodes, then of the ends, which stand for no class
  double items_;                      // of the law
  std::vector<double> place_weight_;  // of all classes at each place
  double total_weight_ = 0;
  Matrix rank_parts_, place_parts_;  // of the nodes, for every rank and every query of the targets
  std::optional<NodeAnswers> answers_ = {};
};

}  // namespace rarefact
