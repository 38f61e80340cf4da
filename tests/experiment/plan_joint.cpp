// Axes of several keys, which move together.

#include <catch2/catch.hpp>

#include "experiment/plan_samples.hpp"
#include "experiment/write.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

using Values = std::vector<SweptValue>;
using Names = std::vector<std::string>;

const std::string joint =
    "\"classes.group_size, optimizer.gd.step_size\" = [[4, 1], [1000, 250], [1e6, 2.5e5]]\n";

/// A file with two optimizers whose labels have commas.
const std::string commas =
    "name = 'c'\n[classes]\nspectrum = 'uniform'\ncount = 4\n[[optimizer]]\nname = 'gd'\nrule = 'gd'\n"
    "step_size = 1\n[[optimizer]]\nname = 'gd, slow'\nrule = 'gd'\nstep_size = 0.1\n[sweep]\n";

}  // namespace

TEST_CASE("the keys of a joint axis move together, and the plan is still the product of all axes") {
  const ExperimentPlan plan = plan_of("seed = [7, 5]\n" + joint + "classes.exponent = [1, 2]\n");
  CHECK(keys_of(plan) == Names{"seed", "classes.group_size, optimizer.gd.step_size", "classes.exponent"});
  CHECK(plan.axes()[1].keys == Names{"classes.group_size", "optimizer.gd.step_size"});
  CHECK(plan.axes()[1].values == std::vector<Values>{{4., 1000., 1e6}, {1., 250., 2.5e5}});
  REQUIRE(plan.size() == 12);
  std::size_t index = 0;
  for (const double seed : {7., 5.}) {
    for (const auto& [size, step] : {std::pair(4., 1.), std::pair(1000., 250.), std::pair(1e6, 2.5e5)}) {
      for (const double exponent : {1., 2.}) {
        const SweepPoint point = plan.point(index++);
        CHECK(point.parameters == std::map<std::string, SweptValue>{{"seed", seed},
                                                                    {"classes.group_size", size},
                                                                    {"optimizer.gd.step_size", step},
                                                                    {"classes.exponent", exponent}});
        CHECK(point.experiment.seed == static_cast<std::int64_t>(seed));
        CHECK(point.experiment.spectrum.parameters.number("group_size") == size);
        CHECK(point.experiment.spectrum.parameters.number("exponent") == exponent);
        CHECK(point.experiment.optimizers[0].step_size == step);
        CHECK(point.experiment.optimizers[1].step_size == 0.5);
      }
    }
  }
  check_round_trip(plan);
}

TEST_CASE("a joint axis is written in one form, and files that mean the same have the same text") {
  const std::string text = resolved_text(plan_of(joint + "seed = [1, 2]\n"));
  CHECK_THAT(text, Catch::EndsWith("\n[sweep]\n\"classes.group_size, optimizer.gd.step_size\" = [[4.0, 1.0], "
                                   "[1000.0, 250.0], [1000000.0, 250000.0]]\n\"seed\" = [1, 2]\n"));
  for (const std::string same :
       {"\" optimizer.gd.step_size ,classes.group_size\" = [[1.0, 4.0], [2.5e2, 1e3], [250000, 1000000]]\n",
        "\"classes.group_size,\\toptimizer.gd.step_size\" = [[4, 1], # one\n [1_000, 250], [1e6, 2.5e5],]\n",
        "classes.\"group_size, optimizer.gd.step_size\" = [[4, 1], [1000, 250], [1e6, 2.5e5]]\n"}) {
    INFO(same);
    CHECK(resolved_text(plan_of(same + "seed = {range = [1, 3]}\n")) == text);
  }
  // Four whole numbers in equal steps are a range on an axis of their own alone.
  const ExperimentPlan steps = plan_of("\"seed, run.steps\" = [[1, 2], [2, 3], [3, 4], [4, 5]]\n");
  CHECK_THAT(resolved_text(steps),
             Catch::EndsWith("\n\"run.steps, seed\" = [[2, 1], [3, 2], [4, 3], [5, 4]]\n"));
  check_round_trip(steps);
  CHECK(resolved_text(plan_of("\"seed, run.steps\" = [[1, 2], [3, 4]]\n")) !=
        resolved_text(plan_of("seed = [1, 3]\nrun.steps = [2, 4]\n")));
}

