#include "sim/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>

#include "core/blocking.hpp"
#include "model/column_memory.hpp"
#include "model/dense_memory.hpp"
#include "model/margin.hpp"
#include "sim/embeddings.hpp"
#include "sim/engine_choice.hpp"
#include "sim/predict.hpp"
#include "sim/quadrature_run.hpp"
#include "sim/result_variables.hpp"
#include "sim/step_search.hpp"
#include "sim/train.hpp"

namespace rarefact {

namespace {

Spectrum spectrum_of(const Experiment& experiment, const FileReaders& readers) {
  return spectrum_of(experiment.spectrum.kind, experiment.spectrum.parameters, readers.counts);
}

/// L*, rounded from the digits of the computation.
double least_loss(const Spectrum& spectrum, const Experiment& experiment) {
  if (experiment.precision != 50) return irreducible_loss(spectrum.classes, experiment.label_noise);
  return static_cast<double>(irreducible_loss<Real50>(spectrum.classes, experiment.label_noise));
}

/// Everything the optimizers of an experiment share, and one result for each.
class Simulation {
 public:
  Simulation(const Experiment& experiment, const FileReaders& readers, int threads, const Progress& progress,
             Checkpoints* checkpoints)
      : experiment_(with_all_step_sizes(experiment)),
        contest_(experiment),
        readers_(readers),
        progress_(progress),
        checkpoints_(checkpoints),
        workers_(threads),
        spectrum_(spectrum_of(experiment, readers)),
        reduced_(reduce_all(experiment_, spectrum_, std::numeric_limits<double>::infinity())),
        steps_(recorded_steps(experiment.record, experiment.steps)),
        irreducible_loss_(least_loss(spectrum_, experiment)),
        trajectories_(experiment_.optimizers.size()) {
    for (std::size_t o = 0; o < trajectories_.size(); ++o) names_.emplace_back(o);
  }

  Result run() {
    rows_ = planned_rows();
    for_each(reduced_.size(), [this](std::size_t o) {
      if (!exact(o)) certify(o);
    });
    rows_ = final_rows();
    for_each(reduced_.size(), [this](std::size_t o) {
      finish(o);
      contest_.show(o, trajectories_);
    });
    const std::vector<std::size_t> best = contest_.best();
    std::vector<std::vector<const PredictionRow*>> predictions(best.size());
    for_each(best.size(), [&](std::size_t i) { predictions[i] = predict_beside(best[i]); });
    std::vector<Trajectory> shown;
    for (const std::size_t o : best) shown.push_back(std::move(trajectories_[o]));
    Result result;
    result.title = experiment_.name;
    result.steps = steps_;
    for (const Trajectory& one : shown) result.optimizers.push_back(one.optimizer);
    result.variables = variables_of(shown, predictions);
    Run run;
    run.class_count = rows_.count;
    run.class_probability = rows_.probability;
    run.class_log_rank = rows_.log_rank;
    run.trajectories = std::move(shown);
    result.runs.push_back(std::move(run));
    return result;
  }

 private:
  bool exact(std::size_t o) const { return is_exact(reduced_[o].reduction.engine); }
  bool any_exact() const {
    for (std::size_t o = 0; o < reduced_.size(); ++o) {
      if (exact(o)) return true;
    }
    return false;
  }

  void for_each(std::size_t count, const std::function<void(std::size_t)>& body) {
    workers_.for_tiles(static_cast<Index>(count), 1,
                       [&](Index begin, Index) { body(static_cast<std::size_t>(begin)); });
  }

  /// Rows as they will be unless a quadrature fails. In a result of quadratures alone they are the panel
  /// nodes, whatever rule an optimizer runs on: real classes in the head, where compressed nodes sit on
  /// classes and nothing between them could be interpolated. Over blocks if some optimizer's classes come in
  /// blocks.
  ClassRows planned_rows() const {
    if (experiment_.classes.kind != ClassRule::Kind::groups) {
      return rows_at(requested_ranks(experiment_.classes, spectrum_), spectrum_);
    }
    if (any_exact()) return group_rows(*spectrum_.groups);
    Index width = 1;
    for (const ReducedOptimizer& one : reduced_) width = std::max(width, one.reduction.block);
    const double blocks = spectrum_.classes / static_cast<double>(width);
    return node_rows(panel_rule(blocks, usual_panel_order), width, *spectrum_.law);
  }

  /// The same, once it is known which quadratures hold.
  ClassRows final_rows() const {
    const bool all_classes = experiment_.classes.kind == ClassRule::Kind::groups && any_exact();
    return all_classes ? group_rows(*spectrum_.groups) : rows_;
  }

  /// As far as it is known before embeddings are read.
  WeightShape weight_shape() const {
    const auto dimension = [this](const Component& side) {
      return embedding_row(side.kind).dimension(side.parameters, spectrum_.classes);
    };
    return {dimension(experiment_.answer_embedding), dimension(experiment_.query_embedding)};
  }

