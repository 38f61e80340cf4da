#pragma once

/// A look at the directions of a run on nodes: where they jump from one node to the next, the run is no
/// smooth function of the rank.

#include <cmath>

#include "model/quadrature_rule.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

/// Signs and polar factors jump by 2 where a class is pushed the other way than its neighbour. A class next
/// to the jump may behave as no node does, so no comparison of rules sees it, and every certificate is void.
inline constexpr double jump_size = 1;

/// Whether any entry of a direction jumps between neighbouring nodes. Between two nodes that are single
/// classes there is nothing to miss. Node columns come first; there may be others after them.
inline bool jumps(const ColumnMatrix& d, const QuadratureRule& rule) {
  for (Index i = 0; i + 1 < static_cast<Index>(rule.size()); ++i) {
    if (rule.single(i) && rule.single(i + 1)) continue;
    if (std::abs(d.own(i + 1) - d.own(i)) > jump_size || std::abs(d.other(i + 1) - d.other(i)) > jump_size) {
      return true;
    }
  }
  return false;
}

inline bool jumps(const SymmetricMatrix<double>& d, const QuadratureRule& rule) {
  const Index nodes = static_cast<Index>(rule.size()), b = d.structure().block;
  const auto jump = [](const auto& here, const auto& next) {
    return (next - here).cwiseAbs().maxCoeff() > jump_size;
  };
  for (Index i = 0; i + 1 < nodes; ++i) {
    if (rule.single(i) && rule.single(i + 1)) continue;
    if (jump(d.own(i) - d.other(i, i), d.own(i + 1) - d.other(i + 1, i + 1))) return true;
    // A rule that takes signs of entries may jump anywhere.
    const auto& other = d.other_entries();
    if (jump(other.middleCols(i * b, b), other.middleCols((i + 1) * b, b))) return true;
    if (jump(other.middleRows(i * b, b), other.middleRows((i + 1) * b, b))) return true;
  }
  return false;
}

/// A rule under watch.
template <class M>
class JumpWatch : public UpdateRule<M> {
 public:
  JumpWatch(UpdateRule<M>& rule, const QuadratureRule& nodes, bool& jumped)
      : rule_(rule), nodes_(nodes), jumped_(jumped) {}
  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) override {
    const Direction<M> d = rule_.direction(gradient, context);
    if (!jumped_) jumped_ = jumps(*d.matrix, nodes_);
    return d;
  }
  /// Whether it jumped belongs to the run on nodes.
  void exchange(Archive& archive) override { archive(rule_); }

 private:
  UpdateRule<M>& rule_;
  const QuadratureRule& nodes_;
  bool& jumped_;
};

}  // namespace rarefact
