#include "tables/result_frame.hpp"

#include <numeric>

#include "core/transform.hpp"
#include "experiment/axes.hpp"
#include "experiment/write.hpp"
#include "metrics/rank_band.hpp"
#include "metrics/update_digits.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

const std::map<std::string, std::string> short_keys = {
    {"s", "classes.exponent"}, {"d", "embedding.dimension"}, {"B", "data.batch"}};

}  // namespace

ResultFrame::ResultFrame(std::vector<FramePoint> all, std::vector<SweepAxis> axes)
    : all_(std::move(all)), axes_(std::move(axes)) {
  keys = mapped(axes_, &SweepAxis::keys);
  points = mapped(axes_, &SweepAxis::size);
  labels = mapped(all_.front().run->trajectories, &Trajectory::optimizer);
  std::set<std::int64_t> recorded;
  for (const FramePoint& point : all_) {
    recorded.insert(point.steps->begin(), point.steps->end());
    rows = std::max(rows, point.run->class_count.size());
  }
  steps.assign(recorded.begin(), recorded.end());
}

FormClasses ResultFrame::classes(std::size_t point) const {
  return classes_of(all_.at(point));
}

query::Frame::Rows ResultFrame::class_rows() const {
  if (class_rows_) return *class_rows_;
  const auto classes = [](const Run& run) {
    return std::reduce(run.class_count.begin(), run.class_count.end());
  };
  Rows found = Rows::all;
  for (FramePoint& point : all_) {
    const Run &all = point.problem(), &run = *point.run;
    const bool some = &all != &run && !equal(classes(all), classes(run)),
               groups = std::ranges::any_of(run.class_count, [](double x) { return !equal(x, 1); });
    found = std::max(found, some             ? Rows::some
                            : has_nodes(run) ? Rows::nodes
                            : groups         ? Rows::groups
                                             : Rows::all);
  }
  class_rows_ = found;
  return found;
}

/// An array from the numbers of each point, in order, over optimizers, steps and class rows.
template <class F>
query::Array ResultFrame::of_points(std::size_t optimizers, std::size_t width, std::size_t class_rows,
                                    const F& numbers) const {
  query::Array array{.shape = points};
  array.shape.insert(array.shape.end(), {optimizers, width, class_rows});
  for (FramePoint& point : all_) {
    const std::size_t begin = array.entries.size();
    for (const query::Number number : numbers(point)) array.entries.push_back(number);
    array.entries.resize(begin + optimizers * width * class_rows);
  }
  return array;
}

query::Array ResultFrame::variable(const std::string& name, bool predicted, std::size_t width) const {
  query::Array array = of_points(labels.size(), steps.size(), width, [&](const FramePoint& point) {
    const std::vector<std::int64_t>& own = *point.steps;
    std::vector<query::Number> all;
    for (const Trajectory& trajectory : point.run->trajectories) {
      const std::vector<double>* series = trajectory.find(name);
      const std::size_t own_width = series      ? series->size() / own.size()
                                    : predicted ? std::min(width, point.run->class_count.size())
                                                : 0;
      // A measure of an update that consists of rounding is absent.
      const std::vector<double>* digits = update_digits(trajectory, name);
      std::size_t record = 0;
      for (const std::int64_t step : steps) {
        while (record < own.size() && own[record] < step) ++record;
        const bool there = record < own.size() && own[record] == step;
        for (std::size_t row = 0; row < width; ++row) {
          query::Number& entry = all.emplace_back();
          const bool lost = there && digits && (*digits)[record] < min_digits;
          if (there && row < own_width)
            entry = series && !lost ? (*series)[record * own_width + row] : query::missing;
        }
      }
    }
    return all;
  });
  if (tamper_) tamper_(name, array);
  return array;
}

