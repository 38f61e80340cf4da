#include "optim/formula/formula.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>

#include "core/transform.hpp"
#include "optim/formula/builder.hpp"
#include "optim/formula/schedule.hpp"

namespace rarefact {

using namespace formula;

namespace formula {

// Defined in operation_list.hpp and compiled in make_*.cpp only.
template <class M>
std::unique_ptr<UpdateRule<M>> make(const ParameterValues&);
extern template std::unique_ptr<UpdateRule<ColumnMatrix>> make(const ParameterValues&);
extern template std::unique_ptr<UpdateRule<DenseMatrix>> make(const ParameterValues&);
extern template std::unique_ptr<UpdateRule<SymmetricMatrix<double>>> make(const ParameterValues&);
extern template std::unique_ptr<UpdateRule<SymmetricMatrix<Real50>>> make(const ParameterValues&);

}  // namespace formula

namespace {

Symmetries symmetries_of(const Compiled& rule) {
  const Trait& d = rule.traits[rule.graph.direction];
  const auto of_columns = [&](const Node& node) {
    return (node.op == op::nuclear || node.op == op::spectral_norm) &&
           rule.traits[node.arguments[0]].in_columns == InColumns::yes;
  };
  return {.answers_rotate = d.answers.rotates,
          .queries_rotate = d.queries.rotates,
          .keeps_wrong_ties = d.in_columns != InColumns::no,
          .scale_invariant = d.degree.any || d.degree == 0.0,
          .amplifies_small_entries = d.hoelder < 0.1,
          .reads_task = reads(rule.graph, op::task),
          .reads_weights = reads(rule.graph, op::weights),
          .reads_second_moment = reads(rule.graph, op::second_moment),
          .reads_queries = reads(rule.graph, op::query_probability),
          .reads_answers = reads(rule.graph, op::answer_probability),
          .needs_gaps = d.tie,
          .needs_start = rule.graph.needs_start,
          .spectrum_of_columns = std::ranges::any_of(rule.graph.nodes, of_columns)};
}

RuleWork work_of(const Compiled& rule) {
  const Schedule schedule = schedule_of(rule.graph, rule.traits, true);
  RuleWork work;
  const std::vector<bool> zero = zero_nodes(rule.graph);
  std::vector<bool> remembers;  // depends on states or W, and not through a factor 0
  for (std::size_t i = 0; i < rule.traits.size(); ++i) {
    const Node& node = rule.graph.nodes[i];
    const auto remembered = [&](int a) { return remembers[a]; };
    remembers.push_back(node.op == op::state || node.op == op::weights ||
                        (!zero[i] && !node.op->leaf && std::ranges::any_of(node.arguments, remembered)));
    if (!schedule.stored[i] || node.op->leaf) continue;
    if (rule.traits[i].matrix()) work.matrices += 1;
    if (!node.op->polar_factors) continue;
    const double taken = node.op->polar_factors(node, rule.traits[i]);
    const bool polar = node.op == op::spectral_power && node.number == 0;
    (polar ? work.polar_factors : work.decompositions) += taken;
    if (std::ranges::none_of(node.arguments, remembered)) work.of_gradient += taken;
  }
  if (work.of_gradient > 0) work.of_gradient /= work.polar_factors + work.decompositions;
  // A state's old value is stored besides the new one unless it is overwritten.
  for (const State& state : rule.graph.states)
    work.matrices += rule.traits[state.after].matrix() && schedule.in_place[state.after] != state.before;
  return work;
}

/// A rule and what is asked of it many times in a run.
struct Known {
  ParameterValues definitions;
  Compiled rule;
  Symmetries symmetries;
  RuleWork work;
};

/// Valid until other rules are compiled.
const Known& known(const ParameterValues& definitions) {
  // Most points of a sweep have the rules of the points before.
  static thread_local std::deque<Known> last;
  const auto found = std::ranges::find(last, definitions, &Known::definitions);
  if (found != last.end()) return *found;
  std::vector<ParameterProblem> problems;
  Compiled rule{graph_of(definitions, problems), {}};
  if (problems.empty()) rule.traits = traits_of(rule.graph, problems);
  if (!problems.empty()) throw std::logic_error(problems.front().key + ": " + problems.front().message);
  if (last.size() == 16) last.pop_front();
  return last.emplace_back(Known{definitions, rule, symmetries_of(rule), work_of(rule)});
}

}  // namespace

const Compiled& formula::compiled(const ParameterValues& definitions) {
  return known(definitions).rule;
}

std::vector<ParameterProblem> formula_problems(const ParameterValues& definitions) {
  std::vector<ParameterProblem> problems;
  Graph graph = graph_of(definitions, problems);
  if (problems.empty()) traits_of(graph, problems);
  return problems;
}

std::vector<std::string> formula_unused(const ParameterValues& definitions) {
  return compiled(definitions).graph.unused;
}

std::vector<CatalogueRow> formula_functions() {
  return mapped(function_rows(), [](const Function& row) -> CatalogueRow {
    return {.name = row.name, .summary = row.meaning, .formula = row.call, .source = {}};
  });
}

Symmetries formula_symmetries(const ParameterValues& definitions) {
  return known(definitions).symmetries;
}

RuleWork formula_work(const ParameterValues& definitions) {
  return known(definitions).work;
}

OptimizerRow formula_row(CatalogueRow description, ParameterValues (*definitions)(const ParameterValues&)) {
  OptimizerRow row{std::move(description)};
  row.definitions = definitions;
  std::apply(
      [=]<class... M>(RuleFactory<M>&... factory) {
        ((factory = [=](const ParameterValues& values) { return make<M>(definitions(values)); }), ...);
      },
      row.factories);
  return row;
}

namespace rules {

OptimizerRow formula() {
  const std::vector<Parameter> parameters = {
      {.name = "param",
       .meaning = "a number that formulas use by its NAME, such as param.mu = 0.95",
       .optional = true,
       .family = true},
      {.name = "state",
       .kind = Kind::formula,
       .meaning = "a formula for the next value of the state NAME, such as "
                  "state.m = \"mu*m + G\"; it starts at 0",
       .optional = true,
       .family = true},
      {.name = "let",
       .kind = Kind::formula,
       .meaning = "a formula that others use by its NAME, such as let.o = \"polar(m)\"",
       .optional = true,
       .family = true},
      {.name = "direction",
       .kind = Kind::formula,
       .meaning = "the formula of D, such as \"polar(G) + 0.1*W\", of the gradient G, the weights W and the "
                  "names above"}};
  OptimizerRow row = formula_row({.name = "formula",
                                  .summary = "A rule of your own, written as formulas",
                                  .formula = "D = direction, a formula of ∇L, of states and of parameters",
                                  .source = {},
                                  .parameters = parameters},
                                 [](const ParameterValues& values) { return values; });
  row.problems = formula_problems;
  row.unused = formula_unused;
  return row;
}

}  // namespace rules

}  // namespace rarefact
