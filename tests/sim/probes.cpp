// What is measured at recorded steps, of every probe at once: in each engine what the dense one finds in the coordinates of
// W, on nodes what all classes have.

#include <catch2/catch.hpp>
#include <cstring>

#include "laws/experiments.hpp"
#include "metrics/probe.hpp"
#include "model/answer_law.hpp"

using namespace laws;

namespace {

Experiment measured(const ChosenRow& spectrum, const ChosenRow& side, const OptimizerRow& rule,
                    double noise = 0) {
  Experiment e = experiment(spectrum, side, side, noise, rule);
  e.steps = 3;
  e.spectral_metrics = "on";
  e.push = e.curvature = true;
  e.rho_epsilon = 0.1;
  return e;
}

Experiment measured(const ChosenRow& spectrum, const std::string& rule, double step_size,
                    ParameterValues given = {}) {
  Experiment e = measured(spectrum, embedding("identity"), optimizer_row(rule));
  e.optimizers = {{rule, rule, step_size, with_defaults(optimizer_row(rule).parameters, std::move(given))}};
  return e;
}

/// On an engine, or nothing where it refuses. Polar factors of the population are of all entries.
std::optional<Result> measured_on(Experiment e, const std::string& engine) {
  e.engine = engine;
  e.alignment = engine == "dense" || engine == "symmetric";
  if (!refusal(e).empty()) return {};
  return simulate(e, {}, 1);
}

/// |L_{t+1} - L_t + gain - penalty - remainder|, the largest.
double off_the_loss(const Result& result) {
  const auto &loss = series(result, "loss"), &gain = series(result, "first_order_gain"),
             &penalty = series(result, "curvature_penalty"), &rest = series(result, "taylor_remainder");
  double worst = 0;
  for (std::size_t t = 0; t + 1 < loss.size(); ++t)
    worst = std::fmax(worst, std::abs(loss[t + 1] - loss[t] + gain[t] - penalty[t] - rest[t]));
  return worst;
}

/// What numbers are compared with: gain, penalty and remainder with the largest of them, pushes with the largest of the
/// step, numbers that are rounding in one of the engines with 1, others with themselves.
double size_of(const Result& result, const std::string& name, std::size_t t) {
  const auto& values = series(result, name);
  const auto largest = [t](const std::vector<double>& all, std::size_t width) {
    double size = 0;
    for (std::size_t i = t * width; i < (t + 1) * width; ++i) size = std::fmax(size, std::abs(all[i]));
    return size;
  };
  if (name == "first_order_gain" || name == "curvature_penalty" || name == "taylor_remainder")
    return std::max({largest(series(result, "first_order_gain"), 1),
                     largest(series(result, "curvature_penalty"), 1),
                     largest(series(result, "taylor_remainder"), 1)});
  for (const char* ending : {"_deviation", "_residual", "_leakage", "_deficit", "gap", "loss_drop"})
    if (name.ends_with(ending)) return 1;
  return largest(values, values.size() / result.steps.size());
}

/// The largest difference of what both results hold, but for what one engine alone knows: that embeddings are orthonormal,
/// that queries are identical classes.
double difference(const Result& a, const Result& b) {
  double worst = 0;
  for (const auto& [name, x] : only_trajectory(a).series) {
    const auto other = only_trajectory(b).series.find(name);
    if (other == only_trajectory(b).series.end() || name.ends_with("digits")) continue;
    const std::vector<double>& y = other->second;
    if (x.size() != y.size()) return INFINITY;
    const std::size_t width = x.size() / a.steps.size();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
      if ((name == "nds_effective" || name == "twin_gain") && (std::isnan(x[i]) || std::isnan(y[i])))
        continue;
      const double off = std::abs(x[i] - y[i]) / size_of(a, name, i / width);
      if (off > 1e-11 || std::isnan(off)) UNSCOPED_INFO(name << "[" << i << "]: " << x[i] << " and " << y[i]);
      worst = std::isnan(off) ? INFINITY : std::max(worst, off);
    }
  }
  return worst;
}

/// The run on every engine that takes it, each compared with the dense one.
std::vector<Result> beside(const Result& dense, const Experiment& e) {
  std::vector<Result> all;
  for (const std::string engine : {"dense", "symmetric", "columns"}) {
    const std::optional<Result> result = measured_on(e, engine);
    if (!result) continue;
    CAPTURE(engine);
    CHECK(difference(dense, *result) < 1e-9);
    CHECK(off_the_loss(*result) < 1e-13);
    all.push_back(*result);
  }
  return all;
}

}  // namespace

