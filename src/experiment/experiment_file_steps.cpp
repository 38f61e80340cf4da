#include <fmt/format.h>

#include <algorithm>

#include "experiment/experiment_file_tables.hpp"

namespace rarefact {

namespace {

constexpr char name[] = "optimizer.step_size";

/// [low, high, n].
void read_range(const toml::node& node, StepSearch& search, ProblemList& problems) {
  const toml::array* list = node.as_array();
  if (list == nullptr || list->size() != 3) {
    const std::string got = list == nullptr ? description(node) : fmt::format("a list of {}", list->size());
    problems.add(node.source(), fmt::format("{}.search: got {}; expected [low, high, n]", name, got));
    return;
  }
  const Parameter size{
      .name = "", .kind = Kind::number, .meaning = "", .legal = {.low = 0, .low_open = true}};
  const Parameter count{
      .name = "", .kind = Kind::integer, .meaning = "", .legal = {.low = 2, .high = most_searched}};
  const std::string full = std::string(name) + ".search";
  const auto low = read_value(*list->get(0), full + ": low", size, problems);
  const auto high = read_value(*list->get(1), full + ": high", size, problems);
  const auto n = read_value(*list->get(2), full + ": n", count, problems);
  if (low) search.low = std::get<double>(*low);
  if (high) search.high = std::get<double>(*high);
  if (n) search.count = std::get<std::int64_t>(*n);
  if (low && high && !(search.high > search.low)) {
    problems.add(list->get(1)->source(), fmt::format("{}: high: got {}; expected a number > low, {}", full,
                                                     description(*list->get(1)), search.low));
  }
}

StepSearch read_search(const toml::table& table, ProblemList& problems) {
  StepSearch search;
  bool known = true;
  for (auto&& [key, node] : table) {
    if (key == "search") {
      read_range(node, search, problems);
    } else if (key == "minimise") {
      const Parameter parameter{
          .name = "", .kind = Kind::text, .meaning = "", .choices = searched_quantities()};
      const auto value = read_value(node, std::string(name) + ".minimise", parameter, problems);
      if (value) search.minimise = std::get<std::string>(*value);
    } else {
      known = false;
      const std::string nearest = nearest_name(key.str(), {"search", "minimise"});
      problems.add(key.source(), fmt::format("unknown key \"{}\" in {}; expected {}{}", key.str(), name,
                                             find_key(name)->other_forms, did_you_mean(nearest)));
    }
  }
  if (known && !table.contains("search")) {
    problems.add(table.source(), fmt::format("{}: got a table without search; expected {}", name,
                                             find_key(name)->other_forms));
  }
  return search;
}

}  // namespace

void read_step_sizes(const toml::table& table, const ParameterValues& values, OptimizerChoice& choice,
                     ProblemList& problems) {
  const toml::node* size = table.get("step_size");
  if (values.has("step_size")) choice.step_size = values.number("step_size");
  if (size != nullptr && size->is_table()) choice.search = read_search(*size->as_table(), problems);
  if (values.has("schedule")) choice.schedule = values.text("schedule");
  if (values.has("schedule_offset")) choice.schedule_offset = values.number("schedule_offset");
  if (values.has("schedule") && choice.schedule != "inverse_sqrt" && choice.schedule_offset != 1) {
    problems.add(table.get("schedule_offset")->source(),
                 fmt::format("optimizer.schedule_offset: got {}, but the schedule {} has no offset; it "
                             "belongs to inverse_sqrt",
                             choice.schedule_offset, choice.schedule));
  }
}

}  // namespace rarefact
