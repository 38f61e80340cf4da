#pragma once

/// The multiplicities of column matrices: how many columns are identical, and how many answers of a column
/// share a number.

#include "core/archive.hpp"
#include "core/types.hpp"

namespace rarefact {

/// Groups of identical columns of K x N matrices. A column has one number `right` for its most likely right
/// answers, one number `wrong` for the answers that its query never has, and shared numbers for further
/// answers. All matrices of a run have the same structure.
struct ColumnStructure {
  std::vector<double> count;  ///< columns in each group; real in a quadrature, up to 1e300
  double answers = 0;         ///< K
  /// How many answers of a column share each number. Both empty: 1 and K - 1 in every column.
  std::vector<double> right_times = {};
  std::vector<double> wrong_times = {};  ///< may be 0; `wrong` is then zero
  /// The start of the shared numbers of each group (one entry more than groups), and how many answers share
  /// each. Empty if right_times is.
  std::vector<Index> shared_begin = {};
  std::vector<double> shared_times = {};

  Index groups() const { return static_cast<Index>(count.size()); }
  Index shared_count() const { return static_cast<Index>(shared_times.size()); }
  /// True if every column has one right answer and equal wrong answers.
  bool two_numbers() const { return right_times.empty(); }

  double columns() const {  ///< N
    double sum = 0;
    for (const double n : count) sum += n;
    return sum;
  }

  void exchange(Archive& archive) {
    archive(count, answers, right_times, wrong_times, shared_begin, shared_times);
  }
};

using SharedColumns = std::shared_ptr<const ColumnStructure>;

/// True if column l has answer l and all other answers are equal, as in square_columns.
inline bool is_square(const ColumnStructure& s) {
  return s.two_numbers() && s.answers == s.columns();
}

/// True of matrices of one row.
inline bool is_row(const ColumnStructure& s) {
  return s.two_numbers() && s.answers == 1;
}

/// The structure of square matrices: as many answers as columns, column l with answer l.
inline SharedColumns square_columns(std::vector<double> count) {
  ColumnStructure made{std::move(count)};
  made.answers = made.columns();
  return std::make_shared<const ColumnStructure>(std::move(made));
}

}  // namespace rarefact
