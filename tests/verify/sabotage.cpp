// Runs that are wrong on purpose: another rule under a label, momentum, another spectrum or law. None confirms the statement.

#include "verify/quick_evidence.hpp"

using namespace tampered;

namespace {

struct Sabotage {
  Words overrides;  ///< as --set puts them over the experiments
  Words fail =
      {};  ///< ids of findings, "" for the verdict; of none: the statement is not confirmed, but may be open
  int experiment = -1;  ///< in this one alone
};

/// Another rule under a label.
Sabotage rule(const std::string& label, const std::string& other, Words fail = {}, int experiment = -1) {
  return {{"optimizer." + label + ".rule=" + other}, std::move(fail), experiment};
}
Sabotage over(Words overrides) {
  return {std::move(overrides)};
}

const Words all = {""};
const Sabotage smoothed = over({"optimizer.muon.smoothing=0.01"}), noise = over({"data.label_noise=0.1"}),
               correlated = over({"embedding.kind=equicorrelated", "embedding.rho=0.1"}),

               equal = over({"classes.exponent=0"}), no_noise = over({"data.label_noise=0"}),
               one_fan_in = over({"answers.fan_in=4"}), sparse = over({"run.record=\"log\""}),
               before = over({"optimizer.after.momentum_order=before"}),
               after = over({"optimizer.before.momentum_order=after"}),
               sphere = over({"embedding.kind=sphere"}), gaussian = over({"embedding.kind=gaussian"});

const std::string noisy_rows =
                      "sweep.data.label_noise, classes.group_size, run.steps, optimizer.muon.step_size=",
                  scaling_rows = "sweep.classes.group_size, run.steps, optimizer.muon.step_size=",
                  ngd_rows = "sweep.classes.group_size, optimizer.ngd.step_size, optimizer.gd.step_size=",
                  formula_rows = "sweep.optimizer.rule.direction, optimizer.rule.step_size, run.steps=";

/// In the order of the catalogue. The everyday tests run the first of each statement, the long ones the others.
const std::map<std::string, std::vector<Sabotage>> sabotages = {
    {"wang2025/one-step-gd",
     {rule("gd", "muon", all), rule("gd", "signgd", all), rule("gd", "ngd"), correlated, noise}},
    {"wang2025/one-step-signgd-decoupled",
     {rule("signgd", "muon", all), rule("signgd", "gd", all), rule("signgd", "tra_signgd"), noise,
      over({"embedding.kind=block_rotation"})}},
    {"wang2025/one-step-signgd-coupled",
     {rule("signgd", "muon", all), rule("signgd", "gd", all), rule("signgd", "tra_signgd", all), noise,
      over({"embedding.kind=identity"}), over({"embedding.angles=[3.5, 2.9, 5.2]"})}},
    {"wang2025/one-step-muon",
     {rule("muon", "gd", {"order/two levels"}, 0), rule("muon", "ngd", {"rho/any orthonormal embeddings"}, 2),
      rule("muon", "tra_signgd"), correlated, noise, Sabotage{{"embedding.answer.rho=0.5"}, {}, 2},
      // In doubles the deficit at K = 3e15 is rounding.
      Sabotage{{"run.precision=16"}, {"limit/two levels"}, 0}}},
    {"wang2025/multi-step-muon",
     {rule("muon", "gd", all), rule("muon", "signgd", all), rule("muon", "tra_signgd"), noise}},
    {"wang2025/singular-values",
     {rule("gd", "signgd", {"residual-two-levels"}, 0), rule("muon", "ngd", {"muon-ratio"}, 0),
      rule("gd", "muon", {"residual-many-levels"}, 1), rule("signgd", "muon", {"signgd-ratio"}, 2),
      rule("signgd", "gd", {"signgd"}, 2), noise}},
    {"li2026/gd-noiseless",
     {rule("gd", "muon", all), rule("gd", "ngd", all), correlated,
      over({"run.steps=5000", "data.label_noise=0.1"}), over({"run.steps=500"}), over({"classes.groups=1"})}},
    {"li2026/muon-noiseless",
     {rule("muon", "gd", {"rate"}), rule("muon", "tra_signgd", {"rate"}), smoothed, noise, correlated}},
    {"li2026/muon-noisy",
     {rule("muon", "gd", {"crossing"}), rule("muon", "tra_signgd", {"crossing"}), sparse,
      // On the minimum of the cycle, too few steps, too few step sizes.
      over({"classes.groups=16", noisy_rows + "[[0.2, 4096, 60, 0.34657359027997264], [0.2, 4096, 60, 0.35], "
                                              "[0.2, 4096, 60, 0.30]]"}),
      over({noisy_rows + "[[0.1, 2.5e14, 52, 0.2886915597]]"}),
      over({noisy_rows + "[[0.1, 2.5e14, 139, 0.2886915597], [0.1, 2.5e14, 412, 0.09178263828]]"})}},
    {"li2026/gd-stability",
     {rule("at_90", "muon", all), rule("at_90", "signgd", all),
      rule("at_published", "tra_signgd", {"sufficient"}), rule("at_published", "muon"),
      over({"run.steps=100"}), sparse}},
    {"li2026/gd-scaling-law",
     {rule("gd", "ngd", all, 1), rule("gd", "tra_signgd", all, 1), no_noise, over({"run.steps=300"}),
      over({"optimizer.gd.schedule=linear"}),
      // Outside of 1 ≪ T ≪ M^s the slope is another.
      Sabotage{{"classes.groups=30", "run.steps=10000"}, {}, 1}}},
    {"li2026/muon-scaling-law",
     {rule("muon", "gd", all), rule("muon", "tra_signgd", all), no_noise, sparse,
      // m*/ln K = 1.040 at K = 1e15: T η = ln K never reaches the cycle; η = m*/192 sits on its minimum.
      over({scaling_rows + "[[2.5e14, 257, 0.134391], [2.5e14, 513, 0.067326], [2.5e14, 1025, 0.033696]]"}),
      over({scaling_rows +
            "[[2.5e14, 257, 0.187109689], [2.5e14, 513, 0.09337250359], [2.5e14, 1025, 0.04673179936]]"}),
      over({scaling_rows + "[[2.5e14, 257, 0.18638169], [2.5e14, 513, 0.09337250359]]"})}},
    {"li2026/block-symmetry",
     {Sabotage{{"optimizer.gd.rule=signgd", "optimizer.gd.step_size=0.1"},
               {"spread-of-rule/gd", "losses/gd"}},
      Sabotage{{"optimizer.gd.rule=adam", "optimizer.gd.step_size=0.1"}, {"spread-of-rule/gd", "losses/gd"}},
      rule("muon", "signgd"), rule("ngd", "gd"), over({"embedding.sigma=0.2"}), over({"run.classes=groups"}),
      over({"sweep.run.engine, embedding.kind=[[\"dense\", \"noisy\"]]"})}},
    {"li2026/preconditioner",
     {rule("muon", "gd", {"bound"}), rule("muon", "tra_signgd", {"bound"}), correlated,
      Sabotage{{"sweep.classes.groups=[4, 8, 16]", "sweep.data.label_noise=[0]", "optimizer.muon.rule=gd"},
               {"order-in-groups"}}}},
    {"li2026/tra-signgd",
     {rule("muon", "tra_signgd", all), rule("muon", "gd", all),
      Sabotage{{"optimizer.muon.step_size=0.5"}, all}, Sabotage{{"optimizer.tra_signgd.step_size=1.0"}, all},
      rule("tra_signgd", "muon"), rule("muon", "ngd"), correlated, sparse}},
    {"li2026/ngd-imbalance",
     {rule("ngd", "muon", all), rule("ngd", "gd", all), rule("ngd", "tra_signgd", all),
      rule("muon", "ngd", all), rule("gd", "muon", all), rule("gd", "momentum"), equal, noise,
      over({"run.steps=20"}),
      // Steps beyond 2 √K, and step sizes that are not alike.
      over({ngd_rows + "[[16, 20, 16], [250, 79, 250], [2.5e8, 79057, 2.5e8]]"}),
      over({ngd_rows + "[[16, 8, 1], [2.5e8, 31622.7766, 1e3], [2.5e15, 1e8, 1e3]]"})}},
    {"kim2026/one-step-muon",
     {rule("muon", "gd", all), rule("gd", "muon", all), smoothed,
      over({"optimizer.muon.polar=newton_schulz"}), over({"sweep.seed=[1]"}), sphere,
      over({"classes.spectrum=zipf_mandelbrot", "sweep.seed={range=[1, 3]}"}),
      over({"sweep.embedding.dimension, classes.count=[[32, 64], [64, 128], [128, 256]]"})}},
    {"kim2026/one-step-sgd", {rule("gd", "muon", {"below-1"}), noise, sphere}},
    {"kim2026/one-step-newton", {rule("newton", "gd", {"above-1"}), over({"optimizer.newton.damping=1e-3"})}},
    {"kim2026/critical-batch",
     {rule("muon", "gd", {"apart"}), rule("gd", "muon", {"apart"}), noise,
      over({"sweep.data.batch=[4096, 8192, 65536]"})}},
    {"kim2026/multi-step-thresholded", {rule("muon", "gd", {"capacity-above-1"})}},
    {"kim2026/multi-step-exact",
     {rule("muon", "gd", {"capacity-above-1"}),
      over(
          {"sweep.embedding.dimension, classes.count, optimizer.muon.step_size=[[32, 512, 8], [64, 1024, 8], "
           "[128, 2048, 8]]"})}},
    {"li2026b/spiked", {rule("muon", "gd"), noise, gaussian}},
    {"li2026b/low-snr", {rule("muon", "gd"), noise, gaussian}},
    {"li2026b/window-is-batch", {rule("before", "momentum"), after, no_noise}},
    {"li2026b/order", {rule("polar-only", "gd"), before, over({"optimizer.longer.smoothing=0.01"})}},
    {"li2026b/rate", {rule("before", "momentum"), after, no_noise}},
    {"li2026b/coverage", {rule("polar-only", "gd"), after, noise}},
    {"li2026b/training",
     {after, before, over({"optimizer.polar-only.momentum=0.9"}), rule("before", "momentum")}},
    {"formula/effective-exponent",
     {over({formula_rows + "[[\"G\", 1.5, 6000], [\"G\", 1.4, 6000]]"}), noise, correlated, equal,
      over({"run.classes=all", "embedding.kind=orthogonal"}),
      // Memory, long first steps and too few of them.
      over({formula_rows + "[[\"decay(G, 0.5)\", 1.0, 6000], [\"power(G, -0.5)\", 0.01, 400]]"}),
      over({formula_rows + "[[\"G\", 4.0, 6000], [\"power(G, -0.5)\", 0.01, 400]]"}),
      over({formula_rows + "[[\"G\", 1.5, 90], [\"power(G, -0.5)\", 0.005, 90]]"})}},
    {"wang2026/nds-at-zero",
     {rule("gd", "muon", {"nds/gd"}), rule("muon", "tra_signgd", {"nds/muon"}), rule("signgd", "muon"),
      noise}},
    {"wang2026/imbalance",
     {rule("gd", "muon", {"ratio"}), rule("muon", "gd"), rule("gd", "momentum"), noise}},
    {"wang2026/embeddings",
     {rule("signgd", "tra_signgd", {"haar"}), rule("signgd", "gd"), noise,
      over({"sweep.embedding.kind=[\"identity\"]"}), over({"sweep.embedding.kind=[\"orthogonal\"]"})}},
    {"wang2026/matched-loss",
     {rule("signgd", "muon", {"growth"}), rule("muon", "signgd"), noise, over({"run.steps=20"}),
      over({"embedding.kind=identity"})}},
    {"wang2026/taylor",
     {rule("muon", "gd", {"terms/muon"}), rule("gd", "muon"), rule("muon", "tra_signgd"), noise, correlated}},
    {"wang2026/quadratic",
     {rule("gd", "muon", {"crossings"}), rule("gd", "ngd"), rule("muon", "gd"),
      over({"classes.head_fraction=0.25"}), over({"target.exponent=1"}),
      over({"optimizer.gd.step_size=0.1"})}},
    {"vasudeva2025/closed-forms",
     {rule("signgd", "gd", {"same"}), rule("gd", "ngd"), rule("muon", "ngd"), rule("signgd", "adam"),
      smoothed, noise}},
    {"vasudeva2025/minority",
     {rule("muon", "gd", {"rarest", "mean"}), rule("ngd", "muon", {"ngd"}), noise,
      over({"data.query_noise=0.1"})}},
    {"vasudeva2025/equal-rates",
     {rule("muon", "gd", {"muon", "loss"}), rule("gd", "muon", {"gd"}), smoothed, noise,
      over({"run.steps=900", "run.record=[900]"})}},
    {"paquette2026/square-root",
     {rule("muon", "signgd"), rule("muon", "ngd"), over({"optimizer.muon.smoothing=1"}),
      over({"target.directions=aligned"}), over({"model.measurement=vector"}), over({"sweep.seed=[1, 2]"})}},
    {"paquette2026/small-batch",
     {rule("muon", "ngd"), rule("muon", "tra_signgd"), over({"data.batch=64"}), over({"data.answer_noise=1"}),
      over({"optimizer.muon.step_size=0.1"})}},
    {"paquette2026/signsgd",
     {rule("muon", "signgd"), rule("signgd", "muon"), rule("signgd", "ngd"),
      over({"sweep.embedding.kind=[\"orthogonal\"]"}), over({"data.batch=4"})}},
    {"paquette2026/dynamics",
     {rule("muon", "signgd"), over({"data.batch=4096"}), over({"target.directions=aligned"})}},
    {"paquette2026/isotropic",
     {rule("muon", "signgd"), rule("signgd", "ngd"), over({"model.measurement=vector"}),
      over({"sweep.seed=[1]"})}},
    {"paquette2026/phases",
     {rule("muon", "gd"), over({"classes.spectrum=zipf_mandelbrot"}), over({"classes.count=64"}),
      over({"sweep.classes.exponent=[0.5, 2.5]"})}},
    {"rarefact2026/fan-in-speed",
     {rule("muon", "gd", {"exponent"}), rule("gd", "muon", {"gd"}), rule("signgd", "muon", {"signgd"}),
      rule("signgd", "ngd"), noise, one_fan_in}},
    {"rarefact2026/first-step",
     {rule("muon", "tra_signgd", {"gain"}), rule("gd", "muon", {"values"}), rule("muon", "gd"), noise,
      correlated, one_fan_in, over({"answers.within=0"})}},
    {"rarefact2026/rho-of-fan-in",
     {rule("muon", "gd", {"exponent"}), rule("muon", "signgd", {"rho"}), noise, correlated, one_fan_in}},
    {"rarefact2026/loss-exponent",
     {rule("muon", "tra_signgd", {"loss"}), rule("muon", "gd"), noise, correlated}},
    {"rarefact2026/late-lock",
     {over({"sweep.run.engine=[\"symmetric\"]"}), rule("muon", "gd"), noise, one_fan_in}},
    {"rarefact2026/newton-margins",
     {rule("newton", "gd", {"alike"}), rule("newton", "muon"), over({"optimizer.newton.damping=0.1"}), noise,
      equal, over({"embedding.dimension=20", "sweep.embedding.kind=[\"gaussian\"]"})}}};

void require_notice(const std::string& id, const Sabotage& one) {
  CAPTURE(id, one.overrides, one.experiment, one.fail);
  const CheckReport report = judged(id, quick_evidence(id, one.overrides, one.experiment));
  CHECK(report.verdict() >= (one.fail.empty() ? Verdict::inconclusive : Verdict::fails));
  for (const std::string& finding : one.fail)
    CHECK((finding.empty() || verdict_of(report, finding) == Verdict::fails));
}

}  // namespace

TEST_CASE("a sabotaged run of every statement is never said to confirm it", "[numbers]") {
  for (const CheckRow& row : check_catalogue()) {
    CAPTURE(row.id);
    REQUIRE(sabotages.contains(row.id));
    require_notice(row.id, sabotages.at(row.id).front());
  }
}

TEST_CASE("every sabotaged run is noticed", "[.long]") {
  for (const auto& [id, all_of_it] : sabotages) {
    for (std::size_t i = 1; i < all_of_it.size(); ++i) require_notice(id, all_of_it[i]);
  }
}
