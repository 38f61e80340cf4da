#include "query/frame.hpp"

#include <algorithm>

#include "theory/require_legal.hpp"

namespace rarefact::query {

namespace {

/// The work of a closed form, in numbers computed: for one value, and for each row or group of classes.
constexpr std::size_t form_work = 1000, class_work = 100;

}  // namespace

Array Frame::key(const std::string& key) const {
  throw bad_input("the experiment has no key \"{}\"", key);
}

FormClasses Frame::classes(std::size_t) const {
  throw bad_input("there are no classes here");
}

std::optional<std::size_t> Frame::axis_of(const std::string& key) const {
  for (std::size_t a = 0; a < keys.size(); ++a)
    if (std::ranges::count(keys[a], key) > 0) return a;
  return {};
}

std::size_t Frame::length(std::size_t dimension) const {
  if (dimension < points.size()) return points[dimension];
  return std::max(std::size_t{1}, dimension == optimizer() ? labels.size()
                                  : dimension == step()    ? steps.size()
                                                           : rows);
}

void Frame::spend(std::size_t numbers) const {
  work_ += numbers;
  if (work_ > allowed_) throw bad_input("this takes more than {} numbers to compute", allowed_);
}

Frame::Held::Held(const Frame& frame, std::size_t numbers) : frame_(frame), numbers_(numbers) {
  if (frame.held_ + numbers > max_held)
    throw bad_input("this keeps more than {} numbers while it computes others", max_held);
  frame.held_ += numbers;
}

bool is_seed(std::string_view key) {
  return key == "seed" || (key.ends_with(".seed") && !key.starts_with("optimizer."));
}

Dimensions Frame::axes_of(bool seeds) const {
  Dimensions axes;
  for (std::size_t a = 0; a < keys.size(); ++a)
    if (std::ranges::any_of(keys[a], is_seed) == seeds) axes.insert(a);
  return axes;
}

Array Frame::text(const std::string& text) const {
  Array array = number(number_of(text));
  array.is_text = true;
  return array;
}

double Frame::value_of(const ClosedForm& form, const double* x, bool precise) const {
  const std::tuple key(&form, std::optional<std::size_t>(),
                       std::vector<double>(x, x + form.arguments.size()));
  if (const auto known = known_forms_.find(key); known != known_forms_.end()) return known->second.front();
  const bool legal = all_finite(std::get<2>(key));
  spend(form_work + (legal && form.work ? static_cast<std::size_t>(form.work(x)) : 0));
  const double value = legal ? form.value(x, precise) : missing;
  known_forms_[key] = {value};
  return value;
}

Array Frame::of_classes(const ClosedForm& form, const std::vector<Array>& arguments, bool precise,
                        const Array& where) const {
  const Dimensions inside = {optimizer(), step(), row()};
  Shape shape = points;
  shape.resize(dimensions(), 1);
  const auto some = [](const std::vector<double>& x) {
    return std::ranges::any_of(x, [](double value) { return value != 0; }) ? Number(1) : Number();
  };
  const Array wanted = expanded(reduced(where, inside, some), shape);
  std::vector<Array> given;
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const auto single = [&](const std::vector<double>& x) {
      const double lowest = least(x);
      if (lowest < greatest(x))
        throw bad_input("{}: {} is several numbers of one point", form.name, form.arguments[a]);
      return lowest;
    };
    given.push_back(expanded(reduced(arguments[a], inside, single), shape));
  }
  std::vector<std::vector<double>> values(wanted.entries.size());
  std::size_t width = 1;
  // As for forms of numbers, points outside of the range have no value.
  std::optional<OutsideRange> outside;
  bool legal = false;
  for (std::size_t point = 0; point < values.size(); ++point) {
    std::vector<double> x;
    for (const Array& argument : given)
      if (argument.entries[point]) x.push_back(*argument.entries[point]);
    if (!wanted.entries[point] || x.size() < given.size()) continue;
    const std::tuple key(&form, std::optional(point), x);
    auto known = known_forms_.find(key);
    if (known == known_forms_.end()) {
      const FormClasses own = classes(point);
      spend(form_work + class_work * (own.queries.size() + own.answers.count.size()));
      try {
        known = known_forms_
                    .emplace(key, all_finite(x) ? form.values(own, x.data(), precise) : std::vector{missing})
                    .first;
      } catch (const OutsideRange& error) {
        outside = error;
        values[point] = {missing};
        continue;
      }
    }
    legal = true;
    values[point] = known->second;
    width = std::max(width, values[point].size());
  }
  if (outside && !legal) throw *outside;
  shape.back() = width > 1 ? std::max(width, rows) : 1;
  Array array{.shape = shape};
  for (const std::vector<double>& own : values) {
    array.entries.insert(array.entries.end(), own.begin(), own.end());
    const bool none =
        own.size() == 1 && std::isnan(own.front());  // every row of a point outside of the range
    array.entries.resize(array.entries.size() + shape.back() - own.size(), none ? Number(missing) : Number());
  }
  return collapsed(std::move(array), points.size());
}

}  // namespace rarefact::query
