#pragma once

/// Arrays of the values of expressions: numbers, or texts encoded as numbers, over the axes of a sweep, optimizer,
/// step and class. A dimension of length 1 is broadcast. Entries that a run does not have or a condition excludes are
/// absent, and skipped; NaN passes no comparison.

#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "core/number_operations.hpp"

namespace rarefact::query {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

using Number = std::optional<double>;    ///< nullopt: absent
using Shape = std::vector<std::size_t>;  ///< the last dimension runs fastest
using Dimensions = std::set<std::size_t>;

struct Array {
  Shape shape = {};
  std::vector<Number> entries = {};
  bool is_text = false;  ///< the numbers encode texts
};
using Arrays = std::vector<const Array*>;

/// Encodes a text as a number >= 1, and decodes it.
double number_of(const std::string& text);
std::string text_of(double number);

Array constant(Shape shape, double number);
/// The broadcast shape of several arrays; InputError for different lengths that are not 1, and beyond max_entries.
inline constexpr std::size_t max_entries = std::size_t{1} << 26;
Shape joint_shape(const Arrays& arrays);
/// The array broadcast to a larger shape.
Array expanded(const Array& array, const Shape& shape);

/// f of the corresponding entries of all arrays, absent ones included.
Array combined(const Arrays& arrays, const std::function<Number(const std::vector<Number>& entry)>& f);
/// f of the corresponding numbers; absent if one is; NaN if one is NaN, or infinite where f is finite: 1/0 passes no
/// comparison.
Array computed(const Arrays& arrays, const std::function<Number(const double*)>& f);

/// The place of an entry along each dimension of a shape.
std::vector<std::size_t> coordinates(const Shape& shape, std::size_t entry);

/// The indices of the present entries along some dimensions, in order; a line for each entry of `shape`, where these
/// have length 1.
struct Lines {
  Shape shape;
  std::vector<std::vector<std::size_t>> places;
};
Lines lines_of(const Array& array, const Dimensions& along);
/// f of the numbers of each line; absent for empty lines.
Array reduced(const Array& array, const Dimensions& along,
              const std::function<Number(const std::vector<double>&)>& f);
/// Replaces each number along a dimension, in order, by f(number, state); the state is initially absent.
Array scanned(Array array, std::size_t dimension,
              const std::function<Number(double entry, Number& state)>& f);

/// The array without those of the first dimensions along which nothing differs.
Array collapsed(Array array, std::size_t dimensions);

/// The entries where the condition is neither 0 nor absent; NaN where it is NaN or infinite.
Array masked(const Array& array, const Array& condition);

/// The maximum and the minimum; NaN if any number is, or if they are finite and another is not.
double greatest(const std::vector<double>& numbers);
double least(const std::vector<double>& numbers);

/// `values`, NaN where `lost` has a number; `values`, absent there.
Array missing_at(const Array& values, const Array& lost);
Array without(const Array& values, const Array& lost);

bool all_finite(const std::vector<double>& numbers);

/// The present numbers; those at some indices.
std::vector<double> numbers(const Array& array);
std::vector<double> numbers(const Array& array, const std::vector<std::size_t>& places);

}  // namespace rarefact::query
