// Of sums over rows, columns and all, and of matrices.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "optim/formula/calculus_pass.hpp"
#include "optim/formula/intervals.hpp"

namespace rarefact::formula {

Trait Calculus::reduced(int i) {
  const Node& here = node(i);
  const Trait x = of(here.arguments[0]);
  if (x.zero) return {};
  const bool two = here.op == Op::inner;
  const Trait y = two ? of(here.arguments[1]) : x;
  if (y.zero) return {};
  if (two && !same_legs(x, y))
    refuse(i, fmt::format("{} is {} and {} is {}: they have no inner product", node(here.arguments[0]).text,
                          shape_text(x), node(here.arguments[1]).text, shape_text(y)));
  if (here.op == Op::trace && (!x.matrix() || x.rows != x.columns))
    refuse(i, fmt::format("{} is {}, not square", node(here.arguments[0]).text, shape_text(x)));
  const bool of_spectrum = here.op == Op::nuclear || here.op == Op::spectral_norm;
  if (of_spectrum && !x.matrix())
    refuse(i, fmt::format("{} is {}, no matrix", node(here.arguments[0]).text, shape_text(x)));
  Trait result = from(x, {&y});
  result.rows = here.left == Left::rows ? x.rows : leg::one;
  result.columns = here.left == Left::columns ? x.columns : leg::one;
  const bool all = here.left == Left::number;
  const int kept_leg = here.left == Left::rows ? x.rows : x.columns;
  const int gone_leg = here.left == Left::rows ? x.columns : x.rows;
  if (here.op == Op::largest || (here.op == Op::sum && all)) {
    lose(result, x.rows, i);
    lose(result, x.columns, i);
  } else if (here.op == Op::sum) {
    lose(result, gone_leg, i);
  } else if (here.op == Op::norm && !all) {
    lose(result, kept_leg, i);
  }
  if (here.left == Left::rows && !x.number()) leave_columns(result, x, i);
  if (here.left == Left::columns && x.in_columns == InColumns::diagonal) result.in_columns = InColumns::yes;
  if (all && x.in_columns != InColumns::no && y.in_columns == x.in_columns)
    result.in_columns = InColumns::yes;
  if (two) {
    if (x.degree && y.degree)
      result.degree = *x.degree + *y.degree;
    else if (x.degree)
      result.degree.reset(), result.degree_because = y.degree_because;
  }
  const bool positive =
      here.op == Op::norm || here.op == Op::largest || of_spectrum || (here.op == Op::trace && x.gram);
  result.norm = of_spectrum || (all && (here.op == Op::norm || here.op == Op::largest));
  result.low = positive || (x.low >= 0 && y.low >= 0 && here.op != Op::trace) ? 0 : -infinite;
  result.high = infinite;
  if (here.op == Op::sum && x.low > 0) result.low = x.low;
  const bool odd_gone = (all || here.left == Left::columns ? x.odd_rows : false) ||
                        (all || here.left == Left::rows ? x.odd_columns : false);
  const bool unequal = two && (x.odd_rows != y.odd_rows || x.odd_columns != y.odd_columns);
  if ((here.op == Op::sum && odd_gone) || unequal || (here.op == Op::trace && x.odd_rows != x.odd_columns))
    refuse(i, sign_stays);
  result.odd_rows = here.op == Op::sum && here.left == Left::rows && x.odd_rows;
  result.odd_columns = here.op == Op::sum && here.left == Left::columns && x.odd_columns;
  result.squared = here.op == Op::sum && !all && x.squared;
  return result;
}

Trait Calculus::of_matrices(int i) {
  const Node& here = node(i);
  const int a = here.arguments[0];
  const Trait x = of(a);
  if (x.zero) return {};
  if (here.op == Op::product) return product(i);
  if (here.op == Op::transpose) return transposed(i, x);
  if (here.op == Op::ambient) {
    if (x.rows != leg::answers || x.columns != leg::queries)
      refuse(i, fmt::format("ambient is of values of T, answers x queries, and {} is {}", node(a).text,
                            shape_text(x)));
    Trait result = from(x, {});
    result.rows = leg::out;
    result.columns = leg::in;
    result.low = -infinite, result.high = infinite;
    return result;
  }
  if (!x.matrix()) {
    refuse(i, fmt::format("{} is {}, no matrix", node(a).text, shape_text(x)));
    return x;
  }
  Trait result = from(x, {});
  result.low = -infinite, result.high = infinite;
  if (result.in_columns != InColumns::diagonal) leave_columns(result, x, i);
  const auto degree = [&](std::optional<double> known, bool any = false) {
    result.degree = known;
    result.any_degree = any;
    result.degree_because = known ? -1 : x.degree ? i : x.degree_because;
  };
  // Where nothing absolute is beside it.
  const auto scale_free = [&](bool relative) {
    if (relative && x.degree)
      degree(0);
    else
      degree({});
  };
  switch (here.op) {
    case Op::spectral: {
      const Trait f = of_spectral(here.arguments[1], x);
      result.hoelder = std::min(x.hoelder, f.hoelder * x.hoelder);
      result.tie = result.tie || f.tie;
      if (f.in_columns == InColumns::no) leave_columns(result, f, f.columns_because);
      lower_sides(result, f);
      degree(f.degree, f.any_degree);
      break;
    }
    case Op::spectral_power:
      if (x.degree)
        degree(*x.degree * here.number);
      else
        degree({});
      result.hoelder = here.number <= 0 ? 0 : std::min(1.0, here.number * x.hoelder * (x.gram ? 2 : 1));
      if (here.number == 0) result.low = -1, result.high = 1;
      result.gradient = x.gradient && !x.gram;
      break;
    case Op::smooth_polar:
      scale_free(here.number == 0);
      if (here.number == 0) result.hoelder = 0;
      break;
    case Op::polynomial:
      scale_free(here.polynomial.norm_offset == 0);
      break;
    case Op::top:
      leave_columns(result, x, i);
      result.tie = true;
      result.hoelder = 0;
      result.gradient = x.gradient;
      break;
    default:  // eigenbasis
      if (!x.gram && final_)
        refuse(i, fmt::format("eigenbasis is of sums of X @ X.T, and {} is none", node(a).text));
      leave_columns(result, x, i);
      result.columns = leg::first_basis + i;
      result.odd_columns = true;
      result.tie = true;
      result.hoelder = 0;
      scale_free(true);
  }
  return result;
}

Trait Calculus::of_spectral(int f, const Trait& x) {
  std::set<int> body = {f};  // of what depends on the variable
  for (auto i = body.rbegin(); i != body.rend(); ++i) {
    for (const int a : node(*i).arguments)
      if (node(a).varies) body.insert(a);
  }
  const auto of_body = [&](std::optional<double> degree, double largest) {
    variable_degree_ = degree;
    variable_high_ = largest;
    for (const int i : body) traits_[i] = trait(i);
    return of(f);
  };
  Trait result = of_body(x.degree, infinite);
  // Zero singular values stay zero: f jumps where it does not.
  const Trait at_zero = of_body(x.degree, 0);
  if (at_zero.low != 0 || at_zero.high != 0) result.hoelder = 0;
  of_body(1, infinite);
  if (!result.zero && !result.number())
    refuse(f,
           fmt::format("{} is {}, not a number for each singular value", node(f).text, shape_text(result)));
  return result;
}

Trait Calculus::product(int i) {
  const auto& a = node(i).arguments;
  const Trait x = of(a[0]), y = of(a[1]);
  if (y.zero) return {};
  if (x.columns != y.rows || x.columns == leg::one) {
    refuse(i, fmt::format("{} is {} and {} is {}: they have no product", node(a[0]).text, shape_text(x),
                          node(a[1]).text, shape_text(y)));
    return x;
  }
  if (x.odd_columns != y.odd_rows) refuse(i, sign_stays);
  Trait result = from(x, {&y});
  result.rows = x.rows;
  result.columns = y.columns;
  result.odd_columns = y.odd_columns;
  if (!x.matrix() || y.in_columns != InColumns::diagonal) leave_columns(result, y, i);
  if (x.degree && y.degree)
    result.degree = *x.degree + *y.degree;
  else if (x.degree)
    result.degree.reset(), result.degree_because = y.degree_because;
  result.any_degree = x.any_degree || y.any_degree;
  result.low = x.low >= 0 && y.low >= 0 ? 0 : -infinite;
  result.high = infinite;
  const auto transpose_of = [this](int t, int of) {
    return node(t).op == Op::transpose && node(t).arguments[0] == of;
  };
  result.gram = result.matrix() && (transpose_of(a[1], a[0]) || transpose_of(a[0], a[1]));
  result.gradient = x.gradient;
  return result;
}

Trait Calculus::transposed(int i, const Trait& x) {
  Trait result = x;
  std::swap(result.rows, result.columns);
  std::swap(result.odd_rows, result.odd_columns);
  result.gradient = false;
  if (result.in_columns == InColumns::yes && !x.number()) leave_columns(result, x, i);
  return result;
}

}  // namespace rarefact::formula
