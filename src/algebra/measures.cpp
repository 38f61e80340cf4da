// Norms, sums, inner products and traces, by runs.

#include <stdexcept>

#include "algebra/operations.hpp"
#include "algebra/runs.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

template <class M>
VectorOf<ScalarOf<M>> diagonal(const M& x) {
  VectorOf<ScalarOf<M>> entries(Runs<M>(x).columns());
  for_runs(x, [&](Index c, Index place, Index, const auto*, const auto* at) {
    if (place >= 0) entries(c) = at[place];
  });
  return entries;
}

/// aggregate() of every column of a two-number matrix in one pass: a run per column takes ten times as long.
Vector of_two_numbers(const ColumnMatrix& x, Aggregate how) {
  constexpr auto larger = [](double a, double b) { return a < b || b != b ? b : a; };  // NaN stays
  const double times = x.structure->answers - 1;  // answers that a wrong entry stands for
  if (how == Aggregate::sum) {
    return x.right.binaryExpr(x.wrong, [times](double right, double wrong) {
      return sum_of_terms(right + times * wrong, std::abs(right) + times * std::abs(wrong));
    });
  }
  const auto right = x.right.array().abs(), wrong = x.wrong.array().abs();
  if (how == Aggregate::largest) return right.binaryExpr(wrong, larger);
  const double root = std::sqrt(times);
  const Eigen::ArrayXd largest = right.binaryExpr(root * wrong, larger);
  const Eigen::ArrayXd unit = (largest > 0).select(largest, 1.0);
  return unit * ((right / unit).square() + (root * wrong / unit).square()).sqrt();
}

}  // namespace

template <class M>
VectorOf<ScalarOf<M>> aggregate(const M& x, Side along, Aggregate how) {
  if constexpr (std::is_same_v<M, ColumnMatrix>) {
    if (along == Side::rows) throw std::logic_error("the columns algebra has no vector along the rows");
    if (x.stored_groups) return aggregate(with_all_columns(x), along, how);
    if (x.structure->two_numbers()) return of_two_numbers(x, how);
  }
  if (along == Side::rows) return aggregate(transposed(x), Side::columns, how);
  const Runs<M> runs(x);
  VectorOf<ScalarOf<M>> result(runs.columns());
  for (Index c = 0; c < result.size(); ++c) {
    Reducer<ScalarOf<M>> column(how);
    runs.for_column(
        c, [&](Index n, const auto* times, const auto* at) { column.add(n, times, at); }, x);
    result(c) = column.value();
  }
  return result;
}

template <class M>
ScalarOf<M> aggregate(const M& x, Aggregate how) {
  Reducer<ScalarOf<M>> reducer(how);
  Runs<M>(x).for_all(
      [&](Index n, const auto* times, const auto& all, const auto* at) { reducer.add(n, times, at, all); },
      x);
  return reducer.value();
}

template <class M>
ScalarOf<M> aggregate(const VectorOf<ScalarOf<M>>& v, const M& like, Side along, Aggregate how) {
  Reducer<ScalarOf<M>> reducer(how);
  reducer.add(v.size(), Runs<M>(like).along(along), v.data());
  return reducer.value();
}

template <class M>
ScalarOf<M> frobenius_norm(const M& x) {
  return aggregate(x, Aggregate::euclidean);
}

template <class M>
ScalarOf<M> inner(const M& x, const M& y) {
  if constexpr (std::is_same_v<M, ColumnMatrix>) {
    if (x.stored_groups || y.stored_groups) return inner(with_all_columns(x), with_all_columns(y));
  }
  Reducer<ScalarOf<M>> reducer(Aggregate::sum);
  Runs<M>(x).for_all([&](Index n, const auto* times, const auto& all, const auto* a,
                         const auto* b) { reducer.add_products(n, times, a, b, all); },
                     x, y);
  return reducer.value();
}

template <class M>
ScalarOf<M> trace(const M& x) {
  if constexpr (std::is_same_v<M, ColumnMatrix>) {
    if (!is_square(*x.structure))
      throw std::logic_error("the columns algebra has traces only for square matrices");
    if (x.stored_groups) return trace(with_all_columns(x));
  }
  return aggregate(diagonal(x), x, Side::columns, Aggregate::sum);
}

#define RAREFACT_MEASURES(M)                                                               \
  template VectorOf<ScalarOf<M>> aggregate(const M&, Side, Aggregate);                     \
  template ScalarOf<M> aggregate(const M&, Aggregate);                                     \
  template ScalarOf<M> aggregate(const VectorOf<ScalarOf<M>>&, const M&, Side, Aggregate); \
  template ScalarOf<M> frobenius_norm(const M&);                                           \
  template ScalarOf<M> inner(const M&, const M&);                                          \
  template ScalarOf<M> trace(const M&);

RAREFACT_MEASURES(DenseMatrix)
RAREFACT_MEASURES(SymmetricMatrix<double>)
RAREFACT_MEASURES(SymmetricMatrix<Real50>)
RAREFACT_MEASURES(ColumnMatrix)

}  // namespace rarefact
