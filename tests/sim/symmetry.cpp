// Symmetries that rounding breaks: noticed in every run whose singular values are measured, and, of identical classes under
// Muon, told by the gain that is recorded.

#include <catch2/catch.hpp>

#include "claims.hpp"
#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "reference/plain_law.hpp"
#include "reference/precise_run.hpp"

using namespace laws;

namespace {

/// Queries (subject, relation), the sum of two unit vectors, with their own answers, or all those of their subject; every
/// relation is equally likely.
struct Facts {
  Index subjects, relations;
  bool shared = false;

  Index queries() const { return subjects * relations; }
  double count(Index subject) const { return std::floor(1e6 / static_cast<double>(subject + 1)); }
  Matrix query() const {
    Matrix e = Matrix::Zero(subjects + relations, queries());
    for (Index l = 0; l < queries(); ++l) e(l / relations, l) = e(subjects + l % relations, l) = 1;
    return e;
  }
  /// The count of every answer and query.
  Matrix joint() const {
    Matrix counts = Matrix::Zero(queries(), queries());
    for (Index l = 0; l < queries(); ++l)
      for (Index k = 0; k < queries(); ++k)
        if (k == l || (shared && k / relations == l / relations)) counts(k, l) = count(l / relations);
    return counts;
  }

  Result run(double step_size, std::int64_t steps, std::int64_t every, const std::string& digits) const {
    Experiment e = identity_run({"uniform", {{"count", 8.0}}}, "muon");
    e.answers = law_of("counts", {{"path", std::string("pairs")}});
    e.query_embedding = embedding("file", {{"path", std::string("query")}});
    e.steps = steps;
    e.record = {RecordRule::Kind::every, every, {}};
    e.spectral_metrics = "auto";
    e.digits = digits;
    e.optimizers[0].step_size = step_size;
    FileReaders readers = reference::readers_of(joint());
    readers.arrays = [this](const std::string&) { return query(); };
    return simulate(e, readers, 1);
  }
};

Experiment right_sets(double size, double step_size, std::int64_t steps) {
  Experiment e = identity_run({"uniform", {{"count", 8.0}}}, "muon");
  e.answers = {"right_set", {{"size", size}}};
  e.steps = steps;
  e.optimizers[0].step_size = step_size;
  return e;
}

}  // namespace

TEST_CASE("a symmetry of relations that rounding breaks leaves no digits, which is seen by default") {
  const Facts facts{4, 2};
  const auto truth = reference::precise_run<80>({facts.query(), {}, facts.joint()}, "muon", 0.2, 0, 100);
  for (const auto& state : truth) CHECK(state.rank == 4);
  const Result small = facts.run(0.2, 100, 1, "auto");
  for (std::size_t t = 0; t < truth.size(); ++t)
    check_claim(series(small, "digits")[t], digits_in(series(small, "excess_loss")[t], truth[t].excess_loss),
                false);
  CHECK(only_trajectory(small).status == "digits_lost");
}

TEST_CASE("runs too long for digits by default measure them once the update has gained a direction") {
  for (const Facts& facts : {Facts{4, 2}, Facts{16, 8}}) {
    const bool large = facts.subjects == 16;
    const Result result = facts.run(0.2, large ? 160 : 3000, large ? 1 : 50, "auto");
    const Trajectory& trajectory = only_trajectory(result);
    CAPTURE(facts.subjects, trajectory.status_detail);
    CHECK(trajectory.status == "digits_lost");
    CHECK_THAT(trajectory.status_detail, Catch::Contains("rounding may have broken a symmetry: at step "));
    CHECK(series(result, "digits").front() > 10);
    CHECK(facts.run(0.2, 40, 1, "off").runs[0].trajectories[0].status == "complete");
    // Without digits the rank alone tells.
    const Result off = facts.run(0.2, large ? 160 : 3000, large ? 1 : 50, "off");
    CHECK_THAT(only_trajectory(off).status_detail,
               Catch::Contains("rounding may have broken a symmetry: at step "));
  }
}

