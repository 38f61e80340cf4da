#pragma once

/// What the numbers of column matrices stand for: how many columns are alike, and how many answers of a column share a
/// number.

#include <memory>
#include <vector>

#include "core/archive.hpp"
#include "core/types.hpp"

namespace rarefact {

/// Groups of alike columns of K x N matrices. A column has one number `own` for its likeliest right answers, one number
/// `other` for the answers that are nobody's in particular, and further ones in the middle. Shared by all matrices of a run.
struct ColumnStructure {
  std::vector<double> count;  ///< columns in each group; real in a quadrature, up to 1e300
  double answers = 0;         ///< K
  /// How many answers of a column share its number. Both empty: one answer and K - 1, in every column.
  std::vector<double> own_times = {};
  std::vector<double> other_times = {};  ///< may be 0: `other` is kept at zero there
  /// Where the further numbers of each group begin, one more than groups, and how many answers share each. Empty where
  /// own_times is.
  std::vector<Index> middle_begin = {};
  std::vector<double> middle_times = {};

  Index groups() const { return static_cast<Index>(count.size()); }
  Index middles() const { return static_cast<Index>(middle_times.size()); }
  /// One right answer a column, and the wrong ones equal.
  bool two_numbers() const { return own_times.empty(); }

  double columns() const {  ///< N
    double sum = 0;
    for (const double n : count) sum += n;
    return sum;
  }

  void exchange(Archive& archive) {
    archive(count, answers, own_times, other_times, middle_begin, middle_times);
  }
};

using SharedColumns = std::shared_ptr<const ColumnStructure>;

/// Whether column l has answer l and the others are all alike, as square_columns says.
inline bool is_square(const ColumnStructure& s) {
  return s.two_numbers() && s.answers == s.columns();
}

/// Of square matrices: as many answers as columns, column l with answer l.
inline SharedColumns square_columns(std::vector<double> count) {
  ColumnStructure made{std::move(count)};
  made.answers = made.columns();
  return std::make_shared<const ColumnStructure>(std::move(made));
}

}  // namespace rarefact
