// What every check is asked: something is wrong with its runs, and it does not say that the statement holds.

#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

struct Sabotage {
  std::vector<std::string> overrides = {};  ///< as --set puts them over the experiments
  std::string variable = {};                ///< or all recorded values of a variable, times a factor
  double factor = 1;
};

using Overrides = std::vector<std::string>;

Sabotage times(double factor, std::string variable) {
  return {.variable = std::move(variable), .factor = factor};
}
Sabotage rule(const std::string& label, const std::string& other) {
  return {{"optimizer." + label + ".rule=" + other}};
}
Sabotage over(Overrides overrides) {
  return {std::move(overrides)};
}

const Sabotage momentum = over({"optimizer.muon.momentum=0.9"}),
               little_momentum = over({"optimizer.muon.momentum=0.1"}),
               smoothed = over({"optimizer.muon.smoothing=0.01"}), noise = over({"data.label_noise=0.1"}),
               correlated = over({"embedding.kind=equicorrelated", "embedding.rho=0.1"}),
               thresholded = over({"data.recovered=removed"}), equal = over({"classes.exponent=0"}),
               no_noise = over({"data.label_noise=0"}), one_fan_in = over({"answers.fan_in=4"}),
               count = times(1.1, "recovered_count"), mass = times(1.1, "recovered_weight");

