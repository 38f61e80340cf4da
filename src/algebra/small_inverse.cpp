#include <cmath>
#include <utility>
#include <vector>

#include "algebra/lu.hpp"
#include "algebra/padded_columns.hpp"

namespace rarefact {

std::optional<Matrix> small_inverse_transposed(const Matrix& x) {
  // Column operations turn Xᵀ into its inverse in place; padding with the identity makes whole vectors.
  const Index n = x.rows(), size = padded(n);
  Matrix t = Matrix::Identity(size, size);
  t.topLeftCorner(n, n) = x.transpose();
  std::vector<Index> swap(static_cast<std::size_t>(size));
  Vector first(size), second(size), row(size);
  // Swaps column k with the column from k on that has the largest entry in row k.
  const auto choose = [&](Index k) {
    Index pivot = k;
    const double largest = row.tail(size - k).cwiseAbs().maxCoeff(&pivot);
    swap[k] = pivot += k;
    t.col(k).swap(t.col(pivot));
    return largest > 0 && std::isfinite(largest);
  };
  const auto divide = [&](Index k) { t.col(k) *= 1 / std::exchange(t(k, k), 1); };
  // Loops over columns are written out, so that fused operations do not depend on the alignment of vectors. Two pivots are
  // eliminated together, because reading and writing a column takes more time than computing.
  for (Index k = 0; k < size; k += 2) {
    row = t.row(k);
    if (!choose(k)) return std::nullopt;
    divide(k);
    first = t.col(k);
    const double* const a = first.data();
    for (Index j = k + 1; j < size; ++j) row(j) = std::fma(-t(k, j), a[k + 1], t(k + 1, j));
    if (!choose(k + 1)) return std::nullopt;
    double* const b = t.col(k + 1).data();
    const double factor = std::exchange(b[k], 0);
    for (Index i = 0; i < size; ++i) b[i] = std::fma(-factor, a[i], b[i]);
    divide(k + 1);
    second = t.col(k + 1);
    // Four columns at once read the two of the pivots once.
    for (Index j = 0; j < size; j += lanes) {
      LaneColumns<double> y;
      Lanes<double> f, g;
      for (Index c = 0; c < lanes; ++c) {
        y[c] = t.col(j + c).data();
        f(c) = j + c == k || j + c == k + 1 ? 0 : y[c][k];
        g(c) = j + c == k + 1 ? 0 : std::fma(-f(c), a[k + 1], y[c][k + 1]);
      }
      for (Index i = 0; i < size; i += lanes) {
        const Lanes<double> of_first = at(a + i), of_second = at(second.data() + i);
        for (Index c = 0; c < lanes; ++c) at(y[c] + i) = at(y[c] + i) - f(c) * of_first - g(c) * of_second;
      }
      for (Index c = 0; c < lanes; ++c) {
        if (j + c == k + 1) continue;
        if (j + c != k) y[c][k] = std::fma(-g(c), second(k), -f(c) * a[k]);
        y[c][k + 1] = -g(c) * second(k + 1);
      }
    }
  }
  for (Index i = size; i-- > 0;) t.row(i).swap(t.row(swap[i]));
  return t.topLeftCorner(n, n);
}

}  // namespace rarefact