TEST_CASE("a note says that digits of small singular values were not measured") {
  Experiment e = experiment(power_law(128, 0.5), embedding("gaussian", {{"dimension", 128.0}}),
                            embedding("identity"), 0, optimizer_row("muon"));
  e.optimizers.front().step_size = 0.1;
  const std::string note = "digits were not measured";
  for (const auto& [steps, digits] : {std::pair(60, "auto"), std::pair(60, "off"), std::pair(1, "auto")}) {
    e.steps = steps;
    e.digits = digits;
    const Trajectory trajectory = only_trajectory(simulate(e, {}, 1));
    CAPTURE(steps, digits, trajectory.status_detail);
    CHECK((trajectory.status_detail.find(note) != std::string::npos) == (steps == 60 && e.digits == "auto"));
  }
}

TEST_CASE("a noted run measures digits only where it shows a sign of lost ones") {
  const Facts facts{4, 2};
  CHECK(only_trajectory(facts.run(0.2, 100, 1, "noted")).status == "digits_lost");
  CHECK(only_trajectory(facts.run(0.2, 10, 1, "auto")).series.contains("digits"));
  CHECK_FALSE(only_trajectory(facts.run(0.2, 10, 1, "noted")).series.contains("digits"));
}

TEST_CASE("signs of entries may have any rank, which is no sign of lost digits in a noted run") {
  Experiment e = identity_run(power_law(16.0, 2.5), "signgd");
  e.query_embedding = embedding("noisy", {{"sigma", 0.3}});
  e.answer_embedding = embedding("noisy", {{"sigma", 0.3}});
  e.optimizers[0].step_size = 0.05;
  e.spectral_metrics = "on";
  e.steps = 40;
  e.engine = "dense";
  for (const std::string digits : {"noted", "on"}) {
    e.digits = digits;
    const Result result = simulate(e, {}, 1);
    const std::vector<double>& rank = series(result, "update_rank");
    CHECK(std::ranges::max(rank) > rank.front());
    CHECK(only_trajectory(result).series.contains("digits") == (digits == "on"));
  }
}

TEST_CASE("repetitions do not break a symmetry that the run keeps") {
  const Result result = Facts{16, 4, true}.run(0.2, 90, 90, "on");
  CHECK(series(result, "excess_loss").back() ==
        Approx(0.0016388521740469184767).epsilon(1e-12));  // in 100 digits
  CHECK(series(result, "digits").back() > 8);
  CHECK(only_trajectory(result).status == "complete");
}

TEST_CASE("a rank that grows in exact arithmetic is measured and leaves digits") {
  // Each query has two of four answers, so that ∇L has rank 2 at W = 0; products of exponentials add the third direction.
  Experiment e = experiment({"uniform", {{"count", 4.0}}}, embedding("gaussian"), embedding("identity"), 0,
                            optimizer_row("gd"));
  e.answers = law_of("counts", {{"path", std::string("pairs")}});
  e.spectral_metrics = e.digits = "auto";
  e.steps = 20000;
  e.record = {RecordRule::Kind::every, 1000, {}};
  e.optimizers[0].step_size = 0.5;
  FileReaders readers;
  readers.pairs = [](const std::string&) {
    return PairCounts{.query = {0, 0, 1, 1, 2, 2, 3, 3},
                      .answer = {0, 1, 2, 3, 0, 2, 1, 3},
                      .count = {5, 5, 4, 4, 3, 3, 2, 2},
                      .queries = 4,
                      .answers = 4};
  };
  const Result result = simulate(e, readers, 1);
  CHECK(series(result, "update_rank").front() == 2);
  CHECK(series(result, "update_rank")[1] == 3);
  CHECK(only_trajectory(result).status == "complete");
  CHECK(series(result, "loss_digits").back() > 8);
}

TEST_CASE(
    "of r right answers the gain of twins is above 2 once the error is below η/(η + 2√r), and a dense run parts them") {
  double apart = 0;  // of either run, since rounding may happen to be the same for all twins
  for (const double size : {2.0, 3.0}) {
    const double step_size = 0.5;
    Experiment e = right_sets(size, step_size, 48);
    const Result held = on_engine(e, "symmetric");
    const Result dense = on_engine(e, "dense");
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
