// The search for step sizes: what is tried, what is chosen, and that nothing else changes.

#include <catch2/catch.hpp>

#include "core/spacing.hpp"
#include "laws/experiments.hpp"
#include "reference/with_defaults.hpp"
#include "sim/resolve.hpp"

using namespace laws;

namespace {

Experiment searching(const std::string& rule, double low, double high, std::int64_t count, double noise = 0.1,
                     const std::string& minimise = "loss") {
  Experiment e = identity_run(spectra()[4], rule, noise);
  e.steps = 10;
  e.optimizers[0].step_size = 0;
  e.optimizers[0].search = StepSearch{low, high, count, minimise};
  return e;
}

Experiment with_step_size(Experiment e, double step_size) {
  e.optimizers[0].search.reset();
  e.optimizers[0].step_size = step_size;
  return e;
}

double last(const Trajectory& trajectory, const std::string& name) {
  return trajectory.series.at(name).back();
}

/// What a search minimises, written anew from what a result with a row for each class shows.
double score(const Result& result, const StepSearch& search) {
  const Run& run = result.runs[0];
  if (search.minimise != "error") return last(run.trajectories[0], search.minimise);
  const auto& error = run.trajectories[0].series.at("error");
  const std::size_t rows = run.class_count.size(), begin = error.size() - rows;
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r)
    sum += run.class_count[r] * run.class_probability[r] * error[begin + r];
  return sum;
}

}  // namespace

TEST_CASE("the result is that of the best step size alone, whatever is minimised") {
  for (const char* rule : {"gd", "muon", "adam"}) {
    std::map<std::string, double> chosen;
    for (const char* minimise : {"loss", "excess_loss", "error"}) {
      const Experiment e = searching(rule, 0.05, 50, 8, 0.1, minimise);
      const StepSearch& search = *e.optimizers[0].search;
      double best = 0, least = 0;
      for (const double step_size : log_spaced(0.05, 50, 8)) {
        const double value = score(simulate(with_step_size(e, step_size), {}, 1), search);
        if (best != 0 && !(value < least)) continue;
        least = value;
        best = step_size;
      }
      const Result alone = simulate(with_step_size(e, best), {}, 1);
      CHECK(only_trajectory(alone).step_size == best);
      CHECK(only_trajectory(alone).step_size_edge == 0);
      for (const int threads : {1, 2}) {
        const Result found = simulate(e, {}, threads);
        const Trajectory& trajectory = only_trajectory(found);
        CAPTURE(rule, minimise, threads, best, least);
        CHECK(trajectory.step_size == best);
        CHECK(trajectory.step_size_edge == (best == 0.05 ? -1 : best == 50 ? 1 : 0));
        CHECK(trajectory.optimizer == rule);
        CHECK(found.optimizers == std::vector<std::string>{rule});
        CHECK(found.variables == alone.variables);
        CHECK(trajectory.series.size() == only_trajectory(alone).series.size());
        CHECK(distance(found, alone) == 0);
      }
      chosen[minimise] = best;
    }
    // With label noise the least error is not where the least loss is.
    CHECK(chosen["loss"] == chosen["excess_loss"]);
    if (std::string(rule) == "muon") CHECK(chosen["error"] != chosen["loss"]);
  }
}

TEST_CASE("the error that is minimised is that of all classes, whichever ones are shown, and on nodes") {
  Experiment e = searching("muon", 0.05, 50, 6, 0.1, "error");
  const double all = only_trajectory(simulate(e, {}, 1)).step_size;
  e.classes = {ClassRule::Kind::list, {{ClassAt::Kind::last, 1}}};
  CHECK(only_trajectory(simulate(e, {}, 1)).step_size == all);

  Experiment nodes = searching("tra_signgd", 0.1, 10, 5, 0, "error");
  nodes.spectrum = power_law(1e6, 1.2);
  nodes.engine = "quadrature";
  nodes.classes.kind = ClassRule::Kind::groups;
  const Result found = simulate(nodes, {}, 1);
  // Without noise the margins may grow for ever.
  CHECK(only_trajectory(found).step_size == 10);
  CHECK(only_trajectory(found).step_size_edge == 1);
  CHECK(only_trajectory(found).engine == "quadrature");
  CHECK(distance(found, simulate(with_step_size(nodes, 10), {}, 1)) == 0);
}

