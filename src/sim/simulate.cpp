#include "sim/simulate.hpp"

#include <cmath>
#include <mutex>
#include <stdexcept>

#include "core/machine.hpp"
#include "core/status.hpp"
#include "experiment/write.hpp"
#include "sim/predict.hpp"
#include "sim/recorder.hpp"
#include "sim/twin.hpp"

namespace rarefact {

namespace {

class Simulation {
 public:
  Simulation(const Experiment& experiment, const Setup& setup, const FileReaders& readers, int threads,
             const RunHooks& hooks)
      : experiment_(experiment),
        setup_(setup),
        readers_(readers),
        hooks_(hooks),
        workers_(threads),
        problem_(experiment_, setup_, readers.arrays, workers_) {
    for (const OptimizerChoice& choice : experiment.optimizers) {
      Found& found = found_.emplace_back();
      if (!hooks.known) continue;
      Experiment& alone = found.outcome.alone = experiment;
      alone.name.clear();
      alone.optimizers = {choice};
      found.known = hooks.known->find(alone);
    }
  }

  Result run() {
    workers_.for_each(setup_.attempts.size(), 1, [this](std::size_t i) { try_step_size(i); });
    workers_.for_each(found_.size(), 1, [this](std::size_t o) { complete(found_[o]); });
    Result result;
    result.title = experiment_.name;
    result.rules = rules_text(experiment_);
    result.steps = setup_.steps;
    Run& run = result.runs.emplace_back();
    std::vector<std::vector<const PredictionRow*>> predictions;
    for (Found& found : found_) {
      OptimizerOutcome outcome = found.known ? *found.known : std::move(found.outcome);
      result.optimizers.push_back(outcome.trajectory.optimizer);
      run.trajectories.push_back(std::move(outcome.trajectory));
      predictions.push_back(std::move(outcome.predictions));
    }
    result.variables = variables_of(run.trajectories, predictions);
    run.answers = problem_.answers;
    const std::vector<std::string>& label = setup_.spectrum.table.label;
    for (const Index row : table_rows(problem_.rows, setup_.spectrum)) {
      run.class_place.push_back(row < 0 ? std::nan("") : static_cast<double>(row + 1));
      run.class_label.push_back(row < 0 || label.empty() ? "" : label[row]);
    }
    problem_.rows.show(run);
    for (const ClassBand& band : problem_.bands) {
      run.band_name.push_back(band.name);
      run.band_count.push_back(band.classes());
      run.band_probability.push_back(mass_of(band, setup_.spectrum));
    }
    return result;
  }

 private:
  /// The best of an optimizer's step sizes so far.
  struct Found {
    std::shared_ptr<const OptimizerOutcome> known = nullptr;  ///< shared with other points
    OptimizerOutcome outcome = {};
    std::optional<Attempted> best = {};
    double score = 0;
    std::size_t attempt = 0;  ///< of setup_.attempts
    bool whole = false;       ///< not ended by an internal error
  };

  Watch watch_of(std::size_t attempt) {
    const std::string& name = experiment_.optimizers[setup_.attempts[attempt].optimizer].name;
    Watch watch{.checkpoints = hooks_.checkpoints, .name = std::to_string(attempt)};
    if (hooks_.progress) {
      watch.progress = [this, &name](std::int64_t done) {
        const std::lock_guard lock(reporting_);
        hooks_.progress(name, done, experiment_.steps);
      };
    }
    return watch;
  }

  UnitRunner runner(std::size_t attempt) {
    const Watch watch = watch_of(attempt);
    Watch quiet = watch;
    quiet.progress = {};
    // Further repetitions, of few numbers, are over before anybody reads a word or stops them.
    return [watch, quiet](const Unit& unit) {
      return rarefact::run(unit, unit.variant.repetition > rounding_repetitions ? quiet : watch);
    };
  }

  /// Runs `work`; an internal error ends only this run, and the others, and the sweep, continue.
  template <class Work>
  bool survives(std::size_t attempt, Trajectory& trajectory, const Work& work) {
    try {
      work();
      return true;
    } catch (const std::logic_error& error) {
      const Attempt& tried = setup_.attempts[attempt];
      const EngineChoice& engine = setup_.engines[tried.optimizer];
      trajectory = {};
      trajectory.optimizer = engine.optimizer;
      trajectory.engine = engine.reduction.engine();
      trajectory.engine_reason = engine.reason;
      trajectory.step_size = tried.step_size;
      trajectory.status = text_of(Status::failed);
      trajectory.status_detail = std::string("internal error, please report it: ") + error.what();
      prepare_series(problem_, trajectory);
      return false;
    }
  }

  void try_step_size(std::size_t i) {
    const auto& [o, step_size, edge] = setup_.attempts[i];
    Found& found = found_[o];
    if (found.known) return;
    const OptimizerChoice& choice = experiment_.optimizers[o];
    const EngineChoice& engine = setup_.engines[o];
    Attempted attempted{{&problem_, &choice, engine.reduction, step_size}, {}};
    Trajectory& trajectory = attempted.trajectory;
    const auto work = [&] { attempted = attempt(attempted.unit, engine, runner(i)); };
    const bool whole = survives(i, trajectory, work);
    const double score = score_of(trajectory, choice);
    if (std::isfinite(score)) trajectory.step_size_edge = edge;
    const std::lock_guard lock(choosing_);
    // Among equal scores the smaller step size is kept, in whatever order runs end.
    if (found.best && std::pair(found.score, found.attempt) < std::pair(score, i)) return;
    found.best = std::move(attempted);
    found.score = score;
    found.attempt = i;
    found.whole = whole;
  }

  /// Adds digits, predictions and notes to the best run.
  void complete(Found& found) {
    if (found.known) return;
    Attempted& best = *found.best;
    const auto work = [&] {
      const UnitRunner run = runner(found.attempt);
      best.twin_gains = twin_gains(best.unit, best.trajectory, readers_, watch_of(found.attempt));
      measure_digits(best, run);
      found.outcome.predictions = predict_beside(best);
      add_notes(best, run);
    };
    const bool whole = found.whole && survives(found.attempt, best.trajectory, work);
    found.outcome.trajectory = std::move(best.trajectory);
    if (!whole || !hooks_.known) return;
    found.known = std::make_shared<const OptimizerOutcome>(std::move(found.outcome));
    hooks_.known->keep(found.known);
  }

  const Experiment& experiment_;
  const Setup& setup_;
  const FileReaders& readers_;
  const RunHooks& hooks_;
  Workers workers_;
  const LearningProblem problem_;
  std::vector<Found> found_;
  std::mutex reporting_, choosing_;
};

}  // namespace

Result simulate(const Experiment& experiment, const Setup& setup, const FileReaders& readers, int threads,
                const RunHooks& hooks) {
  pin_blocking();
  return Simulation(experiment, setup, readers, threads, hooks).run();
}

Result simulate(const Experiment& experiment, const FileReaders& readers, int threads,
                const RunHooks& hooks) {
  return simulate(experiment, resolve(experiment, readers), readers, threads, hooks);
}

}  // namespace rarefact
