// Where training starts, and W of the last step.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "model/margin.hpp"

using namespace laws;

namespace {

ChosenRow start(const std::string& kind, double scale) {
  return {kind, {{"scale", scale}}};
}

Experiment random_sides(const std::string& rule) {
  Experiment e = identity_run(spectra()[2], rule, 0.1);
  e.query_embedding = embedding("gaussian", {{"dimension", 9.0}});
  e.answer_embedding = embedding("gaussian", {{"dimension", 7.0}});
  return e;
}

/// The run, from this W if it has entries.
Result run_from(Experiment e, const Matrix& w) {
  if (w.size() > 0) e.init = {"file", {{"path", std::string("w")}}};
  const FileReaders readers{{},
                            [&](const std::string&) { return w; },
                            [&](const std::string&) {
                              return ArrayShape{w.rows(), w.cols()};
                            }};
  return simulate(e, readers, 1);
}

bool remembers(const OptimizerRow& row) {
  const RuleWork work = row.work_of(with_defaults(row.parameters, {}));
  return row.name == "adam" || row.name == "momentum" || (row.name != "muon" && work.matrices > 2);
}

}  // namespace

TEST_CASE("200 steps are 100 steps, their weights, and 100 more") {
  for (const OptimizerRow& row : complete_rules()) {
    if (remembers(row)) continue;
    Experiment e = random_sides(row.name);
    CAPTURE(row.name);
    e.weights = true;
    e.steps = 200;
    e.optimizers.front().step_size = row.name == "newton" ? 0.002 : 0.02;
    e.optimizers.front().weight_decay = row.name == "newton" ? 0 : 0.01;
    const Trajectory whole = only_trajectory(run_from(e, {}));
    e.steps = 100;
    const Trajectory half = only_trajectory(run_from(e, {}));
    REQUIRE(half.weights.rows == 7);
    REQUIRE(half.weights.columns == 9);
    const Trajectory rest = only_trajectory(run_from(e, matrix_of(half.weights)));
    const Matrix difference = matrix_of(rest.weights) - matrix_of(whole.weights);
    // Only a polar factor is refined from the step before.
    CHECK(difference.cwiseAbs().maxCoeff() < 1e-12);
    CHECK(rest.series.at("loss").back() == Approx(whole.series.at("loss").back()).epsilon(1e-13));
    CHECK(rest.series.at("loss").front() == half.series.at("loss").back());
  }
}

TEST_CASE(
    "weights are W in its own coordinates, also where the embeddings have more dimensions than classes") {
  Experiment e = identity_run(spectra()[2], "gd");
  e.query_embedding = e.answer_embedding = embedding("orthogonal", {{"dimension", 15.0}});
  e.weights = true;
  const Trajectory run = only_trajectory(simulate(e, {}, 1));
  REQUIRE(run.weights.rows == 15);
  const Matrix logits = array_of(e.answer_embedding, 12, "answer").transpose() * matrix_of(run.weights) *
                        array_of(e.query_embedding, 12, "query");
  const auto& error = run.series.at("error");
  CHECK(error_of_margin(logits(0, 0) - logits(1, 0), 12.0) ==
        Approx(error[error.size() - 12]).epsilon(1e-12));
}

TEST_CASE("drawn starts have the promised distribution, the same for every optimizer") {
  const Matrix gaussian = drawn_start("gaussian", 2, 400, 300, 5, 0);
  CHECK(std::abs(gaussian.mean()) < 0.03);  // 5 deviations of a mean of 120,000
  CHECK(gaussian.squaredNorm() / 120000 == Approx(4).epsilon(0.03));
  CHECK(drawn_start("gaussian", 2, 400, 300, 5, 1) != gaussian);
  for (const auto& [rows, columns] : {std::pair{9, 6}, std::pair{6, 9}, std::pair{6, 6}}) {
    const Matrix q = drawn_start("orthogonal", 3, rows, columns, 5, 0);
    const Matrix gram = rows < columns ? Matrix(q * q.transpose()) : Matrix(q.transpose() * q);
    CHECK((gram - 9 * Matrix::Identity(6, 6)).cwiseAbs().maxCoeff() < 1e-13);
  }
  Experiment e = random_sides("gd");
  e.init = start("gaussian", 0.5);
  e.optimizers.push_back(e.optimizers.front());
  e.optimizers.back().name = "other";
  const Result result = simulate(e, {}, 1);
  const auto& all = result.runs.front().trajectories;
  CHECK(all[0].series == all[1].series);
  CHECK(all[0].series.at("loss").front() != Approx(std::log(12.0)));
  CHECK_FALSE(all[0].series.contains("loss_predicted"));
}

TEST_CASE("predictions from an aligned start are exact, or withheld") {
  for (const std::string rule : {"gd", "ngd", "momentum", "adam", "tra_signgd", "muon"}) {
    for (const double noise : {0.0, 0.1}) {
      Experiment e = identity_run(spectra()[3], rule, noise);
      CAPTURE(rule, noise);
      for (const double scale : {0.5, 7.0}) {
        e.init = start("aligned", scale);
        e.optimizers.front().step_size = 0.37;
        const Result result = simulate(e, {}, 1);
        check_predicted(result, {"loss"}, 1e-11);
        CHECK_FALSE(only_trajectory(result).series.contains("loss_predicted_flow"));
      }
    }
  }
}
