// The texts made from results: the closing table and the description.

#include <catch2/catch.hpp>

#include "core/text.hpp"
#include "io/build_info.hpp"
#include "io/scratch_folder.hpp"
#include "results/result_file.hpp"
#include "results/sample_result.hpp"
#include "tables/summary.hpp"

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

}  // namespace

TEST_CASE("the closing table shows head and tail at the last step and when every class was learned") {
  const Result result = with_errors({0, 1, 2}, {.9, .9, .9, .05, .05, .15, .0123456, .02, .09});
  // loss is exp(-2), class_loss exp(-2)/5 and exp(-2)/7 at the last record.
  REQUIRE(
      end_table(result) ==
      "optimizer     engine  total loss  head error  tail error  head loss  tail loss  steps to error < 0.1\n"
      "muon       symmetric      0.1353     0.01235        0.09    0.02707    0.01933                     2\n"
      "head: the most frequent classes; tail: the rarest; losses in nats\n");
}

TEST_CASE(
    "the closing table says when a class was never learned and that sparse steps are only those recorded") {
  const Result never = with_errors({0, 1, 2}, {.9, .9, .9, .05, .1, .05, .05, .1, .05});
  REQUIRE_THAT(end_table(never), Contains("not reached (> 2)") && !Contains("recorded"));
  const Result sparse = with_errors({0, 10, 100}, {.9, .9, .9, .05, .01, .05, .05, .01, .05});
  REQUIRE_THAT(end_table(sparse), Contains(" 10\n") && Contains("steps are those recorded"));
}

TEST_CASE("the closing table of a diverged optimizer shows its last finite record, run by run") {
  const std::string text = end_table(sample_result());
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

TEST_CASE("the description of a file tells a person what is in it and who wrote it") {
  const ScratchFolder folder;
  Result result = sample_result();
  result.variables.push_back({.name = "loss_predicted", .long_name = "predicted loss", .units = "nat"});
  result.runs[0].trajectories[0].series["loss_predicted"] = {1, 0.5, 0.25, 0.0625};
  write_result(result, folder / "r.h5");
  const std::string text = describe_result(folder / "r.h5");
  for (const char* part :
       {"sample\n", "2 runs, 2 optimizers, 4 recorded steps up to 5",
        "loss, excess_loss, gap, error, class_loss", "run 0: 3000000000000 classes in 3 groups",
        "classes.exponent = 2.5", "muon       symmetric  complete  0.0497871     0.0625\n",
        "diverged at step 1", "0.367879 (step 1)", "gd η=1: norm of the weight 1e300", build_info::compiler,
        build_info::version}) {
    INFO(text);
    REQUIRE_THAT(text, Contains(part));
  }
}

}  // namespace rarefact
