#pragma once

/// The values of claims: numbers, or texts by a number of each, over the axes of a sweep, optimizer, step and class. A length of 1 is shared
/// along its dimension. An entry may be absent: a step that was not recorded, a class row that a run does not have, what a
/// condition leaves out. Absent entries are skipped; NaN passes nowhere.

#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rarefact::claims {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

using Number = std::optional<double>;    ///< nothing: absent
using Shape = std::vector<std::size_t>;  ///< the last dimension runs fastest
using Dimensions = std::set<std::size_t>;

struct Array {
  Shape shape = {};
  std::vector<Number> entries = {};
  bool is_text = false;  ///< the numbers stand for texts
};
using Arrays = std::vector<const Array*>;

/// The number of a text, from 1, and the text of such a number.
double number_of(const std::string& text);
std::string text_of(double number);

/// To 1e-12.
bool equal(double x, double y);

/// Every entry a number.
Array constant(Shape shape, double number);
/// The shape of several that are shared along dimensions of length 1; InputError where lengths differ otherwise.
Shape joint_shape(const Arrays& arrays);
/// The array in a larger shape.
Array expanded(const Array& array, const Shape& shape);

/// f of the entries of all of them.
Array combined(const Arrays& arrays, const std::function<Number(const std::vector<Number>& entry)>& f);
/// f of the numbers of each entry; absent where one of them is.
Array computed(const Arrays& arrays, const std::function<Number(const double*)>& f);

/// Along some dimensions the places of the entries that are there, in their order; one line for each entry of `shape`, in which these
/// dimensions have length 1.
struct Lines {
  Shape shape;
  std::vector<std::vector<std::size_t>> places;
};
Lines lines_of(const Array& array, const Dimensions& along);
/// f of the numbers of each line; absent where there is none.
Array reduced(const Array& array, const Dimensions& along,
              const std::function<Number(const std::vector<double>&)>& f);
/// Runs along a dimension: f of each number in turn, with a state that begins as nothing. What it returns takes the number's place.
Array scanned(Array array, std::size_t dimension,
              const std::function<Number(double entry, Number& state)>& f);

/// Those entries alone where the condition is neither 0 nor absent; NaN where it is NaN.
Array masked(const Array& array, const Array& condition);

/// The greatest and the least; NaN where any is.
double greatest(const std::vector<double>& numbers);
double least(const std::vector<double>& numbers);

/// Those that are there; those at some places.
std::vector<double> numbers(const Array& array);
std::vector<double> numbers(const Array& array, const std::vector<std::size_t>& places);

}  // namespace rarefact::claims
