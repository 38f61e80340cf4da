#include "experiment/plan.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "experiment/plan_samples.hpp"
#include "experiment/read.hpp"
#include "experiment/write.hpp"
#include "io/scratch_folder.hpp"

using namespace rarefact;

namespace {

std::vector<double> numbers_of(const std::string& key, const std::string& axis) {
  const ExperimentPlan plan = plan_of(key + " = " + axis);
  std::vector<double> numbers;
  for (const SweptValue& value : plan.axes().at(0).values.at(0)) numbers.push_back(std::get<double>(value));
  return numbers;
}

}  // namespace

TEST_CASE("the grid is the product of the axes in the order of the file, the last one fastest") {
  const ExperimentPlan plan = plan_of(
      "seed = [7, 5]\n\"classes.exponent\" = [2, 1, 1.5]\nclasses.groups = {range = [2, 4]}\n"
      "data.label_noise = [0.1]\n");
  CHECK(keys_of(plan) ==
        std::vector<std::string>{"seed", "classes.exponent", "classes.groups", "data.label_noise"});
  REQUIRE(plan.size() == 12);
  std::size_t index = 0;
  for (const double seed : {7., 5.}) {
    for (const double exponent : {2., 1., 1.5}) {
      for (const double groups : {2., 3.}) {
        const auto parameters = plan.point(index++).parameters;
        CHECK(parameters.at("seed") == SweptValue(seed));
        CHECK(parameters.at("classes.exponent") == SweptValue(exponent));
        CHECK(parameters.at("classes.groups") == SweptValue(groups));
        CHECK(parameters.at("data.label_noise") == SweptValue(0.1));
      }
    }
  }
}

TEST_CASE("a file without [sweep] is a plan of one point, whose text is that of the experiment") {
  const ExperimentPlan plan = parse_plan(base, "t.toml", {"run.steps=9"});
  CHECK(plan.axes().empty());
  REQUIRE(plan.size() == 1);
  CHECK(plan.point(0).parameters.empty());
  CHECK(plan.point(0).experiment == parse_experiment(base, "t.toml", {"run.steps=9"}));
  CHECK(resolved_text(plan) == resolved_text(plan.point(0).experiment));
}

TEST_CASE("range, linspace and logspace make the numbers that a reader expects") {
  CHECK(numbers_of("seed", "{range = [3, 6]}") == std::vector<double>{3, 4, 5});
  CHECK(numbers_of("seed", "{range = [0, 7, 3]}") == std::vector<double>{0, 3, 6});
  CHECK(numbers_of("seed", "{linspace = [4, 9, 1]}") == std::vector<double>{4});
  const std::string key = "optimizer.gd.step_size";
  // As typed: 0.1 + 2 * 0.1 would be 0.30000000000000004.
  CHECK(numbers_of(key, "{linspace = [0.1, 0.9, 9]}") ==
        std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9});
  CHECK(numbers_of(key, "{logspace = [1e-3, 1e15, 19]}") ==
        std::vector<double>{1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
                            1e12, 1e13, 1e14, 1e15});
  CHECK(numbers_of("classes.exponent", "{linspace = [0, 0.6, 7]}") ==
        std::vector<double>{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6});
  // The ends are taken as they are, whatever digits they have.
  const auto ends = numbers_of(key, "{linspace = [0.12345678901234567, 0.98765432109876543, 3]}");
  CHECK(ends.front() == 0.12345678901234567);
  CHECK(ends.back() == 0.98765432109876543);
}

