// Tables of values of answers.

#include <catch2/catch.hpp>

#include "rarefact/error.hpp"
#include "results/answered_result.hpp"
#include "tables/table.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

/// Of runs with four and with no groups of answers.
Table table_of(const TableRequest& request, std::size_t second = 0) {
  return pivot_table(answered_result(4, second), request);
}

}  // namespace

TEST_CASE("an axis or a row of answers shows values of answers") {
  const std::vector<std::string> first = {"classes.exponent=1.5", "optimizer=muon"};
  const Table all = table_of({.rows = {"answer"}, .value = "answer_error", .at = "1", .where = first});
  REQUIRE(all.cells.size() == 4);
  CHECK(all.cells[3][0].mean == 1.0 / 14);
  CHECK(std::get<std::string>(all.row_heads[3][0]) == "3: fan-in 6, 7 answers");
  const auto one = [&](const std::string& row) {
    return table_of({.value = "answer_error", .at = "0", .class_row = row, .where = first}).cells[0][0].mean;
  };
  CHECK(one("head") == 1);
  CHECK(one("tail") == 0.25);
  CHECK(one("2") == 1.0 / 3);
  CHECK_THAT(table_of({.value = "answer_error", .where = first}).description,
             Contains("the rarest answer row"));
}

TEST_CASE("a run without answers has no value of them") {
  const Table table =
      table_of({.rows = {"classes.exponent"}, .value = "answer_error", .where = {"optimizer=muon"}});
  CHECK(table.cells[0][0].kind == TableCell::Kind::number);
  CHECK(table.cells[1][0].kind == TableCell::Kind::missing);
  const Table axis =
      table_of({.rows = {"answer"}, .columns = {"classes.exponent"}, .value = "answer_group_fan_in"});
  CHECK(axis.cells.size() == 4);
}

TEST_CASE("classes and answers are not taken for one another") {
  CHECK_THROWS_WITH(table_of({.rows = {"answer"}, .value = "error"}), Contains("error has no answers"));
  CHECK_THROWS_WITH(table_of({.rows = {"class"}, .value = "answer_error"}),
                    Contains("answer_error has no classes"));
  CHECK_THROWS_WITH(table_of({.value = "error/answer_error"}),
                    Contains("joins numbers of classes and of answers"));
  CHECK_THROWS_WITH(table_of({.value = "answer_error", .class_row = "9"}),
                    Contains("a row of answer_group, 0 to 3"));
  CHECK_THROWS_WITH(pivot_table(sample_result(), {.rows = {"answer"}}), Contains("not a swept key"));
}
