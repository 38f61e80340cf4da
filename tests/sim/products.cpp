// W = U V: numbers of another program, predictions, and what its factors are.

#include <catch2/catch.hpp>
#include <functional>

#include "laws/experiments.hpp"
#include "model/margin.hpp"

using namespace laws;

namespace {

Experiment product(Experiment e, double scale, double step_size, std::int64_t steps) {
  e.factors = 2;
  e.init = {"aligned", {{"scale", scale}}};
  e.optimizers.front().step_size = step_size;
  e.steps = steps;
  return e;
}

Experiment squares(const std::string& rule, const std::string& queries) {
  Experiment e = identity_run(power_law(2, 1), rule);
  e.loss = &loss_row("least_squares");
  e.squares.queries = queries;
  return e;
}

double last_margin(const Trajectory& run, double classes) {
  const double error = run.series.at("error").back();
  return std::log((1 - error) / error * (classes - 1));
}

}  // namespace

TEST_CASE("equally likely classes under gd and Muon have the margins of an independent program") {
  const ChosenRow uniform = {"uniform", {{"count", 20.0}}};
  for (const std::string engine : {"symmetric", "dense"}) {
    CAPTURE(engine);
    Experiment gd = product(identity_run(uniform, "gd"), 0.1, 2, 400);
    gd.engine = engine;
    const Trajectory slow = only_trajectory(simulate(gd, {}, 1));
    CHECK(last_margin(slow, 20) == Approx(9.40116746891227).epsilon(1e-12));
    Experiment muon = product(identity_run(uniform, "muon"), 0.01, 0.05, 64);
    muon.engine = engine;
    const Trajectory fast = only_trajectory(simulate(muon, {}, 1));
    CHECK(last_margin(fast, 20) == Approx(10.3041).epsilon(1e-12));
    CHECK(fast.series.at("error").back() == Approx(6.36009388740783e-4).epsilon(1e-12));
  }
}

TEST_CASE("modes of a product have the coefficients of an independent program") {
  Experiment e = product(squares("gd", "facts"), 0.01, 0.1, 200);
  e.spectrum = {"power_law", {{"count", 2.0}, {"exponent", std::log2(2.5)}}};  // p = 5/7 and 2/7
  e.squares.query_noise = 0.5;
  for (const std::string engine : {"modes", "symmetric", "dense"}) {
    e.engine = engine;
    const Trajectory run = only_trajectory(simulate(e, {}, 1));
    const auto& w = run.series.at("coefficient");
    for (std::size_t l = 0; l < 2; ++l) {
      const double p = (l == 0 ? 5.0 : 2.0) / 7, h = p + 0.25, a = p / h;
      double u = 0.01;
      for (int t = 0; t < 200; ++t) u += 0.1 * h * (a - u * u) * u;
      CAPTURE(engine, l);
      CHECK(w[w.size() - 2 + l] == Approx(u * u).epsilon(1e-12));
    }
  }
}

TEST_CASE("predictions of products are exact where they say so, with decay and changing steps") {
  for (const std::string rule : {"gd", "muon", "signgd"}) {
    for (const std::string schedule : {"constant", "linear"}) {
      for (const double decay : {0.0, 0.05}) {
        CAPTURE(rule, schedule, decay);
        if (rule != "signgd") {
          Experiment e = product(identity_run(spectra()[3], rule, rule == "gd" ? 0.1 : 0), 0.3, 0.2, 60);
          e.optimizers.front().schedule = schedule;
          e.optimizers.front().weight_decay = decay;
          check_predicted(simulate(e, {}, 1), {"loss"}, 1e-11);
        }
        Experiment e = product(squares(rule, "gaussian"), 0.3, 0.02, 60);
        e.squares.exponent = 0.7;
        e.squares.scale = 1.5;
        e.squares.shift = 0.5;
        e.optimizers.front().schedule = schedule;
        e.optimizers.front().weight_decay = decay;
        const Result result = simulate(e, {}, 1);
        check_predicted(result, {"coefficient"}, 1e-11);
        CHECK(only_trajectory(result).series.contains("coefficient_predicted_flow") ==
              (schedule == "constant" && decay == 0));
      }
    }
  }
}

