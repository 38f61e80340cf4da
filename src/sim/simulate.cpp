#include "rarefact/sim/simulate.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "rarefact/core/blocking.hpp"
#include "rarefact/model/column_memory.hpp"
#include "rarefact/model/dense_memory.hpp"
#include "rarefact/model/margin.hpp"
#include "rarefact/model/symmetric_memory.hpp"
#include "rarefact/sim/predict.hpp"
#include "rarefact/sim/reduction.hpp"
#include "rarefact/sim/train.hpp"

namespace rarefact {

namespace {

/// Rows above which spectral_metrics = "auto" leaves the singular values out: they would dominate a step.
constexpr double most_spectral_rows = 128;

ClassGroups spectrum_of(const Experiment& experiment, const FileReaders& readers) {
  return make_spectrum(experiment.spectrum.kind, experiment.spectrum.parameters, readers.counts);
}

/// E or Ẽ written out, or null for the identity.
std::shared_ptr<const Matrix> dense_embedding(const Component& side, const char* stream,
                                              const Experiment& experiment, const ClassGroups& groups,
                                              const FileReaders& readers) {
  const EmbeddingRow& row = embedding_row(side.kind);
  if (row.identity) return nullptr;
  return std::make_shared<const Matrix>(
      row.make(side.parameters, {.classes = static_cast<Index>(groups.total()),
                                 .seed = static_cast<std::uint64_t>(experiment.seed),
                                 .stream = stream,
                                 .reader = readers.arrays}));
}

SymmetricEmbedding<double> symmetric_embedding(const Component& side, const char* stream, Index block) {
  const EmbeddingRow& row = embedding_row(side.kind);
  SymmetricEmbedding<double> embedding;
  if (row.equicorrelated) embedding.correlation = side.parameters.number("rho");
  if (block > 1 && row.block) embedding.block = rotation_block(side.parameters, stream);
  return embedding;
}

/// Everything the optimizers of an experiment share.
struct Shared {
  const Experiment& experiment;
  const ClassGroups& groups;
  std::shared_ptr<const Matrix> query, answer;  ///< where some optimizer needs them written out
  const ClassRows& rows;
  const std::vector<std::int64_t>& steps;
  const Workers& workers;
};

void run_reduced(const Shared& shared, const OptimizerChoice& choice, const Reduction& reduction,
                 TrainingPlan plan, Trajectory& trajectory) {
  const Experiment& experiment = shared.experiment;
  const OptimizerRow& rule = optimizer_row(choice.rule);
  const auto decide_spectral = [&](Index rows) {
    plan.spectral_metrics =
        experiment.spectral_metrics == "on" ||
        (experiment.spectral_metrics == "auto" && static_cast<double>(rows) <= most_spectral_rows);
  };
  const auto groups = static_cast<Index>(shared.groups.size());
  if (reduction.engine == "columns") {
    decide_spectral(groups);
    const auto update = rule.columns(choice.parameters);
    train(ColumnMemory(shared.groups, experiment.label_noise), *update, plan, shared.rows, shared.workers,
          trajectory);
  } else if (reduction.engine == "symmetric") {
    decide_spectral(groups * reduction.block);
    const auto update = rule.symmetric(choice.parameters);
    const SymmetricMemory<double> memory(
        shared.groups, reduction.block, experiment.label_noise,
        symmetric_embedding(experiment.query_embedding, "query", reduction.block),
        symmetric_embedding(experiment.answer_embedding, "answer", reduction.block));
    train(memory, *update, plan, shared.rows, shared.workers, trajectory);
  } else {
    const auto update = rule.dense(choice.parameters);
    const DenseMemory memory(shared.groups, experiment.label_noise,
                             reduction.task_basis ? nullptr : shared.query,
                             reduction.task_basis ? nullptr : shared.answer);
    const DenseMatrix zero = memory.zero();
    decide_spectral(std::min(zero.entries.rows(), zero.entries.cols()));
    train(memory, *update, plan, shared.rows, shared.workers, trajectory);
  }
}

Situation situation_of(const Experiment& experiment, const ClassGroups& groups,
                       const OptimizerChoice& choice) {
  const EmbeddingRow& query = embedding_row(experiment.query_embedding.kind);
  const EmbeddingRow& answer = embedding_row(experiment.answer_embedding.kind);
  return {.class_count = groups.count,
          .class_probability = groups.probability,
          .class_total = groups.total(),
          .label_noise = experiment.label_noise,
          .population = experiment.data_mode == "population",
          .orthonormal = query.orthonormal && answer.orthonormal,
          .identity = query.identity && answer.identity,
          .rule = choice.rule,
          .parameters = choice.parameters,
          .step_size = choice.step_size};
}

/// The variables present in the trajectories, in catalogue order: measured, then predicted.
std::vector<Variable> variables_of(const std::vector<Trajectory>& trajectories,
                                   const std::vector<std::vector<const PredictionRow*>>& predictions) {
  std::vector<Variable> variables;
  const auto present = [&](const std::string& name) {
    return std::any_of(trajectories.begin(), trajectories.end(),
                       [&](const Trajectory& t) { return t.series.count(name) != 0; });
  };
  for (const MetricRow& metric : metric_catalogue()) {
    if (metric.kind == MetricKind::trajectory) {
      variables.push_back({metric.name, metric.long_name, metric.units, metric.per_class});
      continue;
    }
    for (const auto& [prefix, of] :
         {std::pair{"update_", " of the update"}, std::pair{"weight_", " of the weight"}}) {
      if (present(prefix + metric.name))
        variables.push_back({prefix + metric.name, metric.long_name + of, metric.units});
    }
  }
  for (const std::string suffix : {"_predicted", "_predicted_flow"}) {
    std::string source, validity;
    for (std::size_t o = 0; o < trajectories.size(); ++o) {
      for (const PredictionRow* row : predictions[o]) {
        if (prediction_suffix(*row) != suffix) continue;
        const std::string label = (source.empty() ? "" : "; ") + trajectories[o].optimizer + ": ";
        source += label + row->name + " (" + row->source + ")";
        validity += label + row->validity;
      }
    }
    if (suffix != "_predicted" && source.empty()) continue;
    for (const MetricRow& metric : metric_catalogue()) {
      if (!metric.predicted) continue;
      variables.push_back({metric.name + suffix, metric.long_name + ", predicted", metric.units,
                           metric.per_class, source.empty() ? "none" : source,
                           validity.empty() ? "no prediction applies" : validity});
    }
  }
  return variables;
}

}  // namespace

std::vector<EngineChoice> choose_engines(const Experiment& experiment, const FileReaders& readers,
                                         double memory_limit_bytes) {
  const std::vector<ReducedOptimizer> reduced =
      reduce_all(experiment, spectrum_of(experiment, readers), memory_limit_bytes);
  std::vector<EngineChoice> choices;
  for (std::size_t o = 0; o < reduced.size(); ++o) {
    choices.push_back(
        {experiment.optimizers[o].name, reduced[o].reduction.engine, reduced[o].reason, reduced[o].memory});
  }
  return choices;
}

Result simulate(const Experiment& experiment, const FileReaders& readers, int threads,
                const Progress& progress) {
  pin_blocking();
  const ClassGroups groups = spectrum_of(experiment, readers);
  const auto reduced = reduce_all(experiment, groups, std::numeric_limits<double>::infinity());
  const ClassRows rows = class_rows(groups, experiment.classes == "all");
  const Workers workers(threads);

  Result result;
  result.title = experiment.name;
  result.steps = recorded_steps(experiment.record, experiment.steps);
  for (const OptimizerChoice& choice : experiment.optimizers) result.optimizers.push_back(choice.name);
  Shared shared{experiment, groups, nullptr, nullptr, rows, result.steps, workers};
  if (std::any_of(reduced.begin(), reduced.end(), [](const ReducedOptimizer& o) {
        return o.reduction.engine == "dense" && !o.reduction.task_basis;
      })) {
    shared.query = dense_embedding(experiment.query_embedding, "query", experiment, groups, readers);
    shared.answer = dense_embedding(experiment.answer_embedding, "answer", experiment, groups, readers);
  }

  std::vector<Trajectory> trajectories(experiment.optimizers.size());
  std::vector<std::vector<const PredictionRow*>> predictions(trajectories.size());
  std::mutex reporting;
  workers.for_tiles(static_cast<Index>(trajectories.size()), 1, [&](Index begin, Index) {
    const auto o = static_cast<std::size_t>(begin);
    const OptimizerChoice& choice = experiment.optimizers[o];
    Trajectory& trajectory = trajectories[o];
    trajectory.optimizer = choice.name;
    trajectory.engine = reduced[o].reduction.engine;
    trajectory.engine_reason = reduced[o].reason;
    TrainingPlan plan{.steps = experiment.steps,
                      .step_size = choice.step_size,
                      .recorded = result.steps,
                      .irreducible_loss = irreducible_loss(groups.total(), experiment.label_noise)};
    if (progress) {
      plan.progress = [&](std::int64_t done) {
        const std::lock_guard lock(reporting);
        progress(choice.name, done, experiment.steps);
      };
    }
    run_reduced(shared, choice, reduced[o].reduction, std::move(plan), trajectory);
    predictions[o] = predict(situation_of(experiment, groups, choice), rows, result.steps, trajectory);
  });

  result.variables = variables_of(trajectories, predictions);
  Run run;
  run.class_count = rows.count;
  run.class_probability = rows.probability;
  run.trajectories = std::move(trajectories);
  result.runs.push_back(std::move(run));
  return result;
}

}  // namespace rarefact
