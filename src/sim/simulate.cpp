#include "sim/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/machine.hpp"
#include "core/status.hpp"
#include "experiment/precision.hpp"
#include "experiment/write.hpp"
#include "sim/cost.hpp"
#include "sim/digits.hpp"
#include "sim/exact_run.hpp"
#include "sim/node_answers.hpp"
#include "sim/predict.hpp"
#include "sim/quadrature_run.hpp"
#include "sim/recorder.hpp"
#include "sim/result_rows.hpp"

namespace rarefact {

namespace {

/// A run of an optimizer as it goes along. It may leave its quadrature for an exact engine.
struct OptimizerRun {
  Attempt attempt;
  Reduction reduction;
  std::string reason;
  TrainingNames names;
  CertifiedRun certified = {};
  std::string mistake = {};  ///< of the program, which ended it

  bool exact() const { return reduction.exact(); }
};

/// Everything the optimizers of an experiment share, and one result for each.
class Simulation {
 public:
  Simulation(const Experiment& experiment, Setup setup, const FileReaders& readers, int threads,
             const Progress& progress, Checkpoints* checkpoints, KnownRuns* known_runs)
      : experiment_(experiment),
        setup_(std::move(setup)),
        spectrum_(setup_.spectrum),
        progress_(progress),
        checkpoints_(checkpoints),
        known_runs_(known_runs),
        workers_(threads),
        inputs_(experiment_, spectrum_, readers.arrays, workers_),
        contest_(experiment, setup_.attempts),
        entropies_(least_losses(experiment, spectrum_)),
        loss_{experiment.least_squares() ? 0 : least_loss(experiment, spectrum_, entropies_),
              spectrum_.answer_count(), experiment.least_squares()} {
    for (const Attempt& attempt : setup_.attempts) {
      const EngineChoice& choice = setup_.engines[attempt.optimizer];
      trainings_.push_back(
          {attempt, choice.reduction, choice.reason, TrainingNames(std::to_string(trainings_.size()))});
    }
    trajectories_.resize(trainings_.size());
    known_.resize(trainings_.size());
  }

  Result run() {
    rows_ = planned_rows(experiment_, spectrum_, any_exact(), widest_block());
    for_each(trainings_.size(), [this](std::size_t o) {
      if (!trainings_[o].exact()) attempt(o, [&] { certify(o); });
    });
    // Now it is known which quadratures hold.
    if (experiment_.classes.kind == ClassRule::Kind::groups && any_exact()) rows_ = rows_of_groups(spectrum_);
    // What the classes show of least squares is their whole loss.
    if (loss_.squares) row_least_.assign(rows_.size(), 0);
    if (spectrum_.answers) {
      row_least_ = any_exact() ? of_rows(entropies_, rows_, spectrum_)
                               : entropies_at(*spectrum_.law, rows_.answer_rank, experiment_.label_noise,
                                              experiment_.noise_answers);
      answers_ = any_exact() ? answers_of(spectrum_, rows_, loss_.least)
                             : answer_groups_at(spectrum_, rows_, loss_.least);
    }
    contest_.see_rows(rows_.probability);
    for_each(trainings_.size(), [this](std::size_t o) {
      if (!is_known(o)) attempt(o, [&] { finish(o); });
      if (!trainings_[o].mistake.empty()) fail(o);
      contest_.show(o, trajectories_);
    });
    const std::vector<std::size_t> best = contest_.best();
    std::vector<std::vector<const PredictionRow*>> predictions(best.size());
    for_each(best.size(), [&](std::size_t i) {
      if (!trainings_[best[i]].mistake.empty()) return;
      if (known_[best[i]]) {
        predictions[i] = known_[best[i]]->predictions;
        return;
      }
      attempt(best[i], [&] {
        measure_digits(best[i]);
        predictions[i] = predict_beside(best[i]);
        if (may_be_known(best[i]))
          known_runs_->keep({alone(best[i]), trajectories_[best[i]], predictions[i]});
      });
      if (!trainings_[best[i]].mistake.empty()) fail(best[i]);
    });
    Run run;
    Result result;
    result.title = experiment_.name;
    result.rules = rules_text(experiment_);
    result.steps = setup_.steps;
    for (const std::size_t o : best) {
      run.trajectories.push_back(std::move(trajectories_[o]));
      result.optimizers.push_back(run.trajectories.back().optimizer);
    }
    result.variables = variables_of(run.trajectories, predictions);
    run.answers = std::move(answers_);
    for (const Index row : table_rows(rows_, spectrum_)) {
      const std::vector<std::string>& label = spectrum_.table.label;
      run.class_place.push_back(row < 0 ? std::nan("") : static_cast<double>(row + 1));
      run.class_label.push_back(row < 0 || label.empty() ? "" : label[row]);
    }
    run.class_count = std::move(rows_.count);
    run.class_probability = std::move(rows_.probability);
    run.class_log_rank = std::move(rows_.log_rank);
    result.runs.push_back(std::move(run));
    return result;
  }

