#pragma once

/// The partition of the rows and columns of a symmetric matrix into groups of identical components.

#include <algorithm>

#include "core/archive.hpp"
#include "core/types.hpp"

namespace rarefact {

/// The types of rows, or of columns, of a component of each group. A type is identical rows of a component, of
/// which one is stored with its multiplicity. Types are numbered group after group.
class GroupTypes {
 public:
  GroupTypes() = default;
  /// For every group the multiplicities of its types, real numbers > 0. A group may have no types.
  explicit GroupTypes(const std::vector<std::vector<double>>& groups) {
    for (const std::vector<double>& multiplicity : groups) {
      group_.insert(group_.end(), multiplicity.size(), static_cast<Index>(begin_.size()) - 1);
      multiplicity_.insert(multiplicity_.end(), multiplicity.begin(), multiplicity.end());
      begin_.push_back(static_cast<Index>(multiplicity_.size()));
    }
    has_multiplicity_ = std::ranges::any_of(multiplicity_, [](double t) { return t != 1; });
  }

  /// The first type of a group; begin(number of groups) is the number of types.
  Index begin(Index group) const { return begin_[group]; }
  Index size(Index group) const { return begin_[group + 1] - begin_[group]; }
  Index group(Index type) const { return group_[type]; }
  /// The multiplicity of a type: the number of identical rows of a component.
  double multiplicity(Index type) const { return multiplicity_[type]; }
  bool has_multiplicity() const { return has_multiplicity_; }
  /// The multiplicities of all types.
  template <class Real>
  VectorOf<Real> multiplicities() const {
    return Eigen::Map<const Vector>(multiplicity_.data(), std::ssize(multiplicity_)).template cast<Real>();
  }

  bool operator==(const GroupTypes&) const = default;
  void exchange(Archive& archive) { archive(begin_, group_, multiplicity_, has_multiplicity_); }

 private:
  std::vector<Index> begin_ = {0}, group_;
  std::vector<double> multiplicity_;
  bool has_multiplicity_ = false;
};

/// Groups of n identical components with types of rows and of columns. Shared by matrices with the same types.
class GroupStructure {
 public:
  /// An index of a matrix.
  enum class Side { rows, columns };

  std::vector<double> count;  ///< n_i >= 1 components in group i; real in a quadrature, up to 1e300

  GroupStructure() = default;
  /// rows and columns must have types for the same number of groups.
  GroupStructure(std::vector<double> n, GroupTypes rows, GroupTypes columns)
      : count(std::move(n)), rows_(std::move(rows)), columns_(std::move(columns)) {
    for (Index i = 0; i < groups(); ++i)
      diagonal_begin_.push_back(diagonal_begin_.back() + rows_.size(i) * columns_.size(i));
    row_roots_ = numbers<double>(Side::rows).cwiseSqrt();
    column_roots_ = numbers<double>(Side::columns).cwiseSqrt();
  }
  /// Square blocks of b rows and b columns, all of them distinct.
  static GroupStructure blocks(Index b, std::vector<double> count) {
    const GroupTypes types(std::vector(count.size(), std::vector<double>(static_cast<std::size_t>(b), 1)));
    return {std::move(count), types, types};
  }

  Index groups() const { return static_cast<Index>(count.size()); }
  const GroupTypes& types(Side side) const { return side == Side::rows ? rows_ : columns_; }
  const GroupTypes& row_types() const { return rows_; }
  const GroupTypes& column_types() const { return columns_; }
  Index rows() const { return rows_.begin(groups()); }        ///< types of rows, H
  Index columns() const { return columns_.begin(groups()); }  ///< types of columns, Q
  Index size(Side side) const { return types(side).begin(groups()); }
  /// True if rows and columns have the same types.
  bool square() const { return rows_ == columns_; }
  bool has_multiplicity() const { return rows_.has_multiplicity() || columns_.has_multiplicity(); }
  /// The number of components n of the group of a type.
  double components(Side side, Index type) const { return count[types(side).group(type)]; }

  /// n t of every type, the number of rows, or columns, that it represents; or (n - without) t.
  template <class Real>
  VectorOf<Real> numbers(Side side, int without = 0) const {
    const GroupTypes& of_side = types(side);
    VectorOf<Real> all(size(side));
    for (Index i = 0; i < groups(); ++i) {
      const Real number = Real(count[i]) - Real(without);
      for (Index type = of_side.begin(i); type < of_side.begin(i + 1); ++type)
        all(type) = Real(of_side.multiplicity(type)) * number;
    }
    return all;
  }
  /// √(n t) of every type.
  template <class Real>
  decltype(auto) roots(Side side) const {
    if constexpr (std::is_same_v<Real, double>) {
      return (side == Side::rows ? row_roots_ : column_roots_);
    } else {
      return VectorOf<Real>(numbers<Real>(side).cwiseSqrt());
    }
  }
  /// The number of rows or columns of the matrix.
  template <class Real = double>
  Real total(Side side) const {
    Real sum(0);
    for (const Real& number : numbers<Real>(side)) sum += number;
    return sum;
  }

  /// Start of a group's diagonal block; diagonal_begin(number of groups) is the number of diagonal entries.
  Index diagonal_begin(Index group) const { return diagonal_begin_[group]; }
  /// The start of column c of the diagonal block of its group.
  Index diagonal_column_begin(Index c) const {
    const Index i = columns_.group(c);
    return diagonal_begin(i) + (c - columns_.begin(i)) * rows_.size(i);
  }

  bool operator==(const GroupStructure&) const = default;
  void exchange(Archive& archive) {
    archive(count, rows_, columns_, diagonal_begin_, row_roots_, column_roots_);
  }

 private:
  GroupTypes rows_, columns_;
  std::vector<Index> diagonal_begin_ = {0};
  Vector row_roots_, column_roots_;
};

using SharedStructure = std::shared_ptr<const GroupStructure>;

/// The structure whose rows and columns are the given sides of s; s itself if it already has them.
inline SharedStructure with_sides(const SharedStructure& s, GroupStructure::Side rows,
                                  GroupStructure::Side columns) {
  const GroupTypes &above = s->types(rows), &beside = s->types(columns);
  if (above == s->row_types() && beside == s->column_types()) return s;
  return std::make_shared<const GroupStructure>(s->count, above, beside);
}

}  // namespace rarefact