TEST_CASE("flows of products are the limit of small steps") {
  for (const std::string rule : {"gd", "muon"}) {
    Experiment e = product(squares(rule, "gaussian"), 0.1, 1e-4, 20000);
    e.record.kind = RecordRule::Kind::log;
    e.squares.exponent = 0.7;
    const Trajectory run = only_trajectory(simulate(e, {}, 1));
    const auto &w = run.series.at("coefficient"), &flow = run.series.at("coefficient_predicted_flow");
    for (std::size_t i = 0; i < w.size(); ++i) CHECK(flow[i] == Approx(w[i]).margin(3e-4));
  }
}

TEST_CASE("a run of a product goes on where its factors ended") {
  for (const auto& [rule, graded] : std::vector<std::pair<std::string, bool>>{
           {"gd", false}, {"muon", false}, {"signgd", false}, {"muon", true}}) {
    Experiment e = identity_run(graded ? power_law(32, 5) : spectra()[2], rule);
    e.factors = 2;
    if (graded) {
      e.engine = "dense";
      e.init = {"aligned", {{"scale", 0.5}}};
    } else {
      e.query_embedding = embedding("gaussian", {{"dimension", 9.0}});
      e.inner = 5;
      e.init = {"orthogonal", {{"scale", 0.5}}};
    }
    e.optimizers.front().step_size = 0.05;
    e.weights = true;
    e.steps = 40;
    const Trajectory whole = only_trajectory(simulate(e, {}, 1));
    e.steps = 20;
    const Trajectory half = only_trajectory(simulate(e, {}, 1));
    e.init = {"file", {{"path_u", std::string("u")}, {"path_v", std::string("v")}}};
    const auto array = [&](const std::string& path) {
      return matrix_of(path == "u" ? half.weights_u : half.weights_v);
    };
    const FileReaders readers{{}, array, [&](const std::string& path) {
                                const Matrix x = array(path);
                                return ArrayShape{x.rows(), x.cols()};
                              }};
    const Trajectory rest = only_trajectory(simulate(e, readers, 1));
    CAPTURE(rule);
    REQUIRE(rest.weights_u.entries.size() == whole.weights_u.entries.size());
    for (std::size_t i = 0; i < rest.weights_u.entries.size(); ++i)
      CHECK(std::abs(rest.weights_u.entries[i] - whole.weights_u.entries[i]) < 1e-12);
    CHECK(rest.series.at("loss").back() == Approx(whole.series.at("loss").back()).epsilon(1e-12));
    CHECK(rest.series.at("balance").front() == Approx(half.series.at("balance").back()).epsilon(1e-12));
  }
}

TEST_CASE("a factor that a file starts at 0 moves alone in the first step, by the gradient times the other") {
  const Matrix v = (Matrix(4, 4) << 1, -2, 0.5, 0, 3, 1, -1, 2, 0.25, -0.5, 2, 1, -1, 0, 1, -3).finished();
  const FileReaders readers{{},
                            [&](const std::string& path) { return path == "u" ? Matrix::Zero(4, 4) : v; },
                            [](const std::string&) {
                              return ArrayShape{4, 4};
                            }};
  for (const std::string rule : {"gd", "signgd", "muon"}) {
    Experiment e = product(identity_run(power_law(4, 1), rule), 0, 0.1, 1);
    e.engine = "dense";
    e.init = {"file", {{"path_u", std::string("u")}, {"path_v", std::string("v")}}};
    e.weights = true;
    const Trajectory run = only_trajectory(simulate(e, readers, 1));
    CAPTURE(rule);
    CHECK(run.status == "complete");
    CHECK(run.series.at("loss").front() == Approx(std::log(4)).epsilon(1e-15));
    CHECK(matrix_of(run.weights_v) == v);
    const Matrix u = matrix_of(run.weights_u);
    if (rule == "gd") {
      const Vector p = Vector::LinSpaced(4, 1, 4).cwiseInverse();
      const Vector shares = p / p.sum();
      const Matrix gradient = (Matrix::Constant(4, 4, 0.25) - Matrix::Identity(4, 4)) * shares.asDiagonal();
      CHECK((u + 0.1 * gradient * v.transpose()).norm() < 1e-14);
    }
    if (rule == "muon") CHECK((u.transpose() * u).trace() == Approx(0.01 * 3).epsilon(1e-12));
  }
}