  TrainingPlan plan_of(std::size_t o) {
    const OptimizerChoice& choice = experiment_.optimizers[o];
    TrainingPlan plan{.steps = experiment_.steps,
                      .step_size = choice.step_size,
                      .schedule = &schedule_row(choice.schedule),
                      .schedule_offset = choice.schedule_offset,
                      .recorded = steps_,
                      .rho_epsilon = experiment_.rho_epsilon,
                      .push = experiment_.push,
                      .curvature = optimizer_row(choice.rule).reads_curvature,
                      .shape = weight_shape(),
                      .checkpoints = checkpoints_,
                      .names = &names_[o]};
    if (progress_) {
      plan.progress = [this, &choice](std::int64_t done) {
        const std::lock_guard lock(reporting_);
        progress_(choice.name, done, experiment_.steps);
      };
    }
    return plan;
  }

  QuadratureTask task_of(std::size_t o) {
    return {experiment_,       *spectrum_.law, experiment_.optimizers[o], reduced_[o].reduction, plan_of(o),
            irreducible_loss_, workers_};
  }

  /// Runs a quadrature with its certificate; where that fails an exact engine takes over if one can.
  void certify(std::size_t o) {
    CertifiedRun certified = run_certified(task_of(o), rows_.ranks());
    const double tolerance = experiment_.quadrature_tolerance;
    ReducedOptimizer& reduced = reduced_[o];
    Trajectory& trajectory = trajectories_[o];
    if (!certified.met(tolerance)) {
      const std::string missed =
          certified.run.jumped
              ? fmt::format(
                    "with {} nodes neighbouring classes are pushed opposite ways: quadrature certifies "
                    "nothing",
                    certified.run.nodes)
              : fmt::format(
                    "the certified error of quadrature with {} nodes is {:.2g}, above the tolerance {:g}",
                    certified.run.nodes, certified.error, tolerance);
      if (reduced.fallback) {
        reduced.reduction = *reduced.fallback;
        reduced.reason = reason_text(experiment_, spectrum_, reduced.reduction, missed);
        return;
      }
      trajectory.status_detail = missed;
    }
    certified_[o] = std::move(certified);
  }

  void finish(std::size_t o) {
    Trajectory& trajectory = trajectories_[o];
    trajectory.optimizer = experiment_.optimizers[o].name;
    trajectory.engine = reduced_[o].reduction.engine;
    trajectory.engine_reason = reduced_[o].reason;
    if (exact(o)) {
      run_exact(o);
    } else {
      finish_quadrature(o);
    }
    add_loss_drop(spectrum_.classes, trajectory);
  }

  void finish_quadrature(std::size_t o) {
    Trajectory& trajectory = trajectories_[o];
    CertifiedRun& certified = certified_.at(o);
    // Another optimizer fell back on an exact engine, so the rows are other ones now.
    if (rows_.groups) certified.run = run_on_nodes(task_of(o), certified.nodes, rows_.ranks());
    prepare_series(steps_.size(), rows_.size(), trajectory);
    trajectory.quadrature_error = certified.error;
    trajectory.quadrature_nodes = certified.run.nodes;
    trajectory.status_step = certified.run.ending.status_step;
    trajectory.status = certified.run.ending.status;
    const bool met = certified.met(experiment_.quadrature_tolerance);
    if (trajectory.status != "complete") {
      trajectory.status_detail = certified.run.ending.status_detail;
    } else if (!met) {
      // Asked for, an uncertified result is shown with its error; chosen for the user, it would be a guess.
      trajectory.status = experiment_.engine == "auto" ? "failed" : "uncertified";
      if (trajectory.status == "failed") return;
    }
    write_rows(certified.run, rows_, irreducible_loss_, trajectory);
  }

  void run_exact(std::size_t o) {
    const OptimizerChoice& choice = experiment_.optimizers[o];
    const OptimizerRow& rule = optimizer_row(choice.rule);
    const Reduction& reduction = reduced_[o].reduction;
    const bool removed = experiment_.removes_recovered;
    if (reduction.engine == "columns" && experiment_.sampled()) {
      train_on(ColumnMemory::of_classes(*spectrum_.groups, removed), *rule.columns(choice.parameters),
               static_cast<Index>(spectrum_.classes), o);
    } else if (reduction.engine == "columns") {
      train_on(ColumnMemory(*spectrum_.groups, experiment_.label_noise, removed),
               *rule.columns(choice.parameters), static_cast<Index>(spectrum_.groups->size()), o);
    } else if (reduction.engine == "symmetric") {
      if (experiment_.precision == 50) {
        train_symmetric<Real50>(*rule.symmetric50(choice.parameters), reduction.block, o);
      } else {
        train_symmetric<double>(*rule.symmetric(choice.parameters), reduction.block, o);
      }
    } else {
      DenseEmbeddings embeddings;
      if (!reduction.task_basis)
        embeddings =
            rule.symmetries.rotation_equivariant ? triangular_embeddings() : written_out_embeddings();
      const DenseMemory memory(*spectrum_.groups, experiment_.label_noise, embeddings.query,
                               embeddings.answer, rule.reads_task_gradient, removed);
      const DenseMatrix zero = memory.zero();
      train_on(memory, *rule.dense(choice.parameters), std::min(zero.entries.rows(), zero.entries.cols()), o);
    }
  }

