// Searches and schedules of step sizes in experiment files.

#include "experiment/step_sizes.hpp"

#include <catch2/catch.hpp>

#include "experiment/plan.hpp"
#include "experiment/samples.hpp"
#include "experiment/write.hpp"
#include "optim/schedule.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;

namespace {

OptimizerChoice first_optimizer(const std::string& lines, const std::vector<std::string>& overrides = {}) {
  return parse_experiment(text_with(26, lines), "t.toml", overrides).optimizers[0];
}

std::vector<Problem> problems_of(const std::string& lines, const std::vector<std::string>& overrides = {}) {
  try {
    first_optimizer(lines, overrides);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

}  // namespace

TEST_CASE("a search is read with its defaults, written in one form, and read back the same") {
  const OptimizerChoice choice = first_optimizer("step_size = {search = [0.01, 1e2, 9]}");
  REQUIRE(choice.search);
  CHECK(*choice.search == StepSearch{0.01, 100, 9, "loss"});
  CHECK(choice.step_size == 0);
  for (
      const std::string lines :
      {"step_size = {search = [0.01, 1e2, 9]}",
       "step_size = {minimise = \"error\", search = [1e-2, 100.0, 9.0]}\nschedule = \"cosine\"",
       "step_size = {search = [\"1 / p_max\", 'K', 9], minimise = 'steps_to_error', of = 'all', below = 5e-2}",
       "step_size = 0.5\nschedule = 'inverse_sqrt'\nschedule_offset = 10", "step_size = 2",
       "step_size = '2/ p_max'"}) {
    const Experiment read = parse_experiment(text_with(26, lines), "t.toml");
    const std::string text = to_toml(read);
    CHECK(parse_experiment(text, "t.toml") == read);
    CHECK(to_toml(parse_experiment(text, "t.toml")) == text);
  }
  CHECK(
      to_toml(parse_experiment(text_with(26, "step_size = {search = [1e-2, 100, 9]}"), "t.toml"))
          .find("step_size = {search = [0.01, 100.0, 9], minimise = \"loss\"}\nschedule = \"constant\"\n") !=
      std::string::npos);
}

TEST_CASE("overrides and [sweep] take searches and schedules") {
  const OptimizerChoice set = first_optimizer(
      "step_size = 1",
      {"optimizer.a.step_size={search = [1, 2, 3], minimise = \"error\"}", "optimizer.a.schedule=linear"});
  CHECK(set.search == StepSearch{1, 2, 3, "error"});
  CHECK(set.schedule == "linear");
  CHECK_FALSE(first_optimizer("step_size = {search = [1, 2, 3]}", {"optimizer.a.step_size=4"}).search);

  const ExperimentPlan plan =
      parse_plan(good_text() +
                     "[sweep]\noptimizer.a.step_size = [0.1, {search = [1, 2, 3]}]\n"
                     "optimizer.a.schedule = ['constant', 'inverse_sqrt', 'cosine']\n",
                 "t.toml");
  REQUIRE(plan.size() == 6);
  CHECK_FALSE(plan.point(0).experiment.optimizers[0].search);
  CHECK(plan.point(5).experiment.optimizers[0].search == StepSearch{1, 2, 3, "loss"});
  CHECK(plan.point(5).experiment.optimizers[0].schedule == "cosine");
  const ExperimentPlan again = parse_plan(resolved_text(plan), "t.toml");
  for (std::size_t i = 0; i < plan.size(); ++i) CHECK(again.point(i).experiment == plan.point(i).experiment);
}

TEST_CASE("every schedule of the catalogue can be written, and an offset belongs to the one that has it") {
  for (const ScheduleRow& row : schedule_catalogue()) {
    CHECK(first_optimizer("step_size = 1\nschedule = \"" + row.name + "\"").schedule == row.name);
    const auto problems = problems_of("step_size = 1\nschedule = '" + row.name + "'\nschedule_offset = 5");
    CHECK(problems.size() == (row.name == "inverse_sqrt" ? 0 : 1));
  }
}

TEST_CASE("bad searches and schedules are reported where they are, with what is legal") {
  struct Case {
    std::string lines;
    int line, column;
    std::string says;
  };
  const std::vector<Case> cases = {
      {"step_size = {search = [0, 1, 3]}", 26, 24, "low: got 0; expected a number > 0"},
      {"step_size = {search = [-1.5, 1, 3]}", 26, 24, "low: got -1.5; expected a number > 0"},
      {"step_size = {search = [2, 1, 3]}", 26, 27, "high: got 1; expected a number > low, 2"},
      {"step_size = {search = [1, 1, 3]}", 26, 27, "high: got 1; expected a number > low, 1"},
      {"step_size = {search = [1, nan, 3]}", 26, 27, "high: got nan"},
      {"step_size = {search = [1, 2, 1]}", 26, 30, "n: got 1; expected a whole number in [2, 1000]"},
      {"step_size = {search = [1, 2, 2.5]}", 26, 30, "n: got 2.5"},
      {"step_size = {search = [1, 2, 1001]}", 26, 30, "n: got 1001"},
      {"step_size = {search = [1, 2]}", 26, 23, "got a list of 2; expected [low, high, n]"},
      {"step_size = {search = 3}", 26, 23, "search: got 3; expected [low, high, n]"},
      {"step_size = {search = [1, 2, 3], minimise = \"los\"}", 26, 45,
       "optimizer.step_size.minimise: got the text \"los\"; expected one of loss, excess_loss, error, "
       "steps_to_error; did you mean \"loss\"?"},
      {"step_size = {search = [1, 2, 3], minimise = 1}", 26, 45, "minimise: got 1"},
      {"step_size = {search = [1, 2, 3], minimize = \"loss\"}", 26, 34, "did you mean \"minimise\"?"},
      {"step_size = {minimise = \"loss\"}", 26, 13, "got a table without search; expected {search ="},
      {"step_size = {search = [1, 2, 3], minimise = \"steps_to_error\", of = \"al\"}", 26, 68,
       "did you mean \"all\"?"},
      {"step_size = {search = [1, 2, 3], minimise = \"steps_to_error\", below = 1}", 26, 71,
       "below: got 1; expected"},
      {"step_size = {search = [1, 2, 3], minimise = \"steps_to_error\", below = 0}", 26, 71,
       "below: got 0; expected"},
      {"step_size = {search = [1, 2, 3], below = 0.1}", 26, 34,
       "optimizer.step_size.below: minimise is \"loss\", which has no threshold"},
      {"step_size = {search = [1, 2, 3], minimise = \"error\", of = \"all\"}", 26, 54,
       "of is for minimise = \"steps_to_error\""},
      {"step_size = \"2/pmax\"", 26, 13,
       "unknown name \"pmax\"; there are K, alpha, p_max, p_min, steps, sqrt()"},
      {"step_size = \"2/T\"", 26, 13, "unknown name \"T\"; there are K, alpha, p_max, p_min, steps, sqrt()"},
      {"step_size = \"2/\"", 26, 13, "the text \"2/\": got the end after \"2/\"; expected a number"},
      {"step_size = \"0.5\"", 26, 13, "write it without quotes"},
      {"step_size = \"\"", 26, 13, "expected a number > 0"},
      {"step_size = {search = [\"1/p_mx\", 2, 3]}", 26, 24,
       "low: the text \"1/p_mx\": unknown name \"p_mx\""},
      {"step_size = {search = [1, \"2\", 3]}", 26, 27, "high: got the text \"2\""},
      {"step_size = {}", 26, 13, "got a table without search"},
      {"step_size = 1\nschedule = \"cosin\"", 27, 12, "did you mean \"cosine\"?"},
      {"step_size = 1\nschedule_offset = 0", 27, 19, "schedule_offset: got 0; expected a number > 0"},
      {"step_size = 1\nschedule_offset = 2", 27, 19,
       "got 2, but the schedule constant has no offset; it belongs to inverse_sqrt"},
  };
  for (const Case& one : cases) {
    const auto problems = problems_of(one.lines);
    CAPTURE(one.lines);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].file == "t.toml");
    CHECK(problems[0].line == one.line);
    CHECK(problems[0].column == one.column);
    CHECK_THAT(problems[0].message, Catch::Contains(one.says));
  }
  CHECK(problems_of("step_size = {search = [-1, -2, 0]}").size() == 3);
}

TEST_CASE("the canonical text has of and below only beside steps_to_error, and expressions without blanks") {
  const auto written = [](const std::string& lines) {
    return to_toml(parse_experiment(text_with(26, lines), "t.toml"));
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  CHECK(has(written("step_size = {search = [1, 2, 3], minimise = \"steps_to_error\"}"),
            "{search = [1.0, 2.0, 3], minimise = \"steps_to_error\", of = \"rarest\", below = 0.1}\n"));
  CHECK(has(written("step_size = \" 2 / p_max\""), "step_size = \"2/p_max\"\n"));
  CHECK(written("step_size = \"2/p_max\"") == written("step_size = \"2 / p_max \""));
  CHECK(has(written("step_size = {search = [\"1 / K\", 2, 3]}"),
            "{search = [\"1/K\", 2.0, 3], minimise = \"loss\"}\n"));
}
