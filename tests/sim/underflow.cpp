// Runs that go on after their errors have left the range of doubles, ln(1e308) = 709.

#include <catch2/catch.hpp>
#include <limits>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

const ChosenRow heavy_tail = power_law(100.0, 1.1);

/// Steps after which the likeliest classes have margins beyond 745, where subnormal numbers end as well; but for
/// ngd, which strides that long throw to and fro.
void cross(const OptimizerRow& row, Experiment& e) {
  const std::string& rule = row.name;
  e.steps = rule == "newton" ? 90 : 45;
  e.optimizers[0].step_size = rule == "newton"                     ? 10
                              : rule == "ngd"                      ? 3
                              : rule == "gd" || rule == "momentum" ? 4000
                                                                   : 20;
}

bool fades(const Trajectory& t) {
  for (const char* name : {"error", "class_loss", "loss", "excess_loss"}) {
    for (const double x : t.series.at(name)) {
      if (!(x == 0 || x >= std::numeric_limits<double>::min())) return true;
    }
  }
  return false;
}

/// Largest relative difference of what is at least 1e-300; smaller numbers must be small in both.
double far_apart(const Trajectory& a, const Trajectory& b) {
  double worst = 0;
  for (const char* name : {"error", "class_loss", "loss", "excess_loss"}) {
    const auto &x = a.series.at(name), &y = b.series.at(name);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] >= 1e-300 || y[i] >= 1e-300)
        worst = std::max(worst, std::abs(x[i] - y[i]) / std::max(x[i], y[i]));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("across ln(1e308) every rule is the same on every engine, and no value is a subnormal number") {
  for (const OptimizerRow& row : complete_rules()) {
    for (const ParameterValues& parameters : variants(row)) {
      Experiment e = identity_run(heavy_tail, row);
      e.optimizers[0].parameters = parameters;
      cross(row, e);
      const Result dense = on_engine(e, "dense");
      const Trajectory& expected = only_trajectory(dense);
      CAPTURE(row.name, parameters.all().size());
      CHECK(expected.status == "complete");
      CHECK_FALSE(fades(expected));
      if (row.symmetries_of(parameters).amplifies_small_entries && row.name != "adam")
        CHECK(expected.series.at("error").back() == 0);
      for (const std::string engine : {"columns", "symmetric", "quadrature"}) {
        if (!takes(e, engine)) continue;
        e.engine = engine;
        e.nodes = 64;
        const Result result = simulate(e, {}, 1);
        const Trajectory& t = only_trajectory(result);
        CAPTURE(engine, t.quadrature_error, far_apart(expected, t));
        CHECK_FALSE(fades(t));
        // Polynomials on so steep a spectrum are not certified.
        CHECK(far_apart(expected, t) <= std::max(1e-9, t.quadrature_error));
      }
    }
  }
}

TEST_CASE("across ln(1e308) 50 digits give what doubles do, and no value is a subnormal number") {
  for (const OptimizerRow& row : complete_rules()) {
    if (row.reads_hessian) continue;
    Experiment e = identity_run(power_law(6.0, 1.1), row);
    e.engine = "symmetric";
    e.digits = "on";
    cross(row, e);
    const Result doubles = simulate(e, {}, 1);
    e.precision = 50;
    const Result digits = simulate(e, {}, 1);
    CHECK(only_trajectory(digits).status == "complete");
    CHECK_FALSE(fades(only_trajectory(digits)));
    // Muon's strides make gradients that are nearly singular: doubles say how much they lose.
    const auto& left = only_trajectory(doubles).series.at("digits");
    const auto &x = only_trajectory(doubles).series.at("loss"),
               &y = only_trajectory(digits).series.at("loss");
    for (std::size_t t = 0; t < x.size(); ++t) {
      CAPTURE(row.name, t, x[t], y[t], left[t]);
      if (y[t] >= 1e-300) CHECK(std::abs(x[t] - y[t]) <= std::pow(10, 1 - left[t]) * y[t]);
    }
  }
}

TEST_CASE("a quadrature that goes on after its errors have underflowed keeps its certificate") {
  Experiment e = identity_run(power_law(1000.0, 1.1), "signgd");
  e.engine = "quadrature";
  e.classes = {ClassRule::Kind::list, {{ClassAt::Kind::rank, 1}, {ClassAt::Kind::last}}};
  e.optimizers[0].step_size = 0.5;
  for (const std::int64_t steps : {720, 740, 800}) {
    e.steps = steps;
    const Result result = simulate(e, {}, 1);
    const Trajectory& t = only_trajectory(result);
    CAPTURE(steps, t.quadrature_error, t.quadrature_nodes);
    CHECK(t.status == "complete");
    CHECK(t.quadrature_error <= 1e-11);
    CHECK(t.quadrature_nodes < 400);  // the panels of the first try
    CHECK_FALSE(fades(t));
  }
}

TEST_CASE(
    "step sizes at either end of the doubles give a run that is complete or diverged, with ϱ measured") {
  for (const OptimizerRow& row : complete_rules()) {
    for (const double step_size : {5e-324, 1e-308, 1e150, 1e308, std::numeric_limits<double>::max()}) {
      Experiment e = experiment(spectra()[2], embedding("equicorrelated", {{"rho", 0.3}}),
                                embedding("identity"), 0.1, row);
      e.optimizers[0].step_size = step_size;
      e.steps = 4;
      e.rho_epsilon = 0.1;
      const Result result = simulate(e, {}, 1);
      const std::string& status = only_trajectory(result).status;
      CAPTURE(row.name, step_size, only_trajectory(result).status_detail);
      CHECK((status == "complete" || status == "diverged"));
    }
  }
}

TEST_CASE("a mistake of the program costs the run it is made in, and no other one") {
  Experiment e = identity_run(heavy_tail, "gd");
  e.optimizers.push_back({"bad", "signgd", 0.1, {}});
  for (const std::string engine : {"columns", "quadrature"}) {
    e.engine = engine;
    const Result result = simulate(e, {}, 2, {[](const std::string& name, std::int64_t done, std::int64_t) {
                                     if (name == "bad" && done == 3) throw std::logic_error("no such thing");
                                   }});
    const auto& runs = result.runs[0].trajectories;
    CHECK(runs[0].status == "complete");
    CHECK(runs[1].status == "failed");
    CHECK(runs[1].optimizer == "bad");
    CHECK(runs[1].status_detail == "internal error, please report it: no such thing");
    CHECK(std::isnan(runs[1].series.at("loss").back()));
  }
}

TEST_CASE("a momentum outlives its gradients by any number of powers of two") {
  const ChosenRow five{"grouped_power_law",
                       {{"groups", std::int64_t{5}}, {"group_size", 208079.0}, {"exponent", 1.7825}}};
  for (const char* rule : {"momentum", "muon"}) {
    const OptimizerRow& row = optimizer_row(rule);
    Experiment e = identity_run(five, row);
    e.optimizers[0].parameters = with_defaults(row.parameters, {{"momentum", 0.9}});
    e.optimizers[0].step_size = row.name == "momentum" ? 467119095.607 : 100;
    e.steps = 400;
    e.classes.kind = ClassRule::Kind::groups;
    const Result result = simulate(e, {}, 1);
    const Trajectory& t = only_trajectory(result);
    CAPTURE(rule, t.status_detail);
    CHECK(t.status == "complete");
    CHECK(t.series.at("error").back() == 0);
  }
}
