#pragma once

/// The sinks of runs on nodes: totals over all classes, and values at chosen ranks.

#include "sim/quadrature_run.hpp"
#include "sim/recorder.hpp"
#include "theory/one_step_search.hpp"

namespace rarefact {

/// What both sinks do. Cells of the nodes come first, `block` of them a node.
class NodeRecorder : public StateSink {
 public:
  NodeRecorder(const std::vector<Cell>& cells, const QuadratureRule& rule, const SmoothLaw& law, Index block,
               std::size_t ends, NodeRun& run);
  void exchange(Archive& archive) override { archive(run_); }

 protected:
  using Seen = SeenClasses<double>;
  /// Totals over the nodes, and values of `chosen` from `first` on: `ranks` of them, and after them the ends,
  /// single classes beyond the nodes.
  void add(const Seen& seen, const Seen& chosen, std::size_t first, std::size_t ranks);

  const QuadratureRule& rule_;
  const SmoothLaw& law_;
  Index block_;
  NodeRun& run_;

 private:
  double total_of_steps(const std::vector<double>& value, Over over) const;

  CellWeights<double> weights_;          // of the nodes, then of the ends, which stand for no class
  double items_;                         // blocks in all
  std::vector<double> position_weight_;  // of all classes at each position of the blocks
  double total_weight_;
};

/// For the columns engine: the chosen ranks are cells without weight after those of the nodes.
class WeightlessRanks : public NodeRecorder {
 public:
  WeightlessRanks(const std::vector<Cell>& cells, const QuadratureRule& rule, const SmoothLaw& law,
                  std::size_t ranks, NodeRun& run)
      : NodeRecorder(cells, rule, law, 1, 0, run), ranks_(ranks) {}
  void state(std::size_t record, const Observation& seen) override;
  void push(std::size_t record, const std::vector<double>& per_cell) override;

 private:
  std::size_t ranks_;
};

/// For the symmetric algebra: the chosen ranks are interpolated between the nodes.
class InterpolatedRanks : public NodeRecorder {
 public:
  InterpolatedRanks(const std::vector<Cell>& cells, const QuadratureRule& rule, const SmoothLaw& law,
                    Index block, const std::vector<double>& ranks, bool noisy, NodeRun& run);
  void state(std::size_t record, const Observation& seen) override;
  void push(std::size_t record, const std::vector<double>& per_cell) override;
  /// Logits of the nodes' cells, and after them those of ranks 1 and K.
  OneStepLogits<double> with_ends(OneStepLogits<double> nodes) const;

 private:
  Vector at_ranks(const double* per_cell) const;

  std::size_t ranks_;
  bool noisy_;
  std::vector<Index> position_;  // in its block, of each chosen rank and of ranks 1 and K
  Matrix weights_;               // (ranks + 2) x nodes
};

}  // namespace rarefact