 private:
  const OptimizerChoice& choice(std::size_t o) const {
    return experiment_.optimizers[trainings_[o].attempt.optimizer];
  }
  const OptimizerRow& rule(std::size_t o) const { return optimizer_row(choice(o).rule); }
  bool any_exact() const {
    return std::any_of(trainings_.begin(), trainings_.end(),
                       [](const OptimizerRun& one) { return one.exact(); });
  }

  /// A run that depends on no other optimizer: on exact engines rows are the same whatever the rules.
  bool may_be_known(std::size_t o) const {
    return known_runs_ != nullptr && !choice(o).search &&
           std::ranges::all_of(trainings_, [](const OptimizerRun& one) { return one.exact(); });
  }
  Experiment alone(std::size_t o) const {
    Experiment one = experiment_;
    one.name.clear();
    one.optimizers = {choice(o)};
    return one;
  }
  /// Takes over what another point of the sweep has come to, if one has had this run.
  bool is_known(std::size_t o) {
    if (!may_be_known(o)) return false;
    known_[o] = known_runs_->find(alone(o));
    if (known_[o]) trajectories_[o] = known_[o]->trajectory;
    return known_[o] != nullptr;
  }

  void for_each(std::size_t count, const std::function<void(std::size_t)>& body) {
    workers_.for_tiles(static_cast<Index>(count), 1,
                       [&](Index begin, Index) { body(static_cast<std::size_t>(begin)); });
  }

  /// The most classes of a block that some optimizer's quadrature takes as one.
  Index widest_block() const {
    Index width = 1;
    for (const OptimizerRun& one : trainings_) width = std::max(width, one.reduction.block);
    return width;
  }

  PredictionInput input_of(std::size_t o) const {
    return prediction_input(experiment_, choice(o), trainings_[o].attempt.step_size, spectrum_);
  }

  TrainingPlan plan_of(std::size_t o) {
    TrainingPlan plan{.steps = experiment_.steps,
                      .step_size = trainings_[o].attempt.step_size,
                      .schedule = &schedule_row(choice(o).schedule),
                      .schedule_offset = choice(o).schedule_offset,
                      .recorded = setup_.steps,
                      .reads_curvature = rule(o).reads_curvature,
                      .orthonormal = !loss_.squares && orthonormal_embeddings(experiment_, spectrum_),
                      .diagonal = experiment_.own_answers(),
                      .shape = weight_shape(experiment_, spectrum_),
                      .checkpoints = checkpoints_,
                      .names = &trainings_[o].names};
    const Symmetries symmetries = rule(o).symmetries_of(choice(o).parameters);
    if (!loss_.squares && symmetries.answers_rotate && !symmetries.reads_task)
      plan.most_rank = spectrum_.answer_count() - 1;
    if (why_single({experiment_, spectrum_, choice(o)}, trainings_[o].reduction.way).empty())
      plan.forward = ForwardPlan{.rule = rule(o).margins(choice(o).parameters)};
    if (progress_) {
      plan.progress = [this, &name = choice(o).name](std::int64_t done) {
        const std::lock_guard lock(reporting_);
        progress_(name, done, experiment_.steps);
      };
    }
    return plan;
  }

