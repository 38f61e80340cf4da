#include "tables/summary.hpp"

#include <catch2/catch.hpp>

#include "core/text.hpp"
#include "results/sample_result.hpp"

namespace rarefact {

using Catch::Contains;

namespace {

/// One run of three groups; the errors of every class are as given.
Result with_errors(std::vector<std::int64_t> steps, std::vector<double> errors) {
  Result result = sample_result();
  result.runs.resize(1);
  result.steps = std::move(steps);
  result.optimizers = {"muon"};
  Trajectory trajectory = sample_trajectory("muon", result.steps.size(), 3);
  trajectory.series["error"] = std::move(errors);
  result.runs[0].trajectories = {trajectory};
  return result;
}

std::string closing_table(const Result& result) {
  return ClosingReport(result).table();
}

}  // namespace

TEST_CASE("the closing table shows head and tail at the last step and when every class was learned") {
  Result result = with_errors({0, 1, 2}, {.9, .9, .9, .05, .05, .15, .0123456, .02, .09});
  // loss is exp(-2) and error_predicted exp(-2)/8 at the last record; nothing predicts the loss.
  REQUIRE(closing_table(result) ==
          "optimizer    loss  predicted  head error  tail error  predicted  steps to 0.1\n"
          "muon       0.1353          -     0.01235        0.09    0.01692             2\n"
          "engine: symmetric (muon)\n"
          "head: the most frequent classes; tail: the rarest; losses in nats\n"
          "steps to 0.1: the first step with every error below 0.1\n");
  // The rows may be in another order than that of the probabilities.
  result.runs[0].class_probability = {0.1, 0.2, 0.7};
  CHECK_THAT(closing_table(result), Contains("        0.09     0.01235 "));
}

TEST_CASE(
    "the closing table shows the digits that are there, marks numbers with fewer than 3, and says why") {
  Result result = with_errors({0, 1, 2}, {.9, .9, .9, .05, .05, .15, .0123456, .02, .09});
  Trajectory& muon = result.runs[0].trajectories[0];
  muon.status = "digits_lost";
  muon.status_step = 2;
  muon.status_detail = "rounding leaves fewer than 3 digits of error";
  muon.series["loss_digits"] = {15, 9, 3.4};
  muon.series["error_digits"] = {15, 6, 2.2};
  REQUIRE(
      closing_table(result) ==
      "optimizer   loss  predicted  head error  tail error  predicted  steps to 0.1\n"
      "muon       0.135          -      0.012?       0.09?     0.017?             2\n"
      "muon loses its digits: rounding leaves fewer than 3 digits of error from step 2 on (?: fewer than 3 digits of a "
      "number are left)\n"
      "engine: symmetric (muon)\n"
      "head: the most frequent classes; tail: the rarest; losses in nats\n"
      "steps to 0.1: the first step with every error below 0.1\n");
}

TEST_CASE(
    "the closing table says when a class was never learned and that sparse steps are only those recorded") {
  const Result never = with_errors({0, 1, 2}, {.9, .9, .9, .05, .1, .05, .05, .1, .05});
  REQUIRE_THAT(closing_table(never), Contains("  >2\n") && !Contains("recorded"));
  const Result sparse = with_errors({0, 10, 100}, {.9, .9, .9, .05, .01, .05, .05, .01, .05});
  REQUIRE_THAT(closing_table(sparse), Contains(" 10\n") && Contains("the first recorded step"));
}

TEST_CASE("the closing table says what became of the updates that were not made one by one") {
  Result result = with_errors({0, 2'000'000'000}, {.9, .9, .9, .05, .05, .15});
  Trajectory& muon = result.runs[0].trajectories[0];
  muon.updates = 34;
  // Nothing is certified of a run that has diverged: it leapt over nothing.
  CHECK_THAT(closing_table(result), !Contains("one by one"));
  muon.fast_forward_error = 1e-11;
  CHECK_THAT(closing_table(result), Contains("muon: 34 of 2000000000 updates made one by one; the others are "
                                             "certified to a relative error of 1e-11"));
}

TEST_CASE("of a diverged optimizer one run shows the last finite record, a sweep says that it diverged") {
  Result result = sample_result();
  REQUIRE_THAT(
      closing_table(result),
      Catch::StartsWith(
          "classes.exponent  optimizer      loss  predicted  tail error  predicted  steps to 0.1\n") &&
          Contains("\n2.5                  gd η=1  diverged   diverged    diverged   diverged") &&
          Contains("\nrun 1: classes.exponent = 2.5: gd η=1 diverged after step 1\n"));
  result.runs.erase(result.runs.begin());
  // exp(-1): the record of step 1; the two later ones are NaN.
  REQUIRE_THAT(closing_table(result),
               Contains("gd η=1      0.3679") && !Contains("nan") &&
                   Contains("gd η=1 diverged after step 1; its numbers are the last finite ones"));
}

TEST_CASE("the closing table of a sweep averages over seeds and has at most 40 lines") {
  Result result = sample_result();
  const Run run = result.runs[0];
  result.runs.clear();
  for (int i = 0; i < 90; ++i) {
    result.runs.push_back(run);
    result.runs.back().parameters = {{"classes.exponent", 1.0 + i / 3}, {"seed", static_cast<double>(i % 3)}};
    result.runs.back().trajectories[0].series["loss"].back() = 1 + i % 3;
  }
  const std::string text = closing_table(result);
  CHECK_THAT(text,
             Contains("\n1                      muon  2.000 ± 2.484") && Contains("\n20 ") &&
                 !Contains("\n21 ") &&
                 Contains("\nthese are the first 40 lines of 90 runs; rarefact table shows any part\n"));
}

namespace {

/// One run of an experiment with these optimizers at these step sizes.
Result with_experiment(const std::string& optimizers, const std::vector<double>& step_sizes, int edge = 0,
                       double noise = 0, const std::string& sweep = "") {
  Result result = with_errors({0, 1}, {.9, .9, .9, .05, .05, .15});
  result.experiment = "name = \"s\"\n[classes]\nspectrum = \"uniform\"\ncount = 3\n[data]\nlabel_noise = " +
                      std::to_string(noise) + "\n[run]\nsteps = 1\n" + optimizers + sweep;
  const Trajectory one = result.runs[0].trajectories[0];
  result.runs[0].trajectories.clear();
  result.optimizers.clear();
  for (const double step_size : step_sizes) {
    result.runs[0].trajectories.push_back(one);
    result.runs[0].trajectories.back().step_size = step_size;
    result.runs[0].trajectories.back().step_size_edge = edge;
    result.optimizers.push_back("muon");
  }
  return result;
}

}  // namespace

TEST_CASE("the closing table names the step sizes that were chosen, from which and by what") {
  const Result result = with_experiment(
      "[[optimizer]]\nrule = \"gd\"\nstep_size = \"6*p_max\"\n"
      "[[optimizer]]\nrule = \"muon\"\nstep_size = {search = [0.01, \"K\", 5]}\n"
      "[[optimizer]]\nrule = \"signgd\"\nstep_size = {search = [1, 2, 3], minimise = \"steps_to_error\", below = 0.2}\n"
      "[[optimizer]]\nrule = \"ngd\"\nstep_size = 3\n",
      {2, 0.173205, 1, 3});
  CHECK_THAT(closing_table(result),
             Contains("\ngd: step size 2 = 6*p_max\n"
                      "muon: step size 0.1732, best of 5 in [0.01, K], loss\n"
                      "signgd: step size 1, best of 3 in [1, 2], steps_to_error < 0.2 (rarest)\n"
                      "engine: symmetric"));
}

TEST_CASE("a best step size at the edge is a warning, and says where larger is always better") {
  const std::string searching = "step_size = {search = [1, 2, 3]}\n";
  const auto warnings = [&](const std::string& rule, int edge, double noise, const std::string& more = "") {
    return ClosingReport(with_experiment("[[optimizer]]\nrule = \"" + rule + "\"\n" + searching + more, {2},
                                         edge, noise))
        .warnings();
  };
  CHECK_THAT(warnings("muon", 1, 0),
             Contains("muon: the best step size, 2, is the largest tried; without label noise") &&
                 Contains("none is best"));
  CHECK_THAT(warnings("signgd", 1, 0), Contains("none is best"));
  for (const std::string& text :
       {warnings("muon", -1, 0), warnings("muon", 1, 0.1), warnings("newton", 1, 0)})
    CHECK_THAT(text, Contains("a better one may lie beyond"));
  CHECK(warnings("muon", 0, 0).empty());
}

TEST_CASE("an ε above the gradient of the rarest class is a warning, once for all runs of an optimizer") {
  const auto result = [](double epsilon, const std::string& sweep = "") {
    return with_experiment(
        "[[optimizer]]\nrule = \"adam\"\nstep_size = 1\nepsilon = " + std::to_string(epsilon) + "\n", {1}, 0,
        0.5, sweep);
  };
  // The rarest class of the sample has 1e-13 / 3.
  CHECK_THAT(
      ClosingReport(result(0.5)).warnings(),
      Contains("warning: muon: the gradient of the rarest class, 1.7e-14 at the start, is below ε = 0.5"));
  CHECK(ClosingReport(result(0)).warnings().empty());
  Result two = result(0.5, "[sweep]\nseed = [0, 1]\n");
  two.runs.push_back(two.runs[0]);
  two.runs[1].index = 1;
  CHECK_THAT(ClosingReport(two).warnings(),
             Contains("warning: run 0: muon: ") && Contains("; so in 1 more runs\n"));
}

TEST_CASE("the closing table of the starter experiment's width fits 80 columns") {
  const std::string text = closing_table(with_errors({0, 200}, {.9, .9, .9, 2.201e-83, .05, 2.258e-83}));
  for (const std::string_view line : split_text(text, '\n')) CHECK(utf8_length(line) <= 80);
}

TEST_CASE("tables count characters, not bytes") {
  REQUIRE(aligned_table({{"a", "bb"}, {"η", "1"}}) == "a  bb\nη   1\n");
}

}  // namespace rarefact
