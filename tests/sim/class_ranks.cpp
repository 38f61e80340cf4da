// Ranks go by frequency, whatever the order of a spectrum; a class keeps its row.

#include <catch2/catch.hpp>
#include <cmath>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

using Rows = std::vector<std::size_t>;

/// Six classes of which two have p = .05 and four .225: these first, or those.
Run run_of(bool rare_first, const ClassRule& classes, const std::string& engine) {
  Experiment e = identity_run({"two_level",
                               {{"count", 6.0},
                                {"head_fraction", rare_first ? 1 / 3.0 : 2 / 3.0},
                                {"head_mass", rare_first ? 0.1 : 0.9}}},
                              "gd", 0.2);
  e.classes = classes;
  e.engine = engine;
  e.steps = 3;
  return simulate(e, {}, 1).runs[0];
}

}  // namespace

TEST_CASE("ranks go by frequency where a spectrum begins with its rarer classes, and a class keeps its row") {
  using Kind = ClassAt::Kind;
  const std::vector<ClassAt> list = {{Kind::rank, 1},     {Kind::rank, 4},     {Kind::rank, 5},
                                     {Kind::percent, 50}, {Kind::percent, 92}, {Kind::last}};
  struct Case {
    ClassRule rule;
    Rows row;  ///< of the spectrum that begins with the rarer classes, for each row of the other
  };
  for (const auto& [rule, row] : {Case{{ClassRule::Kind::list, list}, {0, 1, 2, 3, 4}},
                                  {{ClassRule::Kind::groups, {}}, {1, 0}},
                                  {{ClassRule::Kind::all, {}}, {2, 3, 4, 5, 0, 1}}}) {
    for (const std::string engine : {"dense", "symmetric", "columns"}) {
      CAPTURE(static_cast<int>(rule.kind), engine);
      const Run sorted = run_of(false, rule, engine), run = run_of(true, rule, engine);
      REQUIRE(run.class_count.size() == row.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        CAPTURE(i);
        CHECK(run.class_log_rank[row[i]] == sorted.class_log_rank[i]);
        CHECK(run.class_count[row[i]] == sorted.class_count[i]);
        CHECK(run.class_probability[row[i]] == Approx(sorted.class_probability[i]).epsilon(1e-14));
        for (const char* name : {"error", "error_predicted"}) {
          const std::size_t last = 3 * row.size();
          CHECK(run.trajectories[0].series.at(name)[last + row[i]] ==
                Approx(sorted.trajectories[0].series.at(name)[last + i]).epsilon(1e-13));
        }
      }
    }
  }
}
