#include <stdexcept>

#include "algebra/operations.hpp"
#include "algebra/runs.hpp"

namespace rarefact {

namespace {

/// Matrices that are not square never are diagonal: their columns share answers in an unknown way.
void require_diagonal(const ColumnMatrix& x, const char* what) {
  if (!is_square(*x.structure) || (x.wrong.array() != 0).any())
    throw std::logic_error(std::string("the columns algebra has ") + what + " of diagonal matrices alone");
}

}  // namespace

ColumnMatrix multiplied(const ColumnMatrix& x, const ColumnMatrix& y, const Workers& workers) {
  if (x.stored_groups || y.stored_groups)
    return multiplied(with_all_columns(x), with_all_columns(y), workers);
  require_diagonal(y, "products from the right");
  ColumnMatrix result = x;
  for_runs(result, [&](Index l, Index, Index size, const double*, double* at) {
    for (Index i = 0; i < size; ++i) at[i] *= y.right(l);
  });
  return result;
}

ColumnMatrix transposed(const ColumnMatrix& x) {
  require_diagonal(x, "transposes");
  return with_all_columns(x);
}

ColumnMatrix map_values(const ColumnMatrix& x, const std::function<double(double)>& f) {
  ColumnMatrix result = with_all_columns(x);
  if (!finite_entries(x)) return no_numbers(result);
  if (is_row(*x.structure)) {
    const double norm = frobenius_norm(result);
    if (norm > 0) result.right *= f(norm) / norm;
    return result;
  }
  require_diagonal(x, "functions of singular values");
  for (double& entry : result.right)
    if (entry != 0) entry = std::copysign(1.0, entry) * f(std::abs(entry));
  return result;
}

ColumnMatrix spectral_function(const ColumnMatrix& x, const SpectralMap<double>& f, const Workers&) {
  return map_values(x, f);
}

ColumnMatrix DiagonalPolar::operator()(const ColumnMatrix& x, const Workers&, const PolarHint&) const {
  if (is_row(*x.structure)) return map_values(x, [](double) { return 1.0; });
  require_diagonal(x, "polar factors");
  return mapped(
      x, [](double entry) { return entry == 0 || std::isnan(entry) ? entry : std::copysign(1.0, entry); });
}

}  // namespace rarefact
