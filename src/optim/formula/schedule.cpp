#include "optim/formula/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace rarefact::formula {

namespace {

/// Largest number of factors, each in [2^-30, 2^30], in a product, and of successive operations in one tile
/// program.
constexpr double max_factors = 30;
constexpr int max_operations = 200;

/// The number of factors in an entrywise result, given those in its arguments.
double factors_of(const Node& node, const std::vector<double>& factors) {
  double sum = 0, largest = 1;
  for (const int a : node.arguments) {
    sum += factors[a];
    largest = std::max(largest, factors[a]);
  }
  if (!node.op->multiplies) return largest;
  return node.op == op::power ? std::abs(node.number) * sum : sum;
}

}  // namespace

bool as_a_whole(const Graph& graph, const std::vector<Trait>& traits, int node, bool gram_factors) {
  return !graph.nodes[node].op->entrywise() || (gram_factors && traits[node].gram);
}

bool keeps_zeros(const Compiled& rule, int i) {
  const Node& node = rule.graph.nodes[i];
  double x[4] = {};
  for (unsigned signs = 0; signs >> node.arguments.size() == 0; ++signs) {
    for (std::size_t k = 0; k < node.arguments.size(); ++k) {
      const Trait& trait = rule.traits[node.arguments[k]];
      if (!trait.matrix() && !trait.number()) return false;
      x[k] = trait.matrix() ? 0 : (signs >> k & 1) != 0 ? -1 : 1;
    }
    if (node.op->value(x, node.number) != 0) return false;
  }
  return true;
}

Schedule schedule_of(const Graph& graph, const std::vector<Trait>& traits, bool gram_factors) {
  const std::size_t count = graph.nodes.size();
  const std::vector<bool> needed = needed_nodes(graph);
  std::vector<int> level(count, 0);
  Schedule schedule;
  schedule.stored.assign(count, false);
  schedule.exact_zeros.assign(count, false);
  schedule.recentred.assign(count, false);
  schedule.readers.resize(count);
  std::vector<double> factors(count, 1);
  std::vector<int> operations(count, 0);
  const auto whole = [&](std::size_t i) {
    return as_a_whole(graph, traits, static_cast<int>(i), gram_factors);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const Node& node = graph.nodes[i];
    if (!needed[i] || node.op->leaf) continue;
    for (const int a : node.arguments) {
      level[i] = std::max(level[i], level[a] + schedule.recentred[a]);
      operations[i] = std::max(operations[i], operations[a] + 1);
      schedule.readers[a].push_back(static_cast<int>(i));
    }
    // Bodies of lambdas are evaluated once singular values are known.
    if (node.varies) continue;
    level[i] += whole(i);
    const auto at = static_cast<std::size_t>(level[i]);
    if (schedule.stages.size() <= at) schedule.stages.resize(at + 1);
    Stage& stage = schedule.stages[at];
    if (whole(i)) {
      stage.matrix_operations.push_back(static_cast<int>(i));
      schedule.stored[i] = true;
      operations[i] = 0;
      continue;
    }
    auto group = std::ranges::find_if(stage.groups, [&](const TileGroup& known) {
      return known.rows == traits[i].rows && known.columns == traits[i].columns;
    });
    if (group == stage.groups.end())
      group = stage.groups.insert(group, {traits[i].rows, traits[i].columns, {}});
    for (const int a : node.arguments)
      if (traits[a].matrix() &&
          std::ranges::count(group->nodes, a) + std::ranges::count(group->reads, a) == 0)
        group->reads.push_back(a);
    group->nodes.push_back(static_cast<int>(i));
    if (traits[i].number()) schedule.stored[i] = true;
    factors[i] = factors_of(node, factors);
    schedule.recentred[i] = factors[i] > max_factors || operations[i] > max_operations;
    if (schedule.recentred[i]) factors[i] = 1, operations[i] = 0;
  }
  const auto axes = [](const TileGroup& group) {
    return (group.rows != axis::single) + (group.columns != axis::single);
  };
  for (Stage& stage : schedule.stages) std::ranges::stable_sort(stage.groups, {}, axes);
  // Values read by another group, level or matrix operation are stored.
  for (std::size_t i = 0; i < count; ++i) {
    if (!needed[i] || graph.nodes[i].op->leaf) continue;
    for (const int argument : graph.nodes[i].arguments) {
      const bool same_group = !whole(i) && level[argument] == level[i] &&
                              traits[argument].rows == traits[i].rows &&
                              traits[argument].columns == traits[i].columns;
      if (!same_group) schedule.stored[argument] = true;
    }
  }
  schedule.stored[graph.direction] = true;
  for (const State& state : graph.states) schedule.stored[state.after] = true;
  schedule.in_place.assign(count, -1);
  std::vector<bool> is_after(count, false);
  for (const State& state : graph.states) is_after[state.after] = true;
  for (const State& state : graph.states) {
    const auto after = static_cast<std::size_t>(state.after), before = static_cast<std::size_t>(state.before);
    bool here_alone = graph.nodes[after].op->entrywise() && !whole(after) && traits[after].matrix() &&
                      graph.direction != state.before && schedule.in_place[after] < 0 &&
                      traits[after].gram == traits[before].gram && !is_after[before] &&
                      !schedule.recentred[after];
    // Only if it is read by nodes of the same group, before its new value is written.
    for (const int reader : schedule.readers[before])
      here_alone = here_alone && reader <= state.after && level[reader] == level[after] && !whole(reader) &&
                   traits[reader].rows == traits[after].rows &&
                   traits[reader].columns == traits[after].columns;
    if (here_alone) schedule.in_place[after] = state.before;
  }
  for (std::size_t i = count; i-- > 0;) {
    const Op op = graph.nodes[i].op;
    const bool lifts = op->lifts_noise && op->lifts_noise(graph.nodes[i], traits[i]);
    for (const int a : graph.nodes[i].arguments)
      if (lifts || schedule.exact_zeros[i]) schedule.exact_zeros[a] = true;
  }
  return schedule;
}

}  // namespace rarefact::formula