TEST_CASE("an axis of kinds that --set makes shorter leaves the rest of the file as right as it was") {
  const std::string text = base +
                           "[embedding]\nrho = 0.3\nsigma = 0.2\n[sweep]\nembedding.kind = [\"identity\", "
                           "\"equicorrelated\", \"noisy\"]\n";
  const Experiment noisy = parse_plan(text, "t.toml").point(2).experiment;
  for (const char* set : {"embedding.kind=noisy", "sweep.embedding.kind=[\"noisy\"]"}) {
    const ExperimentPlan one = parse_plan(text, "t.toml", {set});
    REQUIRE(one.size() == 1);
    CHECK(one.point(0).experiment == noisy);
    check_round_trip(one);
  }
  check_round_trip(parse_plan(text, "t.toml", {"embedding.kind=noisy", "sweep.seed=[1, 2]"}));
  const std::string joint = base +
                            "[embedding]\nrho = 0.3\n[sweep]\n\"embedding.kind, seed\" = [[\"identity\", 1], "
                            "[\"equicorrelated\", 2]]\n";
  CHECK(parse_plan(joint, "t.toml", {"sweep.embedding.kind, seed=[[\"identity\", 1]]"}).size() == 1);
  // No kind of the axis has it.
  const auto problems = problems_of(base +
                                    "[embedding]\nrho = 0.3\n[sweep]\nembedding.kind = [\"identity\", "
                                    "\"orthogonal\"]\n");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].line == first_line);
  CHECK_THAT(problems[0].message, Catch::Contains("embedding.rho is a parameter of"));
}

TEST_CASE("swept values are numbers, true is 1, or texts where one of them is none") {
  const ExperimentPlan mixed =
      plan_of("run.nodes = [\"auto\", 64]\noptimizer.\"slow muon\".nesterov = [true, false]\n");
  CHECK(mixed.axes()[0].values.at(0) == std::vector<SweptValue>{"auto", "64"});
  CHECK(mixed.axes()[1].values.at(0) == std::vector<SweptValue>{1., 0.});
}

TEST_CASE("two files that mean the same plan have the same text") {
  const std::string text = resolved_text(plan_of("seed = [0, 1, 2, 3, 4]\nclasses.exponent = [1e-3, 2]\n"));
  CHECK(resolved_text(plan_of("\"seed\" = {range = [0, 5]} # five\n\"classes.exponent\" = [0.001, 2.0]\n")) ==
        text);
  CHECK(resolved_text(plan_of("classes.exponent = [1e-3, 2]\nseed = {range = [0, 5]}\n")) != text);
  CHECK_THAT(
      text, Catch::EndsWith("\n[sweep]\n\"seed\" = {range = [0, 5]}\n\"classes.exponent\" = [0.001, 2.0]\n"));
  // A default that is written out is no difference where the rule is swept either.
  const std::string rules = "optimizer.gd.rule = [\"gd\", \"momentum\"]\n";
  std::string given = base;
  given.replace(given.find("step_size = 1"), 13, "step_size = 1\nmomentum = 0.9");
  CHECK(resolved_text(parse_plan(given + "[sweep]\n" + rules, "t.toml")) == resolved_text(plan_of(rules)));
}

TEST_CASE("the text of a plan has the digest of every file that any point names") {
  const ScratchFolder folder;
  for (const char* name : {"a.tsv", "b.tsv"})
    std::ofstream(folder / name) << "count\n5\n3\n" << name[0] - 'a' << "\n";
  const std::string text =
      "name = 'f'\n[classes]\nspectrum = 'file'\n[[optimizer]]\nrule = 'gd'\nstep_size = 1\n[sweep]\n"
      "classes.path = ['a.tsv', 'b.tsv']\nseed = [1, 2]\n";
  const std::string resolved = resolved_text(parse_plan(text, (folder / "e.toml").string()));
  CHECK_THAT(resolved, Catch::Matches("(.|\n)*\n# sha256 [0-9a-f]{64} a.tsv\n# sha256 [0-9a-f]{64} b.tsv\n"));
}

