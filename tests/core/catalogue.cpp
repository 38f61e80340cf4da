#include "core/catalogue.hpp"

#include <catch2/catch.hpp>

using namespace rarefact;

TEST_CASE("A catalogue's row is found by its name") {
  const std::vector<CatalogueRow> rows = {{"first", "", "", ""}, {"second", "", "", ""}};
  CHECK(find_row(rows, "second") == &rows[1]);
  CHECK(find_row(rows, "third") == nullptr);
  CHECK(&row_named(rows, "first", "row") == &rows[0]);
  CHECK_THROWS_AS(row_named(rows, "third", "row"), std::logic_error);
}
