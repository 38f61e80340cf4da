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
  const Result result = with_errors({0, 1, 2}, {.9, .9, .9, .05, .05, .15, .0123456, .02, .09});
  // loss is exp(-2), class_loss exp(-2)/5 and exp(-2)/7 at the last record.
  REQUIRE(
      closing_table(result) ==
      "optimizer     engine  total loss  head error  tail error  head loss  tail loss  steps to error < 0.1\n"
      "muon       symmetric      0.1353     0.01235        0.09    0.02707    0.01933                     2\n"
      "head: the most frequent classes; tail: the rarest; losses in nats\n");
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
      "optimizer     engine  total loss  head error  tail error  head loss  tail loss  steps to error < 0.1\n"
      "muon       symmetric       0.135      0.012?       0.09?     0.0271     0.0193                     2\n"
      "muon loses its digits: rounding leaves fewer than 3 digits of error from step 2 on (?: fewer than 3 digits of a "
      "number are left)\n"
      "head: the most frequent classes; tail: the rarest; losses in nats\n");
}

TEST_CASE(
    "the closing table says when a class was never learned and that sparse steps are only those recorded") {
  const Result never = with_errors({0, 1, 2}, {.9, .9, .9, .05, .1, .05, .05, .1, .05});
  REQUIRE_THAT(closing_table(never), Contains("not reached (> 2)") && !Contains("recorded"));
  const Result sparse = with_errors({0, 10, 100}, {.9, .9, .9, .05, .01, .05, .05, .01, .05});
  REQUIRE_THAT(closing_table(sparse), Contains(" 10\n") && Contains("steps are those recorded"));
}

TEST_CASE("the closing table of a diverged optimizer shows its last finite record, run by run") {
  const std::string text = closing_table(sample_result());
  REQUIRE_THAT(text,
               Contains("run 0: classes.exponent = 1.5\n") && Contains("\nrun 1: classes.exponent = 2.5\n"));
  REQUIRE_THAT(text, Contains("gd η=1 diverged after step 1; its numbers are the last finite ones"));
  // exp(-1): the record of step 1; the two later ones are NaN.
  REQUIRE_THAT(text, Contains("gd η=1     symmetric      0.3679"));
  REQUIRE_THAT(text, !Contains("nan"));
}

TEST_CASE("tables count characters, not bytes") {
  REQUIRE(aligned_table({{"a", "bb"}, {"η", "1"}}) == "a  bb\nη   1\n");
}

}  // namespace rarefact
