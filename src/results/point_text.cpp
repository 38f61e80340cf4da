#include "results/point_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace rarefact {

namespace {

constexpr std::array<std::pair<char, char>, 4> escapes = {
    {{'\\', '\\'}, {'\n', 'n'}, {'\t', 't'}, {'\r', 'r'}}};

std::string escaped(const std::string& text) {
  if (text.find_first_of("\\\n\t\r") == std::string::npos) return text;
  std::string out;
  for (const char c : text) {
    const auto rule = std::find_if(escapes.begin(), escapes.end(), [&](auto e) { return e.first == c; });
    if (rule == escapes.end()) {
      out += c;
    } else {
      out += {'\\', rule->second};
    }
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    ++i;
    const auto rule =
        std::find_if(escapes.begin(), escapes.end(), [&](auto e) { return e.second == text[i]; });
    out += rule == escapes.end() ? text[i] : rule->first;
  }
  return out;
}

using Fields = std::vector<std::string_view>;

/// Follows the lines with a place in the values.
class Reader {
 public:
  Reader(std::span<const std::byte> values, bool series, Result& result)
      : values_(values), count_(values.size() / sizeof(double)), with_series_(series), result_(result) {
    result_.runs.resize(1);
  }

  bool read(const Fields& f) {
    if (f[0] == "values" && f.size() == 3) return values(f);
    if (f[0] == "optimizer" && f.size() == 11) return optimizer(f);
    if (f[0] == "variable" && f.size() == 7) return variable(f);
    if (f[0] == "series" && f.size() == 4) return series(f);
    return false;
  }

  bool complete() const {
    const Run& run = result_.runs.front();
    return next_ == count_ && !run.class_count.empty() && !result_.steps.empty() &&
           run.class_probability.size() == run.class_count.size() &&
           run.class_log_rank.size() == run.class_count.size() && !run.trajectories.empty();
  }

 private:
  std::optional<std::vector<double>> take(std::string_view how_many, bool wanted = true) {
    std::uint64_t count = 0;
    if (!read_number(how_many, count) || count > count_ - next_) return std::nullopt;
    std::vector<double> taken(wanted ? count : 0);
    if (wanted && count > 0)
      std::memcpy(taken.data(), values_.data() + next_ * sizeof(double), count * sizeof(double));
    next_ += count;
    return taken;
  }

  bool values(const Fields& f) {
    auto taken = take(f[2]);
    if (!taken) return false;
    Run& run = result_.runs.front();
    if (f[1] == "step") result_.steps.assign(taken->begin(), taken->end());
    if (f[1] == "class_count") run.class_count = std::move(*taken);
    if (f[1] == "class_probability") run.class_probability = std::move(*taken);
    if (f[1] == "class_log_rank") run.class_log_rank = std::move(*taken);
    return true;
  }

  bool optimizer(const Fields& f) {
    Trajectory t;
    t.optimizer = unescaped(f[1]);
    t.engine = unescaped(f[2]);
    t.engine_reason = unescaped(f[3]);
    t.status = unescaped(f[4]);
    t.status_detail = unescaped(f[6]);
    if (!read_number(f[5], t.status_step) || !read_number(f[7], t.quadrature_error) ||
        !read_number(f[8], t.quadrature_nodes) || !read_number(f[9], t.step_size) ||
        !read_number(f[10], t.step_size_edge)) {
      return false;
    }
    result_.optimizers.push_back(t.optimizer);
    result_.runs.front().trajectories.push_back(std::move(t));
    return true;
  }

  bool variable(const Fields& f) {
    result_.variables.push_back({unescaped(f[1]), unescaped(f[2]), unescaped(f[3]), f[4] == "class",
                                 unescaped(f[5]), unescaped(f[6])});
    return true;
  }

  bool series(const Fields& f) {
    std::size_t o = 0, v = 0;
    auto& trajectories = result_.runs.front().trajectories;
    if (!read_number(f[1], o) || !read_number(f[2], v) || o >= trajectories.size() ||
        v >= result_.variables.size()) {
      return false;
    }
    auto taken = take(f[3], with_series_);
    if (!taken) return false;
    if (with_series_) trajectories[o].series[result_.variables[v].name] = std::move(*taken);
    return true;
  }

  const std::span<const std::byte> values_;
  const std::uint64_t count_;
  const bool with_series_;
  Result& result_;
  std::uint64_t next_ = 0;
};

}  // namespace

PointText point_text(const Result& result) {
  PointText text;
  const Run& run = result.runs.front();
  const auto add = [&](const auto& numbers) {
    text.values.insert(text.values.end(), numbers.begin(), numbers.end());
  };
  const auto values = [&](std::string_view name, const auto& numbers) {
    text.contents += fmt::format("values\t{}\t{}\n", name, numbers.size());
    add(numbers);
  };
  values("step", result.steps);
  values("class_count", run.class_count);
  values("class_probability", run.class_probability);
  values("class_log_rank", run.class_log_rank);
  for (const Trajectory& t : run.trajectories) {
    text.contents += fmt::format("optimizer\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", escaped(t.optimizer),
                                 escaped(t.engine), escaped(t.engine_reason), escaped(t.status),
                                 t.status_step, escaped(t.status_detail), t.quadrature_error,
                                 t.quadrature_nodes, t.step_size, t.step_size_edge);
  }
  for (const Variable& v : result.variables) {
    text.contents += fmt::format("variable\t{}\t{}\t{}\t{}\t{}\t{}\n", escaped(v.name), escaped(v.long_name),
                                 escaped(v.units), v.per_class ? "class" : "total", escaped(v.source),
                                 escaped(v.validity));
  }
  for (std::size_t o = 0; o < run.trajectories.size(); ++o) {
    for (std::size_t v = 0; v < result.variables.size(); ++v) {
      const auto found = run.trajectories[o].series.find(result.variables[v].name);
      if (found == run.trajectories[o].series.end()) continue;
      text.contents += fmt::format("series\t{}\t{}\t{}\n", o, v, found->second.size());
      add(found->second);
    }
  }
  return text;
}

std::optional<std::string> read_contents(std::string_view contents, std::span<const std::byte> values,
                                         bool series, Result& result) {
  Reader reader(values, series, result);
  std::size_t line = 0;
  while (!contents.empty()) {
    ++line;
    const std::size_t end = contents.find('\n');
    if (end == std::string_view::npos || !reader.read(split_text(contents.substr(0, end), '\t')))
      return fmt::format("line {} of its contents makes no sense", line);
    contents.remove_prefix(end + 1);
  }
  if (!reader.complete()) return "its contents are not complete";
  return std::nullopt;
}

}  // namespace rarefact