TEST_CASE("fifty digits of a product agree with doubles, and its digits are counted") {
  Experiment e = product(identity_run(spectra()[4], "muon"), 0.2, 0.05, 15);
  e.engine = "symmetric";
  e.digits = "on";
  const Trajectory doubles = only_trajectory(simulate(e, {}, 1));
  e.precision = 50;
  const Trajectory exact = only_trajectory(simulate(e, {}, 1));
  CHECK(doubles.series.at("loss").back() == Approx(exact.series.at("loss").back()).epsilon(1e-13));
  CHECK(doubles.series.at("balance").front() == Approx(0).margin(1e-15));
  CHECK(doubles.series.at("digits").back() > 10);
}

TEST_CASE("a direction that one factor loses and the other keeps is seen, also in a quotient") {
  // 400 digits have 2.4e-79 at step 5 of Muon, doubles 3.7e-71.
  Experiment muon = product(identity_run(power_law(3, 1), "muon"), 0.1, 4, 7),
             quotient = product(identity_run(power_law(3, 2), "formula"), 0.8, 2.9, 7);
  quotient.optimizers[0].parameters = {{"direction", std::string("polar(G/sqrt(ema(G**2, 0.9)))")}};
  for (Experiment& e : {std::ref(muon), std::ref(quotient)}) {
    e.record = {RecordRule::Kind::every, 1, {}};
    for (const std::string digits : {"on", "off"}) {
      e.digits = digits;
      const Result result = simulate(e, {}, 1);
      const Trajectory& run = only_trajectory(result);
      CAPTURE(e.optimizers[0].rule, digits);
      if (digits == "on") {
        const std::vector<double>& left = run.series.at("digits");
        CHECK(left[4] > 10);
        CHECK(left[5] == 0);
      }
      CHECK_THAT(run.status_detail,
                 Catch::Contains(digits == "on" ? "loses a direction of the gradient at step 4"
                                                : "may hide a direction of the gradient"));
    }
  }
}

TEST_CASE("a direction that is 0 where W is moves products and other starts") {
  Experiment e = product(identity_run(power_law(6, 1), "gd"), 0.3, 0.5, 5);
  const auto loss = [&](const std::string& direction) {
    e.optimizers[0] = {"it", "formula", 0.5, {{"direction", direction}}};
    return series(simulate(e, {}, 1), "loss").back();
  };
  for (const double factors : {2, 1}) {
    e.factors = static_cast<std::int64_t>(factors);
    CAPTURE(factors);
    CHECK(loss("norm(W)*G") == Approx(loss("G*sqrt(sum(W*W)) + 0*G")).epsilon(1e-13));
    CHECK(loss("inner(W, W)*G") < loss("0.5*inner(W, W)*G"));
    CHECK(loss("W@W.T@W") > loss("0.1*(W@W.T@W)"));  // decay
  }
}

TEST_CASE("momentum of many classes leaves no digits of the balance of factors, which 50 digits have") {
  Experiment e = product(
      identity_run({"grouped_power_law", {{"groups", 4.0}, {"group_size", 1e11}, {"exponent", 1.0}}}, "muon"),
      0.05, 0.1, 2);
  e.classes.kind = ClassRule::Kind::groups;
  e.spectral_metrics = "auto";
  e.optimizers.front().parameters.set("momentum", 0.9);
  for (const std::string digits : {"on", "off"}) {
    e.digits = digits;
    const Trajectory run = only_trajectory(simulate(e, {}, 1));
    for (const std::string name : {"balance", "root_balance"})
      CHECK(run.series.at(name + "_digits").back() == 0);
    CHECK(run.status_detail.find("no digits of the balance") != std::string::npos);
    CHECK(!run.series.contains("update_null_space_leakage"));
    CHECK(!run.series.contains("update_orthogonality_residual"));
  }
  e.precision = 50;
  e.digits = "auto";
  const Trajectory exact = only_trajectory(simulate(e, {}, 1));
  CHECK(exact.series.at("balance").back() == Approx(0.0069107254).epsilon(1e-8));
  CHECK(exact.series.at("root_balance").back() == Approx(0.0234426989).epsilon(1e-8));
}
