#pragma once

/// An operation of formulas is a row: its call, the traits of its result, and its evaluation. Entrywise
/// operations are those of entrywise.cpp; leaves and operations on whole matrices are structs, listed in
/// operation_list.hpp.

#include <optional>
#include <string_view>
#include <vector>

#include "core/real50.hpp"
#include "optim/formula/tile.hpp"

namespace rarefact::formula {

struct Node;
struct Trait;
struct Degree;
class Calculus;
class Simplifier;
template <class Real>
class TileBuilder;
template <class Real>
struct TileUnit;

using Arguments = std::vector<Trait>;

/// Bounds of all entries of a value; infinite if unknown.
struct Bounds {
  double low, high;
  bool operator==(const Bounds&) const = default;
};

/// A function of numbers, and of a constant of the node, in both precisions; made from a generic lambda
/// [](const auto* x, double number) that captures nothing.
struct EntryFunction {
  double (*of)(const double* x, double number) = nullptr;
  Real50 (*of50)(const Real50* x, double number) = nullptr;
  TileKernel<double> tile = nullptr;
  TileKernel<Real50> tile50 = nullptr;

  EntryFunction() = default;
  template <class F>
  EntryFunction(F f) : of(f), of50(f), tile(each_number<F, double>), tile50(each_number<F, Real50>) {}

  double operator()(const double* x, double number) const { return of(x, number); }
  Real50 operator()(const Real50* x, double number) const { return of50(x, number); }
  template <class Real>
  TileKernel<Real> kernel() const {
    if constexpr (std::is_same_v<Real, double>)
      return tile;
    else
      return tile50;
  }
};

/// Compiles node i to an instruction, in both precisions; made from a generic lambda.
struct Emit {
  TileUnit<double> (*emit)(TileBuilder<double>& tiles, int i) = nullptr;
  TileUnit<Real50> (*emit50)(TileBuilder<Real50>& tiles, int i) = nullptr;

  Emit() = default;
  template <class F>
  Emit(F f) : emit(f), emit50(f) {}
};

/// The traits of an operation (degree of homogeneity, axes, bounds), as functions of the arguments' traits.
/// Omitted fields have the values of an ordinary function of numbers such as exp, which is equivariant only
/// under permutations.
struct Operation {
  std::string name = {};
  std::size_t arity = 0;
  /// For named functions the call, "tanh(X)", which gives name and arity, and the meaning.
  std::string call = {}, meaning = {};

  // Entry by entry.
  EntryFunction value = {};
  const char* combined = "combined";  ///< for "... cannot be combined" if shapes differ
  /// Bounds of the result. Omitted: it grows with its arguments.
  Bounds (*bounds)(const Arguments& x, double number) = nullptr;
  /// The degree of the result; node i may lose it. Omitted: lost unless all arguments have degree 0.
  Degree (*degree)(const Arguments& x, double number, int i) = nullptr;
  /// Factor of the Hölder exponent at 0.
  double (*hoelder)(const Arguments& x, double number) = nullptr;
  /// True if the result changes sign with an eigenvector if `count` arguments do; nullopt: the sign does not
  /// cancel. Omitted: it never does.
  std::optional<bool> (*odd)(std::ptrdiff_t count, double number) = nullptr;
  /// True if the result is still equivariant on the side of an axis; `whole` is the axis of the result.
  /// Omitted: never.
  bool (*keeps)(const Arguments& x, int Trait::*axis, int whole) = nullptr;
  /// True if diagonal column matrices stay diagonal. Omitted: never.
  bool (*keeps_diagonal)(const Arguments& x) = nullptr;
  /// The storage of the result: as roots, as Gram factors, as a sum of gradients. Omitted: entries.
  void (*storage)(Trait& result, const Arguments& x, double number) = nullptr;
  /// The traits if an argument is zero. Omitted: like those of numbers.
  Trait (*beside_zero)(const Arguments& x) = nullptr;
  /// For messages, the name of a function whose argument must not be negative: "sqrt". Empty or omitted:
  /// none.
  std::string (*positive)(double number) = nullptr;
  bool multiplies = false;  ///< a product: degrees add, and it is zero if an argument is
  bool keeps_norm = false;  ///< zero only if the whole matrix is, if its arguments are
  /// Omitted: `value` of arguments in units of 1.
  Emit emit = {};

  // Leaves and operations on whole matrices.
  Trait (*trait)(Calculus& calculus, int i) = nullptr;
  int evaluator = -1;  ///< index in operation_list.hpp
  bool leaf = false;   ///< computed from no other value
  /// The time of an operation on a matrix, in units of a polar factor of the same size. Omitted: 0.
  double (*polar_factors)(const Node& node, const Trait& result) = nullptr;

  // All operations.
  /// A simpler node of the same value. nullopt: there is none, or `node` itself was simplified.
  std::optional<int> (*rewritten)(Simplifier& simplify, Node& node) = nullptr;
  /// True if rounding noise of a zero may become arbitrarily large.
  bool (*lifts_noise)(const Node& node, const Trait& result) = nullptr;

  bool exact = false;  ///< nothing is rounded

  bool entrywise() const { return value.of != nullptr; }
};

using Op = const Operation*;

/// The time of a singular value decomposition, and of singular values alone, in units of a polar factor.
inline double of_decomposition(const Node&, const Trait&) {
  return 2.6;
}
inline double of_singular_values(const Node&, const Trait&) {
  return 1.1;
}

/// Entrywise operations, then all others.
const std::vector<Operation>& operations();
std::vector<Operation> entrywise_operations();

/// Precondition: the operation exists.
Op operation(std::string_view name);

/// Operations that are used by name in the code.
namespace op {
inline const Op add = operation("+"), subtract = operation("-"), multiply = operation("*"),
                divide = operation("/"), power = operation("**"), raise = operation("** of a value"),
                minimum = operation("minimum"), maximum = operation("maximum"), clip = operation("clip"),
                where = operation("where"), absolute = operation("abs"), root = operation("sqrt"),
                number = operation("number"), size = operation("size"), gradient = operation("G"),
                weights = operation("W"), task = operation("T"), second_moment = operation("C"),
                query_probability = operation("query_probability"),
                answer_probability = operation("answer_probability"), state = operation("state"),
                variable = operation("variable"), sum = operation("sum"), norm = operation("norm"),
                largest = operation("largest"), inner = operation("inner"), nuclear = operation("nuclear"),
                spectral_norm = operation("spectral_norm"), product = operation("@"),
                transpose = operation(".T"), spectral = operation("spectral"),
                spectral_power = operation("power"), spectral_raise = operation("power of a value"),
                smooth_polar = operation("smooth_polar"), polynomial = operation("polynomial"),
                top = operation("top");
}  // namespace op

}  // namespace rarefact::formula