std::optional<query::Array> ResultFrame::read(const std::string& name) const {
  if (const auto found = point_numbers().find(name); found != point_numbers().end()) {
    const auto& [of, numbers] = found->second;
    return query::collapsed(of_points(of == PointNumbers::Of::optimizers ? labels.size() : 1, 1,
                                      of == PointNumbers::Of::rows ? rows : 1, numbers),
                            points.size());
  }
  if (const auto found = short_keys.find(name); found != short_keys.end()) return key(found->second);
  if (name == "step") {
    return query::collapsed(
        of_points(1, steps.size(), 1,
                  [&](const FramePoint& point) {
                    return mapped(steps, [&](std::int64_t step) {
                      const bool recorded = std::ranges::binary_search(*point.steps, step);
                      return recorded ? query::Number(static_cast<double>(step)) : query::Number();
                    });
                  }),
        points.size());
  }
  if (name == "t") {
    const query::Array eta = *read("eta"), step = *read("step");
    return query::computed({&eta, &step}, [](const double* x) { return x[0] * x[1]; });
  }
  if (name == "optimizer") {
    query::Array array{.shape = query::Shape(dimensions(), 1), .entries = {}, .is_text = true};
    array.shape[optimizer()] = labels.size();
    for (const std::string& label : labels) array.entries.push_back(query::number_of(label));
    return array;
  }
  for (const FramePoint& point : all_) {
    for (const Variable& variable : *point.variables) {
      // A prediction that does not apply is present as NaN, also one that applies to no run.
      if (variable.name != name && !(name + "_").starts_with(variable.name + "_predicted_")) continue;
      if (variable.along != Along::class_groups && variable.along != Along::nothing)
        throw bad_input("{} is along the {}, which claims do not read", name,
                        variable.along == Along::bands ? "bands" : "answers");
      read_.insert(name);
      const bool predicted = variable.name != name || !variable.source.empty();
      return this->variable(name, predicted, variable.along == Along::class_groups ? rows : 1);
    }
  }
  return {};
}

std::vector<std::string> ResultFrame::names() const {
  std::vector<std::string> all = {"step", "t", "optimizer"};
  for (const auto& row : point_numbers()) all.push_back(row.first);
  for (const auto& row : short_keys) all.push_back(row.first);
  for (const Variable& variable : *all_.front().variables) all.push_back(variable.name);
  return all;
}

bool ResultFrame::is_given(const std::string& name) const {
  return name == "step" || name == "t" || name == "optimizer" || point_numbers().contains(name) ||
         short_keys.contains(name);
}

std::optional<ConfigNode> ResultFrame::setting_of(const std::string& key) const {
  ConfigNode root = parse_file(to_toml(all_.front().experiment()), "");
  if (const ConfigNode* found = setting_of_key(root, key)) return *found;
  // A key of [embedding] must have the same value for queries and answers.
  const KeyPath path(key);
  if (path.section() != "embedding") return {};
  const auto query = setting_of("embedding.query." + path.name),
             answer = setting_of("embedding.answer." + path.name);
  return query && answer && to_toml(*query) == to_toml(*answer) ? query : std::nullopt;
}

query::Array ResultFrame::key(const std::string& key) const {
  const auto axis = axis_of(key);
  std::vector<SweptValue> values;
  query::Array array{.shape = query::Shape(dimensions(), 1)};
  if (axis) {
    const SweepAxis& own = axes_[*axis];
    values = own.values[static_cast<std::size_t>(std::ranges::find(own.keys, key) - own.keys.begin())];
    array.shape[*axis] = values.size();
  } else {
    const auto found = setting_of(key);
    const KeyPath path(key);
    const bool labelled = path.table != "optimizer" || path.part.empty() ||
                          std::ranges::find(labels, path.part) != labels.end(),
               legal = labelled && find_key(key) != nullptr;
    if (!found || !legal) {
      const std::vector<std::string> nearest = nearest_keys(key);
      const std::string message =
          fmt::format("the experiment has no key \"{}\"{}", key,
                      did_you_mean(found || nearest == std::vector{key} ? "" : joined(nearest, "\" or \"")));
      if (legal) throw NoValue(message);
      throw InputError(message);
    }
    values = swept_values({key, {*found}});
  }
  array.is_text = std::holds_alternative<std::string>(values.front());
  for (const SweptValue& value : values)
    array.entries.push_back(array.is_text ? query::number_of(std::get<std::string>(value))
                                          : std::get<double>(value));
  return array;
}

}  // namespace rarefact
