#include "verify/claim_array.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace rarefact::claims {

std::size_t count_of(const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t length : shape) count *= length;
  return count;
}

Array of_shape(Shape shape) {
  const std::size_t count = count_of(shape);
  return {.shape = std::move(shape),
          .numbers = std::vector<double>(count, std::numeric_limits<double>::quiet_NaN()),
          .there = std::vector<char>(count, 1)};
}

Array constant(std::size_t dimensions, double number) {
  return {.shape = Shape(dimensions, 1), .numbers = {number}, .there = {1}};
}

Shape joint_shape(const std::vector<const Array*>& arrays) {
  Shape shape = arrays.front()->shape;
  for (const Array* array : arrays) {
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::size_t length = array->shape[d];
      if (shape[d] != length && shape[d] != 1 && length != 1)
        throw bad_input("values of {} and of {} entries do not fit together", shape[d], length);
      shape[d] = std::max(shape[d], length);
    }
  }
  return shape;
}

std::vector<std::size_t> places_in(const Shape& own, const Shape& shape) {
  Shape stride(own.size(), 0), at(own.size(), 0);
  for (std::size_t d = own.size(), step = 1; d-- > 0; step *= own[d]) stride[d] = own[d] == 1 ? 0 : step;
  std::vector<std::size_t> places(count_of(shape));
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

Array expanded(const Array& array, const Shape& shape) {
  if (array.shape == shape) return array;
  Array out{.shape = shape};
  for (const std::size_t place : places_in(array.shape, shape)) {
    if (array.is_text())
      out.texts.push_back(array.texts[place]);
    else
      out.numbers.push_back(array.numbers[place]);
    out.there.push_back(array.there[place]);
  }
  return out;
}

Array combined(const std::vector<const Array*>& arrays, const std::function<double(const double*)>& f) {
  Array out = of_shape(joint_shape(arrays));
  std::vector<std::vector<std::size_t>> places;
  for (const Array* array : arrays) places.push_back(places_in(array->shape, out.shape));
  std::vector<double> numbers(arrays.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      numbers[a] = arrays[a]->numbers[places[a][i]];
      out.there[i] = out.there[i] && arrays[a]->there[places[a][i]];
    }
    if (out.there[i]) out.numbers[i] = f(numbers.data());
  }
  return out;
}

Array reduced(const Array& array, const std::vector<bool>& dimensions,
              const std::function<std::optional<double>(const std::vector<double>&)>& f) {
  Shape shape = array.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) shape[d] = dimensions[d] ? 1 : shape[d];
  Array out = of_shape(shape);
  std::vector<std::vector<double>> groups(out.size());
  const std::vector<std::size_t> places = places_in(shape, array.shape);
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (array.there[i]) groups[places[i]].push_back(array.numbers[i]);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::optional<double> number = groups[i].empty() ? std::nullopt : f(groups[i]);
    out.there[i] = number.has_value();
    out.numbers[i] = number.value_or(0);
  }
  return out;
}

Array scanned(const Array& array, std::size_t dimension,
              const std::function<std::optional<double>(double, std::optional<double>&)>& f) {
  Array out = array;
  Shape shape = array.shape;
  shape[dimension] = 1;
  std::vector<std::optional<double>> states(count_of(shape));
  const std::vector<std::size_t> places = places_in(shape, array.shape);
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (!array.there[i]) continue;
    const std::optional<double> number = f(array.numbers[i], states[places[i]]);
    out.there[i] = number.has_value();
    out.numbers[i] = number.value_or(0);
  }
  return out;
}

Array masked(const Array& array, const Array& condition) {
  const Shape shape = joint_shape({&array, &condition});
  Array out = expanded(array, shape);
  const std::vector<std::size_t> places = places_in(condition.shape, shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double holds = condition.numbers[places[i]];
    out.there[i] = out.there[i] && condition.there[places[i]] && holds != 0;
    if (std::isnan(holds) && !out.is_text()) out.numbers[i] = holds;
  }
  return out;
}

Array either(const Array& condition, const Array& first, const Array& second) {
  const Shape shape = joint_shape({&condition, &first, &second});
  Array out = expanded(condition, shape);
  const Array yes = expanded(first, shape), no = expanded(second, shape);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out.there[i] || std::isnan(out.numbers[i])) continue;
    const Array& from = out.numbers[i] != 0 ? yes : no;
    out.there[i] = from.there[i];
    out.numbers[i] = from.numbers[i];
  }
  return out;
}

double greatest(const std::vector<double>& numbers) {
  const auto nan = std::ranges::find_if(numbers, [](double x) { return std::isnan(x); });
  return nan != numbers.end() ? *nan : std::ranges::max(numbers);
}

double least(const std::vector<double>& numbers) {
  const auto nan = std::ranges::find_if(numbers, [](double x) { return std::isnan(x); });
  return nan != numbers.end() ? *nan : std::ranges::min(numbers);
}

std::vector<double> entries(const Array& array) {
  std::vector<double> all;
  for (std::size_t i = 0; i < array.size(); ++i) {
    if (array.there[i]) all.push_back(array.numbers[i]);
  }
  return all;
}

}  // namespace rarefact::claims
