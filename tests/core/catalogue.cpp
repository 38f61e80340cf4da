#include "rarefact/catalogue.hpp"

#include <catch2/catch.hpp>

using namespace rarefact;

TEST_CASE("A catalogue's row is found by its name") {
  std::vector<CatalogueRow> rows(2);
  rows[0].name = "first";
  rows[1].name = "second";
  CHECK(find_row(rows, "second") == &rows[1]);
  CHECK(find_row(rows, "third") == nullptr);
  CHECK(&row_named(rows, "first", "row") == &rows[0]);
  CHECK_THROWS_AS(row_named(rows, "third", "row"), std::logic_error);
}
