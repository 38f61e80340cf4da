#pragma once

/// The values of claims: numbers or texts over the axes of a sweep, optimizer, step and class. A length of 1 is shared
/// along its dimension. An entry may be absent: a step that was not recorded, a class row that a run does not have, what a
/// condition leaves out. Absent entries are skipped; NaN passes nowhere.

#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rarefact::claims {

using Shape = std::vector<std::size_t>;  ///< the last dimension runs fastest

struct Array {
  Shape shape = {};
  std::vector<double> numbers = {};
  std::vector<std::string> texts = {};  ///< instead of numbers
  std::vector<char> there = {};

  std::size_t size() const { return there.size(); }
  bool is_text() const { return !texts.empty(); }
};

std::size_t count_of(const Shape& shape);
/// With every entry there, and equal.
Array constant(std::size_t dimensions, double number);
/// Every entry there, NaN.
Array of_shape(Shape shape);

/// The shape of several that are shared along dimensions of length 1; InputError where lengths differ otherwise.
Shape joint_shape(const std::vector<const Array*>& arrays);
/// For each entry of a shape the entry of an array of shape `own`.
std::vector<std::size_t> places_in(const Shape& own, const Shape& shape);
/// The array in a larger shape.
Array expanded(const Array& array, const Shape& shape);

/// f of the numbers of each entry; absent where one of them is. Precondition: numbers.
Array combined(const std::vector<const Array*>& arrays, const std::function<double(const double*)>& f);

/// f of the entries that are there along some dimensions, in their order, which then have length 1; absent where there is
/// none, or f gives nothing.
Array reduced(const Array& array, const std::vector<bool>& dimensions,
              const std::function<std::optional<double>(const std::vector<double>&)>& f);

/// Runs along a dimension: f of each entry that is there in turn, with a state that begins as nothing. What it returns takes
/// the entry's place; nothing: absent.
Array scanned(const Array& array, std::size_t dimension,
              const std::function<std::optional<double>(double entry, std::optional<double>& state)>& f);

/// Those entries alone where the condition is neither 0 nor absent; NaN where it is NaN.
Array masked(const Array& array, const Array& condition);

/// Each entry of one array or of the other: of the first where the condition is not 0. Absent where the condition or the entry
/// is; NaN where the condition is NaN.
Array either(const Array& condition, const Array& first, const Array& second);

/// The greatest and the least; NaN where any is.
double greatest(const std::vector<double>& numbers);
double least(const std::vector<double>& numbers);

/// The entries that are there.
std::vector<double> entries(const Array& array);

}  // namespace rarefact::claims