TEST_CASE("the override of a swept key drops its axis, and sweep.KEY sets one, in the order given") {
  const std::string sweep = "classes.exponent = [1, 2]\nseed = [1, 2, 3]\n";
  const ExperimentPlan fixed = plan_of(sweep, {"classes.exponent=3"});
  CHECK(keys_of(fixed) == std::vector<std::string>{"seed"});
  CHECK(fixed.point(2).experiment.spectrum.parameters.number("exponent") == 3);
  const ExperimentPlan other =
      plan_of(sweep, {"sweep.classes.exponent=[4, 5, 6]", "sweep.run.steps={range=[1,3]}"});
  CHECK(keys_of(other) == std::vector<std::string>{"classes.exponent", "seed", "run.steps"});
  CHECK(other.size() == 18);
  CHECK(plan_of(sweep, {"seed=4", "sweep.seed=[8, 9]"}).size() == 4);
  CHECK(plan_of(sweep, {"sweep.seed=[8, 9]", "seed=4"}).size() == 2);
  CHECK(parse_plan(base, "t.toml", {"sweep.embedding.kind=[\"identity\", \"orthogonal\"]"}).size() == 2);
}

TEST_CASE("everything that is wrong with a sweep is said at its place, all at once") {
  const std::string cases = R"(
"classes.exponnet" = [1] | 1 | unknown key "classes.exponnet" in [sweep] | "classes.exponent"?
run.engine = [] | 14 | sweep.run.engine: the axis is empty | {range = [a, b]}
run.steps = [1, 0, 3] | 17 | run.steps: got 0; expected an integer in [1, 9e+18]
classes.exponent = [[1, 2], 3] | 21 | classes.exponent: got a list | write them all in the outer list
optimizer.gd.stepsize = [1] | 14 | did you mean "optimizer.gd.step_size"?
embedding.query.knd = [1] | 17 | did you mean "embedding.query.kind"?
classes.exponent = [1, "a"] | 24 | classes.exponent: got the string "a"
embedding.kind = ["identity", "ortogonal"] | 31 | did you mean "orthogonal"?
optimizer.slow_muon.step_size = [1] | 21 | no optimizer is named "slow_muon"; there are: gd, slow muon
optimizer.step_size = [1] | 11 | say which optimizer
optimizer.gd.name = ['x'] | 14 | cannot be swept
name = ['x'] | 1 | cannot be swept
seed = 3 | 8 | sweep.seed: got 3; expected a list of values | outside [sweep]
seed = {linspace = [0, 1, 0]} | 20 | got n = 0; expected an integer >= 1
seed = {linspace = [0, 1, 3]} | 8 | seed: got 0.5; expected an integer
classes.exponent = {logspace = [0, 1, 3]} | 32 | expected ends > 0
seed = {range = [3, 3]} | 17 | got the ends 3 and 3; expected a second end above the first
seed = {range = [0, 1e9]} | 17 | 1000000000 values
seed = {range = [0.5, 3]} | 17 | expected integers
seed = {rnage = [0, 3]} | 8 | did you mean "range"?
seed = {range = [1]} | 17 | got a list of 1; expected [a, b] or [a, b, step]
classes.exponent = [1e-3, 2, 0.001] | 30 | 0.001 is on the axis twice
classes.groups = [10, 1e1] | 23 | 10 is on the axis twice
seed = {linspace = [1, 1, 2]} | 8 | 1 is on the axis twice
embedding.rho = [0.1] | 11 | embedding.rho is a parameter of embedding equicorrelated and toeplitz
* joint axes
"classes.groups, seed" = [[1, 2], 3] | 35 | sweep.classes.groups, seed: got 3, expected a list of 2 values, one for each key
"classes.groups, seed" = ["a"] | 27 | got the string "a", expected a list of 2 values
"classes.groups, seed" = [[1, 2], [1, 2, 3]] | 35 | sweep.classes.groups, seed: got 3 values, expected 2, one for each key
"classes.groups, seed" = [[1], [1, 2]] | 27 | got 1 value, expected 2, one for each key
"classes.groups, seed" = [[], [1, 2]] | 27 | got 0 values, expected 2
"classes.groups, seed" = [] | 26 | sweep.classes.groups, seed: the axis is empty; expected a list of lists with one value for each key, [[v1, v2], ...]; range, linspace and logspace are for an axis of one key
"classes.groups, seed" = 3 | 26 | sweep.classes.groups, seed: got 3; expected a list of lists with one value for each key, [[v1, v2], ...]; range, linspace and logspace are for an axis of one key
"classes.groups, seed" = {range = [0, 3]} | 26 | sweep.classes.groups, seed: got a table; expected a list of lists with one value for each key, [[v1, v2], ...]; range, linspace and logspace are for an axis of one key
"classes.groups, seed" = {logspace = [1, 3, 3]} | 26 | got a table; expected a list of lists with one value for each key, [[v1, v2], ...]; range, linspace and logspace are for an axis of one key
"classes.groups, seed" = {each = 3} | 26 | got a table; expected a list of lists with one value for each key, [[v1, v2], ...]; range, linspace and logspace are for an axis of one key
"classes.groups, seed" = [[2, 1], [3, 0.5], [4, 2]] | 39 | seed: got 0.5; expected an integer
"classes.groups, seed" = [[0, 1], [3, 0]] | 28 | classes.groups: got 0; expected an integer
"classes.groups, seed" = [[[1, 2], 1]] | 28 | classes.groups: got a list, but one value belongs here
"classes.groups, seed" = [[10, 1], [11, 1], [1e1, 1]] | 45 | sweep.classes.groups, seed: [10, 1] is on the axis twice
"classes.grups, seed" = [[1, 2]] | 1 | unknown key "classes.grups" in [sweep]; did you mean "classes.groups"?
"seed, optimizer.slow_muon.step_size" = [[1, 2]] | 1 | no optimizer is named "slow_muon"; there are: gd, slow muon; did you mean "slow muon"?
"seed, optimizer.step_size" = [[1, 2]] | 1 | say which optimizer
"seed, name" = [[1, 'x']] | 1 | the name of the experiment cannot be swept
"optimizer.gd.name, seed" = [['x', 1]] | 1 | the label of an optimizer cannot be swept
"seed, classes.groups, seed" = [[1, 2, 1]] | 1 | sweep.seed, classes.groups, seed: the axis has the key seed twice
"seed," = [[1, 2]] | 1 | sweep.seed, : a key is missing beside a comma
"seed, , run.steps" = [[1, 2, 3]] | 1 | a key is missing beside a comma
"seed, embedding.rho" = [[1, 0.1]] | 1 | embedding.rho is a parameter of embedding
)";
  for (const auto& row : rows_of(cases)) {
    INFO(row[0]);
    const Problem problem = only_problem(row[0]);
    CHECK(std::to_string(problem.column) == row[1]);
    for (std::size_t i = 2; i < row.size(); ++i) CHECK_THAT(problem.message, Catch::Contains(row[i]));
  }
  const auto several = problems_of("nme = 1\n" + base + "[sweep]\nseed = []\nrun.steps = [-1, 2, 0]\n");
  REQUIRE(several.size() == 4);
  CHECK(several[0].line == 1);
  CHECK(several[1].line == first_line + 1);
  CHECK(several[3].column == 21);
  CHECK(problems_of(base +
                    "[sweep]\n\"classes.groups, seed\" = [[1, 2, 3], 4, [0, -1]]\n\"sed, rum.steps\" = 1\n")
            .size() == 4);
}

