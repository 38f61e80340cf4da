// Identical classes under Muon: the gain that is recorded tells when rounding parts them.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"

using namespace laws;

namespace {

Experiment right_sets(double size, double step_size, std::int64_t steps) {
  Experiment e = identity_run({"uniform", {{"count", 8.0}}}, "muon");
  e.answers = {"right_set", {{"size", size}}};
  e.steps = steps;
  e.optimizers[0].step_size = step_size;
  return e;
}

}  // namespace

TEST_CASE(
    "of r right answers the gain of twins is above 2 once the error is below η/(η + 2√r), and a dense run parts them") {
  double apart = 0;  // of either run, since rounding may happen to be the same for all twins
  for (const double size : {2.0, 3.0}) {
    const double step_size = 0.5;
    Experiment e = right_sets(size, step_size, 48);
    e.engine = "symmetric";
    const Result held = simulate(e, {}, 1);
    e.engine = "dense";
    const Result dense = simulate(e, {}, 1);
    const std::vector<double> gain = series(held, "twin_gain"), error = series(held, "error"),
                              in_dense = series(dense, "error");
    const std::size_t classes = error.size() / gain.size();
    for (std::size_t t = 0; t + 1 < gain.size(); ++t) {
      CAPTURE(size, t, gain[t]);
      const double one = error[t * classes];
      CHECK((gain[t] > 2) == (one < step_size / (step_size + 2 * std::sqrt(size))));
      if (gain[t] <= 2) CHECK(in_dense[t * classes] == Approx(one).epsilon(1e-12));
    }
    apart = std::max(apart, std::abs(in_dense.back() / error.back() - 1));
    const auto first = std::ranges::find_if(gain, [](double x) { return x > 2; }) - gain.begin();
    CHECK_THAT(held.runs[0].trajectories[0].status_detail,
               Catch::StartsWith("from step " + std::to_string(held.steps[first]) + " on (twin_gain > 2)"));
  }
  CHECK(apart > 0.1);
}

TEST_CASE("rules that mix no columns, and laws without twins, have no gain") {
  Experiment e = right_sets(3, 0.5, 3);
  e.engine = "symmetric";
  e.optimizers[0].rule = "gd";
  e.optimizers[0].parameters = {};
  CHECK(series(simulate(e, {}, 1), "twin_gain").front() == 0);
  Experiment single = right_sets(1, 0.5, 3);
  single.engine = "symmetric";
  CHECK(series(simulate(single, {}, 1), "twin_gain").front() == 0);
}

TEST_CASE("at the start the gain of twin queries is η max p_l/K over the least norm of an answer's row") {
  // Answers that are equally frequent, of 2, 3 and 4 queries: p = 1/6, 1/9, 1/12, rows of √r p (1 - 1/K).
  FileReaders readers;
  readers.pairs = [](const std::string&) {
    PairCounts counts{.query = {}, .answer = {}, .count = {}, .queries = 9, .answers = 3};
    for (Index k = 0; k < 3; ++k) {
      for (Index j = 0; j < k + 2; ++j) {
        counts.query.push_back(static_cast<Index>(counts.query.size()));
        counts.answer.push_back(k);
        counts.count.push_back(12.0 / static_cast<double>(k + 2));
      }
    }
    return counts;
  };
  Experiment e = right_sets(1, 0.5, 1);
  e.answers = law_of("counts", {{"path", std::string("pairs")}});
  e.engine = "symmetric";
  const double min_row = 2 * (1.0 / 12) * (2.0 / 3);
  CHECK(series(simulate(e, readers, 1), "twin_gain").front() ==
        Approx(0.5 * (1.0 / 6) / 3 / min_row).epsilon(1e-13));
}
