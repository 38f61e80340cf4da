// The entrywise operations, one row each.

#include <fmt/format.h>

#include <limits>

#include "core/number_operations.hpp"
#include "optim/formula/calculus_pass.hpp"
#include "optim/formula/graph.hpp"
#include "optim/formula/tile_builder.hpp"

namespace rarefact::formula {

namespace {

using std::abs, std::cos, std::exp, std::log, std::pow, std::sin,
    std::sqrt;  // besides the overloads for 50 digits

// Bounds.

/// Product of bounds, where 0·∞ = 0, because an infinite bound is never attained. Values of a run do not underflow, so
/// only a product with 0 is 0.
double times(double a, double b) {
  if (a == 0 || b == 0) return 0;
  const double product = a * b;
  return product == 0 ? std::copysign(std::numeric_limits<double>::denorm_min(), product) : product;
}

Bounds around_products(const Bounds& a, const Bounds& b) {
  const auto [low, high] =
      std::minmax({times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
  return {low, high};
}

Bounds of(const Trait& x) {
  return {x.low, x.high};
}

Bounds product_bounds(const Arguments& x, double) {
  return around_products(of(x[0]), of(x[1]));
}

Bounds quotient_bounds(const Arguments& x, double) {
  const Trait& by = x[1];
  if (by.low > 0 || by.high < 0) return around_products(of(x[0]), {1 / by.low, 1 / by.high});
  return {x[0].low >= 0 && by.low >= 0 ? 0 : -infinite, infinite};
}

bool whole(double p) {
  return std::floor(p) == p;
}

/// x^p, which is 0 of 0 alone.
double nonzero_power(double x, double p) {
  const double power = std::pow(x, p);
  return power == 0 && x != 0 && std::isfinite(x)
             ? std::copysign(std::numeric_limits<double>::denorm_min(), power)
             : power;
}

Bounds power_bounds(const Arguments& arguments, double p) {
  const Trait& x = arguments[0];
  const bool even = std::fmod(p, 2) == 0;
  if (p < 0) {
    if (x.low >= 0) return {0, x.low > 0 ? nonzero_power(x.low, p) : infinite};
    return {even ? 0 : -infinite, infinite};
  }
  if (even && x.low < 0)
    return {x.high > 0 ? 0 : nonzero_power(x.high, p),
            std::max(nonzero_power(x.low, p), nonzero_power(x.high, p))};
  if (!whole(p) && x.low < 0) return {-infinite, infinite};
  return {nonzero_power(x.low, p), nonzero_power(x.high, p)};
}

Bounds raise_bounds(const Arguments& x, double) {
  const Trait &a = x[0], &b = x[1];
  if (!(a.low >= 0)) return {-infinite, infinite};
  if (a.low == a.high && a.low <= 1 && b.low >= 0) return {std::pow(a.low, b.high), std::pow(a.low, b.low)};
  return {0, infinite};
}

// Degrees.

/// The common degree of all arguments from `first` on.
template <std::size_t first>
Degree common_degree(const Arguments& x, double, int i) {
  Degree degree = x[first].degree;
  for (std::size_t k = first + 1; k < x.size(); ++k) degree.join(x[k].degree, i);
  return degree;
}

template <int sign>
Degree product_degree(const Arguments& x, double, int) {
  return x[0].degree.with(x[1].degree, sign);
}

Degree where_degree(const Arguments& x, double number, int i) {
  Degree compared = x[0].degree;
  compared.join(x[1].degree, i);
  if (!compared && !compared.any) return compared;
  return common_degree<2>(x, number, i);
}

// Hölder exponents, signs of eigenvectors, noise.

double jumps(const Arguments&, double) {
  return 0;
}

bool always(const Node&, const Trait&) {
  return true;
}

bool if_steep(const Node&, const Trait& result) {
  return result.hoelder <= small_power;
}

std::optional<bool> both_odd(std::ptrdiff_t count, double) {
  return count == 2 ? std::optional(true) : std::nullopt;
}

std::optional<bool> product_odd(std::ptrdiff_t count, double) {
  return count % 2 == 1;
}

// Axes.

bool sum_keeps(const Arguments& x, int Trait::*axis, int whole) {
  return std::ranges::all_of(
      x, [&](const Trait& trait) { return (trait.low == 0 && trait.high == 0) || trait.*axis == whole; });
}

bool both_diagonal(const Arguments& x) {
  return x[0].in_columns == InColumns::diagonal && x[1].in_columns == InColumns::diagonal;
}

bool number_beside_diagonal(const Trait& number, const Trait& diagonal) {
  return number.number() && number.in_columns == InColumns::yes && diagonal.in_columns == InColumns::diagonal;
}

// Storage of results.

bool positive_number(const Trait& x) {
  return x.number() && x.low >= 0;
}

bool both(const Arguments& x, bool Trait::*property) {
  return x[0].*property && x[1].*property;
}

/// True if one argument has the storage `property` and the other is a positive number.
bool beside_number(const Arguments& x, bool Trait::*property) {
  return (x[0].*property && positive_number(x[1])) || (x[1].*property && positive_number(x[0]));
}

void store_difference(Trait& result, const Arguments& x, double) {
  result.gradient = both(x, &Trait::gradient);
}

void store_sum(Trait& result, const Arguments& x, double number) {
  store_difference(result, x, number);
  if (result.number()) return;
  result.squared = both(x, &Trait::squared) || beside_number(x, &Trait::squared);
  result.gram = both(x, &Trait::gram);
}

void store_product(Trait& result, const Arguments& x, double) {
  if (x[0].number() || x[1].number()) result.gradient = x[0].gradient || x[1].gradient;
  if (result.number()) return;
  result.squared = both(x, &Trait::squared) || beside_number(x, &Trait::squared);
  result.gram = beside_number(x, &Trait::gram);
}

void store_quotient(Trait& result, const Arguments& x, double) {
  if (x[1].number()) result.gradient = x[0].gradient || x[1].gradient;
  if (result.number()) return;
  result.squared = both(x, &Trait::squared) || (x[0].squared && positive_number(x[1]));
  result.gram = x[0].gram && positive_number(x[1]);
}

void store_squares(Trait& result, const Arguments& x, double) {
  if (!result.number()) result.squared = both(x, &Trait::squared);
}

}  // namespace

std::vector<Operation> entrywise_operations() {
  return {
      {.name = "+",
       .arity = 2,
       .value = [](const auto* x, double) { return x[0] + x[1]; },
       .combined = "added",
       .degree = common_degree<0>,
       .odd = both_odd,
       .keeps = sum_keeps,
       .keeps_diagonal = both_diagonal,
       .storage = store_sum,
       .beside_zero = [](const Arguments& x) { return x[0].zero ? x[1] : x[0]; },
       .keeps_norm = true,
       .emit = [](auto& tiles, int i) { return tiles.sum(i, 1); },
       .rewritten = rewrites::sum},
      {.name = "-",
       .arity = 2,
       .value = [](const auto* x, double) { return x[0] - x[1]; },
       .combined = "subtracted",
       .bounds =
           [](const Arguments& x, double) {
             return Bounds{x[0].low - x[1].high, x[0].high - x[1].low};
           },
       .degree = common_degree<0>,
       .odd = both_odd,
       .keeps = sum_keeps,
       .keeps_diagonal = both_diagonal,
       .storage = store_difference,
       .beside_zero =
           [](const Arguments& x) {
             if (!x[0].zero) return x[0];
             Trait rest = x[1];
             rest.low = -x[1].high, rest.high = -x[1].low;
             rest.squared = rest.gram = false;
             return rest;
           },
       .emit = [](auto& tiles, int i) { return tiles.sum(i, -1); },
       .rewritten = rewrites::difference},
      {.name = "*",
       .arity = 2,
       .value = [](const auto* x, double) { return x[0] * x[1]; },
       .combined = "multiplied entry by entry (@ is the product of matrices)",
       .bounds = product_bounds,
       .degree = product_degree<1>,
       .odd = product_odd,
       .keeps = [](const Arguments& x, int Trait::*axis, int) { return x[0].*axis != x[1].*axis; },
       .keeps_diagonal =
           [](const Arguments& x) {
             return number_beside_diagonal(x[0], x[1]) || number_beside_diagonal(x[1], x[0]);
           },
       .storage = store_product,
       .multiplies = true,
       .keeps_norm = true,
       .emit = [](auto& tiles, int i) { return tiles.product(i); },
       .rewritten = rewrites::multiple},
      {.name = "/",
       .arity = 2,
       .value = [](const auto* x, double) { return quotient_of(x[0], x[1]); },
       .combined = "divided",
       .bounds = quotient_bounds,
       .degree = product_degree<-1>,
       .hoelder = [](const Arguments& x, double) { return x[1].low > 0 || x[1].norm ? 1.0 : 0.0; },
       .odd = product_odd,
       .keeps = [](const Arguments& x, int Trait::*axis, int) { return x[1].*axis == axis::single; },
       .keeps_diagonal = [](const Arguments& x) { return number_beside_diagonal(x[1], x[0]); },
       .storage = store_quotient,
       .multiplies = true,
       .keeps_norm = true,
       .emit = [](auto& tiles, int i) { return tiles.quotient(i); },
       .lifts_noise = if_steep},
      {.name = "**",
       .arity = 1,
       .value = [](const auto* x, double p) { return power_of(x[0], p); },
       .bounds = power_bounds,
       .degree = [](const Arguments& x, double p, int i) { return x[0].degree.times(p, i); },
       .hoelder = [](const Arguments& x,
                     double p) { return p < 1 ? std::max(0.0, p) * (x[0].squared ? 2 : 1) : 1; },
       .odd = [](std::ptrdiff_t,
                 double p) { return whole(p) ? std::optional(std::fmod(p, 2) != 0) : std::nullopt; },
       .storage = [](Trait& result, const Arguments&,
                     double p) { result.squared = p == 2 && !result.number(); },
       .positive = [](double p) { return whole(p) ? "" : fmt::format("power {}", p); },
       .multiplies = true,
       .keeps_norm = true,
       .emit = [](auto& tiles, int i) { return tiles.power(i); },
       .rewritten = rewrites::power,
       .lifts_noise = [](const Node& node, const Trait&) { return node.number <= small_power; }},
      {.name = "** of a value",
       .arity = 2,
       .value = [](const auto* x, double) { return pow(x[0], x[1]); },
       .bounds = raise_bounds,
       .positive = [](double) { return std::string("a power"); }},
      {.call = "minimum(X, Y)",
       .meaning = "the smaller of two entries",
       .value = [](const auto* x, double) { return std::min(x[0], x[1]); },
       .degree = common_degree<0>,
       .storage = store_squares,
       .emit = [](auto& tiles, int i) { return tiles.extreme(i, true); },
       .exact = true},
      {.call = "maximum(X, Y)",
       .meaning = "the larger of two entries",
       .value = [](const auto* x, double) { return std::max(x[0], x[1]); },
       .degree = common_degree<0>,
       .storage = store_squares,
       .emit = [](auto& tiles, int i) { return tiles.extreme(i, false); },
       .exact = true},
      {.name = "clip",
       .arity = 3,
       .value = [](const auto* x, double) { return std::min(std::max(x[0], x[1]), x[2]); },
       .degree = common_degree<0>,
       .emit = [](auto& tiles, int i) { return tiles.clipped(i); },
       .exact = true},
      {.name = "where",
       .arity = 4,
       .value = [](const auto* x, double) { return x[0] > x[1] ? x[2] : x[3]; },
       .bounds =
           [](const Arguments& x, double) {
             return Bounds{std::min(x[2].low, x[3].low), std::max(x[2].high, x[3].high)};
           },
       .degree = where_degree,
       .hoelder = jumps,
       .emit = [](auto& tiles, int i) { return tiles.selection(i); },
       .lifts_noise = always,
       .exact = true},
      {.call = "abs(X)",
       .meaning = "absolute values",
       .value = [](const auto* x, double) { return abs(x[0]); },
       .bounds =
           [](const Arguments& x, double) {
             const auto [low, high] = of(x[0]);
             return Bounds{low > 0 ? low : high < 0 ? -high : 0, std::max(std::abs(low), std::abs(high))};
           },
       .degree = common_degree<0>,
       .odd = [](std::ptrdiff_t, double) { return std::optional(false); },
       .emit = [](auto& tiles, int i) { return tiles.in_one_unit(i, tiles.kernels.absolute); },
       .exact = true},
      {.call = "sign(X)",
       .meaning = "1, -1, and 0 of an exact 0",
       .value = [](const auto* x, double) { return sign_of(x[0]); },
       .degree = [](const Arguments& x, double, int i) { return x[0].degree.times(0, i); },
       .hoelder = jumps,
       .odd = product_odd,
       .emit =
           [](auto& tiles, int i) {
             auto made = tiles.in_one_unit(i, tiles.kernel_of(i));
             made.exponent = 0;
             return made;
           },
       .lifts_noise = always,
       .exact = true},
      {.call = "sqrt(X)",
       .meaning = "square roots; X may not be negative",
       .value = [](const auto* x, double) { return sqrt(x[0]); },
       .degree = [](const Arguments& x, double, int i) { return x[0].degree.times(0.5, i); },
       .hoelder = [](const Arguments& x, double) { return x[0].squared ? 1 : 0.5; },
       .positive = [](double) { return std::string("the square root"); },
       .keeps_norm = true,
       .emit = [](auto& tiles, int i) { return tiles.root(i); },
       .rewritten = rewrites::root},
      {.call = "exp(X)", .meaning = "exponentials", .value = [](const auto* x, double) { return exp(x[0]); }},
      {.call = "log(X)",
       .meaning = "natural logarithms; X may not be negative",
       .value = [](const auto* x, double) { return log(x[0]); },
       .hoelder = [](const Arguments& x, double) { return x[0].low > 0 ? 1.0 : 0.0; },
       .positive = [](double) { return std::string("log"); },
       .emit = [](auto& tiles, int i) { return tiles.logarithm(i); }},
      {.call = "cos(X)",
       .meaning = "cosines",
       .value = [](const auto* x, double) { return cos(x[0]); },
       .bounds =
           [](const Arguments&, double) {
             return Bounds{-1, 1};
           }},
      {.call = "sin(X)",
       .meaning = "sines",
       .value = [](const auto* x, double) { return sin(x[0]); },
       .bounds =
           [](const Arguments&, double) {
             return Bounds{-1, 1};
           },
       .odd = product_odd},
      {.call = "tanh(X)",
       .meaning = "hyperbolic tangents",
       .value = [](const auto* x, double) { return tangent_of(x[0]); },
       .odd = product_odd},
  };
}

}  // namespace rarefact::formula
