#include "sim/quadrature_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/column_memory.hpp"
#include "sim/inputs.hpp"
#include "sim/jump_detector.hpp"
#include "sim/node_recorder.hpp"
#include "sim/quadrature_certificate.hpp"
#include "sim/training.hpp"

namespace rarefact {

namespace {

template <class Memory>
void train_watched(const Memory& memory, RuleFactory<typename Memory::State> make, const QuadratureTask& task,
                   const QueryNodes& nodes, Recorder& sink, NodeRun& run, const TrainingPlan& plan) {
  using M = typename Memory::State;
  const auto rule = make(task.choice.parameters);
  // The polynomials and smoothings of Muon are steep where its polar factor jumps.
  const Symmetries symmetries = optimizer_row(task.choice.rule).symmetries_of(task.choice.parameters);
  JumpWatch<M> watched(*rule, nodes, symmetries.queries_rotate, run.jumped);
  const bool may_jump = symmetries.equalises || !symmetries.keeps_columns;
  UpdateRule<M>& used = may_jump ? static_cast<UpdateRule<M>&>(watched) : *rule;
  Training<Memory>(memory, used, plan, sink, task.workers, run.ending).run();
}

NodeRun run_columns(const QuadratureTask& task, std::int64_t nodes, const std::vector<QueryAt>& queries) {
  const SmoothLaw& law = task.law;
  const int order = std::max(1, static_cast<int>(nodes / 2));
  const QueryNodes at = query_nodes(law, [order](double items) { return panel_rule(items, order); });
  const NodeTargets targets(law, queries, {});
  const double total = weight_of_ranks(law, law.classes);
  ClassGroups groups;
  const auto add = [&](double count, const QueryAt& query) {
    groups.count.push_back(count);
    groups.probability.push_back(law.probability(query, total));
  };
  for (std::size_t i = 0; i < at.ranks.size(); ++i) {
    for (std::size_t c = 0; c < at.places.size(); ++c)
      add(at.ranks.count[i] * at.twins(law, i, c), at.at(i, c));
  }
  // Classes without weight: they change nothing and are carried along exactly.
  for (const QueryAt& query : queries) add(0, query);
  for (const double rank : law.query ? targets.answers() : std::vector<double>{}) {
    for (const double place : at.places.rank) add(0, {rank, place});
  }
  const double noise = task.experiment.label_noise;
  const ColumnMemory memory =
      law.fan_in ? ColumnMemory(groups, law.classes, noise) : ColumnMemory({groups, noise});
  NodeRun run{.steps = task.plan.recorded.size(),
              .nodes = static_cast<Index>(at.ranks.size()),
              .exact = at.exact(),
              .answer_of_rank = targets.rank_of};
  NodeRecorder sink(memory.cells(), at, law, targets, noise > 0, run);
  if (law.fan_in) sink.measure_answers({law, targets.answers(), at.places, task.experiment});
  TrainingPlan plan = task.plan;
  if (plan.measured) plan.probes = wanted_probes({task.experiment});
  train_watched(memory, optimizer_row(task.choice.rule).columns, task, at, sink, run, plan);
  return run;
}

/// Classes by their block and their place there. A row of one block shows its places in turn, so real ranks, too, have a
/// place.
std::vector<QueryAt> blocks_of(std::vector<QueryAt> classes, double block) {
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const double before = classes[i].rank - 1;
    const double position = std::fmod(before == std::round(before) ? before : static_cast<double>(i), block);
    classes[i] = {(before - position) / block + 1, position + 1};
  }
  return classes;
}

NodeRun run_symmetric(const QuadratureTask& task, std::int64_t nodes, const std::vector<QueryAt>& queries) {
  const Index block = task.reduction.block;
  const bool own_answers = !task.law.fan_in;
  const SmoothLaw law = in_blocks(task.law, block);
  const auto rule = [nodes](double items) { return gauss_rule(items, nodes); };
  const QueryNodes at =
      own_answers
          ? QueryNodes{rule(law.classes), panel_rule(static_cast<double>(block), static_cast<int>(block))}
          : query_nodes(law, rule);
  const double total = weight_of_ranks(task.law, task.law.classes);
  Units units = block_units(at.ranks.count, block);
  for (std::size_t i = 0; i < at.ranks.size(); ++i) {
    std::vector<QueryType>& types = units.groups[i].queries;
    types.resize(at.places.size(), types.front());
    for (std::size_t c = 0; c < types.size(); ++c) {
      types[c].twins = at.twins(law, i, c);
      types[c].probability = law.probability(at.at(i, c), total);
    }
  }
  const Symmetries symmetries = optimizer_row(task.choice.rule).symmetries_of(task.choice.parameters);
  const SymmetricEmbeddings embeddings = symmetric_embeddings(task.experiment, symmetries, block);
  const SymmetricMemory<double> memory(units, own_answers, task.experiment.label_noise,
                                       task.experiment.noise_answers, embeddings.query, embeddings.answer,
                                       false, !own_answers && !symmetries.keeps_columns);
  // Beside the nodes there may be single classes at the ends.
  std::vector<QueryAt> ends = {{}, {task.law.classes}};
  if (task.law.query) {
    const double last = task.law.queries(1);
    ends.insert(ends.end(), {{1, last}, {task.law.classes, last}});
  }
  const auto placed = [&](const std::vector<QueryAt>& classes) {
    return own_answers ? blocks_of(classes, static_cast<double>(block)) : classes;
  };
  const NodeTargets targets(task.law, placed(queries), placed(ends));
  NodeRun run{.steps = task.plan.recorded.size(),
              .nodes = static_cast<Index>(at.ranks.size()),
              .exact = at.exact(),
              .answer_of_rank = targets.rank_of};
  NodeRecorder sink(memory.cells(), at, law, targets, task.experiment.label_noise > 0, run);
  if (!own_answers) sink.measure_answers({law, targets.answers(), at.places, task.experiment});
  TrainingPlan plan = task.plan;
  if (plan.measured) plan.probes = wanted_probes({.experiment = task.experiment, .twins = !own_answers});
  plan.complete_logits = [&sink](OneStepLogits<double> seen) { return sink.with_ends(std::move(seen)); };
  train_watched(memory, optimizer_row(task.choice.rule).symmetric, task, at, sink, run, plan);
  // Queries that differ are no twins, although a node stands for some of them.
  if (auto gain = run.ending.series.find("twin_gain"); law.query && gain != run.ending.series.end())
    for (double& x : gain->second) x = std::isnan(x) ? x : 0;
  return run;
}

}  // namespace

