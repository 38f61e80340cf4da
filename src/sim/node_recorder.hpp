#pragma once

/// The sink of runs on nodes: totals over all classes, and values at chosen ranks.

#include "sim/node_answers.hpp"
#include "sim/quadrature_run.hpp"
#include "sim/recorder.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

/// Cells of the nodes come first, `block` of them a node. In the columns engine the chosen ranks are cells without
/// weight after those; in the symmetric algebra they are interpolated between the nodes, and ranks 1 and K with
/// them: single classes beyond the nodes.
class NodeRecorder : public StateSink {
 public:
  /// `noisy`: there is label noise.
  NodeRecorder(const std::vector<Cell>& cells, const QuadratureRule& rule, const SmoothLaw& law, Index block,
               const std::vector<double>& ranks, bool interpolates, bool noisy, NodeRun& run);
  void state(std::size_t record, const Observation& seen) override;
  void push(std::size_t record, const std::vector<double>& per_cell) override;
  void twin_gain(std::size_t, double gain) override { run_.twin_gain.push_back(gain); }
  /// Of a law of answers: what is recorded of them besides.
  void measure_answers(NodeAnswers answers) { answers_ = std::move(answers); }
  void exchange(Archive& archive) override { archive(run_); }
  /// Logits of the nodes' cells, and after them those of ranks 1 and K. Only where ranks are interpolated.
  OneStepLogits<double> with_ends(OneStepLogits<double> nodes) const;

 private:
  using Seen = SeenClasses<double>;
  /// Totals over the nodes, and values of `chosen` from `first` on: the chosen ranks, and after them the ends.
  void add(const Seen& seen, const Seen& chosen, std::size_t first);
  double total_of_steps(const std::vector<double>& value, Over over) const;
  /// Log-odds of the chosen ranks, and Σ_l p_l ln p̂(k|l) of their answers where that is seen.
  void add_answers(const Observation& seen, const double* log_odds);
  Vector interpolated(const double* per_cell) const;

  const QuadratureRule& rule_;
  const SmoothLaw& law_;
  Index block_;
  std::size_t ranks_;
  bool interpolates_, noisy_;
  NodeRun& run_;
  CellWeights<double> weights_;          // of the nodes, then of the ends, which stand for no class
  double items_;                         // blocks in all
  std::vector<double> position_weight_;  // of all classes at each position of the blocks
  double total_weight_ = 0;
  std::vector<Index> position_;  // in its block, of each chosen rank and of ranks 1 and K
  Matrix interpolation_;         // (ranks + 2) x nodes
  std::optional<NodeAnswers> answers_ = {};
};

}  // namespace rarefact
