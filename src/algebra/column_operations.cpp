#include <cmath>
#include <limits>
#include <stdexcept>

#include "algebra/reducer.hpp"

namespace rarefact {

namespace {

using Counts = Eigen::Map<const Vector>;

/// n_l, in vector form.
Counts counts_of(const ColumnMatrix& x) {
  return {x.structure->count.data(), static_cast<Index>(x.structure->count.size())};
}

double sum_with_sizes(const Vector& terms) {
  return sum_of_terms(terms.sum(), terms.cwiseAbs().sum());
}

/// A square matrix: a diagonal one has no meaning where columns share answers.
bool is_diagonal(const ColumnMatrix& x) {
  return is_square(*x.structure) && (x.other.array() == 0).all();
}

void require_diagonal(const ColumnMatrix& x, const char* what) {
  if (!is_diagonal(x))
    throw std::logic_error(std::string("the columns algebra has ") + what + " of diagonal matrices alone");
}

/// Of the numbers of one column, counted as often as answers share them, and n times.
void add_column(Reducer<double>& sum, const ColumnMatrix& x, Index l, const Times<double>& n = {}) {
  column_detail::for_column(x, l,
                            [&](double value, double times) { sum.add(value, Times<double>(times), n); });
}

/// x_kl y_kl
ColumnMatrix product_of_entries(ColumnMatrix x, const ColumnMatrix& y) {
  map_in_place(x, y, [](double a, double b) { return a * b; });
  return x;
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Vector measured(const ColumnMatrix& x, Side along, Measured how) {
  if (along == Side::rows) throw std::logic_error("the columns algebra has no vector along the rows");
  if (x.held) return measured(all_held(x), along, how);
  if (!x.structure->two_numbers()) {
    Vector result(x.structure->groups());
    for (Index l = 0; l < result.size(); ++l) {
      Reducer<double> column(how);
      add_column(column, x, l);
      result(l) = column.value();
    }
    return result;
  }
  const double wrong = x.structure->answers - 1;
  if (how == Measured::sum) {
    return x.own.binaryExpr(x.other, [wrong](double own, double other) {
      return sum_of_terms(own + wrong * other, std::abs(own) + wrong * std::abs(other));
    });
  }
  const auto own = x.own.array().abs(), other = x.other.array().abs();
  if (how == Measured::largest) return own.binaryExpr(other, larger);
  const double root = std::sqrt(wrong);
  const Eigen::ArrayXd most = own.binaryExpr(root * other, larger);
  const Eigen::ArrayXd unit = (most > 0).select(most, 1.0);
  return unit * ((own / unit).square() + (root * other / unit).square()).sqrt();
}

double measured(const ColumnMatrix& x, Measured how) {
  if (x.held) return measured(all_held(x), how);
  if (!x.structure->two_numbers()) {
    Reducer<double> all(how);
    for (Index l = 0; l < x.structure->groups(); ++l)
      add_column(all, x, l, Times<double>(x.structure->count[l]));
    return all.value();
  }
  switch (how) {
    case Measured::sum: {
      const Counts n = counts_of(x);
      const double wrong = x.structure->answers - 1;
      const double sum = n.dot(x.own) + n.dot(wrong * x.other);
      return sum_of_terms(sum, n.dot(x.own.cwiseAbs()) + n.dot(wrong * x.other.cwiseAbs()));
    }
    case Measured::euclidean:
      return frobenius_norm(x);
    case Measured::largest:
      return measured(x, Side::columns, how).maxCoeff<Eigen::PropagateNaN>();
  }
  return 0;
}

double measured(const Vector& v, const ColumnMatrix& like, Side, Measured how) {
  const Counts n = counts_of(like);
  switch (how) {
    case Measured::sum:
      return sum_with_sizes(n.cwiseProduct(v));
    case Measured::euclidean:
      return safe_norm(n.cwiseSqrt().cwiseProduct(v).eval());
    case Measured::largest:
      return v.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  }
  return 0;
}

double inner(const ColumnMatrix& x, const ColumnMatrix& y) {
  if (x.held || y.held) return inner(all_held(x), all_held(y));
  if (!x.structure->two_numbers()) return measured(product_of_entries(x, y), Measured::sum);
  const Counts n = counts_of(x);
  const double root = std::sqrt(x.structure->answers - 1);
  // Roots of K - 1 first: other entries are small where it is large.
  const Vector own = n.cwiseProduct(x.own).cwiseProduct(y.own);
  const Vector other = n.cwiseProduct(root * x.other).cwiseProduct(root * y.other);
  return sum_of_terms(own.sum() + other.sum(), own.cwiseAbs().sum() + other.cwiseAbs().sum());
}

double trace(const ColumnMatrix& x) {
  if (x.held) return trace(all_held(x));
  if (!is_square(*x.structure))
    throw std::logic_error("the columns algebra has traces of square matrices alone");
  return sum_with_sizes(counts_of(x).cwiseProduct(x.own));
}

ColumnMatrix multiplied(const ColumnMatrix& x, const ColumnMatrix& y, const Workers& workers) {
  if (x.held || y.held) return multiplied(all_held(x), all_held(y), workers);
  require_diagonal(y, "products from the right");
  ColumnMatrix result = x;
  result.own.array() *= y.own.array();
  result.other.array() *= y.own.array();
  const std::vector<Index>& begin = x.structure->middle_begin;
  for (std::size_t l = 0; l + 1 < begin.size(); ++l)
    result.middle.segment(begin[l], begin[l + 1] - begin[l]) *= y.own(static_cast<Index>(l));
  return result;
}

ColumnMatrix transposed(const ColumnMatrix& x) {
  require_diagonal(x, "transposes");
  return all_held(x);
}

ColumnMatrix spectral_function(const ColumnMatrix& x, const SpectralMap<double>& f, const Workers&) {
  ColumnMatrix result = all_held(x);
  if (!finite_entries(x)) return no_numbers(result);
  require_diagonal(x, "spectral functions");
  for (double& entry : result.own)
    if (entry != 0) entry = std::copysign(1.0, entry) * f(std::abs(entry));
  return result;
}

ColumnMatrix DiagonalPolar::operator()(const ColumnMatrix& x, const Workers&, const PolarHint&) const {
  require_diagonal(x, "polar factors");
  return mapped(
      x, [](double entry) { return entry == 0 || std::isnan(entry) ? entry : std::copysign(1.0, entry); });
}

double nuclear_norm(const ColumnMatrix& x) {
  if (!finite_entries(x)) return not_a_number;
  if (x.held) return nuclear_norm(all_held(x));
  if (is_diagonal(x)) return counts_of(x).dot(x.own.cwiseAbs());
  const SingularValues sigma = singular_values(x);
  double sum = 0;
  for (std::size_t i = 0; i < sigma.values.size(); ++i) sum += sigma.multiplicities[i] * sigma.values[i];
  return sum;
}

double spectral_norm(const ColumnMatrix& x) {
  if (!finite_entries(x)) return not_a_number;
  if (is_diagonal(x)) return x.own.cwiseAbs().maxCoeff();
  const SingularValues sigma = singular_values(x);
  return sigma.values.empty() ? 0 : sigma.values.front();
}

}  // namespace rarefact
