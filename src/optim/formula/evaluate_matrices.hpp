#pragma once

/// What the operations of FormulaRule need of whole matrices.

#include <algorithm>
#include <numeric>

#include "optim/formula/evaluate.hpp"

namespace rarefact::formula {

template <class M>
const M& FormulaRule<M>::plain(int i) {
  form(i);
  if (!trait(i).squared) return value(i).held();
  M& square = squares_[i];
  if (formed_[i]) return square;
  formed_[i] = true;
  return square = mapped(value(i).held(), [](const Real& x) { return Real(x * x); });
}

template <class M>
ScalarOf<M> FormulaRule<M>::largest(const M& x) {
  Real most(0);
  const std::vector<Plane> planes = planes_of(x);
  for (std::size_t p = 0; p < planes.size(); ++p) {
    if (planes[p].size == 0) continue;
    const Eigen::Map<const VectorOf<Real>> numbers(numbers_of(x, p), planes[p].size);
    const Real here = numbers.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
    if (!(here <= most)) most = here;
  }
  return most;
}

template <class M>
ScalarOf<M> FormulaRule<M>::finite_largest(const M& x, int i) {
  using std::isfinite;
  const Real most = largest(x);
  if (!isfinite(most)) fail(fmt::format("{} is not finite", not_finite_.empty() ? part(i) : not_finite_));
  return most;
}

template <class M>
ScalarOf<M> FormulaRule<M>::reduced(int i, Measured how) {
  using std::abs;
  const Trait& x = trait(i);
  if (x.matrix()) return how == Measured::euclidean ? frobenius_norm(plain(i)) : measured(plain(i), how);
  const VectorOf<Real> numbers = plain_numbers(i);
  if (!x.number()) return along_leg(numbers, x, how);
  return how == Measured::sum ? numbers(0) : Real(abs(numbers(0)));
}

template <class M>
void FormulaRule<M>::reduce(int i, Measured how) {
  const Node& here = node(i);
  const int a = here.arguments[0];
  const Trait& x = trait(a);
  Value<M>& result = value(i);
  if (how == Measured::sum && here.left == Left::number && x.squared && !x.number()) {
    // The square may be below all numbers where its root is not.
    const Value<M>& roots = value(a);
    Real norm = x.matrix() ? frobenius_norm(roots.held()) : along_leg(roots.numbers, x, Measured::euclidean);
    int exponent = roots.exponent;
    normalise(norm, exponent);
    return set_number(i, Real(norm * norm), exponent == zero_exponent ? exponent : 2 * exponent);
  }
  if (here.left == Left::number || x.number()) return set_number(i, reduced(a, how), plain_exponent(a));
  const Side along = here.left == Left::rows ? Side::rows : Side::columns;
  // Squares held by their roots stay so.
  const bool roots = trait(i).squared;
  result.exponent = roots ? value(a).exponent : plain_exponent(a);
  if (x.matrix()) {
    result.numbers =
        roots ? measured(value(a).held(), along, Measured::euclidean) : measured(plain(a), along, how);
    return;
  }
  const bool is_row = x.rows == leg::one;
  if (is_row == (along == Side::columns)) {
    // Nothing to sum over.
    result.numbers = roots ? value(a).numbers : plain_numbers(a);
    if (how != Measured::sum) result.numbers = result.numbers.cwiseAbs().eval();
    return;
  }
  set_number(i, reduced(a, how), plain_exponent(a));
}

template <class M>
void FormulaRule<M>::clear_rounding(int i) {
  using std::abs;
  if (!schedule_.exact_zeros[i] && !context_->rounding) return;
  const auto sizes = [this](int a) { return mapped(plain(a), [](const Real& x) { return Real(abs(x)); }); };
  const M terms = multiplied(sizes(node(i).arguments[0]), sizes(node(i).arguments[1]), context_->workers);
  M& product = value(i).matrix;
  for (std::size_t p = 0; context_->rounding && p < planes_of(product).size(); ++p)
    context_->rounding->results(kind_of(i), (p + 8) << 40, numbers_of(product, p), planes_of(product)[p].size,
                                numbers_of(terms, p));
  if (!schedule_.exact_zeros[i]) return;
  const Real tolerance = Real(16) * std::numeric_limits<Real>::epsilon();
  map_in_place(product, terms,
               [&](const Real& x, const Real& all) { return abs(x) <= tolerance * all ? Real(0) : x; });
}

template <class M>
ScalarOf<M> FormulaRule<M>::function_value(int body, const Real& sigma) {
  using std::ldexp;
  const Node& here = node(body);
  if (here.op == op::variable) return sigma;
  if (!here.varies) {
    const Value<M>& number = value(body);
    return number.exponent == zero_exponent ? Real(0) : Real(ldexp(number.numbers(0), number.exponent));
  }
  Real x[4];
  for (std::size_t k = 0; k < here.arguments.size(); ++k) x[k] = function_value(here.arguments[k], sigma);
  if (here.op == op::divide && x[1] == Real(0) && !(x[0] == Real(0))) divided_by_zero(body);
  return here.op->value(static_cast<const Real*>(x), here.number);
}

template <class M>
std::pair<const M*, int> FormulaRule<M>::centred(int i) {
  using std::ilogb;
  const M& x = plain(i);
  const int e = plain_exponent(i);
  const Real most = finite_largest(x, i);
  if (failed() || most == Real(0)) return {&x, zero_exponent};
  // By multiples of 8, of which roots are powers of two.
  const int size = ilogb(most) / 8 * 8, usual = 100;
  if (std::abs(size) <= usual) return {&x, e};
  centred_ = x;
  combine(centred_, power_of_two<Real>(-size), Real(0), centred_);
  return {&centred_, e + size};
}

template <class M>
M FormulaRule<M>::polar(int i, const M& x) {
  const int a = node(i).arguments[0];
  // The hint is about gradients.
  PolarHint hint = context_->polar;
  if (!trait(a).gradient) hint.left_null = nullptr;
  if (held_size(trait(a).rows) != held_size(leg::out) || held_size(trait(a).columns) != held_size(leg::in))
    hint = {};
  if constexpr (factors) {
    // From scratch costs several warm starts, and what one step loses stays in W.
    const auto step = static_cast<std::int64_t>(static_cast<double>(step_));
    constexpr int often = 16, seldom = 8;
    if (context_->rounding && !hint.mixed_columns && (step <= often || step % seldom == 0))
      return polar_in_other_order(i, x);
  }
  return polars_[std::to_string(i)](x, context_->workers, hint);
}

/// In a repetition: every part with its rows and columns in another order, and without a warm start.
template <class M>
M FormulaRule<M>::polar_in_other_order(int i, const M& x) {
  std::uint64_t number = std::uint64_t{1} << 50;
  const auto order_of = [&](Index n) {
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    Vector keys = Vector::Ones(n);
    context_->rounding->results(kind_of(i), number++ << 8, keys.data(), n);
    std::stable_partition(order.begin(), order.end(), [&](Index k) { return keys(k) > 1; });
    return order;
  };
  return mapped_parts(x, [&](const MatrixOf<Real>& part, const VectorOf<Real>& norms) {
    const std::vector<Index> rows = order_of(part.rows()), columns = order_of(part.cols());
    const MatrixOf<Real> factor = polar_of_part<Real>(part(rows, columns), norms(columns), context_->workers);
    MatrixOf<Real> result(part.rows(), part.cols());
    result(rows, columns) = factor;
    return result;
  });
}

template <class M>
void FormulaRule<M>::combine_gram(int i) {
  if constexpr (factors) {
    const Node& here = node(i);
    const auto& a = here.arguments;
    const Value<M>&x = value(a[0]), &y = value(a[1]);
    Value<M>& result = value(i);
    result.view = nullptr;
    if (trait(a[0]).gram && trait(a[1]).gram) {
      const int e = std::max(x.exponent, y.exponent);
      const Real of_x = x.numbers(0) * power_of_two<Real>(x.exponent - e),
                 of_y = y.numbers(0) * power_of_two<Real>(y.exponent - e);
      result.factor = of_x == Real(0)   ? y.factor
                      : of_y == Real(0) ? x.factor
                                        : x.factor->combined(of_x, *y.factor, of_y);
      if (of_x == Real(0)) return set_gram(i, of_y, e);
      return set_gram(i, of_y == Real(0) ? of_x : Real(1), e);
    }
    const bool first = trait(a[0]).gram;
    const Value<M>&matrix = first ? x : y, &number = first ? y : x;
    result.factor = matrix.factor;
    if (matrix.exponent == zero_exponent) return set_gram(i, Real(0), 0);
    if (here.op == op::multiply)
      return set_gram(i, Real(matrix.numbers(0) * number.numbers(0)), matrix.exponent + number.exponent);
    if (number.numbers(0) == Real(0)) {
      // 0/0 = 0, as entry by entry.
      if (matrix.numbers(0) != Real(0)) divided_by_zero(i);
      return set_gram(i, Real(0), 0);
    }
    set_gram(i, Real(matrix.numbers(0) / number.numbers(0)), matrix.exponent - number.exponent);
  }
}

}  // namespace rarefact::formula
