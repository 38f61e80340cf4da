// Results of laws of answers: groups of answers beside those of classes, in some runs and not in others.

#include <catch2/catch.hpp>

#include "core/digest.hpp"
#include "io/checksum.hpp"
#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"
#include "results/findings.hpp"
#include "results/point_file.hpp"
#include "results/same_result.hpp"
#include "results/sample_result.hpp"

using namespace rarefact;

namespace {

/// Gives a run answers in so many groups, and measures of them.
void add_answers(Run& run, std::size_t groups, std::size_t steps) {
  AnswerGroups& answers = run.answers.emplace();
  const std::size_t classes = run.class_count.size();
  answers.query_count = 1e12;
  answers.answer_count = static_cast<double>(groups) * 7;
  answers.loss_floor = 0.25;
  answers.top1_floor = 0.125;
  for (std::size_t g = 0; g < groups; ++g) {
    answers.count.push_back(7);
    answers.probability.push_back(0.5 / static_cast<double>(g + 1));
    answers.fan_in.push_back(static_cast<double>(9 - g));
  }
  for (std::size_t c = 0; c < classes; ++c) {
    answers.class_fan_in.push_back(static_cast<double>(c) + 0.5);
    answers.class_answer.push_back(static_cast<double>(c % groups));
  }
  for (Trajectory& trajectory : run.trajectories) {
    for (std::size_t s = 0; s < steps; ++s) {
      trajectory.series["top1_error"].push_back(0.5 / static_cast<double>(s + 1));
      for (std::size_t g = 0; g < groups; ++g)
        trajectory.series["answer_error"].push_back(1 / static_cast<double>(1 + g + 10 * s));
    }
  }
}

/// The sample, whose runs have so many groups of answers; 0: none.
Result answered_result(std::size_t first, std::size_t second) {
  Result result = sample_result();
  result.variables.push_back({.name = "top1_error", .long_name = "top-1 error", .units = "1"});
  result.variables.push_back({.name = "answer_error",
                              .long_name = "error of the answer",
                              .units = "1",
                              .along = Along::answer_groups});
  for (std::size_t r = 0; r < 2; ++r) {
    const std::size_t groups = r == 0 ? first : second;
    if (groups > 0) add_answers(result.runs[r], groups, result.steps.size());
  }
  // As a file gives it back: what is no number in a run without answers is there.
  for (Run& run : result.runs) {
    for (Trajectory& trajectory : run.trajectories) {
      if (!run.answers) trajectory.series["top1_error"].assign(result.steps.size(), std::nan(""));
    }
  }
  return result;
}

}  // namespace

TEST_CASE("answers read back equal, of runs with as many groups, with others, and with none") {
  const ScratchFolder folder;
  using Pair = std::pair<std::size_t, std::size_t>;
  for (const auto& [first, second] : {Pair{4, 4}, Pair{1, 5}, Pair{5, 2}, Pair{0, 3}, Pair{2, 0}}) {
    INFO(first << " and " << second);
    const Result result = answered_result(first, second);
    const auto path = folder / (std::to_string(first) + std::to_string(second) + ".h5");
    write_result(result, path);
    CHECK(findings(path).empty());
    require_same(result, read_result(path));
  }
}

TEST_CASE("a point with answers reads back, and one without has not a byte for them") {
  for (const std::size_t groups : {0, 4}) {
    Result result = answered_result(groups, 0);
    result.runs.pop_back();
    const std::string experiment = "seed = 1\n";
    const auto bytes = encode_point(result, experiment);
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    CHECK(text.starts_with(groups == 0 ? "rarefact point 3\n" : "rarefact point 3 with answers\n"));
    const PointFile back = decode_point(bytes, sha256_hex(experiment) + ".point", PointPart::all);
    REQUIRE(back.result.runs[0].answers.has_value() == (groups > 0));
    CHECK(encode_point(back.result, experiment) == bytes);
    if (groups > 0) CHECK(back.result.runs[0].answers->fan_in == result.runs[0].answers->fan_in);
    if (groups > 0) CHECK(back.result.runs[0].answers->top1_floor == 0.125);
  }
}

TEST_CASE("answers that contradict themselves are a mistake of the program") {
  Result ragged = answered_result(4, 4);
  ragged.runs[0].answers->fan_in.pop_back();
  CHECK_THROWS_AS(encode_result(ragged), std::logic_error);
  Result classes = answered_result(4, 4);
  classes.runs[1].answers->class_answer.push_back(0);
  CHECK_THROWS_AS(encode_result(classes), std::logic_error);
  Result cut = answered_result(4, 4);
  cut.runs[0].trajectories[0].series["answer_error"].pop_back();
  CHECK_THROWS_AS(encode_result(cut), std::logic_error);
}

TEST_CASE("a file whose answers cannot be is damaged") {
  const auto found = [](const auto& change) {
    Result result = answered_result(4, 2);
    change(result.runs[0]);
    std::string text;
    for (const std::string& finding : implausible_values(result)) text += finding;
    return text;
  };
  CHECK(found([](Run&) {}).empty());
  CHECK(found([](Run& run) { run.answers->class_answer[0] = 4; }).find("'class_answer'") == 0);
  CHECK(found([](Run& run) { run.answers->class_answer[0] = 0.5; }).find("'class_answer'") == 0);
  CHECK(found([](Run& run) { run.answers->probability[0] = 1.5; }).find("'answer_group_probability'") == 0);
  CHECK(found([](Run& run) { run.answers->query_count = std::nan(""); }).find("'query_count'") == 0);
  CHECK(found([](Run& run) { run.trajectories[0].series["answer_error"][0] = -1; }).find("'answer_error'") ==
        0);
}
