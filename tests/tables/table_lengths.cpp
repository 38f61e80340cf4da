// Tables of a sweep over the number of steps.

#include <algorithm>
#include <catch2/catch.hpp>

#include "results/swept_result.hpp"
#include "tables/table.hpp"

namespace rarefact {

using Catch::Contains;

TEST_CASE("runs of different lengths end each at their own last step, and the table says so") {
  Result result = swept_result();
  TableRequest request{.rows = {"classes.exponent"}};
  request.where = {"optimizer=muon", "classes.group_size=10", "seed=0"};
  CHECK_THAT(pivot_table(result, request).description, Contains("loss at the last step (1000000): "));
  for (Run& run : result.runs) {
    if (run.parameters.at("classes.exponent") != SweptValue(1.5)) continue;
    for (Trajectory& trajectory : run.trajectories) {
      for (auto& [name, values] : trajectory.series) {
        const std::size_t width = values.size() / 5;
        std::fill(values.end() - static_cast<std::ptrdiff_t>(2 * width), values.end(), std::nan(""));
      }
      trajectory.series["error"][2 * 2 + 1] = 0.3;  // of the tail, at its last step 10
    }
  }
  const Table table = pivot_table(result, request);
  CHECK_THAT(table.description, Contains("loss at the last step of each run: "));
  CHECK(table.cells[0][0].mean == Approx(0.05 / 1.5 * 10));
  CHECK(table.cells[1][0].mean == Approx(0.25));
  request.value = "error";
  CHECK(pivot_table(result, request).cells[0][0].mean == 0.3);
  request.below = "1e-9";
  CHECK(pivot_table(result, request).cells[0][0].beyond == 10);
  CHECK(pivot_table(result, request).cells[1][0].beyond == 1000000);
  // Of the longer runs alone.
  request.where.push_back("classes.exponent=2");
  CHECK_THAT(pivot_table(result, {.rows = {"classes.exponent"}, .where = request.where}).description,
             Contains("at the last step (1000000)"));
}

}  // namespace rarefact
