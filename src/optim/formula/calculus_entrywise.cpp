// The traits of entrywise operations, by their rows.

#include <fmt/format.h>

#include <cmath>

#include "optim/formula/calculus_pass.hpp"

namespace rarefact::formula {

namespace {

Bounds bounds_of(const Node& node, const Arguments& x) {
  if (node.op->bounds) return node.op->bounds(x, node.number);
  double lows[4], highs[4];
  for (std::size_t k = 0; k < x.size(); ++k) lows[k] = x[k].low, highs[k] = x[k].high;
  const EntryFunction& value = node.op->value;
  const double low = value(static_cast<const double*>(lows), node.number),
               high = value(static_cast<const double*>(highs), node.number);
  return {std::isnan(low) ? -infinite : low, std::isnan(high) ? infinite : high};
}

/// Bounds of the values as parts of `steps`: of sums, and of multiples by a constant.
Bounds part_of(const Node& node, Arguments x) {
  const auto constant = [&](std::size_t k) { return x[k].low == x[k].high; };
  const bool sum = node.op == op::add || node.op == op::subtract;
  const bool multiple = node.op == op::multiply && constant(0),
             quotient = node.op == op::divide && constant(1);
  if (!sum && !multiple && !quotient) return unbounded;
  for (std::size_t k = 0; k < 2; ++k)
    if (sum || k == (multiple ? 1 : 0)) x[k].low = x[k].part.low, x[k].high = x[k].part.high;
  return bounds_of(node, x);
}

/// Bounds of a quotient by those of its arguments as parts of `steps`.
Bounds quotient_of_parts(const Node& node, Arguments x) {
  if (node.op != op::divide) return unbounded;
  for (Trait& argument : x) argument.low = argument.part.low, argument.high = argument.part.high;
  return bounds_of(node, x);
}

/// True if the value vanishes when all arguments do.
bool zero_of_zeros(const Node& node) {
  const double zeros[4] = {};
  return node.op->value(zeros, node.number) == 0;
}

/// The axes of two values that are combined entry by entry; an axis of length 1 is broadcast.
void stretch(Calculus& calculus, Trait& result, const Trait& y, const Trait& x, int i, std::size_t k) {
  const auto common = [&](int a, int b) {
    return a == b || b == axis::single ? a : a == axis::single ? b : -2;
  };
  const int rows = common(result.rows, y.rows), columns = common(result.columns, y.columns);
  if (rows == -2 || columns == -2)
    return calculus.refuse(
        i, fmt::format("{} is {} and {} is {}: they cannot be {}", calculus.text(i), shape_text(x),
                       calculus.text(i, k), shape_text(y), calculus.node(i).op->combined));
  result.rows = rows;
  result.columns = columns;
}

void set_columns(const Operation& row, int i, const Arguments& x, Trait& result) {
  if (row.keeps_diagonal && row.keeps_diagonal(x)) {
    result.in_columns = InColumns::diagonal;
  } else if (std::ranges::all_of(x, [](const Trait& trait) { return trait.in_columns == InColumns::yes; })) {
    result.in_columns = InColumns::yes;
  } else {
    Calculus::leave_columns(result, result, i);
  }
  // Column matrices have no vectors along the rows.
  if (result.in_columns == InColumns::yes && !result.number() && result.columns == axis::single)
    Calculus::leave_columns(result, result, i);
}

void set_signs(Calculus& calculus, int i, const Arguments& x, Trait& result) {
  const Node& here = calculus.node(i);
  for (const auto odd : {&Trait::odd_rows, &Trait::odd_columns}) {
    const auto count = std::ranges::count_if(x, [odd](const Trait& trait) { return trait.*odd; });
    const std::optional<bool> left =
        count > 0 && here.op->odd ? here.op->odd(count, here.number) : std::nullopt;
    result.*odd = left.value_or(false);
    if (count > 0 && !left) calculus.refuse_sign(i);
  }
}

}  // namespace

Trait Calculus::entrywise_trait(int i) {
  const Node& here = node(i);
  const Operation& row = *here.op;
  Arguments x;
  for (const int a : here.arguments) x.push_back(of(a));
  const auto zeros = std::ranges::count_if(x, &Trait::zero);
  // A zero singular value stays zero, so no function divides by it.
  if (final_ && variable_high_ > 0 && here.op == op::divide &&
      (x[1].zero || (x[1].low == 0 && x[1].high == 0)))
    refuse(i, fmt::format("{} is divided by {}, which is always 0", text(i), text(i, 1)));
  // A quotient by zero is not zero: it ends the run.
  if (row.multiplies && (x[0].zero || (here.op == op::multiply && x[1].zero))) return {};
  if (zeros == std::ssize(x) && zero_of_zeros(here)) return {};
  if (row.beside_zero && zeros > 0) return row.beside_zero(x);
  for (Trait& trait : x) {
    if (trait.zero)
      trait = leaf(axis::single, axis::single, 0), trait.low = trait.high = 0, trait.degree.any = true;
  }
  Trait result = x[0];
  for (std::size_t k = 1; k < x.size(); ++k) stretch(*this, result, x[k], x[0], i, k);
  if (!problems_.empty()) return result;
  const int rows = result.rows, columns = result.columns;
  result = from(result, {});
  for (const Trait& trait : x) result = from(result, {&trait});
  if (!row.keeps || !row.keeps(x, &Trait::rows, rows)) lose(result, rows, i);
  if (!row.keeps || !row.keeps(x, &Trait::columns, columns)) lose(result, columns, i);
  set_columns(row, i, x, result);
  const auto no_scale = [](const Trait& trait) { return trait.degree.any || trait.degree == 0.0; };
  result.degree = row.degree
                      ? row.degree(x, here.number, i)
                      : Degree(std::ranges::all_of(x, no_scale) ? std::optional(0.0) : std::nullopt, i);
  if (here.op == op::raise && !(x[0].number() && x[1].number())) {
    const std::size_t k = x[1].number() ? 0 : 1;
    refuse(i, fmt::format("{} is {}; an exponent that is not constant requires numbers on both sides",
                          text(i, k), shape_text(x[k])));
  }
  const std::string positive = row.positive ? row.positive(here.number) : "";
  if (final_ && !positive.empty() && x[0].low < 0)
    refuse(i, fmt::format("{} of {}, which may be negative", positive, text(i)));
  const Bounds bounds = bounds_of(here, x), other = quotient_of_parts(here, x);
  result.part = part_of(here, x);
  result.low = std::max(bounds.low, result.part.low >= 0 ? std::max(other.low, 0.0) : other.low);
  result.high = std::min(bounds.high, other.high);
  if (row.hoelder) result.hoelder = std::min(result.hoelder * row.hoelder(x, here.number), 1.0);
  set_signs(*this, i, x, result);
  if (row.storage) row.storage(result, x, here.number);
  result.norm = row.keeps_norm && std::ranges::all_of(x, &Trait::norm);
  return result;
}

}  // namespace rarefact::formula
