#pragma once

/// Detects directions that push neighbouring nodes in opposite directions, so that the state is not a smooth
/// function of the rank.

#include <algorithm>
#include <cmath>
#include <limits>

#include "algebra/column_matrix.hpp"
#include "algebra/symmetric_matrix.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

/// Signs and polar factors jump by 2 between classes that are pushed in opposite directions. Classes near the
/// jump may behave unlike any node, which comparing rules does not detect, so estimates of errors are void.
inline constexpr double jump_size = 1;

/// The threshold for a jump relative to these entries: formulas may have any scale.
template <class... Entries>
double jump_beside(const Entries&... entries) {
  return jump_size * std::max({1.0, entries.cwiseAbs().maxCoeff()...});
}

/// Calls body(a, b) for neighbouring nodes until it returns true. Pairs of single classes are skipped, because
/// no class is between them.
template <class Body>
bool any_neighbours(const QuadratureRule& nodes, const Body& body) {
  for (Index i = 1; i < std::ssize(nodes); ++i)
    if (!(nodes.single(i - 1) && nodes.single(i)) && body(i - 1, i)) return true;
  return false;
}

/// True if any entry of a direction jumps between neighbouring nodes. Columns of nodes come first; others may
/// follow.
inline bool jumps(const ColumnMatrix& d, const QuadratureRule& nodes, bool) {
  const double threshold = jump_beside(d.right, d.wrong);
  return any_neighbours(nodes, [&](Index a, Index b) {
    return std::abs(d.right(b) - d.right(a)) > threshold || std::abs(d.wrong(b) - d.wrong(a)) > threshold;
  });
}

/// `rotates`: the rule is rotation-equivariant on queries; entries of r identical queries are then 1/√r times
/// those of their sum.
inline bool jumps(const SymmetricMatrix<double>& d, const QuadratureRule& nodes, bool rotates) {
  const GroupTypes &rows = d.structure().row_types(), &columns = d.structure().column_types();
  const auto& other = d.off_entries();
  const double threshold = jump_beside(d.diagonal_entries(), other);
  const auto contrast = [&](Index column) {
    const Index i = columns.group(column);
    const double root = rotates ? std::sqrt(columns.multiplicity(column)) : 1;
    return Vector(root *
                  (d.diagonal_column(column) - other.col(column).segment(rows.begin(i), rows.size(i))));
  };
  const auto jump = [threshold](const auto& here, const auto& next) {
    return (next - here).cwiseAbs().maxCoeff() > threshold;
  };
  // A rule with signs of entries may jump anywhere; rows are compared once for all columns of a rank.
  const auto between = [&](Index a, Index b) {
    const Index i = columns.group(a), j = columns.group(b);
    return jump(contrast(a), contrast(b)) || jump(other.col(a), other.col(b)) ||
           (i != j && b == columns.begin(j) &&
            jump(other.middleRows(rows.begin(i), rows.size(i)),
                 other.middleRows(rows.begin(j), rows.size(j))));
  };
  return any_neighbours(nodes, between);
}

/// A rule that watches another's directions for jumps.
template <class M>
class JumpWatch : public UpdateRule<M> {
 public:
  /// `error` becomes infinite at a jump.
  JumpWatch(UpdateRule<M>& rule, const QuadratureRule& nodes, bool rotates, double& error)
      : rule_(rule), nodes_(nodes), rotates_(rotates), error_(error) {}
  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) override {
    const Direction<M> d = rule_.direction(gradient, context);
    // A direction that failed may have no matrix.
    if (d.failure.empty() && !std::isinf(error_) && jumps(*d.matrix, nodes_, rotates_))
      error_ = std::numeric_limits<double>::infinity();
    return d;
  }
  /// The error is saved with the trajectory.
  void exchange(Archive& archive) override { archive(rule_); }

 private:
  UpdateRule<M>& rule_;
  const QuadratureRule& nodes_;
  bool rotates_;
  double& error_;
};

}  // namespace rarefact