  QuadratureTask node_task_of(std::size_t o, TrainingPlan plan) {
    return {experiment_,     *spectrum_.law, choice(o), trainings_[o].reduction,
            std::move(plan), loss_,          workers_};
  }
  ExactTask exact_task_of(std::size_t o, TrainingPlan plan) {
    return {experiment_, spectrum_, choice(o), trainings_[o].reduction, std::move(plan), rows_, loss_,
            row_least_,  inputs_,   workers_};
  }

  /// Runs a quadrature with its certificate; where that fails an exact engine takes over if one can.
  void certify(std::size_t o) {
    OptimizerRun& training = trainings_[o];
    CertifiedRun certified = run_certified(node_task_of(o, plan_of(o)), rows_.ranks());
    const double tolerance = experiment_.quadrature_tolerance;
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
      if (const auto& fallback = setup_.engines[training.attempt.optimizer].fallback) {
        training.reduction = *fallback;
        training.reason = reason_text({experiment_, spectrum_, choice(o)}, *fallback, missed);
        return;
      }
      trajectories_[o].status_detail = missed;
    }
    training.certified = std::move(certified);
  }

  /// A mistake of the program costs one run: the others, and those of a sweep, go on.
  template <class Work>
  void attempt(std::size_t o, const Work& work) {
    try {
      if (trainings_[o].mistake.empty()) work();
    } catch (const std::logic_error& error) {
      trainings_[o].mistake = error.what();
    }
  }

  void label(std::size_t o) {
    Trajectory& trajectory = trajectories_[o];
    trajectory.optimizer = choice(o).name;
    trajectory.engine = name_of(trainings_[o].reduction.engine());
    trajectory.engine_reason = trainings_[o].reason;
  }

  void fail(std::size_t o) {
    const double step_size = trajectories_[o].step_size;
    trajectories_[o] = {};
    trajectories_[o].step_size = step_size;
    label(o);
    prepare_series(setup_.steps.size(), rows_.size(), trajectories_[o], loss_.squares);
    trajectories_[o].status = text_of(Status::failed);
    trajectories_[o].status_detail = "internal error, please report it: " + trainings_[o].mistake;
  }

  void finish(std::size_t o) {
    label(o);
    const TrainingPlan plan = plan_of(o);
    if (trainings_[o].exact()) {
      run_exact(exact_task_of(o, plan), trajectories_[o]);
    } else {
      finish_quadrature(o);
    }
    if (plan.forward && trajectories_[o].status == Status::complete) check_leaps(o);
  }

  /// By a run that leaps in another way.
  void check_leaps(std::size_t o) {
    Trajectory& trajectory = trajectories_[o];
    Trajectory check;
    repeat(
        o, "check", [](TrainingPlan& plan) { plan.forward->checking = true; }, check);
    trajectory.fast_forward_error = fast_forward_error(trajectory, check);
    if (trajectory.fast_forward_error <= experiment_.quadrature_tolerance) return;
    trajectory.status = text_of(Status::uncertified);
    trajectory.status_detail = fmt::format(
        "the certified error of many updates at once is {:.2g}, above the tolerance {:g}; run.fast_forward = \"off\" makes "
        "them one by one",
        trajectory.fast_forward_error, experiment_.quadrature_tolerance);
  }

  void finish_quadrature(std::size_t o) {
    Trajectory& trajectory = trajectories_[o];
    const CertifiedRun& certified = trainings_[o].certified;
    NodeRun run = std::move(trainings_[o].certified.run);
    // Another optimizer fell back on an exact engine, so the rows are other ones now.
    if (rows_.groups) run = run_on_nodes(node_task_of(o, plan_of(o)), certified.nodes, rows_.ranks());
    prepare_series(setup_.steps.size(), rows_.size(), trajectory);
    trajectory.quadrature_error = certified.error;
    trajectory.quadrature_nodes = run.nodes;
    trajectory.updates = run.ending.updates;
    trajectory.status_step = run.ending.status_step;
    trajectory.status = run.ending.status;
    if (trajectory.status != Status::complete || trajectory.status_detail.empty())
      trajectory.status_detail = run.ending.status_detail;
    if (trajectory.status == Status::complete && !certified.met(experiment_.quadrature_tolerance)) {
      // Asked for, an uncertified result is shown with its error; chosen for the user, it would be a guess.
      trajectory.status = text_of(experiment_.engine ? Status::uncertified : Status::failed);
      if (trajectory.status == Status::failed) return;
    }
    write_rows(run, rows_, loss_, row_least_, trajectory);
    if (answers_) write_answers(run, *answers_, trajectory);
  }

