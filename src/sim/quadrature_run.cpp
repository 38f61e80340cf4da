#include "sim/quadrature_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/column_layout.hpp"
#include "sim/inputs.hpp"
#include "sim/jump_detector.hpp"
#include "sim/node_recorder.hpp"
#include "sim/training.hpp"

namespace rarefact {

namespace {

template <class Memory>
void train_watched(const Memory& memory, RuleFactory<typename Memory::State> make, const QuadratureTask& task,
                   const ClassNodes& nodes, Recorder& sink, NodeRun& run, const TrainingPlan& plan) {
  using M = typename Memory::State;
  const auto rule = make(task.choice.parameters);
  // The polynomials and smoothings of Muon are steep where its polar factor jumps.
  const Symmetries symmetries = optimizer_row(task.choice.rule).symmetries_of(task.choice.parameters);
  JumpWatch<M> watched(*rule, nodes, symmetries.queries_rotate, run.jumped);
  const bool may_jump = symmetries.equalises || !symmetries.keeps_columns;
  UpdateRule<M>& used = may_jump ? static_cast<UpdateRule<M>&>(watched) : *rule;
  Training<Memory>(memory, used, plan, sink, task.workers, run.ending).run();
}

NodeRun run_columns(const QuadratureTask& task, std::int64_t nodes, const std::vector<double>& ranks) {
  const SmoothLaw& law = task.law;
  const int order = std::max(1, static_cast<int>(nodes / 2));
  const ClassNodes at{panel_rule(law.classes, order)};
  const NodeTargets targets(ranks, {}, 1);
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
  const double noise = task.experiment.label_noise;
  const ColumnMemory memory =
      law.fan_in ? ColumnMemory(groups, law.classes, noise) : ColumnMemory({groups, noise});
  NodeRun run{
      .steps = task.plan.recorded.size(), .nodes = static_cast<Index>(at.size()), .exact = at.blocks.exact};
  NodeRecorder sink(memory.cells(), at, law, targets, noise > 0, run);
  if (law.fan_in) sink.measure_answers({law, ranks, task.experiment});
  TrainingPlan plan = task.plan;
  if (plan.measured) plan.probes = wanted_probes({task.experiment});
  train_watched(memory, optimizer_row(task.choice.rule).columns, task, at, sink, run, plan);
  return run;
}

NodeRun run_symmetric(const QuadratureTask& task, std::int64_t nodes, const std::vector<double>& ranks) {
  const SmoothLaw& law = task.law;
  const Index block = task.reduction.block;
  const bool own_answers = !law.fan_in;
  const ClassNodes at{gauss_rule(law.classes / static_cast<double>(block), nodes), block};
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
  const Symmetries symmetries = optimizer_row(task.choice.rule).symmetries_of(task.choice.parameters);
  const SymmetricEmbeddings embeddings = symmetric_embeddings(task.experiment, symmetries, block);
  const SymmetricMemory<double> memory(units, own_answers, task.experiment.label_noise,
                                       task.experiment.noise_answers, embeddings.query, embeddings.answer,
                                       false, !own_answers && !symmetries.keeps_columns);
  // Beside the nodes there may be single classes at the ends.
  const NodeTargets targets(ranks, {1, law.classes}, block);
  NodeRun run{.steps = task.plan.recorded.size(),
              .nodes = static_cast<Index>(at.blocks.size()),
              .exact = at.blocks.exact};
  NodeRecorder sink(memory.cells(), at, law, targets, task.experiment.label_noise > 0, run);
  if (!own_answers) sink.measure_answers({law, ranks, task.experiment});
  TrainingPlan plan = task.plan;
  if (plan.measured) plan.probes = wanted_probes({.experiment = task.experiment, .twins = !own_answers});
  plan.complete_logits = [&sink](OneStepLogits<double> seen) { return sink.with_ends(std::move(seen)); };
  train_watched(memory, optimizer_row(task.choice.rule).symmetric, task, at, sink, run, plan);
  return run;
}

}  // namespace

NodeRun run_on_nodes(const QuadratureTask& task, std::int64_t nodes, const std::vector<double>& ranks) {
  return task.reduction.way == Way::node_columns ? run_columns(task, nodes, ranks)
                                                 : run_symmetric(task, nodes, ranks);
}

CertifiedRun run_certified(const QuadratureTask& task, const std::vector<double>& ranks) {
  const auto& asked = task.experiment.nodes;
  std::int64_t nodes = asked.value_or(first_nodes);
  if (task.reduction.way == Way::node_columns)
    nodes = std::max<std::int64_t>(nodes, 4);  // 2 a panel, and 1 for comparison
  NodeRun coarse = run_on_nodes(task, std::max<std::int64_t>(1, nodes / 2), ranks);
  double previous = std::numeric_limits<double>::infinity();
  for (;;) {
    NodeRun fine = run_on_nodes(task, nodes, ranks);
    const double error = certificate(fine, coarse, task.loss.least);
    const bool met = error <= task.experiment.quadrature_tolerance;
    // Many nodes where doubling gains less than a factor of two: convergence is not spectral.
    const bool slow = nodes > 4 * first_nodes && std::isfinite(error) && error > previous / 2;
    const bool hopeless = slow || nodes >= most_doubled_nodes;
    if (asked || met || hopeless) return {std::move(fine), nodes, error};
    previous = error;
    coarse = std::move(fine);
    nodes *= 2;
  }
}

void write_rows(const NodeRun& run, const ClassRows& rows, const LossScale& scale,
                const std::vector<double>& row_least, Trajectory& trajectory) {
  const std::size_t count = rows.size(), width = static_cast<std::size_t>(rows.width);
  const MetricRows& metrics = class_metrics();
  if (!run.totals.empty())
    trajectory.total_error = total_error(run.totals.data() + run.totals.size() - metrics.size());
  const auto mean = [&](const std::vector<double>& values, std::size_t row) {
    double sum = 0;
    for (std::size_t i = row * width; i < (row + 1) * width; ++i)
      sum += values[i] / static_cast<double>(width);
    return sum;
  };
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    std::vector<double>& series = trajectory.series.at(metrics[m]->name);
    const ClassMeasure& measure = metrics[m]->classes();
    for (std::size_t t = 0; t < run.records(); ++t) {
      if (!metrics[m]->per_class()) series[t] = measure.metric(run.totals[t * metrics.size() + m], scale);
      for (std::size_t i = 0; metrics[m]->per_class() && i < count; ++i) {
        const double value = mean(run.rank_values[m], t * count + i),
                     least = row_least.empty() ? scale.least : row_least[i];
        series[t * count + i] = measure.metric(value, {least, scale.classes});
      }
    }
  }
  // What probes found: a number a step, or one at every rank.
  for (const auto& [name, found] : run.ending.series) {
    if (found.size() == run.steps && count * width > 1) {
      trajectory.series[name] = found;
      continue;
    }
    std::vector<double>& series = series_of(name, run.steps * count, trajectory);
    for (std::size_t row = 0; row < series.size(); ++row) series[row] = mean(found, row);
  }
}

void write_answers(const NodeRun& run, const AnswerGroups& groups, Trajectory& trajectory) {
  const std::size_t records = trajectory.series.at("loss").size(), rows = groups.class_answer.size();
  const auto fill = [&](const char* name, const std::vector<double>& values) {
    if (!values.empty()) std::ranges::copy(values, series_of(name, records, trajectory).begin());
  };
  fill("top1_error", run.top1_error);
  std::vector<double>& answer_error = series_of("answer_error", records * groups.count.size(), trajectory);
  std::vector<double>& answer_loss = series_of("answer_loss", records * groups.count.size(), trajectory);
  const std::size_t answers = run.answer_loss.size() / std::max<std::size_t>(run.records(), 1);
  for (std::size_t t = 0; t < run.records(); ++t) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t from = t * answers + row,
                        to = t * groups.count.size() + static_cast<std::size_t>(groups.class_answer[row]);
      answer_error[to] = run.answer_error[from];
      answer_loss[to] = run.answer_loss[from];
    }
  }
}

}  // namespace rarefact
