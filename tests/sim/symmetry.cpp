// Symmetries that rounding breaks are noticed in every run whose singular values are measured.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
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

/// Digits of excess losses that are right and claimed.
void check_claims(const Result& result, const std::vector<reference::PreciseState<80>>& truth) {
  const std::vector<double>&excess = series(result, "excess_loss"), &claimed = series(result, "digits");
  for (std::size_t t = 0; t < result.steps.size(); ++t) {
    const auto right = static_cast<double>(truth[static_cast<std::size_t>(result.steps[t])].excess_loss);
    CAPTURE(result.steps[t], excess[t], right);
    CHECK(claimed[t] <= 1 - std::log10(std::abs(excess[t] / right - 1) + 1e-16));
  }
}

}  // namespace

TEST_CASE("a symmetry of relations that rounding breaks leaves no digits, which is seen by default") {
  const Facts facts{4, 2};
  const auto truth = reference::precise_run<80>({facts.query(), {}, facts.joint()}, "muon", 0.2, 0, 100);
  for (const auto& state : truth) CHECK(state.rank == 4);
  const Result small = facts.run(0.2, 100, 1, "auto");
  check_claims(small, truth);
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
  const Facts facts{16, 8};
  const std::string note = "digits were not measured";
  CHECK_THAT(only_trajectory(facts.run(0.2, 40, 1, "auto")).status_detail, Catch::Contains(note));
  for (const auto& [steps, digits] : {std::pair(40, "off"), std::pair(2, "auto")}) {
    CHECK_THAT(only_trajectory(facts.run(0.2, steps, 1, digits)).status_detail, !Catch::Contains(note));
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
