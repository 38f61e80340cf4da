#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "sweep/sweep.hpp"

namespace rarefact {

namespace {

void add_unless_there(const std::string& text, std::vector<std::string>& texts) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

/// Moves the rows of a series from the steps of its run to those of the result.
std::vector<double> spread(const std::vector<double>& series, const std::vector<std::size_t>& place,
                           std::size_t records) {
  const std::size_t row = series.size() / place.size();
  std::vector<double> spread(records * row, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t record = 0; record < place.size(); ++record) {
    const auto from = series.begin() + static_cast<std::ptrdiff_t>(record * row);
    std::copy(from, from + static_cast<std::ptrdiff_t>(row),
              spread.begin() + static_cast<std::ptrdiff_t>(place[record] * row));
  }
  return spread;
}

}  // namespace

void JoinedHead::add(const Result& part) {
  if (!begun_) {
    first_.title = part.title;
    first_.optimizers = part.optimizers;
    steps_ = part.steps;
    begun_ = true;
  } else if (part.steps != steps_) {
    std::vector<std::int64_t> both;
    std::set_union(steps_.begin(), steps_.end(), part.steps.begin(), part.steps.end(),
                   std::back_inserter(both));
    steps_ = std::move(both);
  }
  for (const Variable& variable : part.variables) {
    const auto [place, fresh] = place_.emplace(variable.name, variables_.size());
    if (fresh) variables_.push_back({variable, {}, {}});
    // A source "none" says that there is nothing.
    if (variable.source == "none") continue;
    add_unless_there(variable.source, variables_[place->second].sources);
    add_unless_there(variable.validity, variables_[place->second].validities);
  }
}

Result JoinedHead::head() const {
  Result head = first_;
  head.steps = steps_;
  for (const Described& described : variables_) {
    Variable& variable = head.variables.emplace_back(described.first);
    if (described.sources.empty()) continue;
    variable.source = joined(described.sources, " or ");
    variable.validity = joined(described.validities, " or ");
  }
  return head;
}

std::vector<Run> spread_runs(Result part, const std::vector<std::int64_t>& steps) {
  if (part.steps == steps) return std::move(part.runs);
  std::vector<std::size_t> place;
  for (const std::int64_t step : part.steps) {
    place.push_back(
        static_cast<std::size_t>(std::lower_bound(steps.begin(), steps.end(), step) - steps.begin()));
  }
  for (Run& run : part.runs) {
    for (Trajectory& trajectory : run.trajectories) {
      for (auto& [name, series] : trajectory.series) {
        if (!series.empty()) series = spread(series, place, steps.size());
      }
    }
  }
  return std::move(part.runs);
}

Result joined_results(std::vector<Result> parts) {
  JoinedHead head;
  for (const Result& part : parts) head.add(part);
  Result joined = head.head();
  for (Result& part : parts) {
    for (Run& run : spread_runs(std::exchange(part, {}), joined.steps)) joined.runs.push_back(std::move(run));
  }
  return joined;
}

}  // namespace rarefact