NodeRun run_on_nodes(const QuadratureTask& task, std::int64_t nodes, const std::vector<QueryAt>& queries) {
  return task.reduction.way == Way::node_columns ? run_columns(task, nodes, queries) : run_symmetric(task, nodes, queries);
}

CertifiedRun run_certified(const QuadratureTask& task, const std::vector<QueryAt>& queries) {
  const auto& asked = task.experiment.nodes;
  std::int64_t nodes = asked.value_or(first_nodes);
  if (task.reduction.way == Way::node_columns) nodes = std::max<std::int64_t>(nodes, 4);  // 2 a panel, and 1 for comparison
  NodeRun coarse = run_on_nodes(task, std::max<std::int64_t>(1, nodes / 2), queries);
  double previous = std::numeric_limits<double>::infinity();
  for (;;) {
    NodeRun fine = run_on_nodes(task, nodes, queries);
    const double error = certificate(fine, coarse, task.loss.least);
    const bool met = error <= task.experiment.quadrature_tolerance;
    // Many nodes where doubling gains less than a factor of two: convergence is not spectral.
    const bool slow = nodes > 4 * first_nodes && std::isfinite(error) && error > previous / 2;
    const bool hopeless = slow || nodes >= (task.law.query ? most_doubled_both_ways : most_doubled_nodes);
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
      const std::size_t from = t * answers + run.answer_of_rank[row],
                        to = t * groups.count.size() + static_cast<std::size_t>(groups.class_answer[row]);
      answer_error[to] = run.answer_error[from];
      answer_loss[to] = run.answer_loss[from];
    }
  }
}

}  // namespace rarefact
