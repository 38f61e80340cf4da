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
  result.runs[0].class_count = {1, 1, 1};
  result.runs[0].class_probability = {0.7, 0.2, 0.1};
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
  Result part = result;
  part.runs[0].class_probability[0] = 0.5;  // other classes have the rest
  CHECK_THAT(closing_table(part),
             Contains("head: the most frequent of the classes of run.classes; tail: the rarest; ") &&
                 Contains("the first step with every error of these classes below 0.1\n"));
  part.runs[0].class_probability = {0.7, 0.2, 0.1 - 1e-9};  // and be it little
  CHECK_THAT(closing_table(part), Contains("with every error of these classes below"));
  Result nodes = result;
  nodes.runs[0].class_count = {1, 1, 2.5};
  nodes.runs[0].class_probability = {0.7, 0.2, 0.04};
  CHECK_THAT(closing_table(nodes), Contains("with every error at the quadrature nodes below 0.1\n"));
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
  muon.series["digits_predicted"] = {15, 6, 2.2};
  REQUIRE(closing_table(result) ==
          "optimizer   loss  predicted  head error  tail error  predicted  steps to 0.1\n"
          "muon       0.135          -      0.012?       0.09?     0.017?             2\n"
          "muon loses its digits from step 2 on: rounding leaves fewer than 3 digits of error\n"
          "?: fewer than 3 digits of a number are left\n"
          "engine: symmetric (muon)\n"
          "head: the most frequent classes; tail: the rarest; losses in nats\n"
          "steps to 0.1: the first step with every error below 0.1\n");
  CHECK(ClosingReport(result).warnings() ==
        "warning: muon loses its digits from step 2 on: rounding leaves fewer than 3 digits of error\n");
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
          Contains(
              "\nrun 1: classes.exponent = 2.5: gd η=1 diverged after step 1: norm of the weight 1e300\n"));
  result.runs.erase(result.runs.begin());
  // exp(-1): the record of step 1; the two later ones are NaN.
  REQUIRE_THAT(
      closing_table(result),
      Contains("gd η=1      0.3679") && !Contains("nan") &&
          Contains(
              "gd η=1 diverged after step 1: norm of the weight 1e300; its numbers are the last finite ones"));
  CHECK_THAT(ClosingReport(result).warnings(),
             Contains("warning: gd η=1 diverged after step 1: norm of the weight 1e300"));
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

TEST_CASE("step sizes that were chosen stand below the table of one run, and in the table of a sweep") {
  Result result = with_errors({0, 1}, {.9, .9, .9, .05, .05, .15});
  result.runs[0].trajectories[0].step_size = 0.173205;
  CHECK_THAT(closing_table(result), !Contains("step size"));
  result.runs[0].trajectories[0].step_size_source = "best of 5 in [0.01, K], loss";
  CHECK_THAT(closing_table(result),
             Contains("\nmuon: step size 0.1732 (best of 5 in [0.01, K], loss)\nengine"));
  result.runs.push_back(result.runs[0]);
  CHECK_THAT(closing_table(result), Contains("optimizer  step size ") && !Contains("best of"));
}

TEST_CASE("what is to know of a complete run is a warning, of at most ten runs") {
  Result result = with_errors({0, 1}, {.9, .9, .9, .05, .05, .15});
  CHECK(ClosingReport(result).warnings().empty());
  result.runs[0].trajectories[0].status_detail = "ε holds it back";
  CHECK(ClosingReport(result).warnings() == "warning: muon: ε holds it back\n");
  result.runs.resize(12, result.runs[0]);
  CHECK_THAT(ClosingReport(result).warnings(),
             Contains("warning: run 0: muon: ε holds it back\n") &&
                 Contains("warning: and 2 more of runs that are complete\n"));
}

TEST_CASE("the closing table of the starter experiment's width fits 80 columns") {
  const std::string text = closing_table(with_errors({0, 200}, {.9, .9, .9, 2.201e-83, .05, 2.258e-83}));
  for (const std::string_view line : split_text(text, '\n')) CHECK(utf8_length(line) <= 80);
}

}  // namespace rarefact
