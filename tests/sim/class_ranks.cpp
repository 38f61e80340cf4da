// Ranks go by frequency, whatever the order of a spectrum; a class keeps its row.

#include <array>
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
                                     {Kind::percent, 46}, {Kind::percent, 92}, {Kind::last}};
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
      // The likeliest 2, 3, 4 and 5 classes have 45, 67.5, 90 and 95 % of the mass.
      for (std::size_t i = 0; rule.kind == ClassRule::Kind::list && i < row.size(); ++i)
        CHECK(sorted.class_log_rank[i] == std::log(std::array{1, 3, 4, 5, 6}[i]));
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

TEST_CASE("where queries share answers, all rows are the columns of W, and ranks break ties as these do") {
  using Kind = ClassAt::Kind;
  for (const double head_mass : {0.7, 0.1}) {
    for (const std::string law : {"modulo", "hash"}) {
      Experiment e = identity_run(
          {"two_level", {{"count", 10.0}, {"head_fraction", 0.4}, {"head_mass", head_mass}}}, "gd", 0);
      e.answers = law_of(law, {{"count", 3.0}});
      e.init = {"gaussian", {{"scale", 1.0}}};
      e.weights = true;
      e.steps = 1;
      e.bands = {{"few", "rank > 7"}, {"many", "rank <= 3"}};
      // Of the spectrum: columns most likely first, ties in their order.
      Rows by_rank;
      for (std::size_t i = 0; i < 10; ++i) by_rank.push_back(head_mass > 0.4 ? i : (i + 4) % 10);
      const ClassRule some = {ClassRule::Kind::list,
                              {{Kind::rank, 1}, {Kind::rank, 3}, {Kind::rank, 6}, {Kind::last}}};
      for (const auto& [rule, column] : {std::pair{ClassRule{ClassRule::Kind::all, {}}, Rows()},
                                         {some, Rows{by_rank[0], by_rank[2], by_rank[5], by_rank[9]}}}) {
        e.classes = rule;
        const Run run = simulate(e, {}, 1).runs[0];
        const Trajectory& found = run.trajectories[0];
        const Matrix w = matrix_of(found.weights);
        const auto answer = written_out(*resolve(e, {}).spectrum.answers).pairs.answer;
        const auto error = [&](std::size_t l) {
          const Vector p = (w.col(Index(l)).array() - w.col(Index(l)).maxCoeff()).exp();
          return 1 - p(answer[l]) / p.sum();
        };
        CAPTURE(head_mass, law, column.size());
        const std::size_t rows = column.empty() ? 10 : 4;
        REQUIRE(run.class_log_rank.size() == rows);
        for (std::size_t row = 0; row < rows; ++row) {
          const std::size_t l = column.empty() ? row : column[row];
          CAPTURE(row);
          CHECK(found.series.at("error")[rows + row] == Approx(error(l)).epsilon(1e-12));
          CHECK(by_rank[std::size_t(std::round(std::exp(run.class_log_rank[row]))) - 1] == l);
        }
        for (const auto& [band, first, end] : {std::tuple{0, 7, 10}, {1, 0, 3}}) {
          double sum = 0;
          for (int i = first; i < end; ++i) sum += error(by_rank[std::size_t(i)]) / 3;
          CHECK(found.series.at("band_error")[3 + std::size_t(band)] == Approx(sum).epsilon(1e-12));
        }
      }
    }
  }
}