/// In the order of the catalogue.
const std::map<std::string, std::vector<Sabotage>> sabotages = {
    {"wang2025/one-step-gd",
     {rule("gd", "muon"), rule("gd", "ngd"), correlated, noise, times(1.001, "rho_at_threshold"),
      times(1.001, "rho")}},
    {"wang2025/one-step-signgd-decoupled",
     {rule("signgd", "gd"), rule("signgd", "tra_signgd"), over({"embedding.kind=block_rotation"}),
      times(0.999, "rho_at_threshold"), times(0.999, "rho")}},
    {"wang2025/one-step-signgd-coupled",
     {rule("signgd", "muon"), rule("signgd", "tra_signgd"), over({"embedding.kind=identity"}), noise,
      times(0.999, "rho_at_threshold")}},
    {"wang2025/one-step-muon",
     {rule("muon", "gd"), rule("muon", "tra_signgd"), momentum, correlated, times(1.1, "rho_deficit"),
      times(1.001, "update_identity_deviation")}},
    {"wang2025/multi-step-muon",
     {rule("muon", "gd"), rule("muon", "tra_signgd"), momentum, little_momentum, noise,
      times(1.1, "weight_identity_deviation"), times(1.1, "rho_deficit")}},
    {"wang2025/singular-values",
     {rule("gd", "muon"), rule("muon", "gd"), momentum, rule("gd", "momentum"), noise,
      times(1.001, "update_entropy"), times(1.001, "update_condition_ratio")}},
    {"li2026/gd-noiseless",
     {rule("gd", "ngd"), rule("gd", "muon"), noise, correlated, times(1.001, "loss"),
      times(1.1, "class_loss")}},
    {"li2026/muon-noiseless",
     {rule("muon", "gd"), rule("muon", "tra_signgd"), momentum, little_momentum, smoothed, times(1.1, "loss"),
      times(2, "error")}},
    {"li2026/muon-noisy",
     {rule("muon", "ngd"), rule("muon", "tra_signgd"), momentum, little_momentum, thresholded,
      times(1.02, "excess_loss"), times(1.5, "error")}},
    {"li2026/gd-stability",
     {rule("at_50", "ngd"), rule("at_110", "signgd"), rule("at_110", "tra_signgd"),
      rule("at_published", "muon"), thresholded, times(1.001, "error"), over({"run.steps=100"})}},
    {"li2026/gd-scaling-law",
     {rule("gd", "tra_signgd"), no_noise, over({"run.steps=300"}), over({"optimizer.gd.schedule=linear"}),
      times(1.05, "excess_loss"), times(0.99, "class_loss")}},
    {"li2026/muon-scaling-law",
     {rule("muon", "gd"), rule("muon", "tra_signgd"), momentum, little_momentum, no_noise,
      times(1.02, "excess_loss")}},
    {"li2026/block-symmetry",
     {rule("muon", "signgd"), rule("ngd", "gd"), momentum, thresholded, times(0, "error")}},
    {"li2026/preconditioner",
     {rule("muon", "gd"), rule("muon", "tra_signgd"), momentum, correlated,
      times(1.01, "update_identity_deviation")}},
    {"li2026/tra-signgd",
     {rule("tra_signgd", "muon"), rule("muon", "tra_signgd"), rule("muon", "ngd"), momentum, correlated,
      times(1.001, "error")}},
    {"li2026/ngd-imbalance",
     {rule("ngd", "muon"), rule("gd", "momentum"), rule("gd", "tra_signgd"), rule("muon", "tra_signgd"),
      momentum, equal, noise, times(1.001, "loss"), times(1.001, "class_loss")}},
    {"kim2026/one-step-muon", {rule("muon", "gd"), smoothed, count, mass}},
    {"kim2026/one-step-sgd", {rule("gd", "muon"), noise, count, mass}},
    {"kim2026/one-step-newton", {rule("newton", "gd"), over({"optimizer.newton.damping=0.1"}), count, mass}},
    {"kim2026/critical-batch", {rule("muon", "gd"), noise, count, mass}},
    {"kim2026/multi-step-thresholded",
     {rule("muon", "gd"), momentum, over({"data.recovered=kept"}), count, mass}},
    {"kim2026/multi-step-exact", {rule("muon", "gd"), momentum, thresholded, count, mass}},
    {"li2026b/spiked",
     {rule("muon", "gd"), noise, over({"embedding.kind=gaussian"}), times(1.2, "push"), times(0.9, "push")}},
    {"li2026b/low-snr", {rule("muon", "gd"), noise, over({"embedding.kind=gaussian"}), times(1.2, "push")}},
    {"li2026b/window-is-batch",
     {rule("before", "momentum"), over({"optimizer.before.momentum_order=after"}), no_noise,
      times(0.995, "alignment"), times(1.005, "alignment")}},
    {"li2026b/order",
     {rule("polar-only", "gd"), over({"optimizer.after.momentum_order=before"}),
      over({"optimizer.longer.smoothing=0.01"}), times(1.4, "alignment")}},
    {"li2026b/rate",
     {rule("before", "momentum"), over({"optimizer.before.momentum_order=after"}), no_noise,
      times(0.99, "alignment")}},
    {"li2026b/coverage",
     {rule("polar-only", "gd"), over({"optimizer.before.momentum_order=after"}), noise, times(1.1, "push")}},
    {"li2026b/training",
     {over({"optimizer.before.momentum_order=after"}), over({"optimizer.after.momentum_order=before"}),
      over({"optimizer.polar-only.momentum=0.9"}), rule("before", "momentum")}},
    {"formula/effective-exponent",
     {noise, correlated, thresholded, equal, over({"run.classes=all", "embedding.kind=orthogonal"}),
      over(
          {"sweep.optimizer.rule.direction, optimizer.rule.step_size, run.steps=[[\"ema(G, 0.99)\", 1.5, 9000], "
           "[\"power(G, -0.5)\", 0.005, 650]]"}),
      over({"sweep.optimizer.rule.direction, optimizer.rule.step_size, run.steps=[[\"G\", 1.5, 90], "
            "[\"power(G, -0.5)\", 0.005, 90]]"}),
      times(100, "error")}},
    {"rarefact2026/fan-in-speed",
     {rule("muon", "gd"), rule("gd", "muon"), rule("signgd", "ngd"), momentum, noise, one_fan_in,
      times(1.001, "error")}},
    {"rarefact2026/first-step",
     {rule("muon", "gd"), rule("gd", "muon"), momentum, noise, correlated, one_fan_in, times(1.001, "push"),
      times(1.001, "update_entropy")}},
    {"rarefact2026/rho-of-fan-in",
     {rule("muon", "gd"), rule("muon", "signgd"), momentum, noise, correlated, one_fan_in,
      times(1.001, "rho_at_threshold")}},
    {"rarefact2026/loss-exponent",
     {rule("muon", "gd"), rule("muon", "tra_signgd"), momentum, noise, correlated, times(1.1, "loss")}},
    {"rarefact2026/late-lock",
     {rule("muon", "gd"), momentum, noise, one_fan_in, over({"run.engine=symmetric"}), times(0, "error")}},
    {"rarefact2026/newton-margins",
     {rule("newton", "gd"), rule("newton", "muon"), over({"optimizer.newton.damping=0.1"}), noise, equal,
      times(1.001, "error")}},
    {"wang2026/nds-at-zero",
     {rule("gd", "muon"), rule("muon", "gd"), rule("muon", "tra_signgd"), rule("signgd", "muon"), momentum,
      noise, times(1 + 1e-11, "nds"), times(1 + 1e-11, "nds_effective")}},
    {"wang2026/imbalance",
     {rule("gd", "muon"), rule("muon", "gd"), rule("gd", "tra_signgd"), rule("gd", "momentum"), momentum,
      noise, times(NAN, "nds")}},
    {"wang2026/embeddings",
     {rule("signgd", "muon"), rule("signgd", "gd"), rule("muon", "signgd"), noise,
      over({"sweep.embedding.kind=[\"identity\"]"}), over({"sweep.embedding.kind=[\"orthogonal\"]"}),
      times(NAN, "nds")}},
    {"wang2026/matched-loss",
     {rule("signgd", "muon"), rule("muon", "signgd"), noise, over({"run.steps=20"}),
      over({"embedding.kind=identity"}), times(NAN, "nds")}},
    {"wang2026/quadratic",
     {rule("gd", "ngd"), rule("muon", "gd"), times(1.1, "nds"), over({"classes.head_fraction=0.25"}),
      over({"target.exponent=1"}), over({"optimizer.gd.step_size=0.1"})}},
    {"vasudeva2025/closed-forms",
     {rule("gd", "ngd"), rule("muon", "ngd"), rule("signgd", "adam"), momentum, smoothed, noise,
      times(1 + 1e-11, "coefficient")}},
    {"vasudeva2025/equal-rates",
     {rule("gd", "muon"), rule("muon", "gd"), momentum, smoothed, noise, times(1 + 1e-11, "class_loss"),
      over({"run.steps=900", "run.record=[900]"})}},
    {"vasudeva2025/minority",
     {rule("muon", "gd"), rule("ngd", "muon"), times(-1, "class_loss"), noise,
      over({"data.query_noise=0.1"})}},
    {"wang2026/taylor",
     {rule("gd", "muon"), rule("muon", "gd"), rule("muon", "tra_signgd"), momentum, noise, correlated,
      times(1 + 1e-10, "first_order_gain"), times(1 + 1e-10, "curvature_penalty"),
      times(1 + 1e-10, "taylor_remainder"), times(1 + 1e-12, "loss")}},
    {"paquette2026/square-root",
     {rule("muon", "ngd"), rule("muon", "signgd"), over({"optimizer.muon.smoothing=1"}),
      over({"target.directions=aligned"}), over({"model.measurement=vector"}), over({"sweep.seed=[1, 2]"}),
      times(NAN, "class_loss")}},
    {"paquette2026/small-batch",
     {rule("muon", "ngd"), rule("muon", "tra_signgd"), over({"data.batch=64"}), over({"data.answer_noise=1"}),
      over({"optimizer.muon.step_size=0.1"})}},
    {"paquette2026/signsgd",
     {rule("muon", "signgd"), rule("signgd", "muon"), rule("signgd", "ngd"),
      over({"sweep.embedding.kind=[\"orthogonal\"]"}), over({"data.batch=4"})}},
    {"paquette2026/dynamics",
     {rule("muon", "signgd"), momentum, over({"data.batch=4096"}), over({"target.directions=aligned"}),
      times(NAN, "excess_loss"), times(NAN, "excess_loss_predicted")}},
    {"paquette2026/isotropic",
     {rule("muon", "signgd"), rule("signgd", "ngd"), over({"model.measurement=vector"}),
      over({"sweep.seed=[1]"}), momentum}},
    {"paquette2026/phases",
     {rule("muon", "gd"), over({"classes.spectrum=zipf_mandelbrot"}), over({"classes.count=64"}),
      over({"sweep.classes.exponent=[0.5, 2.5]"})}}};

