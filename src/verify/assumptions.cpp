#include "verify/assumptions.hpp"

#include <fmt/format.h>

#include <set>

#include "core/status.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/plan.hpp"
#include "model/embedding.hpp"
#include "optim/formula/graph.hpp"

namespace rarefact {

namespace {

/// Every point is as f says.
template <auto f>
bool points(const PointList& list) {
  return std::ranges::all_of(list, [](const EvidencePoint* point) { return f(*point); });
}

/// The experiment of every point is.
template <auto f>
bool experiments(const PointList& list) {
  return std::ranges::all_of(list, [](const EvidencePoint* point) { return f(point->experiment); });
}

/// All its optimizers are.
template <auto f>
bool optimizers(const PointList& list) {
  return std::ranges::all_of(
      list, [](const EvidencePoint* point) { return std::ranges::all_of(point->experiment.optimizers, f); });
}

/// Both its embeddings are.
template <auto f>
bool embeddings(const PointList& list) {
  return std::ranges::all_of(list, [](const EvidencePoint* point) {
    return f(point->experiment.query_embedding) && f(point->experiment.answer_embedding);
  });
}

/// EᵀE = I, in this form or by a parameter that is 0.
bool orthonormal(const Component& side) {
  const EmbeddingRow& row = embedding_row(side.kind);
  return row.orthonormal ||
         (!row.orthonormal_at_zero.empty() && side.parameters.number(row.orthonormal_at_zero) == 0);
}

/// E = I ⊗ R and Ẽ = I ⊗ R̃ with the blocks of wang2025, which rotated blocks have by default.
bool rotated_blocks(const Experiment& experiment) {
  const auto published = [](const Component& side, const char* name) {
    if (!embedding_row(side.kind).block) return false;
    const Matrix given = rotation_block(side.parameters, name), block = rotation_block({}, name);
    return given.rows() == block.rows() && (given - block).cwiseAbs().maxCoeff() < 1e-12;
  };
  return published(experiment.query_embedding, "query") && published(experiment.answer_embedding, "answer");
}

/// No two queries share an answer: Muon's speed falls with an answer's queries (docs/variants.md). Of several right answers each
/// may have one query.
bool equal_fan_in(const EvidencePoint& point) {
  const auto& answers = point.run().answers;
  return !answers || (answers->query_count == answers->answer_count &&
                      std::ranges::all_of(answers->fan_in, [](double value) { return value == 1; }));
}

bool one_answer(const EvidencePoint& point) {
  const auto& answers = point.run().answers;
  return answers && answers->loss_floor == 0 && std::ranges::min(answers->fan_in) >= 1;
}

bool two_levels(const EvidencePoint& point) {
  const std::vector<double>& p = point.run().class_probability;
  return p.size() == 2 && p[0] != p[1];
}

bool equal_groups(const EvidencePoint& point) {
  const std::vector<double>& count = point.run().class_count;
  return count.size() >= 2 &&
         std::ranges::all_of(count, [&](double value) { return value == count.front() && value >= 2; });
}

bool complete(const EvidencePoint& point) {
  return std::ranges::all_of(point.run().trajectories, [](const Trajectory& trajectory) {
    return trajectory.status == Status::complete;
  });
}

/// msgn itself wherever the rule is muon: neither a polynomial nor smoothed.
bool exact_polar(const OptimizerChoice& choice) {
  return choice.rule != "muon" ||
         (choice.parameters.text("polar") == "exact" && choice.parameters.number("smoothing") == 0);
}

bool memoryless(const OptimizerChoice& choice) {
  std::vector<ParameterProblem> problems;
  return choice.rule != "formula" || formula::graph_of(choice.parameters, problems).states.empty();
}

bool frozen(const EvidencePoint& point) {
  return std::ranges::all_of(point.experiment.optimizers, [&](const OptimizerChoice& choice) {
    return choice.step_size * static_cast<double>(point.experiment.steps) <= 1e-8;
  });
}

bool four_seeds(const PointList& list) {
  std::set<std::int64_t> seeds;
  for (const EvidencePoint* point : list) seeds.insert(point->experiment.seed);
  return seeds.size() >= 4;
}

using Point = EvidencePoint;
using Choice = OptimizerChoice;

}  // namespace

const std::vector<AssumptionRow>& assumptions() {
  static const std::vector<AssumptionRow> rows = {
      {"orthonormal", "orthonormal embeddings", embeddings<orthonormal>},
      {"identity", "identity embeddings",
       embeddings<[](const Component& side) { return embedding_row(side.kind).identity; }>},
      {"rotated_blocks", "embeddings I ⊗ R with the angles of wang2025", experiments<rotated_blocks>},
      {"haar", "Haar embeddings",
       embeddings<[](const Component& side) { return side.kind == "orthogonal"; }>},
      {"gaussian", "independent Gaussian embeddings",
       embeddings<[](const Component& side) { return side.kind == "gaussian"; }>},
      {"exact_polar", "the exact polar factor", optimizers<exact_polar>},
      {"population", "population gradients", experiments<[](const Experiment& e) { return !e.sampled(); }>},
      {"no_label_noise", "population gradient without label noise",
       experiments<[](const Experiment& e) { return !e.sampled() && e.label_noise == 0; }>},
      {"label_noise", "label noise above 0",
       experiments<[](const Experiment& e) { return 0 < e.label_noise; }>},
      {"samples", "fresh samples at every step",
       experiments<[](const Experiment& e) { return e.data_mode == "minibatch"; }>},
      {"exact_gradient", "the exact gradient",
       experiments<[](const Experiment& e) { return !e.removes_recovered; }>},
      {"thresholded", "recovered facts give no gradient",
       experiments<[](const Experiment& e) { return e.removes_recovered; }>},
      {"two_levels", "two levels of p", points<two_levels>},
      {"equal_groups", "M >= 2 groups of C >= 2 classes", points<equal_groups>},
      {"equal_fan_in", "equal fan-in: one query for every answer", points<equal_fan_in>, true},
      {"constant_step_sizes", "constant step sizes",
       optimizers<[](const Choice& choice) { return choice.schedule == "constant"; }>},
      {"no_momentum", "no momentum", optimizers<[](const Choice& choice) {
         return !choice.parameters.has("momentum") || choice.parameters.number("momentum") == 0;
       }>},
      {"least_squares", "least squares of facts",
       experiments<[](const Experiment& e) { return e.loss->of_outputs && !e.squares.gaussian(); }>},
      {"gaussian_queries", "least squares with Gaussian queries",
       experiments<[](const Experiment& e) { return e.loss->of_outputs && e.squares.gaussian(); }>},
      {"four_seeds", "four seeds at least", four_seeds, true},
      {"frozen", "steps too small to change the gradient", points<frozen>},
      {"one_answer", "every query has one answer, which a law says", points<one_answer>, true},
      {"complete", "every run reaches its last step", points<complete>},
      {"memoryless", "rules that remember nothing", optimizers<memoryless>},
      {"every_step", "every step is recorded", points<[](const Point& point) {
         return static_cast<std::int64_t>(point.result.steps.size()) == point.experiment.steps + 1;
       }>},
  };
  return rows;
}

const AssumptionRow& assumption_row(const std::string& name) {
  const auto found = std::ranges::find(assumptions(), name, &AssumptionRow::name);
  if (found != assumptions().end()) return *found;
  throw bad_input("no assumption is called \"{}\"{}", name,
                  did_you_mean(nearest_name(name, names_of(assumptions()))));
}

Hypothesis own_rules(const CheckRow& row, const Evidence& evidence) {
  std::set<std::string> own, others;
  for (std::size_t e = 0; e < evidence.experiments.size(); ++e) {
    const CheckExperiment& experiment = row.experiments.at(e);
    std::set<std::pair<std::string, std::string>> rules;
    for (const Choice& choice : parse_plan(experiment.text, experiment.file).point(0).experiment.optimizers)
      rules.insert({choice.name, choice.rule});
    for (const EvidencePoint& point : evidence[e]) {
      for (const Choice& choice : point.experiment.optimizers)
        (rules.contains({choice.name, choice.rule}) ? own : others).insert(choice.rule);
    }
  }
  return {"the rules of the statement", others.empty(),
          fmt::format("{}", fmt::join(others.empty() ? own : others, ", "))};
}

}  // namespace rarefact
