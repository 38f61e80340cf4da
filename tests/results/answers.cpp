// Results of laws of answers: groups of answers beside those of classes, in some runs and not in others.

#include <catch2/catch.hpp>

#include "io/checksum.hpp"
#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"
#include "results/answered_result.hpp"
#include "results/findings.hpp"
#include "results/point_record.hpp"
#include "results/same_result.hpp"
#include "results/sample_result.hpp"

using namespace rarefact;

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

TEST_CASE("a point with answers reads back, and so does one without") {
  for (const std::size_t groups : {0, 4}) {
    Result result = answered_result(groups, 0);
    result.runs.pop_back();
    const PointId id = *point_named(std::string(64, 'a'));
    const auto bytes = encode_point(id, result);
    const PointRecord back = decode_point(bytes, id, "x", PointPart::all);
    REQUIRE(back.result.runs[0].answers.has_value() == (groups > 0));
    CHECK(encode_point(id, back.result) == bytes);
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