Verdict verdict_under(const std::string& id, const Sabotage& sabotage) {
  if (sabotage.variable.empty()) return judged(id, quick_evidence(id, sabotage.overrides)).verdict();
  Evidence evidence = quick_evidence(id);
  std::size_t changed = 0;
  for (EvidencePoints& points : evidence.experiments) {
    for (EvidencePoint& point : points) {
      for (Trajectory& trajectory : point.result.runs.front().trajectories) {
        const auto found = trajectory.series.find(sabotage.variable);
        if (found == trajectory.series.end()) continue;
        for (double& value : found->second) value *= sabotage.factor;
        ++changed;
      }
    }
  }
  REQUIRE(changed > 0);
  return judged(id, evidence).verdict();
}

void require_notice(const std::string& paper) {
  for (const CheckRow& row : check_catalogue()) {
    if (!row.id.starts_with(paper)) continue;
    CAPTURE(row.id);
    CHECK(judged(row.id, quick_evidence(row.id)).verdict() <= Verdict::against);
    const std::vector<Sabotage>& all = sabotages.at(row.id);
    CHECK(all.size() >= 3);
    for (const Sabotage& one : all) {
      CAPTURE(one.overrides, one.variable, one.factor);
      CHECK(verdict_under(row.id, one) >= Verdict::inconclusive);
    }
  }
}

}  // namespace

TEST_CASE("a sabotaged run is never said to confirm a statement of wang2025", "[numbers]") {
  require_notice("wang2025/");
}

TEST_CASE("a sabotaged run is never said to confirm a statement of li2026", "[numbers]") {
  require_notice("li2026/");
}

TEST_CASE("a sabotaged run is never said to confirm a statement of li2026b", "[.long]") {
  require_notice("li2026b/");
}

TEST_CASE("a sabotaged run is never evidence for a statement of kim2026", "[numbers]") {
  require_notice("kim2026/");
}

TEST_CASE("a sabotaged run is never said to confirm the statement on formulas", "[numbers]") {
  require_notice("formula/");
}

TEST_CASE("a sabotaged run is never said to confirm a statement on laws of answers", "[numbers]") {
  require_notice("rarefact2026/");
}

TEST_CASE("a sabotaged run is never said to confirm a statement on curvature", "[.long]") {
  require_notice("wang2026/");
}

TEST_CASE("a sabotaged run is never said to confirm a statement of vasudeva2025") {
  require_notice("vasudeva2025/");
}

TEST_CASE("a sabotaged run is never said to confirm a statement on minibatches of least squares", "[.long]") {
  require_notice("paquette2026/");
}
