// What a table shows of each run: places on axes, thresholds, averages, what has no number, and what is
// refused.

#include "tables/table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "rarefact/error.hpp"
#include "results/sample_result.hpp"
#include "results/swept_result.hpp"

namespace rarefact {

using Catch::Contains;
using CellKind = TableCell::Kind;

namespace {

/// What is wrong with a request, all of it.
std::string refusal(const Result& result, const TableRequest& request) {
  try {
    pivot_table(result, request);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// The only cell of a table without axes, of one run and one optimizer.
TableCell cell_of(TableRequest request, const std::string& optimizer, const Result& result = swept_result(),
                  std::vector<std::string> where = {"classes.exponent=2", "classes.group_size=10",
                                                    "seed=0"}) {
  request.where = std::move(where);
  request.where.push_back("optimizer=" + optimizer);
  const Table table = pivot_table(result, request);
  REQUIRE(table.cells.size() == 1);
  REQUIRE(table.cells[0].size() == 1);
  return table.cells[0][0];
}

std::string texts(const std::vector<std::vector<AxisValue>>& heads) {
  std::string text;
  for (const auto& head : heads) {
    for (const AxisValue& value : head) {
      const auto* number = std::get_if<double>(&value);
      text += number != nullptr ? std::to_string(static_cast<long long>(*number * 10))
                                : std::get<std::string>(value);
      text += " ";
    }
    text += "| ";
  }
  return text;
}

}  // namespace

TEST_CASE("a table has the places of its axes in the order of the plan, hierarchies outermost first") {
  const Table table = pivot_table(
      swept_result(), {.rows = {"classes.exponent", "classes.group_size"}, .columns = {"optimizer"}});
  CHECK(texts(table.row_heads) == "15 10000000000000 | 15 100 | 20 10000000000000 | 20 100 | ");
  CHECK(texts(table.column_heads) == "gd_1 | muon | sgd η=1 | ");
  REQUIRE(table.cells.size() == 4);
  CHECK(table.cells[3][1].mean == Approx(0.025 * 11));
  // The name that the key has in the file means the key.
  const Table by_variable = pivot_table(
      swept_result(), {.rows = {"param_classes_exponent", "classes.group_size"}, .columns = {"optimizer"}});
  CHECK(by_variable.row_keys == table.row_keys);
}

TEST_CASE("a value is that of the chosen step and class row") {
  const auto mean = [](const TableRequest& request) { return cell_of(request, "muon").mean; };
  CHECK(mean({.value = "error"}) == 0.025);
  CHECK(mean({.value = "error", .at = "last"}) == 0.025);
  CHECK(mean({.value = "error", .at = "0"}) == 0.25);
  CHECK(mean({.value = "error", .at = "1e2"}) == 0.025);
  CHECK(mean({.value = "error", .over = {"max"}}) == 0.25);
  CHECK(mean({.value = "error", .over = {"min"}}) == 0.025);
  CHECK(mean({.value = "error", .class_row = "head"}) == 0.0125);
  CHECK(mean({.value = "error", .class_row = "0"}) == 0.0125);
  CHECK(mean({.value = "error", .class_row = "1"}) == 0.025);
  CHECK(mean({.value = "error", .class_row = "max"}) == 0.025);
  CHECK(mean({.value = "error", .class_row = "min"}) == 0.0125);
  CHECK(mean({.value = "loss_predicted/loss"}) == 2);
  CHECK(mean({.value = "error/loss", .class_row = "head"}) == Approx(0.05));
  CHECK(mean({.value = "class_probability"}) == 0.025);
  // Rows are in any order: head and tail go by probability, and of rows as likely to rounding are the first and the last.
  Result result = swept_result();
  for (const auto& [probability, head, tail] :
       {std::tuple{std::vector{0.025, 0.075}, 0.025, 0.0125},
        std::tuple{std::vector{0.05, 0.05 * (1 + 1e-15)}, 0.0125, 0.025}}) {
    for (Run& run : result.runs) run.class_probability = probability;
    CHECK(cell_of({.value = "error", .class_row = "head"}, "muon", result).mean == head);
    CHECK(cell_of({.value = "error", .class_row = "tail"}, "muon", result).mean == tail);
  }
  CHECK(cell_of({.value = "status_step"}, "sgd η=1").mean == 10);
  CHECK(cell_of({.value = "status"}, "sgd η=1").words == "diverged");
  CHECK(cell_of({.value = "loss_predicted"}, "gd_1").kind == CellKind::missing);
}

TEST_CASE("class and step are axes too; rows of classes are named where all runs have the same") {
  TableRequest request{.rows = {"class"}, .columns = {"step"}, .value = "error", .at = "100,0"};
  request.where = {"classes.exponent=2", "classes.group_size=10", "seed=0", "optimizer=muon"};
  const Table table = pivot_table(swept_result(), request);
  CHECK(texts(table.row_heads) == "0: rank 5.5, 10 classes | 1: rank 15.5, 10 classes | ");
  CHECK(texts(table.column_heads) == "0 | 1000 | ");
  CHECK(table.cells[1][0].mean == 0.25);
  CHECK(table.cells[0][1].mean == 0.0125);
  // Runs of different widths: three rows, the third one of the first run alone.
  const Table uneven = pivot_table(
      sample_result(), {.rows = {"class"}, .columns = {"optimizer", "classes.exponent"}, .value = "error"});
  CHECK(texts(uneven.row_heads) == "0 | 10 | 20 | ");
  CHECK(uneven.cells[2][0].kind == CellKind::number);
  CHECK(uneven.cells[2][1].kind == CellKind::missing);
  // Nor has a run the third class at a step before the last.
  TableRequest third{.rows = {"optimizer"}, .columns = {"classes.exponent"}, .value = "error", .at = "0"};
  third.class_row = "2";
  CHECK(pivot_table(sample_result(), third).cells[0][0].kind == CellKind::number);
  CHECK(pivot_table(sample_result(), third).cells[0][1].kind == CellKind::missing);
}

TEST_CASE("the time to a threshold is a step, or beyond the last one, or the run diverged before") {
  const TableRequest below{.value = "error", .below = "0.1"};
  CHECK(cell_of(below, "muon").mean == 1);
  CHECK(cell_of(below, "gd_1").kind == CellKind::beyond);
  CHECK(cell_of(below, "gd_1").beyond == 1000000);
  CHECK(cell_of(below, "sgd η=1").words == "diverged");
  // Passed before the divergence, and at the very start. A value equal to the threshold is not below it.
  CHECK(cell_of({.value = "error", .below = "0.91"}, "sgd η=1").mean == 0);
  CHECK(cell_of({.value = "error", .below = "0.9"}, "gd_1").kind == CellKind::beyond);
  CHECK(cell_of({.value = "error", .above = "0.2"}, "muon").mean == 0);
  // A value that no record has is missing, not "not reached".
  CHECK(cell_of({.value = "loss_predicted", .below = "0.1"}, "gd_1").kind == CellKind::missing);
}

TEST_CASE("a condition chooses the step at which a value is read, along its own class row") {
  // Of muon the loss is 10/4 at step 0 and a tenth of that later; the error of the head is half that of the tail.
  const auto cell = [](const std::string& when, const std::string& value = "loss") {
    return cell_of({.value = value, .when = when}, "muon");
  };
  CHECK(cell("loss < 1").mean == Approx(0.25));
  CHECK(cell("loss <= 2.5").mean == 2.5);
  CHECK(cell("error < 0.1", "class_probability").mean == 0.025);
  CHECK(cell("loss + gap > 2*loss").words == "not reached");
  CHECK(cell_of({.when = "error < 0.2", .class_row = "head"}, "muon").mean == 2.5);
  CHECK(cell_of({.when = "error < 0.2"}, "muon").mean == Approx(0.25));
  CHECK(cell_of({.when = "loss < 3", .sustained = true}, "muon").mean == 2.5);
  const TableRequest request{.rows = {"classes.exponent"},
                             .when = "error < 0.2",
                             .where = {"optimizer=muon", "seed=0", "classes.group_size=10"}};
  CHECK_THAT(
      pivot_table(swept_result(), request).description,
      Contains("loss at the first recorded step with error < 0.2 of the tail (the rarest class row): "));
}

TEST_CASE("a band of ranks is the mean over its classes, an expression is computed for each class") {
  const auto mean = [](const std::string& rows, const std::string& value = "error") {
    return cell_of({.value = value, .class_row = rows}, "muon").mean;
  };
  CHECK(mean("rank:1-10") == 0.0125);
  CHECK(mean("rank:11-20") == 0.025);
  CHECK(mean("rank:1-20") == Approx((0.0125 + 0.025) / 2));
  CHECK(mean("rank:1-20", "log(error)") == Approx((std::log(0.0125) + std::log(0.025)) / 2));
}

TEST_CASE(
    "a band is the mean over all of its classes, or refused: never that over the rows that happen to be there") {
  const auto rows = [](std::vector<double> count, std::vector<double> rank) {
    Result result = swept_result();
    for (Run& run : result.runs) {
      run.class_count = count;
      run.class_log_rank = {};
      for (const double r : rank) run.class_log_rank.push_back(std::log(r));
      run.class_probability.assign(count.size(), 1e-5);
      for (Trajectory& trajectory : run.trajectories) {
        trajectory.series["error"] = {};
        for (std::size_t t = 0; t < result.steps.size(); ++t) {
          for (std::size_t row = 0; row < rank.size(); ++row)
            trajectory.series["error"].push_back(1 / (1 + rank[row]));
        }
      }
    }
    return result;
  };
  const auto band = [](const Result& result, const std::string& typed) {
    return cell_of({.value = "error", .class_row = "rank:" + typed}, "muon", result);
  };
  const auto refused = [](const Result& result, const std::string& typed) {
    return refusal(result, {.rows = {"optimizer"},
                            .value = "error",
                            .class_row = "rank:" + typed,
                            .where = {"classes.exponent=2", "classes.group_size=10", "seed=0"}});
  };
  const Result listed = rows({1, 1, 1, 1}, {1, 2, 3, 10000});
  CHECK(band(listed, "2-3").mean == Approx((1 / 3.0 + 1 / 4.0) / 2));
  CHECK(band(listed, "10000-10000").mean == Approx(1 / 10001.0));
  CHECK_FALSE(band(listed, "1-3").approximate);
  CHECK(
      refused(listed, "1-10000") ==
      "error: --class: rank:1-10000: no class row has ranks 4 to 9999; run.classes = \"groups\" stores all classes in "
      "groups or quadrature nodes, and \"all\" each");
  CHECK_THAT(refused(listed, "3-4"), Contains("no class row has rank 4; "));
  CHECK_THAT(refused(listed, "10000-10001"), Contains("no class row has rank 10001; "));
  // Groups of 3, 4 and 5, the rows in another order.
  const Result groups = rows({4, 5, 3}, {5.5, 10, 2});
  CHECK(band(groups, "1-12").mean == Approx((4 / 6.5 + 5 / 11.0 + 3 / 3.0) / 12));
  CHECK(band(groups, "4-7").mean == Approx(1 / 6.5));
  CHECK_THAT(refused(groups, "1-8"), Contains("the row of ranks 8 to 12 is a mean over more classes"));
  CHECK_THAT(refused(groups, "1-13"), Contains("no class row has rank 13; "));
  // Nodes stand for ranks 1, 2 and then 3.5 and 4.5 ranks; one of them is cut.
  const Result nodes = rows({1, 1, 3.5, 4.5}, {1, 2, 4, 8});
  CHECK_FALSE(band(nodes, "1-2").approximate);
  CHECK(band(nodes, "1-10").mean == Approx((1 / 2.0 + 1 / 3.0 + 3.5 / 5 + 4.5 / 9) / 10));
  CHECK(band(nodes, "2-7").mean == Approx((1 / 3.0 + 3.5 / 5 + 1.5 / 9) / 6));
  CHECK(cell_text(band(nodes, "2-7"), 3) == "≈0.200");
  CHECK_THAT(refused(nodes, "1-11"), Contains("no class row has rank 11; "));
}

TEST_CASE("the median of steps counts runs that do not get there as later; a mean is refused") {
  const auto cell = [](const char* over, int reached) {
    std::vector<TableCell> cells;
    for (int run = 0; run < 7; ++run) {
      cells.push_back(run < reached ? TableCell{.kind = CellKind::number, .mean = 10.0 + run}
                                    : TableCell{.kind = CellKind::beyond, .beyond = 40});
    }
    std::ranges::rotate(cells, cells.begin() + 2);
    return together(cells, {.at = Query::At::first, .shows_step = true}, *find_row(averages(), over));
  };
  // Of seven numbers the interval is from the least to the largest.
  CHECK(cell_text(cell("median", 4), 3) == "13 [10, >40]");
  CHECK(cell_text(cell("median", 7), 3) == "13 [10, 16]");
  for (const char* over : {"mean", "geometric-mean"}) CHECK(cell(over, 4).words == "4/7 reached");
  CHECK(cell("median", 3).words == "3/7 reached");
  CHECK(cell("median", 0).kind == CellKind::beyond);
}

TEST_CASE("geometric mean and median of seeds have intervals that stay positive") {
  Result result = swept_result();
  for (Run& run : result.runs)
    run.trajectories[0].series["loss"].back() = std::pow(10, std::get<double>(run.parameters.at("seed")));
  const auto cell = [&](const char* over) {
    return cell_of({.over = {over}}, "gd_1", result, {"classes.exponent=2", "classes.group_size=10"});
  };
  CHECK(cell("geometric-mean").mean == Approx(10));
  CHECK(*cell("geometric-mean").low == Approx(std::pow(10, 1 - 4.302652730 / std::sqrt(3.0))));
  CHECK(cell_text(cell("median"), 3) == "10 [1, 100]");
  CHECK(cell("mean").half_width > cell("mean").mean);
  result.runs.back().trajectories[0].series["loss"].back() = 0;
  CHECK(cell("geometric-mean").words == "not positive");
  // Of ten numbers the second and the ninth: 2 P(B < 2) = 0.021 for B binomial (10, 1/2), and 2 P(B < 3) = 0.109.
  TableCell ten;
  find_row(averages(), "median")->of({9, 0, 1, 2, 3, 4, 5, 6, 7, 8}, ten);
  CHECK(ten.mean == 4.5);
  CHECK(*ten.low == 1);
  CHECK(*ten.high == 8);
  // 1/2^2000 is no double.
  std::vector<double> many(2000);
  std::iota(many.begin(), many.end(), 0.0);
  find_row(averages(), "median")->of(many, ten);
  CHECK(*ten.low == 955);
}

TEST_CASE("runs that differ in the seed share a cell: mean and Student's interval") {
  const std::vector<std::string> all_seeds = {"classes.exponent=2", "classes.group_size=10"};
  const TableCell cell = cell_of({.value = "loss"}, "gd_1", swept_result(), all_seeds);
  CHECK(cell.runs == 3);
  CHECK(cell.mean == Approx(9.9));
  // 9, 9.9, 10.8: s = 0.9; the 97.5 % quantile of Student's t with 2 degrees is 4.302652730.
  CHECK(cell.half_width == Approx(4.302652730 * 0.9 / std::sqrt(3.0)).epsilon(1e-9));
  // The square of 1e-200 is no double.
  Result tiny = swept_result();
  for (Run& run : tiny.runs) {
    for (double& x : run.trajectories[0].series["loss"]) x *= 1e-200;
  }
  CHECK(cell_of({.value = "loss"}, "gd_1", tiny, all_seeds).half_width / 1e-200 ==
        Approx(cell.half_width).epsilon(1e-9));
}

TEST_CASE("a cell of several runs never averages over those that have a number alone") {
  const std::vector<std::string> all_seeds = {"classes.exponent=2", "classes.group_size=10"};
  const auto words = [&](const TableRequest& request, const Result& result) {
    const TableCell cell = cell_of(request, "sgd η=1", result, all_seeds);
    REQUIRE(cell.kind == CellKind::words);
    return cell.words;
  };
  Result result = swept_result();
  CHECK(words({.value = "loss"}, result) == "1/3 diverged");
  CHECK(words({.value = "error", .below = "0.1"}, result) == "0/3 reached, 1/3 diverged");
  // The last run learns, so one run is in each state.
  for (double& x : result.runs.back().trajectories[2].series["error"]) x = 0.01;
  CHECK(words({.value = "error", .below = "0.1"}, result) == "1/3 reached, 1/3 diverged");
  for (double& x : result.runs.back().trajectories[2].series["loss"]) x = std::nan("");
  CHECK(words({.value = "loss"}, result) == "1/3 diverged, 1/3 missing");
  result.runs.back().trajectories[2].series["error"] = std::vector<double>(10, std::nan(""));
  CHECK(words({.value = "error", .below = "0.1"}, result) == "0/3 reached, 1/3 diverged, 1/3 missing");
}

TEST_CASE("a value that a run does not have at its last step is missing, as at any other step") {
  Result result = swept_result();
  for (Run& run : result.runs) run.trajectories[1].series["loss"].back() = std::nan("");
  CHECK(cell_of({}, "muon", result).kind == CellKind::missing);
  CHECK(cell_of({.at = "1000000"}, "muon", result).kind == CellKind::missing);
  CHECK(cell_of({.at = "100"}, "muon", result).mean == Approx(0.25));
  // Nor is it known whether it would have passed a threshold by then; what it passed before it did pass.
  CHECK(cell_of({.below = "1e-200"}, "muon", result).kind == CellKind::missing);
  CHECK(cell_of({.below = "1"}, "muon", result).mean == 1);
  CHECK(cell_of({}, "sgd η=1").words == "diverged");
  CHECK(cell_of({.at = "10"}, "sgd η=1").mean == Approx(9));
  CHECK(cell_of({.at = "100"}, "sgd η=1").words == "diverged");
  // An infinite ratio is no number.
  CHECK(cell_of({.value = "loss/gap"}, "muon").kind == CellKind::missing);
}

TEST_CASE("a run that failed has no numbers, one without its certificate has approximate ones") {
  Result result = swept_result();
  for (Run& run : result.runs) {
    Trajectory& muon = run.trajectories[1];
    muon.status = "uncertified";
    run.trajectories[0].status = "failed";
    run.trajectories[0].series.clear();
  }
  CHECK(cell_of({}, "muon", result).mean == Approx(0.25));
  CHECK(cell_of({}, "muon", result).approximate);
  CHECK(cell_of({.value = "error", .below = "0.1"}, "muon", result).approximate);
  CHECK_FALSE(cell_of({}, "muon").approximate);
  CHECK(cell_of({}, "gd_1", result).words == "failed");
  CHECK(cell_of({.at = "0"}, "gd_1", result).words == "failed");
  CHECK(cell_of({.value = "error", .below = "0.1"}, "gd_1", result).words == "failed");
  TableRequest request{.rows = {"classes.exponent"}};
  request.where = {"optimizer=muon", "classes.group_size=10"};
  CHECK_THAT(pivot_table(result, request).description, Contains("≈") && Contains("quadrature_error"));
}

TEST_CASE(
    "a table shows no digit that rounding has not left, of a variable, of its prediction and of a ratio") {
  Result result = swept_result();
  for (Run& run : result.runs) {
    Trajectory& muon = run.trajectories[1];
    muon.status = "digits_lost";
    muon.series["digits"] = {15, 9.7, 4.2, 2.9, 0.4};
    muon.series["loss_digits"] = {15, 12, 7.9, 5.5, 3.1};
    muon.series["digits_predicted"] = {14, 14, 13, 11.2, 8.1};
  }
  CHECK(cell_of({}, "muon", result).digits == 3);
  CHECK(cell_of({.value = "loss_predicted"}, "muon", result).digits == 8);
  CHECK(cell_of({.value = "loss", .at = "10"}, "muon", result).digits == 7);
  // Without digits of its own it has the least of all.
  CHECK(cell_of({.value = "error", .at = "10"}, "muon", result).digits == 4);
  CHECK(cell_of({.value = "error/loss", .at = "10"}, "muon", result).digits == 4);
  CHECK(cell_of({.value = "error"}, "muon", result).words == "no digits");
  CHECK(cell_of({.value = "error", .below = "0.1"}, "muon", result).mean == 1);
  CHECK(cell_of({.value = "step_size"}, "muon", result).digits == 17);
  CHECK(cell_of({}, "gd_1", result).digits == 17);
}

TEST_CASE("swept keys that would be mixed in a cell are listed; --where fixes them, also computed ones") {
  Result result = swept_result();
  const std::string mixed = refusal(result, {.columns = {"classes.exponent"}});
  CHECK_THAT(mixed, Contains("classes.group_size (1e+12, 10) and in optimizer (gd_1, muon, sgd η=1)") &&
                        Contains("--where") && !Contains("seed"));
  for (Run& run : result.runs) {
    if (run.parameters.at("classes.exponent") == decltype(run.parameters)::mapped_type(1.5))
      run.parameters["classes.exponent"] = 0.1 + 0.2;
  }
  TableRequest request{.rows = {"optimizer"}, .columns = {"classes.exponent"}};
  request.where = {"classes.group_size=10", "classes.exponent=0.3"};
  CHECK(pivot_table(result, request).column_heads.size() == 1);
  request.where.push_back("classes.exponent=2");
  CHECK(pivot_table(result, request).column_heads.size() == 2);
  // One optimizer that is fixed need not be an axis.
  CHECK(refusal(result, {.rows = {"classes.exponent", "classes.group_size"}, .where = {"optimizer=muon"}}) ==
        "");
}

TEST_CASE("a swept key that is true or false reads so, though files hold 1 and 0") {
  Result result = swept_result();
  for (Run& run : result.runs) run.parameters = {{"run.curvature", run.index == 0 ? 1.0 : 0.0}};
  CHECK(parameter_text(result.runs.front().parameters) == "run.curvature = true");
  TableRequest request{.rows = {"optimizer"}, .columns = {"run.curvature"}, .where = {"run.curvature=true"}};
  CHECK(pivot_table(result, request).column_heads.at(0).at(0) == SweptValue("true"));
  request.where = {"run.curvature=1"};
  CHECK_THAT(refusal(result, request), Contains("run.curvature is never \"1\"; its values: true, false"));
}

TEST_CASE("every problem of a request is named at once, with the nearest names") {
  TableRequest request{.rows = {"optimiser"}, .columns = {"clases.exponent", "run.steps"}, .value = "eror"};
  request.at = "7";
  request.class_row = "2";
  request.where = {"sed=1", "seed=7", "optimizer=moun", "seed"};
  const std::string text = refusal(swept_result(), request);
  for (const char* part :
       {"--rows: \"optimiser\" is not a swept key of the file; did you mean optimizer?",
        "--columns: \"clases.exponent\" is not a swept key of the file; did you mean classes.exponent?",
        "swept keys: classes.exponent, classes.group_size, seed; others: optimizer, class, step",
        "--columns: \"run.steps\" does not vary in the file", "no variable \"eror\"; did you mean error?",
        "--at: step 7 was not recorded; the nearest is 1 or 10", "--class: got \"2\"; expected head, tail",
        "--where: \"sed\" is not a swept key of the file; did you mean seed?",
        "--where: seed is never \"7\"; its values: 0, 1, 2",
        "--where: optimizer is never \"moun\"; did you mean muon?",
        "--where: got \"seed\"; expected KEY=VALUE"}) {
    CHECK_THAT(text, Contains(part));
  }
  CHECK(std::count(text.begin(), text.end(), '\n') == 9);
}

TEST_CASE("what cannot go together is refused") {
  const Result result = swept_result();
  const auto says = [&](TableRequest request, const std::string& part) {
    request.where = {"classes.group_size=10"};
    if (request.rows.empty()) request.rows = {"optimizer", "classes.exponent"};
    INFO(part);
    CHECK_THAT(refusal(result, request), Contains(part));
  };
  says({.value = "error", .below = "x"}, "--below: got \"x\"; expected a number");
  says({.value = "error", .below = "nan"}, "expected a number");
  says({.at = "max"}, "the largest or least along a run is --over max or --over min");
  says({.at = "1", .over = {"max"}}, "--over max uses all steps of a run");
  says({.over = {"mode"}},
       "got \"mode\"; expected max or min along a run, or mean, geometric-mean, median over the");
  says({.when = "loss"}, "--when: got \"loss\"; expected a comparison with <, <=, > or >=");
  says({.when = "los < 1"}, "--when: the file has no variable \"los\"; did you mean loss?");
  says({.below = "1", .when = "loss < 1"}, "--below and --when: give one of them");
  says({.value = "loss + * 2"}, "--value: got \"* 2\" after \"loss + \"");
  says({.value = "sqrt(loss, gap)"}, "--value: sqrt takes one number, and got 2");
  says({.value = "error", .class_row = "rank:9-2"}, "expected two ranks");
  says({.value = "error", .class_row = "rank:1-2"},
       "run 3: the row of ranks 1 to 10 is a mean over more classes than those of the band");
  says({.value = "error", .class_row = "rank:1-21"}, "run 3: no class row has rank 21; run.classes = ");
  says({.value = "error", .below = "1", .above = "2"}, "--below and --above: give one of them");
  says({.value = "error", .at = "1", .below = "1"}, "--at and --below: give one of them");
  says({.columns = {"step"}, .value = "error", .above = "1"}, "so step cannot be an axis");
  says({.at = "0,1"}, "several steps need the axis step");
  says({.at = "0.5"}, "expected last or a recorded step");
  says({.value = "loss", .class_row = "head"}, "loss has no classes; omit --class");
  says({.columns = {"class"}, .value = "loss"}, "loss has no classes; omit the axis class");
  says({.columns = {"class"}, .value = "error", .class_row = "head"}, "--class and the axis class");
  says({.value = "status_step", .at = "1"}, "status_step has no steps");
  says({.value = "status/loss"}, "status is a text and has no ratio");
  says({.when = "status < loss"}, "--when: status is a text and has no ratio");
  says({.over = {"mean", "median"}}, "--over: mean and median are two averages");
  says({.columns = {"optimizer"}}, "the axis optimizer is given twice");
  TableRequest empty{.rows = {"optimizer"}};
  empty.where = {"classes.group_size=10", "classes.exponent=2"};
  Result sparse = result;
  std::erase_if(sparse.runs, [](const Run& run) { return run.index >= 9; });
  CHECK_THAT(refusal(sparse, empty), Contains("no run of the file has all of these values"));
}

TEST_CASE("several values stand side by side within each column head, each with its own description") {
  TableRequest request{.rows = {"classes.exponent"}, .columns = {"optimizer"}};
  request.where = {"classes.group_size=10", "seed=0", "optimizer=gd_1", "optimizer=muon"};
  const Table table = pivot_table(swept_result(), request, {"loss", "loss_predicted/loss"});
  CHECK(texts(table.column_heads) ==
        "gd_1 loss | gd_1 loss_predicted/loss | muon loss | muon loss_predicted/loss | ");
  CHECK(table.column_keys == std::vector<std::string>{"optimizer", "value"});
  CHECK(table.values == 2);
  CHECK(table.cells[0][2].mean == Approx(1.0 / 3));
  CHECK(table.cells[0][3].mean == 2);
  CHECK(table.cells[0][1].kind == CellKind::missing);
  CHECK_THAT(table.description,
             Contains("loss at the last step") && Contains(" | loss_predicted/loss at the last step"));
  // Without column axes the names of the values alone are the heads.
  request.columns = {};
  request.rows = {"classes.exponent", "optimizer"};
  CHECK(texts(pivot_table(swept_result(), request, {"loss", "error"}).column_heads) == "loss | error | ");
  const Table one = pivot_table(swept_result(), request, {"loss"});
  CHECK(one.values == 1);
  CHECK(one.column_heads == std::vector<std::vector<AxisValue>>{{}});
}

TEST_CASE("what is wrong with several values is said once, and no value is given twice") {
  const auto refusal_of = [](TableRequest request, const std::vector<std::string>& values) {
    try {
      pivot_table(swept_result(), std::move(request), values);
    } catch (const InputError& error) {
      return error.problems();
    }
    return std::vector<Problem>();
  };
  CHECK(refusal_of({.rows = {"optimizr"}}, {"loss", "error"}).size() == 1);
  CHECK(refusal_of({.rows = {"optimizer"}}, {"los", "eror", "loss"}).size() >= 2);
  REQUIRE(refusal_of({.rows = {"optimizer"}}, {"loss", "loss"}).size() == 1);
  CHECK(refusal_of({.rows = {"optimizer"}}, {"loss", "loss"})[0].message == "--value: loss is given twice");
}

TEST_CASE("a sustained threshold is that of the last crossing") {
  Result result = sample_result();
  result.runs.resize(1);
  result.runs[0].parameters.clear();
  for (Trajectory& trajectory : result.runs[0].trajectories) {
    trajectory.status = "complete";
    trajectory.series["loss"] = {0.05, 0.5, 0.05, 0.04};  // steps 0, 1, 2, 5
  }
  TableRequest request{.rows = {"optimizer"}, .below = "0.1"};
  CHECK(pivot_table(result, request).cells[0][0].mean == 0);
  request.sustained = true;
  const Table table = pivot_table(result, request);
  CHECK(table.cells[0][0].mean == 2);
  CHECK(table.value == "steps to loss < 0.1 for good");
  CHECK_THAT(table.description, Contains("first recorded step from which on loss stays < 0.1; loss"));
  auto& loss = result.runs[0].trajectories[0].series["loss"];
  loss.back() = 0.2;
  CHECK(pivot_table(result, request).cells[0][0].kind == CellKind::beyond);
  loss = {0.05, 0.05, 0.05, 0.04};
  CHECK(pivot_table(result, request).cells[0][0].mean == 0);
  request.below.clear();
  request.above = "0.045";
  CHECK(pivot_table(result, request).cells[0][0].kind == CellKind::beyond);
  request.above.clear();
  CHECK_THAT(refusal(result, request),
             Contains("--sustained: it is for --below X, --above X or --when CONDITION"));
}

TEST_CASE("keys are named by their symbols where they have one for every row that has them") {
  Table table;
  table.row_keys = {"classes.exponent", "optimizer", "embedding.kind", "optimizer.gd.step_size"};
  table.column_keys = {"classes.count", "run.steps", "data.label_noise", "embedding.query.dimension",
                       "value"};
  name_by_symbols(table);
  CHECK(table.row_keys == std::vector<std::string>{"s", "optimizer", "embedding.kind", "η of gd"});
  CHECK(table.column_keys == std::vector<std::string>{"K", "T", "α", "d of query", "value"});
  CHECK(table.symbols == std::set<std::string>{"s", "η of gd", "K", "T", "α", "d of query"});
}

}  // namespace rarefact
