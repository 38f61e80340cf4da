#include "query/array.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "core/transform.hpp"

namespace rarefact::query {

namespace {

std::mutex texts_mutex;
std::vector<std::string> all_texts;  // guarded by it

std::size_t size_of(const Shape& shape) {
  return std::reduce(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

/// For each entry of `shape` the index of the entry of an array of shape `own`.
std::vector<std::size_t> places_in(const Shape& own, const Shape& shape) {
  Shape stride(own.size(), 0), at(own.size(), 0);
  for (std::size_t d = own.size(), step = 1; d-- > 0; step *= own[d]) stride[d] = own[d] == 1 ? 0 : step;
  std::vector<std::size_t> places(size_of(shape));
  std::size_t place = 0;
  for (std::size_t& entry : places) {
    entry = place;
    for (std::size_t d = shape.size(); d-- > 0;) {
      place += stride[d];
      if (++at[d] < shape[d]) break;
      place -= stride[d] * shape[d];
      at[d] = 0;
    }
  }
  return places;
}

template <class F>
Array broadcast(const Arrays& arrays, const F& f) {
  Array out{.shape = joint_shape(arrays)};
  const std::size_t size = size_of(out.shape);
  std::vector<Array> wide(arrays.size());
  std::vector<const Number*> first;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    const bool as_is = arrays[a]->entries.size() == 1 || arrays[a]->shape == out.shape;
    if (!as_is) wide[a] = expanded(*arrays[a], out.shape);
    first.push_back((as_is ? *arrays[a] : wide[a]).entries.data());
  }
  std::vector<Number> entry(arrays.size());
  out.entries.reserve(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t a = 0; a < entry.size(); ++a)
      entry[a] = first[a][arrays[a]->entries.size() == 1 ? 0 : i];
    out.entries.push_back(f(entry));
  }
  return out;
}

/// A number computed from others: NaN if one of them is NaN, or infinite where the result is finite.
double of_finite(double result, const std::vector<double>& numbers) {
  const auto nan = [](double x) { return std::isnan(x); };
  const bool known = std::isfinite(result) ? all_finite(numbers) : std::ranges::none_of(numbers, nan);
  return known ? result : missing;
}

}  // namespace

double number_of(const std::string& text) {
  const std::scoped_lock lock(texts_mutex);
  const auto found = std::ranges::find(all_texts, text);
  const auto number = found - all_texts.begin();
  if (found == all_texts.end()) all_texts.push_back(text);
  return static_cast<double>(number + 1);
}

std::string text_of(double number) {
  const std::scoped_lock lock(texts_mutex);
  return all_texts.at(static_cast<std::size_t>(number) - 1);
}

Array constant(Shape shape, double number) {
  const Array one{.shape = Shape(shape.size(), 1), .entries = {number}};
  return expanded(one, shape);
}

Shape joint_shape(const Arrays& arrays) {
  Shape shape = arrays.front()->shape;
  for (const Array* array : arrays) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::size_t length = array->shape[d];
      if (shape[d] != length && shape[d] != 1 && length != 1)
        throw bad_input("values of {} and of {} entries cannot be combined", shape[d], length);
      shape[d] = std::max(shape[d], length);
    }
  }
  if (const std::size_t size = size_of(shape); size > max_entries)
    throw bad_input("it has {} numbers, more than {}", size, max_entries);
  return shape;
}

Array expanded(const Array& array, const Shape& shape) {
  if (array.shape == shape) return array;
  return {.shape = shape,
          .entries = mapped(places_in(array.shape, shape), [&](std::size_t i) { return array.entries[i]; }),
          .is_text = array.is_text};
}

Array combined(const Arrays& arrays, const std::function<Number(const std::vector<Number>&)>& f) {
  return broadcast(arrays, f);
}

