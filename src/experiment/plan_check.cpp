#include "experiment/plan_check.hpp"

#include <tuple>

#include "experiment/write.hpp"

namespace rarefact {

namespace {

/// Number of points checked after the first with a problem; checking all of a long axis would take too long.
constexpr std::size_t points_after_problem = 1000;
constexpr std::size_t max_suspects = 100;

/// The next choice of the axes in `varied`, last one fastest; false after the last.
bool advance(PointChoice& choice, const std::vector<std::size_t>& varied, const std::vector<Axis>& axes) {
  for (std::size_t i = varied.size(); i-- > 0;) {
    if (++choice[varied[i]] < axes[varied[i]].size()) return true;
    choice[varied[i]] = 0;
  }
  return false;
}

/// Calls `visit` with the tables of points that show every problem of any point. Keys of different tables ([classes],
/// [run], an optimizer ...) are independent, so for each table these are the product of its axes, the others at their first
/// value. `visit` returns false to stop.
void for_representative_points(ConfigNode root, const std::vector<Axis>& axes,
                               const std::function<bool(const ConfigNode&)>& visit) {
  std::map<std::string, std::vector<std::size_t>> tables;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const AxisKey& key : axes[a].keys) {
      const KeyPath path(key.name);
      auto& varied = tables[path.table == "embedding" ? path.table : path.section()];
      if (varied.empty() || varied.back() != a) varied.push_back(a);
    }
  }
  PointChoice choice(axes.size(), 0);
  const auto show = [&] {
    place_point(root, axes, choice);
    return visit(root);
  };
  if (!show()) return;
  for (const auto& [table, varied] : tables) {
    while (advance(choice, varied, axes))
      if (!show()) return;
  }
}

/// True if the problem is that a key is missing whose axis was refused.
bool lacks(const Problem& problem, const std::vector<std::string>& refused) {
  return problem.missing && std::ranges::any_of(refused, [&](const std::string& key) {
           return problem.key == key || problem.key == find_key(key)->name();
         });
}

/// Points that usually show a wrong axis: the first, those with a value that no row of its key takes, and the last.
std::vector<PointChoice> suspects(const std::vector<Axis>& axes) {
  PointChoice choice(axes.size(), 0);
  std::vector<PointChoice> choices = {choice};
  for (std::size_t a = 0; a < axes.size(); choice[a++] = 0) {
    for (const AxisKey& key : axes[a].keys) {
      const auto& uses = find_key(key.name)->uses;
      std::size_t found = 0;
      for (std::size_t i = 0; i < axes[a].size() && found < max_suspects; ++i) {
        const auto takes = [&](const auto& use) {
          return legal_value(key.values[i], use.parameter).has_value();
        };
        if (std::ranges::any_of(uses, takes)) continue;
        ++found;
        choice[a] = i;
        choices.push_back(choice);
      }
    }
  }
  for (std::size_t a = 0; a < axes.size(); ++a) choice[a] = axes[a].size() - 1;
  choices.push_back(choice);
  return choices;
}

}  // namespace

void place_point(ConfigNode& root, const std::vector<Axis>& axes, const PointChoice& choice) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const AxisKey& key : axes[a].keys) {
      ConfigNode value = key.values[choice[a]];
      value.key = axes[a].where;
      value.key.full_key = value.place.full_key;
      put_setting(root, key.name, std::move(value));
    }
  }
}

Checked check_points(const ConfigNode& base, const std::string& file, const Axes& axes,
                     ProblemList& problems) {
  using Said = std::tuple<std::string, int, int, std::string>;
  std::set<Said> said;
  std::size_t after = 0;
  Checked checked;
  const auto look = [&](const ConfigNode& root) {
    ProblemList found(file);
    Experiment experiment = experiment_from(root, file, axes.reading, found);
    if (found.size() == 0) {
      for (const std::string& named : named_files(experiment))
        if (!contains(checked.files, named)) checked.files.push_back(named);
    }
    if (!checked.first) checked.first = std::move(experiment);
    std::set<Said> now;
    for (const Problem& problem : found.all()) {
      if (lacks(problem, axes.refused)) continue;
      const Said what(problem.file, problem.line, problem.column, problem.key);
      if (!said.contains(what)) problems.add(problem);
      now.insert(what);
    }
    said.merge(now);
    return !problems.full() && (problems.size() == 0 || ++after < points_after_problem);
  };
  if (axes.list.empty()) {
    look(base);
    return checked;
  }
  for (const PointChoice& choice : suspects(axes.list)) {
    ConfigNode root = base;
    place_point(root, axes.list, choice);
    if (!look(root)) return {};
  }
  checked.files.clear();
  for_representative_points(base, axes.list, look);
  return checked;
}

}  // namespace rarefact