TEST_CASE("axes that a result file could not tell apart are refused, and so are those given twice") {
  const std::string two = base + "[[optimizer]]\nname = \"a.b\"\nrule = \"gd\"\nstep_size = 1\n" +
                          "[[optimizer]]\nname = \"a_b\"\nrule = \"gd\"\nstep_size = 1\n[sweep]\n" +
                          "\"optimizer.a.b.step_size\" = [1]\n\"optimizer.a_b.step_size\" = [1]\n";
  const auto same_variable = problems_of(two);
  REQUIRE(same_variable.size() == 1);
  CHECK_THAT(same_variable[0].message,
             Catch::Contains("would be param_optimizer_a_b_step_size, like that of"));
  const auto twice = problems_of(base + "[sweep]\n\"classes.exponent\" = [1]\nclasses.exponent = [2]\n");
  REQUIRE(twice.size() == 1);
  CHECK_THAT(twice[0].message, Catch::Contains("this key has two axes"));
}

TEST_CASE("what is wrong with a sweep on the command line names the option") {
  for (const std::string text :
       {"sweep.seed=3", "sweep.seed=[1, -1]", "sweep.sed=[1]", "sweep.seed=[1,", "sweep.seed=[]"}) {
    const auto problems = problems_of(base, {text});
    INFO(text);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].file == "--set " + text);
    CHECK(problems[0].line == 0);
  }
}

