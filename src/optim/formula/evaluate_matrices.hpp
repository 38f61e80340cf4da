#pragma once

/// The operations of FormulaRule on whole matrices.

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
VectorOf<ScalarOf<M>> FormulaRule<M>::plain_numbers(int i) {
  if (!trait(i).squared) return value(i).numbers;
  return value(i).numbers.cwiseAbs2();
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
  if (!isfinite(most))
    failure_ = fmt::format("{} is not finite", not_finite_.empty() ? part(i) : not_finite_);
  return most;
}

/// All entries of a value to one number, in its unit.
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
void FormulaRule<M>::reduce(int i) {
  const Node& here = node(i);
  const int a = here.arguments[0];
  const Trait& x = trait(a);
  const Measured how = here.op == Op::sum    ? Measured::sum
                       : here.op == Op::norm ? Measured::euclidean
                                             : Measured::largest;
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
void FormulaRule<M>::operate(int i) {
  const Node& here = node(i);
  const auto& a = here.arguments;
  Value<M>& result = value(i);
  if (factors && trait(i).gram) return gram(i);
  const auto is_vector = [this](int n) { return !trait(n).matrix(); };
  switch (here.op) {
    case Op::sum:
    case Op::norm:
    case Op::largest:
      return reduce(i);
    case Op::inner:
      if (is_vector(a[0])) {
        const VectorOf<Real> products = plain_numbers(a[0]).cwiseProduct(plain_numbers(a[1]));
        return set_number(i, along_leg(products, trait(a[0]), Measured::sum),
                          plain_exponent(a[0]) + plain_exponent(a[1]));
      }
      return set_number(i, inner(plain(a[0]), plain(a[1])), plain_exponent(a[0]) + plain_exponent(a[1]));
    case Op::trace:
      if constexpr (factors) {
        if (trait(a[0]).gram) {
          const Value<M>& x = value(a[0]);
          Real root = x.factor->root_trace();
          int e = 0;
          normalise(root, e);
          return set_number(i, Real(x.numbers(0) * root * root), root == Real(0) ? 0 : x.exponent + 2 * e);
        }
      }
      return set_number(i, trace(plain(a[0])), plain_exponent(a[0]));
    case Op::nuclear:
    case Op::spectral_norm: {
      const M& x = plain(a[0]);
      finite_largest(x, a[0]);
      if (!failure_.empty()) return;
      return set_number(i, here.op == Op::nuclear ? nuclear_norm(x) : rarefact::spectral_norm(x),
                        plain_exponent(a[0]));
    }
    case Op::transpose:
      if (trait(i).matrix()) {
        if constexpr (factors) {
          result.matrix = transposed(trait(i).squared ? value(a[0]).held() : plain(a[0]));
        } else {
          result.matrix = value(a[0]).held();
        }
      } else {
        result.numbers = value(a[0]).numbers;
      }
      result.view = nullptr;
      result.exponent = value(a[0]).exponent;
      return;
    case Op::ambient:
      result.matrix = context_->to_ambient(plain(a[0]));
      result.exponent = plain_exponent(a[0]);
      return;
    case Op::product: {
      result.exponent = std::max(zero_exponent, plain_exponent(a[0]) + plain_exponent(a[1]));
      result.view = nullptr;
      if (!is_vector(a[0]) && !is_vector(a[1])) {
        result.matrix = multiplied(plain(a[0]), plain(a[1]), context_->workers);
        if (schedule_.exact_zeros[i]) clear_rounding(i);
        return;
      }
      if constexpr (factors) {
        if (is_vector(a[0]) && is_vector(a[1])) {
          const VectorOf<Real> products = plain_numbers(a[0]).cwiseProduct(plain_numbers(a[1]));
          return set_number(i, along_leg(products, trait(a[0]), Measured::sum), result.exponent);
        }
        result.numbers = is_vector(a[1]) ? multiplied(plain(a[0]), plain_numbers(a[1]))
                                         : multiplied(transposed(plain(a[1])), plain_numbers(a[0]));
      }
      return;
    }
    case Op::top:
      if constexpr (factors) {
        auto leading = leading_part(plain(a[0]), static_cast<Index>(here.number), context_->workers);
        result.exponent = plain_exponent(a[0]);
        if (!leading)
          failure_ = fmt::format("{} parts singular values that are equal", part(i));
        else
          result.matrix = std::move(*leading);
      }
      return;
    case Op::eigenbasis:
      if constexpr (std::is_same_v<M, DenseMatrix>) {
        std::string why;
        result.matrix = value(a[0]).factor->eigenvectors(why, context_->workers);
        result.exponent = 0;
        if (!why.empty()) failure_ = fmt::format("{} is not defined: {}", part(i), why);
      }
      return;
    default:
      return spectral(i);
  }
}

/// Entries of a product that are rounding beside the terms they are sums of are 0.
template <class M>
void FormulaRule<M>::clear_rounding(int i) {
  using std::abs;
  const auto sizes = [this](int a) { return mapped(plain(a), [](const Real& x) { return Real(abs(x)); }); };
  const M terms = multiplied(sizes(node(i).arguments[0]), sizes(node(i).arguments[1]), context_->workers);
  const Real tolerance = Real(16) * std::numeric_limits<Real>::epsilon();
  map_in_place(value(i).matrix, terms,
               [&](const Real& x, const Real& all) { return abs(x) <= tolerance * all ? Real(0) : x; });
}

}  // namespace rarefact::formula
