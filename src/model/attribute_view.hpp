#pragma once

/// Queries that are sums of attributes, in the symmetric algebra: W in the orbits of the permutations of equally likely
/// subjects and relations.
///
/// If one attribute is uniform, with C values, the U values of the other are written out. W has two groups: one with
/// U columns, for the written attribute, and no rows; and C components of U rows (answers) and one column each. Its
/// trivial part is U x (U+1), its contrast part U x 1. A query sees C components of U answers.
///
/// If both are uniform, W = [W_S | W_R] is stored as a block diagonal matrix: S components of one row R times, and R of one
/// row S times, four numbers. Its singular values, norms, polar factor and signs are those of W if its columns sum to
/// zero, as those of gradients do, because then W_Sᵀ W_R = 0. A query sees four kinds of answers: the right one, R-1 of
/// its subject, S-1 of its relation, (S-1)(R-1) others.

#include <memory>

#include "algebra/symmetric_matrix.hpp"
#include "model/attribute_grid.hpp"
#include "model/components.hpp"

namespace rarefact {

template <class Real>
class AttributeView {
 public:
  using State = SymmetricMatrix<Real>;

  /// Precondition: one attribute is uniform.
  AttributeView(const AttributeGrid& grid, const std::array<double, 2>& gains);

  /// What a query sees; a query type for every group of classes, in their order.
  const Components& components() const { return components_; }
  /// Of W.
  const SharedStructure& weights() const { return weights_; }
  /// W(0) of the start `manifold`.
  State start(const Real& scale) const;
  /// diag(b) for gains of subjects and of relations: W times it is in the orbits that W is in.
  State gains(const std::array<double, 2>& b) const;
  /// W E; `task`: the structure of components().
  State logits(const State& w, const SharedStructure& task) const;
  /// G Eᵀ, G with columns that sum to zero.
  State to_ambient(const State& g) const;
  /// For the answers at place k of column l: {their subject is wrong, their relation is wrong}.
  std::array<bool, 2> wrong(Index l, Index k) const;

 private:
  Components components_;
  SharedStructure weights_;
  std::size_t written_;  // the attribute that is written out; if both are uniform, the subject
  bool both_;
  std::array<Real, 2> gain_,
      others_;  // of the written attribute and of the other: gains, and values less one
};

}  // namespace rarefact
