#include "verify/assumptions.hpp"

#include "core/status.hpp"
#include "core/transform.hpp"
#include "experiment/step_sizes.hpp"
#include "optim/formula/graph.hpp"

namespace rarefact {

namespace {

using Test = std::function<bool(const EvidencePoints&)>;

/// True if f holds at all points.
Test each(std::function<bool(const EvidencePoint&)> f) {
  return [f = std::move(f)](const EvidencePoints& points) { return std::ranges::all_of(points, f); };
}

/// True if f holds for the experiment of every point; for all optimizers; for both embeddings.
Test experiments(bool (*f)(const Experiment&)) {
  return each([f](const EvidencePoint& point) { return f(point.experiment); });
}
Test optimizers(bool (*f)(const OptimizerChoice&)) {
  return each([f](const EvidencePoint& x) { return std::ranges::all_of(x.experiment.optimizers, f); });
}
Test embeddings(bool (*f)(const ChosenRow&)) {
  return each([f](const EvidencePoint& x) {
    return f(x.experiment.query_embedding) && f(x.experiment.answer_embedding);
  });
}

/// EᵀE = I, always or because a parameter is 0.
bool orthonormal(const ChosenRow& side) {
  const EmbeddingRow& row = embedding_row(side.kind);
  return row.orthonormal ||
         (!row.orthonormal_at_zero.empty() && side.parameters.number(row.orthonormal_at_zero) == 0);
}

/// E = I ⊗ R and Ẽ = I ⊗ R̃ with the blocks of wang2025, the default angles of rotated blocks.
bool rotated_blocks(const EvidencePoint& point) {
  const auto published = [](const ChosenRow& side, const char* name) {
    if (!embedding_row(side.kind).block) return false;
    const Matrix given = rotation_block(side.parameters, name), block = rotation_block({}, name);
    return given.rows() == block.rows() && (given - block).cwiseAbs().maxCoeff() < 1e-12;
  };
  return published(point.experiment.query_embedding, "query") &&
         published(point.experiment.answer_embedding, "answer");
}

/// No two queries share an answer, which would slow Muon down (docs/variants.md). A query may have several right answers.
bool equal_fan_in(const EvidencePoint& point) {
  const auto& answers = point.run().answers;
  return !answers || (answers->query_count == answers->answer_count &&
                      std::ranges::all_of(answers->fan_in, [](double value) { return value == 1; }));
}

bool one_answer(const EvidencePoint& point) {
  const auto& answers = point.run().answers;
  return answers && answers->loss_floor == 0 && std::ranges::min(answers->fan_in) >= 1;
}

bool complete(const EvidencePoint& point) {
  return std::ranges::all_of(point.run().trajectories, [](const Trajectory& trajectory) {
    return trajectory.status == Status::complete;
  });
}

/// True if the rule has formulas, and f is true for their graph.
template <class F>
bool formulas_have(const OptimizerChoice& choice, const F& f) {
  const auto definitions = optimizer_row(choice.rule).definitions;
  if (!definitions) return false;
  std::vector<ParameterProblem> problems;
  const formula::Graph graph = formula::graph_of(definitions(choice.parameters), problems);
  return problems.empty() && f(graph);
}

/// True if the formulas of the rule read one of these leaves.
bool reads_any(const OptimizerChoice& choice, std::initializer_list<const char*> leaves) {
  return formulas_have(choice, [&](const formula::Graph& graph) {
    return std::ranges::any_of(
        leaves, [&](const char* leaf) { return reads(graph, formula::operation(leaf), false); });
  });
}

/// Every rule that decomposes its gradient uses msgn itself, neither a polynomial nor smoothed.
bool exact_polar(const OptimizerChoice& choice) {
  if (choice.rule == "formula") return !reads_any(choice, {"polynomial", "smooth_polar"});
  return choice.rule != "muon" ||
         (choice.parameters.text("polar") == "exact" && choice.parameters.number("smoothing") == 0);
}

bool no_momentum(const OptimizerChoice& choice) {
  return !formulas_have(choice, formula::has_momentum);
}

/// D is a function of this step's gradient.
bool memoryless(const OptimizerChoice& choice) {
  return !reads_any(choice, {"state", "W", "t", "step"});
}

/// Seeds of what a run does not draw make no other runs.
bool four_seeds(const EvidencePoints& points) {
  std::set<std::vector<std::uint64_t>> seeds;
  for (const EvidencePoint& point : points) {
    const Experiment& e = point.experiment;
    const auto drawn = [&](bool draws, const OwnSeed& own) { return draws ? e.seed_of(own) : 0; };
    const auto side = [&](const ChosenRow& choice) {
      const EmbeddingRow& row = embedding_row(choice.kind);
      const bool fixed =
          row.identity || row.block || row.given || (row.attributes && !choice.parameters.boolean("rotated"));
      return drawn(!fixed, choice.seed);
    };
    seeds.insert({drawn(e.sampled(), e.data_seed), drawn(!e.own_answers(), e.answers.seed),
                  drawn(!e.starts_at_zero(), e.init.seed), side(e.query_embedding), side(e.answer_embedding),
                  drawn(e.loss->of_outputs && e.squares.gaussian(), {})});
  }
  return seeds.size() >= 4;
}

}  // namespace

const std::vector<AssumptionRow>& assumptions() {
  using E = const Experiment&;
  static const std::vector<AssumptionRow> rows = {
      {"orthonormal", "orthonormal embeddings", embeddings(orthonormal)},
      {"identity", "identity embeddings",
       embeddings([](const ChosenRow& side) { return embedding_row(side.kind).identity; })},
      {"rotated_blocks", "embeddings I ⊗ R with the angles of wang2025", each(rotated_blocks)},
      {"haar", "Haar embeddings",
       embeddings([](const ChosenRow& side) { return side.kind == "orthogonal"; })},
      {"gaussian", "independent Gaussian embeddings",
       embeddings([](const ChosenRow& side) { return side.kind == "gaussian"; })},
      {"exact_polar", "the exact polar factor", optimizers(exact_polar)},
      {"population", "population gradients", {}, "key('data.mode') == 'population'"},
      {"no_label_noise",
       "population gradient without label noise",
       {},
       "key('data.mode') == 'population' and alpha == 0"},
      {"label_noise", "label noise above 0", {}, "alpha > 0"},
      {"samples", "fresh samples at every step", {}, "key('data.mode') == 'minibatch'"},
      {"exact_gradient", "the exact gradient", {}, "key('data.recovered') == 'kept'"},
      {"thresholded", "recovered facts give no gradient", {}, "key('data.recovered') == 'removed'"},
      {"two_levels", "two levels of p", {}, "M == 2 and r < 1"},
      {"equal_groups", "M >= 2 groups of C >= 2 classes", {}, "M >= 2 and C >= 2"},
      {"equal_fan_in", "equal fan-in: one query for every answer", each(equal_fan_in), {}, true},
      {"constant_step_sizes", "constant step sizes", optimizers([](const OptimizerChoice& choice) {
         return constant_steps(choice) && !(choice.rule == "formula" && reads_any(choice, {"t", "step"}));
       })},
      {"no_decay", "no weight decay", optimizers([](const OptimizerChoice& choice) {
         return !choice.decays() && !reads_any(choice, {"W"});
       })},
      {"from_zero", "one matrix that starts at W = 0",
       experiments([](E e) { return e.starts_at_zero() && !e.in_factors(); })},
      {"trains_by_p", "training draws classes by their probability p",
       experiments([](E e) { return e.sampling_exponent == 1; })},
      {"product", "a product of two factors", experiments([](E e) { return e.is_product(); })},
      {"aligned_product", "a product of two factors with an aligned start",
       experiments([](E e) { return e.is_product() && e.init.kind == "aligned"; })},
      {"trained_gains", "trained gains of attributes from a start on the manifold",
       experiments([](E e) { return e.train_gains && e.init.kind == "manifold"; })},
      {"no_momentum", "no momentum", optimizers(no_momentum)},
      {"least_squares", "least squares of facts",
       experiments([](E e) { return e.loss->of_outputs && !e.squares.gaussian(); })},
      {"gaussian_queries", "least squares with Gaussian queries",
       experiments([](E e) { return e.loss->of_outputs && e.squares.gaussian(); })},
      {"four_seeds", "at least four seeds", four_seeds, {}, true},
      {"frozen", "steps too small to change the gradient", {}, "eta*steps <= 1e-8"},
      {"one_answer", "every query has one answer, given by an answer law", each(one_answer), {}, true},
      {"complete", "every run reaches its last step", each(complete)},
      {"memoryless", "rules without memory", optimizers(memoryless)},
      {"every_step", "every step is recorded", {}, "sum(step == step, step) == steps + 1"},
  };
  return rows;
}

const AssumptionRow& assumption_row(const std::string& name) {
  if (const AssumptionRow* row = find_row(assumptions(), name)) return *row;
  throw bad_input("no assumption is called \"{}\"{}", name,
                  did_you_mean(nearest_name(name, names_of(assumptions()))));
}

}  // namespace rarefact