TEST_CASE("every engine measures of every rule what the dense one does in the coordinates of W") {
  for (const OptimizerRow& rule : complete_rules()) {
    for (const ChosenRow& side : {embedding("identity"), embedding("orthogonal"), embedding("block_rotation"),
                                  embedding("equicorrelated", {{"rho", 0.3}})}) {
      for (const double noise : {0.0, 0.1}) {
        Experiment e = measured(spectra()[4], side, rule, noise);
        e.alignment = true;
        CAPTURE(rule.name, side.kind, noise);
        for (const Result& result : beside(written_out(e), e))
          CHECK(std::isnan(series(result, "nds_effective")[0]) == embedding_row(side.kind).equicorrelated);
      }
    }
  }
}

TEST_CASE("of samples, schedules, decay and laws of answers every engine measures the same") {
  for (const std::string rule : {"gd", "momentum", "adam", "muon", "signgd", "formula"}) {
    ParameterValues given;
    if (rule == "formula") given.set("direction", "G/norm(G) + 0.1*W");
    Experiment samples = measured(spectra()[2], rule, 0.3, given),
               law = measured(spectra()[0], rule, 0.3, given);
    samples.optimizers[0].schedule = "cosine";
    samples.data_mode = "minibatch";
    samples.data_parameters = {{"batch", 4.0}};
    law.answers = law_of("fan_in", {{"fan_in", 3.0}});
    Experiment noisy = law;
    noisy.label_noise = 0.1;
    for (const Experiment& e : {samples, law, noisy}) {
      CAPTURE(rule, e.data_mode, e.label_noise);
      for (const Result& result : beside(*measured_on(e, "dense"), e)) {
        // The last update of the schedule would be of size 0.
        CHECK((series(result, "first_order_gain").back() == 0) == (e.data_mode == "minibatch"));
        CHECK(series(result, "nds").back() > 0);
        for (const char* name : {"update_identity_deviation", "weight_identity_deviation"})
          CHECK(std::isnan(series(result, name).back()) == (e.answers.kind != "identity"));
      }
    }
  }
}

TEST_CASE("a quadrature measures and certifies what all classes have, the first and the last included") {
  const ChosenRow law = power_law(300.0, 1.2);
  Experiment newton_schulz = measured(law, "muon", 0.5, {{"polar", "newton_schulz"}}),
             smooth = measured(law, "muon", 0.5, {{"smoothing", 1e-3}});
  newton_schulz.curvature = smooth.curvature = false;
  newton_schulz.rho_epsilon = smooth.rho_epsilon = 0;
  for (Experiment e : {measured(law, "gd", 20), measured(law, "ngd", 0.7), measured(law, "muon", 0.5),
                       newton_schulz, smooth}) {
    e.spectral_metrics = "off";
    const Result exact = *measured_on(e, "symmetric"), nodes = *measured_on(e, "quadrature");
    CAPTURE(e.optimizers[0].rule, only_trajectory(nodes).quadrature_error);
    CHECK(only_trajectory(nodes).quadrature_error < 1e-10);
    CHECK(only_trajectory(nodes).quadrature_nodes < 300);
    CHECK(difference(exact, nodes) < 1e-9);
  }
}

TEST_CASE(
    "what is switched off is not measured, and neither measures nor digits change a bit of other numbers") {
  Experiment e = measured(spectra()[0], "muon", 0.4);
  e.digits = "on";
  e.alignment = true;
  const Result with = simulate(e, {}, 1);
  e.push = e.curvature = e.alignment = false;
  e.rho_epsilon = 0;
  e.spectral_metrics = e.digits = "off";
  const Result without = simulate(e, {}, 1);
  for (const Probe& probe : probes())
    for (const MetricRow& row : probe.rows) CHECK(!only_trajectory(without).series.contains(row.name));
  for (const auto& [name, values] : only_trajectory(without).series) {
    CAPTURE(name);
    const auto& same = series(with, name);
    REQUIRE(same.size() == values.size());
    CHECK(std::memcmp(same.data(), values.data(), 8 * values.size()) == 0);
  }
}