TEST_CASE("a key that is missing is missed once, and not where its own axis is refused") {
  std::string text = base;
  text.replace(text.find("groups = 4\n"), 11, "");
  const auto missing = problems_of(text + "[sweep]\nseed = [1, 2]\nclasses.exponent = [1, 2]\n");
  REQUIRE(missing.size() == 1);
  CHECK_THAT(missing[0].message, Catch::Contains("classes.groups is missing"));
  const auto refused = problems_of(text + "[sweep]\nclasses.groups = []\n");
  REQUIRE(refused.size() == 1);
  CHECK_THAT(refused[0].message, Catch::Contains("the axis is empty"));
}

TEST_CASE("a plan of a million points is read at once and resolved only where a point is read") {
  const ExperimentPlan plan =
      plan_of("classes.exponent = {linspace = [0.5, 2, 1000]}\nseed = {range = [0, 1000]}\n");
  REQUIRE(plan.size() == 1000000);
  const SweepPoint last = plan.point(999999);
  CHECK(last.experiment.seed == 999);
  CHECK(last.experiment.spectrum.parameters.number("exponent") == 2);
}

TEST_CASE("a plan knows where the value of a key of a point was written") {
  const ExperimentPlan plan =
      plan_of("run.steps = [3, 5]\n\"seed, optimizer.gd.step_size\" = [[1, 2], [2, 4]]\n",
              {"sweep.data.label_noise=[0.5]"});
  const auto line_and_column = [&](std::size_t index, const std::string& key) {
    const Problem problem = plan.placed(index, {.message = "wrong", .key = key});
    CHECK(problem.message == "wrong");
    CHECK(problem.file == "t.toml");
    return std::pair(problem.line, problem.column);
  };
  CHECK(line_and_column(0, "run.steps") == std::pair(first_line, 14));
  CHECK(line_and_column(2, "run.steps") == std::pair(first_line, 17));
  CHECK(line_and_column(1, "optimizer.gd.step_size") == std::pair(first_line + 1, 47));
  CHECK(line_and_column(0, "classes.groups") == std::pair(4, 10));
  CHECK(line_and_column(0, "optimizer.slow muon.step_size") == std::pair(15, 13));
  CHECK(line_and_column(0, "run.engine") == std::pair(7, 1));            // of its table
  CHECK(line_and_column(0, "embedding.query.path") == std::pair(1, 1));  // of nothing
  CHECK(plan.placed(0, {.key = "data.label_noise"}).file == "--set sweep.data.label_noise=[0.5]");
}

TEST_CASE("what is wrong with a file that a point names is said where it is named") {
  const ExperimentPlan plan =
      plan_of("embedding.kind = [\"file\"]\nembedding.path = [\"a.npy\", \"b.h5:/e\"]\n");
  const Problem placed =
      plan.placed(1, {.file = "folder/b.h5", .message = "no such file", .key = "embedding.query.path"});
  CHECK(placed.message == "folder/b.h5: no such file");
  CHECK(std::pair(placed.line, placed.column) == std::pair(first_line + 1, 28));
  CHECK(plan.placed(0, {"folder/b.h5", 0, 0, "no such file"}).file == "folder/b.h5");
  CHECK(plan.placed(0, {"", 0, 0, "too large"}).file != "");
}
