// ranked_qr() for doubles: pivoted_qr() with its tests in the same order, and one pass over the columns a step.

#include <cmath>
#include <utility>

#include "algebra/eight_kernels.hpp"
#include "algebra/ranked_qr.hpp"
#include "algebra/singular_values.hpp"

namespace rarefact {

namespace {

/// The columns that are neither pivots nor noise, in ascending order, and what is known of each. A column is changed by
/// its part of v only when its dot with the next v is needed.
struct Available {
  Index count;
  double* none;  ///< a column of zeros, which fills up the last eight
  std::vector<Index> index;
  std::vector<double*> column;
  Eigen::Array<double, Eigen::Dynamic, 3> numbers;
  double *remaining, *fresh, *parts;

  Available(const EightColumns& a, const Matrix& x)
      : count(x.cols()),
        none(a.column(count)),
        index(count),
        column(whole_eights(count), none),
        numbers(whole_eights(count), 3),
        remaining(numbers.data()),
        fresh(remaining + numbers.rows()),
        parts(fresh + numbers.rows()) {
    numbers.setZero();
    for (Index j = 0; j < count; ++j) {
      index[j] = j, column[j] = a.column(j);
      remaining[j] = fresh[j] = safe_norm(x.col(j));
    }
  }
  void erase(Index place) {
    --count;
    for (Index j = place; j < count; ++j) {
      index[j] = index[j + 1], column[j] = column[j + 1];
      remaining[j] = remaining[j + 1], fresh[j] = fresh[j + 1], parts[j] = parts[j + 1];
    }
    column[count] = none, remaining[count] = fresh[count] = parts[count] = 0;
  }
  /// The first of those with the largest remainder.
  Index longest() const {
    const double largest = Eigen::ArrayXd::Map(remaining, count).maxCoeff();
    const Index place = std::find(remaining, remaining + count, largest) - remaining;
    return place < count ? place : 0;  // NaN
  }
  /// Takes the row that was added to R out of the remainders. They are computed afresh if cancellation has lost half of
  /// the digits, as in pivoted_qr().
  template <class Norm>
  void shorten(double* row, const Norm& norm) {
    if (count == 0) return;
    const auto array = [&](auto* x) { return Eigen::Map<Eigen::Array<double, Eigen::Dynamic, 1>>(x, count); };
    auto old = array(remaining);
    auto kept = array(row);
    kept = (1 - (kept / old.max(std::numeric_limits<double>::denorm_min())).square()).max(0).sqrt() * old;
    const bool lost = (kept - 1e-6 * array(fresh)).minCoeff() <= 0;
    old = kept;
    if (!lost) return;
    for (Index j = 0; j < count; ++j)
      if (remaining[j] <= 1e-6 * fresh[j] && fresh[j] != 0) remaining[j] = fresh[j] = norm(j);
  }
};

}  // namespace

PivotedQr<double> ranked_qr_of_doubles(const Matrix& x, const Vector& norms, double tolerance,
                                       Index max_rank) {
  const Index rows = x.rows(), n = x.cols(), most = std::min(rows, n), height = whole_eights(rows);
  const EightColumns a(x, 3 * height + whole_eights(n));
  double *v = a.column(n + 1), *next_v = v + height, *const dots = next_v + height, *const row = dots;
  Available available(a, x);
  PivotedQr<double> result{Matrix::Zero(rows, most), Vector::Zero(most), Matrix::Zero(most, n), {}};
  result.pivots.reserve(static_cast<std::size_t>(most));
  Index k = 0;
  while (k < most && available.count > 0) {
    const Index place = available.longest(), pivot = available.index[place], begin = first_of_eight(k);
    const auto changed = [&](Index j, Index from, Index number) {
      return Vector::Map(available.column[j] + from, number) +
             available.parts[j] * Vector::Map(v + from, number);
    };
    std::fill(next_v + begin, next_v + k, 0.0);
    auto next = Vector::Map(next_v + k, rows - k);
    next = changed(place, k, rows - k);
    const double norm = safe_norm(next);
    if (k >= max_rank || norm <= tolerance * norms(pivot)) {
      available.erase(place);
      continue;
    }
    if (norm < available.remaining[place] / 2) {
      available.remaining[place] = available.fresh[place] = norm;
      if (available.remaining[available.longest()] > norm) continue;
    }
    available.erase(place);
    next /= norm;
    const double sign = next(0) < 0 ? -1 : 1, beta = 1 / (1 + sign * next(0));
    next(0) += sign;
    const Index count = available.count;
    eight_kernels().change_columns(
        {available.column.data(), whole_eights(count), begin, height, v, available.parts, next_v, dots});
    std::swap(v, next_v);
    for (Index j = 0; j < count; ++j) {
      available.parts[j] = -beta * dots[j];
      row[j] = available.column[j][k] + v[k] * available.parts[j];
      result.r(k, available.index[j]) = row[j];
    }
    result.r(k, pivot) = -sign * norm;
    available.shorten(row, [&](Index j) { return safe_norm(changed(j, k + 1, rows - k - 1).eval()); });
    result.reflectors.col(k).tail(rows - k) = Vector::Map(v + k, rows - k);
    result.betas(k) = beta;
    result.pivots.push_back(pivot);
    ++k;
  }
  result.r.conservativeResize(k, n);
  return result;
}

}  // namespace rarefact
