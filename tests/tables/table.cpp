// What a table shows of each run is in tests/cli/transcripts; here is what no file of a test has.

#include "tables/table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "rarefact/error.hpp"
#include "results/swept_result.hpp"

using namespace rarefact;

using Catch::Contains;
using CellKind = TableCell::Kind;

TEST_CASE("the median of steps counts runs that do not get there as later; a mean is refused") {
  const auto cell = [](const char* over, int reached) {
    std::vector<TableCell> cells;
    for (int run = 0; run < 7; ++run) {
      cells.push_back(run < reached ? TableCell{.kind = CellKind::number, .mean = 10.0 + run}
                                    : TableCell{.kind = CellKind::beyond, .beyond = 40});
    }
    std::ranges::rotate(cells, cells.begin() + 2);
    return together(cells, true, *find_row(averages(), over));
  };
  // Of seven numbers the interval is from the least to the largest.
  CHECK(cell_text(cell("median", 4), 3) == "13 [10, >40]");
  CHECK(cell_text(cell("median", 7), 3) == "13 [10, 16]");
  for (const char* over : {"mean", "geometric-mean"}) CHECK(cell(over, 4).words == "4/7 reached");
  CHECK(cell("median", 3).words == "3/7 reached");
  CHECK(cell("median", 0).kind == CellKind::beyond);
}

TEST_CASE("the interval of a median is from one of the numbers to another, of any number of them") {
  TableCell ten;
  // Of ten numbers the second and the ninth: 2 P(B < 2) = 0.021 for B binomial (10, 1/2), and 2 P(B < 3) = 0.109.
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

TEST_CASE("a swept key that is true or false reads so, though files hold 1 and 0") {
  Result result = swept_result();
  for (Run& run : result.runs) run.parameters = {{"run.curvature", run.index == 0 ? 1.0 : 0.0}};
  CHECK(parameter_text(result.runs.front().parameters) == "run.curvature = true");
  TableRequest request{.rows = {"optimizer"}, .columns = {"run.curvature"}, .where = {"run.curvature=true"}};
  CHECK(pivot_table(result, request).column_heads.at(0).at(0) == SweptValue("true"));
  request.where = {"run.curvature=1"};
  CHECK_THROWS_WITH(pivot_table(result, request),
                    Contains("run.curvature is never \"1\"; its values: true, false"));
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

TEST_CASE("what an expression has not at some steps is not its least or largest value") {
  const Result result = swept_result();
  for (const auto& [over, largest] : {std::pair{"max", 2.25}, {"min", 0.0}}) {
    const Table table = pivot_table(
        result, {.rows = {"optimizer"},
                 .values = {"prev(loss) - loss"},
                 .over = {over},
                 .where = {"optimizer=muon", "classes.exponent=2", "classes.group_size=10", "seed=0"}});
    CHECK(table.cells.at(0).at(0).kind == CellKind::number);
    CHECK(table.cells[0][0].mean == largest);
  }
}

TEST_CASE("measures of an update that is rounding have no value in expressions, and no digits in tables") {
  Result result = swept_result();
  for (Run& run : result.runs)
    for (Trajectory& trajectory : run.trajectories) {
      trajectory.series["nds"] = trajectory.series.at("loss");
      trajectory.series["update_digits"].assign(result.steps.size(), 9);
      trajectory.series["update_digits"].back() = 0;
    }
  result.variables.push_back({.name = "nds", .long_name = "nds", .units = "1"});
  const auto cell = [&](const std::string& value, const std::string& at) {
    return pivot_table(result,
                       {.rows = {"optimizer"},
                        .values = {value},
                        .at = at,
                        .where = {"optimizer=muon", "classes.exponent=2", "classes.group_size=10", "seed=0"}})
        .cells.at(0)
        .at(0);
  };
  CHECK(cell("nds", "last").words == "no digits");
  CHECK(cell("nds", "0").digits == 9);
  CHECK(cell("2*nds", "0").kind == CellKind::number);
  CHECK(cell("2*nds", "last").kind != CellKind::number);
  CHECK(cell("loss", "last").kind == CellKind::number);
}
