#include "sim/node_run.hpp"

#include <algorithm>

#include "model/column_layout.hpp"
#include "sim/jump_detector.hpp"
#include "sim/node_recorder.hpp"
#include "sim/training.hpp"

namespace rarefact {

namespace {

/// A unit as it is prepared.
struct NodeRun {
  const Unit& unit;
  TrainingPlan plan;
  Trajectory& trajectory;
  const LearningProblem& problem = *unit.problem;
  const Experiment& experiment = problem.experiment;
  const SmoothLaw& law = *problem.spectrum.law;
};

/// `twins`: of answers, that the memory holds as one.
template <class Memory>
void train(NodeRun run, const Memory& memory, const RuleFactory<typename Memory::State>& make,
           const ClassNodes& nodes, const NodeTargets& targets, bool twins) {
  using M = typename Memory::State;
  run.trajectory.quadrature_nodes = static_cast<std::int64_t>(nodes.blocks.size());
  NodeRecorder recorder(memory.cells(), nodes, targets, run.problem, run.trajectory);
  if (run.plan.measured) run.plan.probes = wanted_probes({.experiment = run.experiment, .twins = twins});
  if (targets.ends() > 0)
    run.plan.complete_logits = [&](OneStepLogits<double> seen) {
      return recorder.with_ends(std::move(seen));
    };
  const auto rule = make(run.unit.choice->parameters);
  // The polynomials and smoothings of Muon are steep where its polar factor jumps.
  const Symmetries symmetries = run.unit.symmetries();
  JumpWatch<M> watched(*rule, nodes, symmetries.queries_rotate, run.trajectory.quadrature_error);
  const bool may_jump = symmetries.amplifies_small_entries || !symmetries.keeps_wrong_ties;
  UpdateRule<M>& used = may_jump ? static_cast<UpdateRule<M>&>(watched) : *rule;
  Training<Memory>(memory, used, run.plan, recorder, run.problem.workers, run.trajectory).run();
}

void train_columns(NodeRun run) {
  const SmoothLaw& law = run.law;
  const int order = std::max(1, static_cast<int>(run.unit.variant.nodes / 2));
  const ClassNodes at{panel_rule(law.classes, order)};
  const std::vector<double> ranks = run.problem.rows.ranks();
  const double total = weight_of_ranks(law, law.classes);
  ClassGroups groups;
  const auto add = [&](double count, double rank) {
    groups.count.push_back(count);
    groups.probability.push_back(law.probability(rank, total));
  };
  for (std::size_t i = 0; i < at.size(); ++i)
    add(at.blocks.count[i] * law.queries(at.blocks.rank[i]), at.blocks.rank[i]);
  // Classes without weight: they change nothing and are carried along exactly.
  for (const double rank : ranks) add(0, rank);
  const double noise = run.experiment.label_noise;
  const ColumnMemory memory =
      law.fan_in ? ColumnMemory(groups, law.classes, noise) : ColumnMemory({groups, noise});
  train(run, memory, run.unit.rule().columns, at, NodeTargets(ranks, {}, 1), false);
}

void train_symmetric(NodeRun run) {
  const SmoothLaw& law = run.law;
  const Index block = run.unit.reduction.block;
  const bool own_answers = !law.fan_in;
  const ClassNodes at{gauss_rule(law.classes / static_cast<double>(block), run.unit.variant.nodes), block};
  const double total = weight_of_ranks(law, law.classes);
  Units units = block_units(at.blocks.count, block);
  for (std::size_t i = 0; i < at.blocks.size(); ++i) {
    for (Index c = 0; c < block; ++c) {
      const double rank = at.rank(at.blocks.rank[i], c);
      QueryType& type = units.groups[i].queries[static_cast<std::size_t>(c)];
      type.twins = law.queries(rank);
      type.probability = law.probability(rank, total);
    }
  }
  const Experiment& experiment = run.experiment;
  const Symmetries symmetries = run.unit.symmetries();
  const SymmetricEmbeddings embeddings = symmetric_embeddings(experiment, symmetries, block);
  const SymmetricMemory<double> memory(units, own_answers, experiment.label_noise, experiment.noise_answers,
                                       embeddings.query, embeddings.answer, false,
                                       !own_answers && !symmetries.keeps_wrong_ties);
  // Beside the nodes there may be single classes at the ends.
  const NodeTargets targets(run.problem.rows.ranks(), {1, law.classes}, block);
  train(run, memory, run.unit.rule().symmetric, at, targets, !own_answers);
}

}  // namespace

void run_on_nodes(const Unit& unit, TrainingPlan plan, Trajectory& trajectory) {
  NodeRun run{unit, std::move(plan), trajectory};
  (unit.reduction.way == Way::node_columns ? train_columns : train_symmetric)(std::move(run));
}

}  // namespace rarefact
