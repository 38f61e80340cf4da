#include "verify/claim_finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cmath>

namespace rarefact::claims {

Part::Part(const Entry& entry, std::vector<Case> cases) : entry_(entry), cases_(std::move(cases)) {
  for (Case& in : cases_) in.evaluate = in.evaluate.where(in.where);
}

bool Part::few_points() const {
  return std::ranges::any_of(cases_, [](const Case& in) { return in.evaluate.fits().few_points; });
}

Array Part::value(Case& in, const std::string& key, std::string text) {
  for (const auto& [name, chosen] : in.texts) boost::replace_all(text, "{" + name + "}", chosen);
  return entry_.at(key, [&] { return in.evaluate.number(parsed_condition(text)); });
}

double Part::Compared::number(const std::string& key, double without_key) const {
  const auto found = beside.find(key);
  if (found == beside.end()) return without_key;
  return found->second.empty() ? missing : found->second.front();
}

std::vector<std::vector<double>> Part::beside(const Shape& shape, const Dimensions& seeds, Case& in,
                                              const std::string& key) {
  Array other = value(in, key);
  Dimensions more;
  Shape full = shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (seeds.contains(d)) full[d] = other.shape[d];
    if (full[d] == 1 && other.shape[d] > 1) more.insert(d);
  }
  const bool width = key == "widest", tolerance = key == "within" || key == "plus_minus" || width;
  other = entry_.at(key, [&] {
    const auto highest = [&](const std::vector<double>& all) {
      const double low = least(all), high = greatest(all);
      if (!tolerance && high - low > 1e-9 * std::max(std::abs(low), std::abs(high)))
        throw bad_input("it is {:g} to {:g} where what is measured is one number", low, high);
      return high;
    };
    return expanded(reduced(other, more, highest), full);
  });
  std::vector<std::vector<double>> all;
  for (const auto& places : lines_of(other, seeds).places) {
    all.push_back(numbers(other, places));
    if (tolerance && std::ranges::any_of(all.back(), [](double x) { return x < 0; }))
      entry_.refuse(key, "got a negative number");
    if (tolerance && !width && !places.empty() && std::isfinite(all.back()[0]))
      tolerance_ = std::max(tolerance_, all.back()[0]);
  }
  return all;
}

std::vector<Part::Compared> Part::compared(const std::vector<std::string>& keys, bool seeds) {
  std::vector<Compared> all;
  fits_.clear();
  for (Case& in : cases_) {
    const Frame& data = in.evaluate.frame();
    Dimensions along;
    if (seeds) {
      if (!data.axis_of("seed")) entry_.refuse("measured", "the sweep has no seeds");
      along = {*data.axis_of("seed")};
    }
    const Array measured = value(in, "measured");
    fits_.insert(fits_.end(), in.evaluate.fits().lines.begin(), in.evaluate.fits().lines.end());
    const Lines lines = lines_of(measured, along);
    std::vector<Compared> own;
    for (const auto& places : lines.places) own.push_back({numbers(measured, places)});
    for (const std::string& key : keys) {
      if (!entry_.has(key)) continue;
      // The bounds of an interval may have a value per seed, too.
      const auto found = beside(lines.shape, key.starts_with("interval") ? along : Dimensions(), in, key);
      for (std::size_t i = 0; i < own.size(); ++i) own[i].beside[key] = found[i];
    }
    for (Compared& item : own) {
      if (item.measured.empty()) continue;
      if (!keys.empty() && item.beside.at(keys[0]).empty())
        entry_.refuse(keys[0], "it is missing where something is measured");
      all.push_back(std::move(item));
    }
  }
  return all;
}

double Part::single(const std::string& key, double otherwise) {
  if (!entry_.has(key)) return otherwise;
  const std::vector<double> all = numbers(value(cases_.front(), key));
  if (all.empty()) return missing;
  if (least(all) < greatest(all)) entry_.refuse(key, "it is several numbers, and one belongs here");
  return greatest(all);
}

std::string Part::interpolated(const std::string& key) {
  std::string text = entry_.text(key);
  for (std::size_t open = text.find('{'); open != std::string::npos; open = text.find('{', open)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) break;
    std::string inside = text.substr(open + 1, close - open - 1), form = "{:g}";
    if (const std::size_t colon = inside.find(':'); colon != std::string::npos) {
      form = "{" + inside.substr(colon) + "}";
      inside.resize(colon);
    }
    const auto chosen = cases_.front().texts.find(inside);
    std::string shown = chosen == cases_.front().texts.end() ? "" : chosen->second;
    for (Case& in : cases_) {
      if (!shown.empty()) break;
      const Array found = entry_.at(key, [&] { return in.evaluate(parsed_condition(inside)); });
      const std::vector<double> all = numbers(found);
      if (all.empty()) continue;
      try {
        shown = found.is_text ? text_of(all[0]) : fmt::format(fmt::runtime(form), all[0]);
      } catch (const fmt::format_error&) {
        entry_.refuse(key, fmt::format("\"{}\" is not a format of a number", form));
      }
    }
    text.replace(open, close + 1 - open, shown);
    open += shown.size();
  }
  return text;
}

bool Part::condition(const std::string& key) {
  const std::string text = entry_.text(key);
  if (text.empty() || text == "false" || text == "true") return text == "true";
  const std::vector<double> holds = numbers(value(cases_.front(), key));
  return !holds.empty() && std::ranges::all_of(holds, [](double value) { return value == 1; });
}

Points Part::curve(const std::string& text) {
  Points points;
  for (Case& in : cases_) {
    const Array x = value(in, "x"), y = value(in, "y", text);
    computed({&x, &y}, [&](const double* v) {
      if (!std::isnan(v[0])) points[v[0]] = v[1];
      return v[1];
    });
  }
  return points;
}

}  // namespace rarefact::claims