TEST_CASE("of equal values the smaller step size wins, and what diverges never does") {
  // Every step size of the first takes the error, and the second's largest the weights, beyond all doubles.
  const Result tied = simulate(searching("tra_signgd", 1e3, 4e3, 3, 0), {}, 1);
  CHECK(last(only_trajectory(tied), "loss") == 0);
  CHECK(only_trajectory(tied).step_size == 1e3);
  CHECK(only_trajectory(tied).step_size_edge == -1);

  const Result survivor = simulate(searching("signgd", 1, 1e308, 2), {}, 1);
  CHECK(only_trajectory(survivor).status == "complete");
  CHECK(only_trajectory(survivor).step_size == 1);
  const Result none = simulate(searching("signgd", 9e307, 1e308, 2), {}, 1);
  CHECK(only_trajectory(none).status == "diverged");
  CHECK(only_trajectory(none).step_size == 9e307);
  CHECK(only_trajectory(none).step_size_edge == 0);
}

TEST_CASE("the engine of a search is chosen once, and its time counts every run") {
  const Experiment e = searching("gd", 0.1, 10, 7);
  CHECK(chosen_engines(e, 1e12).size() == 1);
  const auto seconds = [](const Experiment& one) { return resolve(one, {}).seconds; };
  const double one = seconds(with_step_size(e, 1)), four = seconds(searching("gd", 0.1, 10, 4));
  CHECK(four > one);
  CHECK(seconds(e) - one == Approx(2 * (four - one)));
}

TEST_CASE(
    "a step size that is an expression is the number it stands for, on every engine and at the ends of a search") {
  Experiment e = searching("gd", 1, 2, 3);
  const Spectrum spectrum = spectrum_of(e.spectrum.kind, e.spectrum.parameters, {});
  const double p_max = spectrum.groups->probability.front(), p_min = spectrum.groups->probability.back();
  Experiment typed = with_step_size(e, 0);
  typed.optimizers[0].step_size.expression = "2/p_max";
  const Result found = simulate(typed, {}, 1);
  CHECK(only_trajectory(found).step_size == 2 / p_max);
  CHECK(distance(found, simulate(with_step_size(e, 2 / p_max), {}, 1)) == 0);

  e.optimizers[0].search->low.expression = "1/p_max";
  e.optimizers[0].search->high.expression = "min(1/p_min, 1e3*K)*(1-alpha)+0*steps";
  std::vector<double> sizes;
  for (const Attempt& attempt : resolve(e, {}).attempts) sizes.push_back(attempt.step_size);
  const double high = std::min(1 / p_min, 1e3 * spectrum.classes) * (1 - e.label_noise);
  CHECK(sizes == log_spaced(1 / p_max, high, 3));

  // Under a law of answers there are other numbers of queries and answers.
  Experiment many = typed;
  many.answers = {"fan_in", {{"fan_in", 3.0}, {"rounded", true}, {"within", 0.0}}};
  many.optimizers[0].step_size.expression = "1/K";
  CHECK(resolve(many, {}).attempts[0].step_size == 1 / spectrum.classes);
  many.answers = {"modulo", {{"count", 5.0}, {"power", std::int64_t{1}}}};
  CHECK(resolve(many, {}).attempts[0].step_size == 0.2);

  // Too many classes to write out: the law gives the same numbers.
  Experiment nodes = typed;
  nodes.spectrum = power_law(1e6, 1.2);
  nodes.classes.kind = ClassRule::Kind::groups;
  const double written_out = resolve(nodes, {}).attempts[0].step_size;
  CHECK(step_size_value(nodes.optimizers[0].step_size, nodes.optimizers[0], nodes,
                        {{}, spectrum_of("power_law", nodes.spectrum.parameters, {}).law, 1e6}) ==
        Approx(written_out).epsilon(1e-12));
}
