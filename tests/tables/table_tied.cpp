// Tables of swept keys that move together: what a cell may hold.

#include <catch2/catch.hpp>
#include <functional>

#include "rarefact/error.hpp"
#include "results/swept_result.hpp"
#include "tables/table.hpp"

namespace rarefact {

using Catch::Contains;

namespace {

const std::string tied_key = "optimizer.gd_1.step_size";

double number(const Run& run, const std::string& key) {
  return std::get<double>(run.parameters.at(key));
}

/// The swept result with a step size that is a function of the run's other keys.
Result tied_result(const std::function<double(const Run&)>& step_size) {
  Result result = swept_result();
  for (Run& run : result.runs) run.parameters[tied_key] = step_size(run);
  return result;
}

Result tied_to_size() {
  return tied_result([](const Run& run) { return number(run, "classes.group_size") / 4; });
}

std::string refusal(const Result& result, std::vector<std::string> rows,
                    std::vector<std::string> where = {"classes.exponent=2"}) {
  TableRequest request{.rows = std::move(rows), .columns = {"optimizer"}};
  request.where = std::move(where);
  try {
    pivot_table(result, request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::vector<std::vector<TableCell>> cells(const Result& result, std::vector<std::string> rows,
                                          std::vector<std::string> columns) {
  TableRequest request{.rows = std::move(rows), .columns = std::move(columns)};
  request.where = {"classes.exponent=2", "optimizer=muon"};
  return pivot_table(result, request).cells;
}

}  // namespace

TEST_CASE("a key that moves with one on an axis, or with one that is fixed, need not be on an axis itself") {
  const Result result = tied_to_size();
  CHECK(refusal(result, {"classes.group_size"}) == "");
  CHECK(refusal(result, {tied_key}) == "");
  CHECK(refusal(result, {"param_optimizer_gd_1_step_size"}) == "");
  CHECK(refusal(result, {}, {"classes.exponent=2", "classes.group_size=10"}) == "");
  CHECK(refusal(result, {}, {"classes.exponent=2", tied_key + "=2.5"}) == "");
  CHECK(refusal(result, {"classes.exponent", "classes.group_size"}, {}) == "");
  // Without either of them both are what the runs of a cell differ in.
  CHECK(refusal(result, {}) ==
        "error: a cell would mix runs that differ in classes.group_size (1e+12, 10) and in " + tied_key +
            " (2.5e+11, 2.5): put each on --rows or --columns, or fix it with --where KEY=VALUE");
  CHECK_THAT(refusal(result, {"classes.exponent"}, {}), Contains("classes.group_size (1e+12, 10) and in "));
  CHECK_THAT(refusal(result, {tied_key}, {}),
             Contains("differ in classes.exponent (1.5, 2):") && !Contains("group_size"));
}

TEST_CASE("the rows of a joint axis are the same by any of its keys, and by all only those that are there") {
  const Result result = tied_to_size();
  const auto by_size = cells(result, {"classes.group_size"}, {}), by_step = cells(result, {tied_key}, {});
  REQUIRE(by_size.size() == 2);
  REQUIRE(by_step.size() == 2);
  for (std::size_t row = 0; row < 2; ++row) {
    CHECK(by_step[row][0].runs == 3);
    CHECK(by_step[row][0].mean == by_size[row][0].mean);
  }
  // As the axis is called, with a blank.
  CHECK(cells(result, {"classes.group_size", " " + tied_key}, {}).size() == 2);
  // Crossed, most places stay empty.
  const auto crossed = cells(result, {"classes.group_size"}, {tied_key});
  REQUIRE(crossed.size() == 2);
  CHECK(crossed[0][0].kind == TableCell::Kind::number);
  CHECK(crossed[0][1].kind == TableCell::Kind::missing);
  CHECK(crossed[1][0].kind == TableCell::Kind::missing);
  CHECK(crossed[1][1].kind == TableCell::Kind::number);
}

TEST_CASE("a key that does not tell the runs of a cell apart is no substitute for one that does") {
  // The same step size for both sizes of an exponent: sizes tell step sizes apart only together with it.
  const Result by_exponent = tied_result([](const Run& run) { return number(run, "classes.exponent"); });
  CHECK_THAT(refusal(by_exponent, {tied_key}, {}),
             Contains("differ in classes.group_size (1e+12, 10):") && !Contains("classes.exponent"));
  CHECK_THAT(refusal(by_exponent, {"classes.group_size"}, {}),
             Contains("differ in classes.exponent (1.5, 2) and in " + tied_key + " (1.5, 2):"));
  // A function of two keys on axes, of rows and columns, but of none of them alone.
  const Result by_both = tied_result(
      [](const Run& run) { return number(run, "classes.exponent") * number(run, "classes.group_size"); });
  TableRequest request{.rows = {"classes.exponent"}, .columns = {"classes.group_size"}};
  request.where = {"optimizer=muon"};
  CHECK(pivot_table(by_both, request).cells.size() == 2);
  CHECK_THAT(refusal(by_both, {"classes.exponent"}, {"classes.exponent=2"}), Contains(tied_key));
}

TEST_CASE("a key that moves with the seed is not averaged over") {
  const Result result = tied_result([](const Run& run) { return number(run, "seed"); });
  CHECK_THAT(refusal(result, {"classes.group_size"}), Contains("differ in " + tied_key + " (0, 1, 2):"));
  CHECK(refusal(result, {"classes.group_size", "seed"}) == "");
}

}  // namespace rarefact
