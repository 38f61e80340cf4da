// Digits where decompositions decide a rank: a direction of the gradient below the rounding of a larger one is lost by
// every repetition alike.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "laws/zoo.hpp"
#include "random_run.hpp"
#include "reference/precise_run.hpp"
#include "reference/random_cases.hpp"
#include "sim/comparison.hpp"

using namespace laws;

namespace {

/// A run that has lost a direction is far off, and its errors differ by hundreds of orders of magnitude.
constexpr unsigned digits_of_truth = 400;
using Exact = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<digits_of_truth>,
                                            boost::multiprecision::et_off>;

double digits_in(double x, const Exact& truth) {
  const Exact difference = abs(Exact(Exact(x) - truth));
  if (difference == 0 || abs(truth) < 1e-300) return 17;
  return -std::log10(static_cast<double>(Exact(difference / abs(truth))));
}

struct MixedRun {
  Matrix query, answer;
  std::vector<double> count;
  double noise = 0, step_size = 1, momentum = 0;
  int steps = 4;
  std::string direction = {};  ///< empty: muon
};

Experiment experiment_of(const MixedRun& run) {
  Experiment e = identity_run(power_law(2.0), "muon", run.noise);
  e.engine = "dense";
  e.digits = "on";
  e.steps = run.steps;
  e.record = {RecordRule::Kind::every, 1, {}};
  e.spectrum = {"file", {{"path", std::string("counts")}, {"column", std::string()}}};
  e.query_embedding = {"file", {{"path", std::string("query")}}};
  e.answer_embedding = {"file", {{"path", std::string("answer")}}};
  OptimizerChoice& choice = e.optimizers[0];
  choice.step_size = run.step_size;
  if (!run.direction.empty()) {
    choice.rule = "formula";
    choice.parameters = {{"direction", run.direction}};
  } else if (run.momentum > 0) {
    choice.parameters.set("momentum", run.momentum);
  }
  return e;
}

Result result_of(const MixedRun& run) {
  const FileReaders readers{
      [&](const std::string&, const std::string&) { return CountTable{run.count}; },
      [&](const std::string& path) { return path == "query" ? run.query : run.answer; }};
  return simulate(experiment_of(run), readers, 1);
}

std::vector<reference::PreciseState<Exact>> truth_of(const MixedRun& run) {
  reference::PreciseProblem<Exact> problem{run.query.cast<Exact>(), run.answer.cast<Exact>(), {}, run.noise};
  double total = 0;
  for (const double count : run.count) total += count;
  for (const double count : run.count) problem.probability.push_back(count / total);
  const auto rank =
      static_cast<int>(std::min({std::ssize(run.count) - 1, run.query.rows(), run.answer.rows()}));
  return reference::precise_run(problem, "muon", run.step_size, run.momentum, run.steps, rank);
}

struct Judgement {
  int runs = 0, values = 0, over = 0, alarms = 0, lost = 0;
  double worst = 0, cautious = 0;

  void add(double claimed, double there) {
    if (std::isnan(claimed)) return;
    const double beyond = claimed - std::clamp(there, 0.0, 15.0);
    ++values;
    over += beyond > 1;
    alarms += there >= 8 && claimed < min_digits;
    lost += there < 1;
    worst = std::max(worst, beyond);
    cautious -= beyond;
  }

  /// Loss, excess loss and the least right error of every step.
  void add(const Result& claimed, const std::vector<reference::PreciseState<Exact>>& truth) {
    ++runs;
    for (std::size_t t = 0; t < truth.size(); ++t) {
      const auto& state = truth[t];
      CAPTURE(t);
      add(series(claimed, "loss_digits")[t], digits_in(series(claimed, "loss")[t], state.loss));
      add(series(claimed, "excess_loss_digits")[t],
          digits_in(series(claimed, "excess_loss")[t], state.excess_loss));
      double least = 17;
      const std::size_t width = state.error.size();
      for (std::size_t l = 0; l < width; ++l)
        least = std::min(least, digits_in(series(claimed, "error")[t * width + l], state.error[l]));
      add(series(claimed, "error_digits")[t], least);
    }
  }
};

const std::vector<std::string> polar_factors = {
    "",  // muon
    "polar(G)", "2*polar(G/norm(G))/2", "power(G@G.T, -0.25)@G@power(G.T@G, -0.25)", "power(G@G.T, -0.5)@G"};

MixedRun random_mixed_run(Dice& dice) {
  const auto classes = static_cast<Index>(2 + 5 * dice());
  const auto gaussian = [&] {
    Matrix x(classes + static_cast<Index>(3 * dice()) - (classes > 2 && dice() < 0.2 ? 1 : 0), classes);
    for (double& entry : x.reshaped()) entry = std::sqrt(-2 * std::log(dice())) * std::cos(2 * M_PI * dice());
    return x;
  };
  MixedRun run{gaussian(), gaussian(), {}};
  const double exponent = 3 * dice();
  for (Index l = 0; l < classes; ++l) run.count.push_back(std::pow(static_cast<double>(l + 1), -exponent));
  run.step_size = std::pow(10, 1 + std::log10(30) * dice());
  run.direction = dice.among(polar_factors);
  if (run.direction.empty() && dice() < 0.3) run.momentum = 0.5;
  if (dice() < 0.2) run.noise = 0.1;
  run.steps = static_cast<int>(2 + 5 * dice());
  return run;
}

}  // namespace