TEST_CASE("rows of tables, lists and texts move together like numbers") {
  std::string text = base + "[embedding]\nrho = 0.3\n[sweep]\n" +
                     "\"embedding.kind, run.record, optimizer.gd.rule\" = [[\"identity\", [0, 2], \"gd\"], "
                     "[\"equicorrelated\", \"log\", \"momentum\"]]\n";
  const ExperimentPlan plan = parse_plan(text, "t.toml");
  REQUIRE(plan.size() == 2);
  CHECK_FALSE(plan.point(0).experiment.query_embedding.parameters.has("rho"));
  CHECK(plan.point(1).experiment.query_embedding.parameters.number("rho") == 0.3);
  CHECK(plan.point(0).parameters.at("run.record") == SweptValue("[0, 2]"));
  CHECK(plan.point(1).experiment.optimizers[0].name == "gd");
  CHECK(plan.point(1).experiment.optimizers[0].parameters.number("momentum") == 0.9);
  check_round_trip(plan);
  // A parameter may come with its row.
  std::string bare = base;
  bare.erase(bare.find("groups = 4\n"), bare.find("[run]") - bare.find("groups = 4\n"));
  const std::string rows = "\"classes.spectrum, classes.count\" = [[\"uniform\", 5], [\"power_law\", 50]]\n";
  const ExperimentPlan laws =
      parse_plan(bare + "[sweep]\n" + rows + "classes.exponent = [1]\n", "t.toml", {"classes.exponent=2"});
  CHECK(laws.point(1).experiment.spectrum.parameters.number("exponent") == 2);
  CHECK(laws.point(0).experiment.spectrum.kind == "uniform");
  check_round_trip(laws);
}

TEST_CASE("a comma in the label of an optimizer parts no keys") {
  const auto keys = [](const std::string& axis) {
    return parse_plan(commas + axis, "t.toml").axes()[0].keys;
  };
  CHECK(keys("\"optimizer.gd, slow.step_size\" = [1, 2]\n") == Names{"optimizer.gd, slow.step_size"});
  CHECK(keys("[sweep.optimizer.'gd, slow']\nstep_size = [1, 2]\n") == Names{"optimizer.gd, slow.step_size"});
  CHECK(keys("\"optimizer.gd, slow.step_size, optimizer.gd.step_size\" = [[1, 2]]\n") ==
        Names{"optimizer.gd, slow.step_size", "optimizer.gd.step_size"});
  CHECK(keys("\"seed,optimizer.gd, slow.step_size\" = [[1, 2]]\n") ==
        Names{"optimizer.gd, slow.step_size", "seed"});
  check_round_trip(parse_plan(
      commas + "\"optimizer.gd.step_size, optimizer.gd, slow.step_size\" = [[1, 2], [2, 1]]\n", "t.toml"));
}

TEST_CASE("bad values are found wherever they stand, also where an axis touches several tables") {
  // The second axis varies a table of its own and one of the first axis.
  const auto problems = problems_of(
      base +
      "[sweep]\n\"run.steps, classes.groups\" = [[1, 2], [2, 2]]\n"
      "\"optimizer.gd.step_size, run.nodes, classes.group_size\" = [[1, 8, 1], [2, 9, 0], [-1, 'x', 3]]\n");
  REQUIRE(problems.size() == 3);
  for (const Problem& problem : problems) CHECK(problem.line == first_line + 1);
  CHECK_THAT(problems[0].message, Contains("classes.group_size: got 0"));
  CHECK(problems[0].column == 78);
  CHECK(problems[1].column == 83);
  CHECK(problems[2].column == 87);
  // Step 5 is one too many with the second value of an axis whose other key has nothing to do with steps.
  const auto together = problems_of(
      base + "[sweep]\n\"classes.groups, run.steps\" = [[2, 9], [3, 4]]\nrun.record = [\"all\", [0, 5]]\n");
  REQUIRE(together.size() == 1);
  CHECK_THAT(together[0].message, Contains("run.record: got 5"));
  CHECK(together[0].line == first_line + 1);
}

