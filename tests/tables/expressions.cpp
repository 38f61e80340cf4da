// Expressions in tables: the language of claims over one run, with digits, marks and words kept.

#include <algorithm>
#include <catch2/catch.hpp>

#include "rarefact/error.hpp"
#include "results/answered_result.hpp"
#include "results/swept_result.hpp"
#include "tables/table.hpp"

namespace rarefact {

using Catch::Contains;
using CellKind = TableCell::Kind;

namespace {

/// The only cell of a request, of one run and one optimizer. Of muon the error of the tail is 0.25 at step 0 and 0.025 later,
/// that of the head half of it, and the loss ten times it; of gd_1 it is 0.9 at every step.
TableCell cell_of(TableRequest request, const std::string& optimizer = "muon",
                  const Result& result = swept_result()) {
  request.where = {"classes.exponent=2", "classes.group_size=10", "seed=0", "optimizer=" + optimizer};
  const Table table = pivot_table(result, request);
  REQUIRE(table.cells.size() == 1);
  REQUIRE(table.cells[0].size() == 1);
  return table.cells[0][0];
}

}  // namespace

TEST_CASE("a value of a table may be any expression of one run that a claim may use") {
  for (const auto& [text, number] : std::vector<std::pair<std::string, double>>{
           {"max(error, class)", 0.025},
           {"sum(count*class_probability*error, class)", (0.75 * 0.0125 + 0.25 * 0.025)},
           {"K*error", 0.5},
           {"N", 20},
           {"sum(count*p, class)", 1},
           {"at(loss, 0)/loss", 10},
           {"max(loss, step)", 2.5},
           {"error@muon/error@gd_1", 0.025 / 0.9},
           {"at(min(error, optimizer), 0)", 0.25},
           {"where(loss < 1 and K == 20, 7, 8)", 7},
           {"log(error_of_margin(0, K))", std::log(0.95)},
           {"slope(log(error), log(class_probability), class)", std::log(0.5) / std::log(3)},
           {"first_where(error < 0.1)", 1},
           {"last(prev(loss))", 0.25}}) {
    CAPTURE(text);
    CHECK(cell_of({.value = text}).mean == Approx(number));
  }
  // What has no class or no step left needs none.
  const auto refusal = [](TableRequest request) {
    request.rows = {"optimizer", "classes.exponent", "classes.group_size"};
    try {
      pivot_table(swept_result(), request);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK_THAT(refusal({.value = "max(error, class)", .class_row = "head"}),
             Contains("has no classes; omit --class"));
  CHECK_THAT(refusal({.value = "max(loss, step)", .at = "1"}), Contains("has no steps; omit --at"));
  CHECK_THAT(refusal({.value = "mean(loss, seed)"}),
             Contains("\"mean(loss, seed)\" joins the points of a sweep"));
  CHECK_THAT(refusal({.value = "2*slope(loss, K)"}), Contains("joins the points of a sweep"));
  CHECK_THAT(refusal({.value = "loss@moun"}), Contains("did you mean \"muon\"?"));
  CHECK_THAT(refusal({.value = "max(eror, class)"}), Contains("no variable \"eror\"; did you mean error?"));
  CHECK_THAT(refusal({.value = "class + 1"}), Contains("unknown name \"class\""));
}

TEST_CASE("an expression shows the digits, the certificate and the ending of every run that it reads") {
  Result result = swept_result();
  const std::string ratio = "loss@muon/loss@gd_1";
  CHECK(cell_of({.value = ratio}, "gd_1", result).digits == 17);
  for (Run& run : result.runs) {
    run.trajectories[1].status = "uncertified";
    run.trajectories[1].series["digits"] = {15, 9, 8, 5, 3};
  }
  for (const char* optimizer : {"gd_1", "muon"}) {
    CHECK(cell_of({.value = ratio}, optimizer, result).digits == 3);
    CHECK(cell_of({.value = ratio, .at = "10"}, optimizer, result).digits == 8);
    CHECK(cell_of({.value = "max(" + ratio + ", step)"}, optimizer, result).digits == 3);
    CHECK(cell_of({.value = ratio}, optimizer, result).approximate);
  }
  CHECK_FALSE(cell_of({.value = "loss"}, "gd_1", result).approximate);
  CHECK(cell_of({.value = "loss/loss@\"sgd η=1\""}, "gd_1", result).words == "diverged");
  CHECK(cell_of({.value = "max(loss, step)"}, "sgd η=1", result).words == "diverged");
  CHECK(cell_of({.value = "at(loss, 0)"}, "sgd η=1", result).mean == Approx(9));
  CHECK(cell_of({.value = "min(error, optimizer)"}, "gd_1", result).words == "diverged");
  CHECK(cell_of({.value = "loss/loss@\"sgd η=1\"", .at = "10"}, "gd_1", result).mean == Approx(1));
}

TEST_CASE("first_where is a threshold: --below, with what lies beyond the last step") {
  const TableRequest below{.value = "error", .below = "0.1"}, expression{.value = "first_where(error < 0.1)"};
  for (const char* optimizer : {"gd_1", "muon", "sgd η=1"}) {
    CHECK(cell_text(cell_of(below, optimizer), 3) == cell_text(cell_of(expression, optimizer), 3));
  }
  CHECK(cell_text(cell_of(expression, "gd_1"), 3) == ">10^6");
  const auto described = [](TableRequest request) {
    request.rows = {"optimizer", "classes.exponent", "classes.group_size"};
    const Table table = pivot_table(swept_result(), request);
    return table.value + ": " + table.description;
  };
  CHECK(described(below) == described(expression));
  CHECK(cell_of({.value = "first_where(loss < 1 and error < 0.1)"}).mean == 1);
  CHECK(cell_of({.value = "first_where(max(error, class) < 0.3)"}).mean == 0);
  CHECK(cell_of({.when = "loss < 1 and error < 0.1"}).mean == Approx(0.25));
  CHECK_THAT(described({.value = "first_where(loss < 1 and error < 0.1)"}),
             Contains("steps to loss < 1 and error < 0.1 holds"));
}

TEST_CASE("expressions of answers and of classes are read along their own groups") {
  const Result result = answered_result(4, 4);
  const auto cell = [&](const std::string& value) {
    return pivot_table(result, {.value = value,
                                .at = value[0] == 'm' ? "" : "0",
                                .where = {"classes.exponent=1.5", "optimizer=muon"}})
        .cells[0][0]
        .mean;
  };
  CHECK(cell("2*answer_error") == 2 * cell("answer_error"));
  TableRequest mixed{.value = "answer_error*p", .where = {"classes.exponent=1.5", "optimizer=muon"}};
  CHECK_THROWS_WITH(pivot_table(result, mixed), Contains("joins numbers of classes and of answers"));
}

}  // namespace rarefact