  template <class Real>
  void train_symmetric(UpdateRule<SymmetricMatrix<Real>>& rule, Index block, std::size_t o) {
    const SymmetricEmbeddings embeddings = symmetric_embeddings(experiment_, block);
    // Rotations and correlations are, like the class frequencies, the doubles they are.
    const auto as_real = [](const SymmetricEmbedding<double>& side) {
      return SymmetricEmbedding<Real>{side.block.cast<Real>(), side.correlation};
    };
    train_on(
        SymmetricMemory<Real>(*spectrum_.groups, block, experiment_.label_noise, as_real(embeddings.query),
                              as_real(embeddings.answer), experiment_.removes_recovered),
        rule, static_cast<Index>(spectrum_.groups->size()) * block, o);
  }

  /// `spectral_rows`: size of the singular value problem.
  template <class Memory, class Rule>
  void train_on(const Memory& memory, Rule& rule, Index spectral_rows, std::size_t o) {
    TrainingPlan plan = plan_of(o);
    plan.spectral_metrics = measures_spectrum(experiment_, static_cast<double>(spectral_rows));
    if (experiment_.sampled()) plan.sample = samples();
    if constexpr (std::is_same_v<Memory, DenseMemory>) {
      if (!reduced_[o].reduction.task_basis) plan.shape = shape_of_weights();
    }
    RowRecorder recorder(memory.cells(), rows_, steps_.size(), irreducible_loss_, trajectories_[o]);
    train(memory, rule, plan, recorder, workers_, trajectories_[o]);
  }

  /// d_out x d_in, whatever coordinates a run takes W in.
  WeightShape shape_of_weights() {
    const DenseEmbeddings embeddings = written_out_embeddings();
    const auto rows = [this](const std::shared_ptr<const Matrix>& embedding) {
      return embedding ? static_cast<double>(embedding->rows()) : spectrum_.classes;
    };
    return {rows(embeddings.answer), rows(embeddings.query)};
  }

  /// Set up once, as the samples are those of all optimizers.
  SampleSource samples() {
    const std::lock_guard lock(building_);
    if (!samples_) samples_.emplace(experiment_, *spectrum_.groups, workers_);
    return samples_->source(workers_);
  }

  /// Built once, when the first optimizer needs them.
  DenseEmbeddings written_out_embeddings() {
    const std::lock_guard lock(building_);
    return embeddings_.written_out(experiment_, spectrum_.classes, readers_.arrays);
  }
  DenseEmbeddings triangular_embeddings() {
    const std::lock_guard lock(building_);
    return embeddings_.triangular(experiment_, spectrum_.classes, readers_.arrays);
  }

  /// Nodes a panel for predictions: the usual ones, or those of a run on panels that needed more.
  int prediction_order(std::size_t o) const {
    const bool panels = reduced_[o].reduction.by_columns;
    return panels ? std::max(usual_panel_order, static_cast<int>(certified_[o].nodes / 2))
                  : usual_panel_order;
  }

  std::vector<const PredictionRow*> predict_beside(std::size_t o) {
    const PredictedClasses classes = exact(o) ? predicted_groups(*spectrum_.groups, rows_)
                                              : predicted_nodes(*spectrum_.law, rows_, prediction_order(o));
    const OptimizerChoice& choice = experiment_.optimizers[o];
    const EmbeddingRow& query = embedding_row(experiment_.query_embedding.kind);
    const EmbeddingRow& answer = embedding_row(experiment_.answer_embedding.kind);
    const Situation situation{
        .class_count = classes.count,
        .class_probability = classes.probability,
        .class_total = spectrum_.classes,
        .label_noise = experiment_.label_noise,
        .population = experiment_.data_mode == "population" && !experiment_.removes_recovered,
        .orthonormal = query.orthonormal && answer.orthonormal,
        .identity = query.identity && answer.identity,
        .rule = choice.rule,
        .parameters = choice.parameters,
        .step_size = choice.step_size,
        .schedule = choice.schedule};
    return experiment_.precision == 50 ? predict<Real50>(situation, classes, steps_, trajectories_[o])
                                       : predict<double>(situation, classes, steps_, trajectories_[o]);
  }

  const Experiment experiment_;  // with an optimizer for every step size of a search
  StepContest contest_;
  const FileReaders& readers_;
  const Progress& progress_;
  Checkpoints* checkpoints_;
  Workers workers_;
  Spectrum spectrum_;
  std::vector<ReducedOptimizer> reduced_;
  std::vector<std::int64_t> steps_;
  double irreducible_loss_;
  ClassRows rows_;
  std::vector<Trajectory> trajectories_;
  std::vector<TrainingNames> names_ = {};
  std::vector<CertifiedRun> certified_ = std::vector<CertifiedRun>(trajectories_.size());
  SharedEmbeddings embeddings_;
  std::optional<Samples> samples_;
  std::mutex reporting_, building_;
};

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
                const Progress& progress, Checkpoints* checkpoints) {
  pin_blocking();
  return Simulation(experiment, readers, threads, progress, checkpoints).run();
}

}  // namespace rarefact