TEST_CASE("a key is on one axis alone, joint or not, and missed where its own axis is not refused") {
  for (const std::string two :
       {"\"seed, run.steps\" = [[1, 2]]\nseed = [1, 2]\n", "seed = [1, 2]\n\"run.steps,seed\" = [[1, 2]]\n",
        "\"seed, run.steps\" = [[1, 2]]\n\"seed, classes.groups\" = [[1, 2]]\n",
        "\"seed, run.steps\" = [[1, 2]]\n\"run.nodes, seed\" = [[8, 2]]\n"}) {
    const auto problems = problems_of(base + "[sweep]\n" + two);
    INFO(two);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].line == first_line + 1);
    CHECK(problems[0].message == "sweep.seed: this key has two axes");
  }
  std::string text = base;
  text.replace(text.find("groups = 4\n"), 11, "");
  for (const std::string axis : {"\"classes.groups, sed\" = [[1, 2]]", "\"classes.groups, seed\" = [[1]]"}) {
    INFO(axis);
    CHECK(problems_of(text + "[sweep]\n" + axis).size() == 1);
  }
  CHECK(problems_of(text + "[sweep]\n\"classes.exponent, seed\" = [[1]]\n").size() == 2);
}

TEST_CASE("the option --set takes a joint axis as a whole") {
  const Names with_seed = {"classes.group_size, optimizer.gd.step_size", "seed"};
  const std::string sweep = joint + "seed = [1, 2]\n";
  // In whatever order and with whatever blanks its keys are given.
  for (const std::string set : {"sweep.classes.group_size, optimizer.gd.step_size=[[8, 2]]",
                                "sweep.optimizer.gd.step_size,classes.group_size = [[2, 8]]"}) {
    const ExperimentPlan plan = plan_of(sweep, {set});
    INFO(set);
    CHECK(keys_of(plan) == with_seed);
    REQUIRE(plan.size() == 2);
    CHECK(plan.point(0).experiment.spectrum.parameters.number("group_size") == 8);
    CHECK(plan.point(0).experiment.optimizers[0].step_size == 2);
  }
  CHECK(keys_of(parse_plan(base, "t.toml", {"sweep.seed, run.steps=[[1, 2], [2, 3]]"})) ==
        Names{"run.steps, seed"});
  // An axis of one key makes room for a joint one.
  CHECK(keys_of(plan_of(sweep, {"seed=1", "sweep.seed, run.steps=[[1, 2]]"})) ==
        Names{with_seed[0], "run.steps, seed"});

  const auto says = [&](const std::string& set, const std::string& message) {
    const auto problems = problems_of(base + "[sweep]\n" + sweep, {set});
    INFO(set);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].file == "--set " + set);
    CHECK(problems[0].line == 0);
    CHECK_THAT(problems[0].message, Contains(message));
  };
  says("classes.group_size=8",
       "classes.group_size moves with other keys on the axis \"classes.group_size, optimizer.gd.step_size\"; "
       "set all of it: 'sweep.classes.group_size, optimizer.gd.step_size=[[...], ...]'");
  says("optimizer.gd.step_size=8", "optimizer.gd.step_size moves with other keys on the axis");
  says("classes.group_size, optimizer.gd.step_size=[8, 2]",
       "one value belongs to one key; 'sweep.classes.group_size, optimizer.gd.step_size=[[...], ...]' sets "
       "an");
  says("sweep.classes.group_size=[8, 9]", "sweep.classes.group_size: this key has two axes");
  says("sweep.seed, run.steps=[[1, 2]]", "sweep.seed: this key has two axes");
  says("sweep.classes.group_size, optimizer.gd.step_size=[[8, 2, 1]]", "got 3 values, expected 2");
  says("sweep.classes.group_size, optimizer.gd.step_size=[[8, -1]]", "step_size: got -1");
  says("sweep.run.steps, run.nods=[[8, 2]]", "unknown key \"run.nods\" in [sweep]");
}