  /// Of the engine that ran in the end.
  bool digits_wanted(std::size_t o) const {
    const auto nodes = static_cast<double>(trainings_[o].certified.nodes);
    return training_cost({experiment_, spectrum_, choice(o)}, trainings_[o].reduction, nodes).digits;
  }

  /// Of a run that is kept, by repetitions of it.
  void measure_digits(std::size_t o) {
    if (trajectories_[o].status == Status::failed || !digits_wanted(o)) return;
    std::vector<Trajectory> repetitions(rounding_repetitions);
    for (int r = 1; r <= rounding_repetitions; ++r) {
      repeat(
          o, fmt::format("repetition{}", r), [r](TrainingPlan& plan) { plan.repetition = r; },
          repetitions[r - 1]);
    }
    fill_digits(repetitions, setup_.steps, trajectories_[o]);
  }

  /// A run as it was, but for a change of its plan, and nothing measured that is not judged.
  template <class Change>
  void repeat(std::size_t o, const std::string& name, const Change& change, Trajectory& repeated) {
    TrainingNames names(fmt::format("{}.{}", o, name));
    TrainingPlan plan = plan_of(o);
    change(plan);
    plan.measured = false;
    plan.names = &names;
    if (trainings_[o].exact()) return run_exact(exact_task_of(o, std::move(plan)), repeated);
    const NodeRun run =
        run_on_nodes(node_task_of(o, std::move(plan)), trainings_[o].certified.nodes, rows_.ranks());
    prepare_series(setup_.steps.size(), rows_.size(), repeated);
    write_rows(run, rows_, loss_, row_least_, repeated);
  }

  std::vector<const PredictionRow*> predict_beside(std::size_t o) {
    const OptimizerRun& training = trainings_[o];
    PredictionInput input = input_of(o);
    if (applicable_predictions(input).empty()) return {};
    // Nodes a panel: the usual ones, or those of a run on panels that needed more.
    const int order = training.reduction.way == Way::node_columns
                          ? std::max(usual_panel_order, static_cast<int>(training.certified.nodes / 2))
                          : usual_panel_order;
    const PredictedClasses classes = training.exact() ? predicted_groups(*spectrum_.groups, rows_)
                                                      : predicted_nodes(spectrum_, rows_, order);
    input.class_count = classes.count;
    input.class_probability = classes.probability;
    if (!classes.answers.empty()) input.answers = classes.answers;
    return in_precision(experiment_, [&]<class Real>() {
      return predict<Real>(input, classes, setup_.steps, trajectories_[o]);
    });
  }

  const Experiment& experiment_;
  const Setup setup_;
  const Spectrum& spectrum_;
  const Progress& progress_;
  Checkpoints* checkpoints_;
  KnownRuns* known_runs_;
  Workers workers_;
  SharedInputs inputs_;
  StepContest contest_;
  const std::vector<double> entropies_;
  LossScale loss_;
  ClassRows rows_;
  std::vector<double> row_least_;
  std::optional<AnswerGroups> answers_;
  std::vector<OptimizerRun> trainings_;  // all step sizes of a search
  std::vector<Trajectory> trajectories_;
  std::vector<std::shared_ptr<const KnownRun>> known_;  // null where it is run here
  std::mutex reporting_;
};

}  // namespace

Result simulate(const Experiment& experiment, Setup setup, const FileReaders& readers, int threads,
                const Progress& progress, Checkpoints* checkpoints, KnownRuns* known) {
  pin_blocking();
  return Simulation(experiment, std::move(setup), readers, threads, progress, checkpoints, known).run();
}

Result simulate(const Experiment& experiment, const FileReaders& readers, int threads,
                const Progress& progress, Checkpoints* checkpoints, KnownRuns* known) {
  return simulate(experiment, resolve(experiment, readers), readers, threads, progress, checkpoints, known);
}

}  // namespace rarefact