Array computed(const Arrays& arrays, const std::function<Number(const double*)>& f) {
  std::vector<double> numbers(arrays.size());
  return broadcast(arrays, [&](const std::vector<Number>& entry) -> Number {
    for (std::size_t a = 0; a < entry.size(); ++a) {
      if (!entry[a]) return {};
      numbers[a] = *entry[a];
    }
    const Number found = f(numbers.data());
    return found ? of_finite(*found, numbers) : found;
  });
}

std::vector<std::size_t> coordinates(const Shape& shape, std::size_t entry) {
  std::vector<std::size_t> at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; entry /= shape[d]) at[d] = entry % shape[d];
  return at;
}

Lines lines_of(const Array& array, const Dimensions& along) {
  Lines lines{.shape = array.shape, .places = {}};
  for (const std::size_t d : along) lines.shape[d] = 1;
  const std::vector<std::size_t> line = places_in(lines.shape, array.shape);
  lines.places.resize(*std::ranges::max_element(line) + 1);
  for (auto& places : lines.places) places.reserve(line.size() / lines.places.size());
  for (std::size_t i = 0; i < line.size(); ++i)
    if (array.entries[i]) lines.places[line[i]].push_back(i);
  return lines;
}

Array reduced(const Array& array, const Dimensions& along,
              const std::function<Number(const std::vector<double>&)>& f) {
  Lines lines = lines_of(array, along);
  const auto of_line = [&](const std::vector<std::size_t>& places) {
    return places.empty() ? Number() : f(numbers(array, places));
  };
  return {.shape = std::move(lines.shape), .entries = mapped(lines.places, of_line)};
}

Array scanned(Array array, std::size_t dimension, const std::function<Number(double, Number&)>& f) {
  for (const std::vector<std::size_t>& line : lines_of(array, {dimension}).places) {
    Number state;
    for (const std::size_t place : line) array.entries[place] = f(*array.entries[place], state);
  }
  return array;
}

Array collapsed(Array array, std::size_t dimensions) {
  for (std::size_t d = 0; d < dimensions; ++d) {
    bool same = true;
    Array less = reduced(array, {d}, [&](const std::vector<double>& x) {
      same = same && x.size() == array.shape[d] && std::ranges::all_of(x, [&](double y) {
               return y == x[0] || (std::isnan(y) && std::isnan(x[0]));
             });
      return x[0];
    });
    if (same) array = std::move(less);
  }
  return array;
}

Array masked(const Array& array, const Array& condition) {
  if (condition.entries.size() == 1 && condition.entries[0] == 1) return array;
  const Shape shape = joint_shape({&array, &condition});
  const Array wide = expanded(condition, shape);
  Array out = expanded(array, shape);
  for (std::size_t i = 0; i < out.entries.size(); ++i) {
    const Number &holds = wide.entries[i], kept = holds && *holds != 0 ? out.entries[i] : Number();
    out.entries[i] = kept && std::isnan(truth(*holds)) && !array.is_text ? Number(missing) : kept;
  }
  return out;
}

Array missing_at(const Array& values, const Array& lost) {
  return combined({&values, &lost},
                  [](const std::vector<Number>& x) { return x[1] ? Number(missing) : x[0]; });
}

Array without(const Array& values, const Array& lost) {
  return combined({&values, &lost}, [](const std::vector<Number>& x) { return x[1] ? Number() : x[0]; });
}

bool all_finite(const std::vector<double>& numbers) {
  return std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
}

double greatest(const std::vector<double>& numbers) {
  return of_finite(std::ranges::max(numbers), numbers);
}

double least(const std::vector<double>& numbers) {
  return of_finite(std::ranges::min(numbers), numbers);
}

std::vector<double> numbers(const Array& array) {
  std::vector<double> all;
  for (const Number& entry : array.entries)
    if (entry) all.push_back(*entry);
  return all;
}

std::vector<double> numbers(const Array& array, const std::vector<std::size_t>& places) {
  return mapped(places, [&](std::size_t place) { return *array.entries[place]; });
}

}  // namespace rarefact::query
