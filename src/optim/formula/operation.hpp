#pragma once

/// An operation of formulas is a row: how formulas call it, what is known of its result, how it is computed. Entrywise
/// operations are those of entrywise.cpp; leaves and operations on whole matrices are structs, listed in
/// operation_list.hpp.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/real50.hpp"
#include "optim/formula/tile.hpp"

namespace rarefact::formula {

struct Node;
struct Trait;
class Calculus;
class Simplifier;
template <class Real>
class TileBuilder;
template <class Real>
struct TileUnit;

/// Traits of the arguments.
using Arguments = std::vector<Trait>;

/// All entries of a value lie between these; infinite where nothing is known.
struct Bounds {
  double low, high;
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

/// Makes the instruction of node i, in both precisions; made from a generic lambda.
struct Emit {
  TileUnit<double> (*emit)(TileBuilder<double>& tiles, int i) = nullptr;
  TileUnit<Real50> (*emit50)(TileBuilder<Real50>& tiles, int i) = nullptr;

  Emit() = default;
  template <class F>
  Emit(F f) : emit(f), emit50(f) {}
};

/// What is special about a degree of homogeneity, a leg, a bound: each a function of the arguments' traits. Where a
/// field is left out, the row is an ordinary function of numbers, such as exp: it keeps permutations only.
struct Operation {
  std::string name = {};
  std::size_t arity = 0;
  /// Of a function that formulas call by its name: "tanh(X)", and what it gives. Name and arity are in it.
  std::string call = {}, meaning = {};

  // Entry by entry.
  EntryFunction value = {};
  const char* combined = "combined";  ///< what its arguments cannot be if their shapes differ
  /// Of the result. Left out: it grows with its arguments.
  Bounds (*bounds)(const Arguments& x, double number) = nullptr;
  /// Sets the degree of the result, lost because of node i. Left out: only arguments of degree 0 have one.
  void (*degree)(Trait& result, const Arguments& x, double number, int i) = nullptr;
  /// Factor of the Hölder exponent at 0.
  double (*hoelder)(const Arguments& x, double number) = nullptr;
  /// Whether the result changes its sign with an eigenvector that `count` arguments change theirs with; nothing: signs
  /// do not cancel. Left out: they never do.
  std::optional<bool> (*odd)(std::ptrdiff_t count, double number) = nullptr;
  /// Whether the side of a leg is still turned with; `whole` is the leg of the result. Left out: never.
  bool (*keeps)(const Arguments& x, int Trait::*leg, int whole) = nullptr;
  /// Whether diagonal matrices of columns stay so. Left out: never.
  bool (*keeps_diagonal)(const Arguments& x) = nullptr;
  /// How the result is held: by roots, by Gram factors, as a sum of gradients. Left out: entry by entry.
  void (*held)(Trait& result, const Arguments& x, double number) = nullptr;
  /// Beside an argument that is zero. Left out: as numbers are.
  Trait (*beside_zero)(const Arguments& x) = nullptr;
  /// Which arguments must not be negative: "sqrt". Empty or left out: none.
  std::string (*positive)(double number) = nullptr;
  bool multiplies = false;  ///< products have as many factors as their arguments, and are zero where one is
  bool keeps_norm = false;  ///< zero only where all of a matrix is, if its arguments are
  /// Left out: `value` of arguments in units of 1.
  Emit emit = {};

  // Of leaves and of whole matrices.
  Trait (*trait)(Calculus& calculus, int i) = nullptr;
  int evaluator = -1;  ///< its place in the list
  bool leaf = false;   ///< computed from no other value

  // Of all.
  /// A simpler node of the same value. Nothing: there is none, or the node itself was simplified.
  std::optional<int> (*rewritten)(Simplifier& simplify, Node& node) = nullptr;
  /// Whether what rounding leaves of a zero becomes as large as anything.
  bool (*lifts_noise)(const Node& node, const Trait& result) = nullptr;

  bool exact = false;  ///< nothing is rounded

  bool entrywise() const { return value.of != nullptr; }
};

using Op = const Operation*;

/// Entrywise operations, then the others.
const std::vector<Operation>& operations();
std::vector<Operation> entrywise_operations();

/// Precondition: there is one of that name.
Op operation(std::string_view name);

/// Those that notation, rewriting or definitions of others need.
namespace op {
inline const Op add = operation("+"), subtract = operation("-"), multiply = operation("*"),
                divide = operation("/"), power = operation("**"), raise = operation("** of a value"),
                minimum = operation("minimum"), maximum = operation("maximum"), where = operation("where"),
                absolute = operation("abs"), root = operation("sqrt"), number = operation("number"),
                size = operation("size"), gradient = operation("G"), task = operation("T"),
                second_moment = operation("C"), state = operation("state"), variable = operation("variable"),
                sum = operation("sum"), norm = operation("norm"), largest = operation("largest"),
                inner = operation("inner"), nuclear = operation("nuclear"),
                spectral_norm = operation("spectral_norm"), product = operation("@"),
                transpose = operation(".T"), spectral = operation("spectral"),
                spectral_power = operation("power"), smooth_polar = operation("smooth_polar"),
                polynomial = operation("polynomial"), top = operation("top");
}  // namespace op

}  // namespace rarefact::formula