TEST_CASE("random runs with mixing embeddings at large steps claim no digits that they have lost",
          "[numbers]") {
  Judgement judged;
  const reference::RandomCases cases(100, 2000);
  for (int n = 0; n < cases.count; ++n) {
    Dice dice{{11, "lost directions"}, cases[n]};
    const MixedRun run = random_mixed_run(dice);
    CAPTURE(n, run.count.size(), run.query.rows(), run.answer.rows(), run.step_size, run.direction, run.noise,
            run.momentum, run.steps);
    Judgement one;
    one.add(result_of(run), truth_of(run));
    if (one.over || one.alarms)
      WARN(n << " K " << run.count.size() << " d " << run.query.rows() << " " << run.answer.rows() << " η "
             << run.step_size << " '" << run.direction << "' α " << run.noise << " μ " << run.momentum
             << " over " << one.over << " worst " << one.worst << " alarms " << one.alarms << " of "
             << one.values);
    ++judged.runs, judged.values += one.values, judged.over += one.over, judged.alarms += one.alarms,
        judged.lost += one.lost;
    judged.worst = std::max(judged.worst, one.worst), judged.cautious += one.cautious;
  }
  WARN(judged.runs << " runs, " << judged.values << " values, " << judged.over << " over, worst "
                   << judged.worst << ", alarms " << judged.alarms << ", lost " << judged.lost << ", mean "
                   << judged.cautious / judged.values);
  CHECK(judged.over == 0);
}

namespace {

/// The least digits of a step in which two runs of the same experiment agree.
std::vector<double> agreement(const Result& a, const Result& b) {
  std::vector<double> digits(a.steps.size(), 17);
  for (const std::string name : {"loss", "excess_loss", "error"}) {
    const std::vector<double>&x = series(a, name), &y = series(b, name);
    const std::size_t width = x.size() / a.steps.size();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == y[i] || std::isnan(x[i])) continue;
      const double here = -std::log10(std::abs(x[i] - y[i]) / std::max(std::abs(x[i]), std::abs(y[i])));
      digits[i / width] = std::min(digits[i / width], here);
    }
  }
  return digits;
}

/// A rule of experiments/rules over its first 40 steps.
Experiment rule_run(const std::string& name) {
  Experiment e = zoo().at(name);
  e.steps = 40;
  e.digits = "on";
  e.spectral_metrics = "off";
  e.record = {RecordRule::Kind::every, 1, {}};
  e.classes.kind = ClassRule::Kind::all;
  return e;
}

}  // namespace

TEST_CASE(
    "rules with Gaussian embeddings keep the digits that a run with its coordinates in another order confirms",
    "[numbers]") {
  for (const auto& [name, unused] : zoo()) {
    Experiment e = rule_run(name);
    const auto gaussian = [&](const std::string& stream) {
      return embedding_row("gaussian")
          .make(embedding("gaussian").parameters, {.classes = 40, .seed = 1, .stream = stream});
    };
    const Matrix query = gaussian("query"), answer = gaussian("answer");
    e.engine = "dense";
    e.query_embedding = {"file", {{"path", std::string("query")}}};
    e.answer_embedding = {"file", {{"path", std::string("answer")}}};
    const auto run = [&](const Matrix& q, const Matrix& a) {
      return simulate(e, {{}, [&](const std::string& path) { return path == "query" ? q : a; }}, 1);
    };
    const Result result = run(query, answer);
    e.digits = "off";
    const Result other = run(query.colwise().reverse(), answer.colwise().reverse());
    const std::vector<double> claimed = series(result, "digits"), there = agreement(result, other);
    std::string both;
    for (std::size_t t = 0; t < there.size(); t += 8)
      both += fmt::format(" {:.1f}/{:.1f}", claimed[t], there[t]);
    WARN(name << both << " " << only_trajectory(result).status << only_trajectory(result).status_detail);
  }
}

TEST_CASE("rules with identity embeddings keep the digits that they have", "[numbers]") {
  for (const auto& [name, unused] : zoo()) {
    Experiment e = rule_run(name);
    const Result result = simulate(e, {}, 1);
    e.digits = "off";
    std::string both;
    try {
      e.precision = 50;
      e.engine = "symmetric";
      const Result other = simulate(e, {}, 1);
      const std::vector<double> claimed = series(result, "digits"), there = agreement(result, other);
      for (std::size_t t = 0; t < there.size(); t += 8)
        both += fmt::format(" {:.1f}/{:.1f}", claimed[t], there[t]);
    } catch (const InputError&) {
      both = " no 50 digits";
      const std::vector<double> claimed = series(result, "digits");
      for (std::size_t t = 0; t < claimed.size(); t += 8) both += fmt::format(" {:.1f}", claimed[t]);
    }
    WARN(name << both << " " << only_trajectory(result).status << only_trajectory(result).status_detail);
  }
}
