// Of what is done entry by entry.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "optim/formula/calculus_pass.hpp"
#include "optim/formula/intervals.hpp"

namespace rarefact::formula {

void Calculus::stretch(Trait& result, const Trait& y, const Trait& x, int i, std::size_t k) {
  const auto common = [&](int a, int b) { return a == b || b == leg::one ? a : a == leg::one ? b : -2; };
  const int rows = common(result.rows, y.rows), columns = common(result.columns, y.columns);
  if (rows == -2 || columns == -2) {
    const auto& a = node(i).arguments;
    const char* what = node(i).op == Op::add && node(i).number == 1 ? "added"
                       : node(i).op == Op::add                      ? "subtracted"
                       : node(i).op == Op::multiply
                           ? "multiplied entry by entry (@ is the product of matrices)"
                       : node(i).op == Op::divide ? "divided"
                                                  : "combined";
    refuse(i, fmt::format("{} is {} and {} is {}: they cannot be {}", node(a.front()).text, shape_text(x),
                          node(a[k]).text, shape_text(y), what));
    return;
  }
  result.rows = rows;
  result.columns = columns;
}

Trait Calculus::entrywise_trait(int i) {
  const Node& here = node(i);
  std::vector<Trait> x;
  bool all_zero = true;
  for (const int a : here.arguments) {
    x.push_back(of(a));
    all_zero = all_zero && x.back().zero;
  }
  const bool product = here.op == Op::multiply || here.op == Op::divide;
  if (product && (x[0].zero || x[1].zero)) return {};
  if (all_zero && here.op != Op::exponential && here.op != Op::logarithm) return {};
  if (here.op == Op::add && (x[0].zero || x[1].zero)) {
    Trait rest = x[0].zero ? x[1] : x[0];
    if (x[0].zero && here.number < 0) {
      std::swap(rest.low, rest.high);
      rest.low = -rest.low, rest.high = -rest.high;
      rest.squared = rest.gram = false;
    }
    return rest;
  }
  for (Trait& one : x) {
    if (one.zero) one = leaf(leg::one, leg::one, 0), one.low = one.high = 0, one.any_degree = true;
  }
  Trait result = x[0];
  for (std::size_t k = 1; k < x.size(); ++k) stretch(result, x[k], x[0], i, k);
  if (!problems_.empty()) return result;
  const int rows = result.rows, columns = result.columns;
  const Trait shape = result;
  result = from(shape, {});
  for (const Trait& one : x) result = from(result, {&one});
  lose_entrywise(i, x, result, rows, columns);
  columns_entrywise(i, x, result);
  degree_entrywise(i, x, result);
  if (here.op == Op::raise && !(x[0].number() && x[1].number())) {
    const std::size_t k = x[1].number() ? 0 : 1;
    refuse(i, fmt::format("{} is {}; an exponent that is no constant takes numbers on both sides",
                          node(here.arguments[k]).text, shape_text(x[k])));
  }
  std::vector<Bounds> bounds;
  for (const Trait& one : x) bounds.push_back({one.low, one.high});
  if (const std::string wrong = forbidden(here, bounds); final_ && !wrong.empty())
    refuse(i, fmt::format("{} of {}, which may be {}",
                          here.op == Op::root        ? "sqrt"
                          : here.op == Op::logarithm ? "log"
                          : here.op == Op::raise     ? "a power"
                                                     : fmt::format("power {}", here.number),
                          node(here.arguments[0]).text, wrong));
  const Bounds b = bounds_of(here, bounds);
  result.low = b.low;
  result.high = b.high;
  hoelder_entrywise(i, x, result);
  parity_entrywise(i, x, result);
  held_entrywise(i, x, result);
  const bool kept =
      product || here.op == Op::power || here.op == Op::root || (here.op == Op::add && here.number == 1);
  result.norm = kept && std::ranges::all_of(x, &Trait::norm);
  return result;
}

void Calculus::lose_entrywise(int i, const std::vector<Trait>& x, Trait& result, int rows, int columns) {
  const Op op = node(i).op;
  if (op == Op::add) {
    for (const Trait& one : x) {
      if (one.low == 0 && one.high == 0) continue;
      if (one.rows != rows) lose(result, rows, i);
      if (one.columns != columns) lose(result, columns, i);
    }
  } else if (op == Op::multiply) {
    if (x[0].rows == x[1].rows) lose(result, rows, i);
    if (x[0].columns == x[1].columns) lose(result, columns, i);
  } else if (op == Op::divide) {
    lose(result, x[1].rows, i);
    lose(result, x[1].columns, i);
  } else {
    lose(result, rows, i);
    lose(result, columns, i);
  }
}

void Calculus::columns_entrywise(int i, const std::vector<Trait>& x, Trait& result) {
  const Op op = node(i).op;
  bool yes = true, diagonals = true;
  for (const Trait& one : x) {
    yes = yes && one.in_columns == InColumns::yes;
    diagonals = diagonals && one.in_columns == InColumns::diagonal;
  }
  const auto number_beside = [&](std::size_t number, std::size_t diagonal) {
    return x[number].number() && x[number].in_columns == InColumns::yes &&
           x[diagonal].in_columns == InColumns::diagonal;
  };
  const bool stays_diagonal = (op == Op::add && diagonals) ||
                              (op == Op::multiply && (number_beside(0, 1) || number_beside(1, 0))) ||
                              (op == Op::divide && number_beside(1, 0));
  if (stays_diagonal) {
    result.in_columns = InColumns::diagonal;
  } else if (yes) {
    result.in_columns = InColumns::yes;
  } else {
    leave_columns(result, result, i);
  }
  // Column matrices have nothing that runs along the rows.
  if (result.in_columns == InColumns::yes && !result.number() && result.columns == leg::one)
    leave_columns(result, result, i);
}

void Calculus::degree_entrywise(int i, const std::vector<Trait>& x, Trait& result) {
  const Node& here = node(i);
  result.degree_because = -1;
  const auto known = [&](std::optional<double> degree, int because) {
    result.degree = degree;
    result.any_degree = false;
    result.degree_because = degree ? -1 : because;
  };
  const auto because_of = [&](std::size_t k) { return x[k].degree ? i : x[k].degree_because; };
  switch (here.op) {
    case Op::multiply:
    case Op::divide: {
      if (x[0].any_degree) return void(result.any_degree = true);
      const double sign = here.op == Op::multiply ? 1 : -1;
      const double own = x[1].any_degree ? 0 : x[1].degree.value_or(0);
      if (x[0].degree && x[1].degree) return known(*x[0].degree + sign * own, i);
      return known({}, because_of(x[0].degree ? 1 : 0));
    }
    case Op::power:
      return x[0].degree ? known(*x[0].degree * here.number, i) : known({}, because_of(0));
    case Op::root:
      return x[0].degree ? known(*x[0].degree / 2, i) : known({}, because_of(0));
    case Op::sign:
      return x[0].degree ? known(0, i) : known({}, because_of(0));
    case Op::absolute:
      result.degree = x[0].degree;
      result.any_degree = x[0].any_degree;
      result.degree_because = x[0].degree_because;
      return;
    case Op::exponential:
    case Op::logarithm:
    case Op::tangent:
    case Op::raise: {
      bool none = true;
      for (const Trait& one : x) none = none && (one.any_degree || (one.degree && *one.degree == 0));
      return none ? known(0, i) : known({}, i);
    }
    case Op::where: {
      Trait compared = x[0];
      lower_degree(compared, x[1], i);
      result.degree = x[2].degree;
      result.any_degree = x[2].any_degree;
      result.degree_because = x[2].degree_because;
      lower_degree(result, x[3], i);
      if (!compared.degree && !compared.any_degree) known({}, compared.degree_because);
      return;
    }
    default:
      result.degree = x[0].degree;
      result.any_degree = x[0].any_degree;
      result.degree_because = x[0].degree_because;
      lower_degree(result, x[1], i);
  }
}

void Calculus::hoelder_entrywise(int i, const std::vector<Trait>& x, Trait& result) {
  const Node& here = node(i);
  if (here.op == Op::divide && !(x[1].low > 0) && !x[1].norm) result.hoelder = 0;
  if (here.op == Op::root && !x[0].squared) result.hoelder /= 2;
  if (here.op == Op::power && here.number < 1)
    result.hoelder *= std::max(0.0, here.number) * (x[0].squared ? 2 : 1);
  if (here.op == Op::sign || here.op == Op::where) result.hoelder = 0;
  if (here.op == Op::logarithm && !(x[0].low > 0)) result.hoelder = 0;
  result.hoelder = std::min(result.hoelder, 1.0);
}

void Calculus::parity_entrywise(int i, const std::vector<Trait>& x, Trait& result) {
  const Node& here = node(i);
  for (const auto odd : {&Trait::odd_rows, &Trait::odd_columns}) {
    const auto count = std::ranges::count_if(x, [odd](const Trait& one) { return one.*odd; });
    result.*odd = count % 2 == 1;
    if (count == 0) continue;
    bool cancels = true;
    if (here.op == Op::add) {
      cancels = count == 2;
      result.*odd = true;
    } else if (here.op == Op::power) {
      cancels = std::floor(here.number) == here.number;
      result.*odd = std::fmod(here.number, 2) != 0;
    } else if (here.op == Op::absolute) {
      result.*odd = false;
    } else if (here.op != Op::multiply && here.op != Op::divide && here.op != Op::sign &&
               here.op != Op::tangent) {
      cancels = false;
    }
    if (!cancels) refuse(i, sign_stays);
  }
}

void Calculus::held_entrywise(int i, const std::vector<Trait>& x, Trait& result) {
  const Node& here = node(i);
  const auto number_beside = [&](std::size_t k) { return x[k].number() && x[k].low >= 0; };
  const bool both = x.size() == 2;
  const bool scaled = both && ((here.op == Op::multiply && (number_beside(0) || number_beside(1))) ||
                               (here.op == Op::divide && number_beside(1)));
  const auto has = [&](bool Trait::*held, bool with_numbers) {
    if (!both) return false;
    const bool x0 = x[0].*held, x1 = x[1].*held;
    if (scaled) return (x0 && number_beside(1)) || (here.op == Op::multiply && x1 && number_beside(0));
    if (here.op == Op::add && here.number == 1)
      return (x0 && x1) || (with_numbers && ((x0 && number_beside(1)) || (x1 && number_beside(0))));
    return false;
  };
  if (!result.number()) {
    result.squared = has(&Trait::squared, true) || (here.op == Op::power && here.number == 2);
    if (both && x[0].squared && x[1].squared)
      result.squared = result.squared || here.op == Op::multiply || here.op == Op::divide ||
                       here.op == Op::minimum || here.op == Op::maximum;
    result.gram = has(&Trait::gram, false);
  }
  const bool by_number = both && ((here.op == Op::multiply && (x[0].number() || x[1].number())) ||
                                  (here.op == Op::divide && x[1].number()));
  if (by_number) result.gradient = x[0].gradient || x[1].gradient;
  if (here.op == Op::add) result.gradient = x[0].gradient && x[1].gradient;
}

}  // namespace rarefact::formula
