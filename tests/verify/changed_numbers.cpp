// Recorded numbers that are off by what a wrong exponent, constant or rule would change: the findings that they concern fail,
// and those beside them do not.

#include <cmath>

#include "model/margin.hpp"
#include "verify/quick_evidence.hpp"

using namespace tampered;

namespace {

struct Case {
  int experiment;  ///< -1: all of the statement
  std::string variable;
  Change change;
  Words fail = {};  ///< ids of findings; of none: the statement is not confirmed
  Words stay = {};
};

Case off(int experiment, std::string variable, Change change, Words fail = {}, Words stay = {}) {
  return {experiment, std::move(variable), std::move(change), std::move(fail), std::move(stay)};
}

Change times(double factor) {
  return [=](double x, const At&) { return factor * x; };
}
Change plus(double more) {
  return [=](double x, const At&) { return x + more; };
}
Change becomes(double number) {
  return [=](double, const At&) { return number; };
}
Change raised(double exponent) {
  return [=](double x, const At&) { return std::pow(x, exponent); };
}
/// Times K^exponent, ε^exponent, (t+1)^exponent and ln K.
Change of_k(double exponent) {
  return [=](double x, const At& at) { return x * std::pow(at.point.class_total(), exponent); };
}
Change of_epsilon(double exponent) {
  return [=](double x, const At& at) { return x * std::pow(at.point.experiment.rho_epsilon, exponent); };
}
Change of_t(double exponent) {
  return [=](double x, const At& at) { return x * std::pow(at.steps() + 1, exponent); };
}
double of_log_k(double x, const At& at) {
  return x * std::log(at.point.class_total());
}
/// Times e^(rate t), e^(rate η t) and η^exponent.
Change of_time(double rate) {
  return [=](double x, const At& at) { return x * std::exp(rate * at.steps()); };
}
Change of_muon_time(double rate) {
  return [=](double x, const At& at) {
    return x * std::exp(rate * at.point.optimizer("muon").step_size * at.steps());
  };
}
Change of_muon_step_size(double exponent) {
  return [=](double x, const At& at) { return x * std::pow(at.point.optimizer("muon").step_size, exponent); };
}
Change of_last_step(double exponent) {
  return [=](double x, const At& at) { return x * std::pow(at.point.last_step(), exponent); };
}
/// Times C^exponent, C classes in a group.
Change of_c(double exponent) {
  return [=](double x, const At& at) { return x * std::pow(at.point.run().class_count.front(), exponent); };
}
/// What another variable of the trajectory has there.
Change instead(std::string variable) {
  return [=](double, const At& at) { return at.trajectory().series.at(variable)[at.index]; };
}
/// What the same variable of another optimizer has there.
Change exchanged(std::size_t one, std::size_t other) {
  return [=](double x, const At& at) {
    if (at.optimizer != one && at.optimizer != other) return x;
    return at.point.run().trajectories[one + other - at.optimizer].series.at(at.variable)[at.index];
  };
}

/// A change where a condition holds.
Change where_it_is(std::function<bool(const At&)> is, Change change) {
  return [=](double x, const At& at) { return is(at) ? change(x, at) : x; };
}
Change at_step(std::int64_t step, Change change) {
  return where_it_is([=](const At& at) { return at.step() == step; }, std::move(change));
}
Change of(const std::string& optimizer, Change change) {
  return where_it_is([=](const At& at) { return at.trajectory().optimizer == optimizer; }, std::move(change));
}
Change with(const std::string& key, double value, Change change) {
  return where_it_is([=](const At& at) { return at.point.parameter(key) == value; }, std::move(change));
}
Change of_dense(Change change) {
  return where_it_is([](const At& at) { return at.point.experiment.engine == Engine::dense; },
                     std::move(change));
}
Change of_place(std::size_t optimizer, std::size_t row, Change change) {
  return where_it_is([=](const At& at) { return at.optimizer == optimizer && at.row() == row; },
                     std::move(change));
}

/// A class loss at the end that has fallen by f(what it fell by, p_l/p_1).
Change taken(const std::string& optimizer, const std::function<double(double, double)>& f) {
  return of(optimizer, [=](double x, const At& at) {
    if (at.index < at.width) return x;
    const std::vector<double>& p = at.point.run().class_probability;
    const double start = at.values[at.row()];
    return start - f(start - x, p[at.row()] / p[0]);
  });
}
Change steeper(const std::string& optimizer, double power) {
  return taken(optimizer, [=](double fall, double p) { return fall * std::pow(p, power); });
}
Change faster(const std::string& optimizer, double factor) {
  return taken(optimizer, [=](double fall, double) { return fall * factor; });
}

/// ln(error/law) is the deviation of rates; a factor before it is one before their spread.
Change widened(double exponent, double factor) {
  return [=](double error, const At& at) {
    const double others = at.point.class_total() - 1, t = at.point.optimizer("muon").step_size * at.steps();
    const double law = others / (others + std::exp(t));
    return law * std::pow(error / law, factor * std::pow(at.point.run().class_count.front(), exponent));
  };
}
/// Muon's distance to the sign in the task basis, times factor C^exponent.
Change apart(double exponent, double factor) {
  return of("muon", [=](double error, const At& at) {
    const double sign = at.point.trajectory("tra_signgd").series.at("error")[at.index];
    return sign * (1 + (error / sign - 1) * of_c(exponent)(factor, at));
  });
}

const char* const deviation = "update_identity_deviation";
const Words in_law = {"exponent-in-t", "exponent-in-k", "exponent-in-p"}, impossible = {"possible-states"};
const Case no_count{-1, "recovered_count", times(1.1)}, no_mass{-1, "recovered_weight", times(1.1)};

const std::map<std::string, std::vector<Case>> cases = {
    {"wang2025/one-step-gd",
     {off(0, "rho_at_threshold", of_k(0.01), {"exponent-in-k"}),
      off(0, "rho_at_threshold", of_epsilon(0.01), {"exponent-in-epsilon"}),
      off(0, "rho_at_threshold", times(1 + 1e-5), {"rho/two levels", "order"},
          {"exponent-in-k", "exponent-in-epsilon"}),
      off(1, "rho_at_threshold", times(1 + 1e-9), {"rho/many levels"}),
      off(0, "rho", becomes(0), {"infimum"})}},
    {"wang2025/one-step-signgd-decoupled",
     {off(0, "rho_at_threshold", times(1 - 1e-10), {"rho"}), off(0, "rho", becomes(0), {"infimum"})}},
    {"wang2025/one-step-signgd-coupled",
     {off(0, "rho_at_threshold", of_k(-0.01), {"exponent-in-k"}, {"order"}),
      off(0, "rho_at_threshold", of_k(0.1), {"exponent-in-k", "order"}),  // beyond 0.3557 - 0.3
      off(0, "rho_at_threshold", of_epsilon(0.01), {"exponent-in-epsilon"}),
      off(0, "rho_at_threshold", times(1 + 1e-9), {"closed-form"}),
      off(0, "rho_at_threshold", with("classes.head_mass", 0.3, times(1 + 1e-9)), {"masses"}),
      off(0, "rho", instead("rho_at_threshold"), {"infimum"})}},
    {"wang2025/one-step-muon",
     {off(0, "rho_deficit", of_k(0.05), {"order/two levels"}),
      off(0, "rho_deficit", times(1 + 1e-9), {"constant", "limit"}, {"order"}),
      off(0, "rho_deficit", of_log_k, {"order/two levels"}),
      off(1, "rho_deficit", of_log_k, {"order/eight groups"}),
      off(1, deviation, times(1 + 1e-9), {"deviation/eight groups"}),
      off(2, "rho_at_threshold", times(1 + 1e-9), {"rho/any orthonormal embeddings"})}},
    {"wang2025/multi-step-muon",
     {off(0, "weight_identity_deviation", at_step(10, of_k(0.05)), {"deviation/η = 0.5"}),
      off(0, "weight_identity_deviation", at_step(10, times(1 + 1e-9)), {"deviation-limits/η = 0.5"},
          {"deviation/η = 0.5"}),
      off(0, "weight_identity_deviation", of_log_k, {"deviation/η = 5"}),
      off(0, "rho_deficit", at_step(10, of_k(0.05)), {"deficit/η = 0.5"}),
      off(0, "rho_deficit", at_step(10, times(1 + 1e-9)), {"deficit-limits/η = 0.5"}, {"deficit/η = 0.5"}),
      off(0, "rho_deficit", of_log_k, {"deficit/η = 5"})}},
    {"wang2025/singular-values",
     {off(2, "update_condition_ratio_rest", instead("update_condition_ratio"), {"signgd-ratio"}),
      off(2, "update_condition_ratio_rest", becomes(0.26), {"signgd-ratio"}),
      off(1, "update_entropy", times(1 + 1e-10), {"residual-many-levels"}),
      off(1, "update_stable_rank", times(1 + 1e-10), {"residual-many-levels"}),
      off(1, "update_frobenius_norm", times(1 + 1e-10), {"residual-many-levels"})}},
    {"li2026/gd-noiseless",
     {off(1, "loss", of_t(0.1), {"exponent-in-t"}), off(1, "loss", of_k(0.005), {"exponent-in-k"}),
      off(1, "class_loss", raised(1.1), {"exponent-in-p"}), off(1, "loss", times(1.05), {"constant"}, in_law),
      // A hundredth of a percent of L_l is a percent of L_l p_l t - 1 and all of the distance to the flow.
      off(0, "class_loss", times(1.001), {"approach", "flow", "recursion"})}},
    {"li2026/muon-noiseless",
     {off(0, "loss", of_muon_time(-0.01), {"rate"}), off(0, "loss", times(1 + 1e-8), {"constant"}, {"rate"}),
      off(0, "error", at_step(30, times(1 + 1e-8)), {"error"}),
      off(0, "error", widened(0.05, 1), {"spread-order"}),
      off(0, "error", widened(0, 1.05), {"spread-constant"}, {"spread-order"})}},
    {"li2026/muon-noisy",
     {off(0, "excess_loss", of_muon_step_size(-0.1), {"exponent"}),
      off(0, "excess_loss", times(1.02), {"closed-form", "leading-order", "deviation"},
          {"exponent", "bound"}),
      off(0, "excess_loss", times(2), {"bound"}),
      // The first class crosses two steps after the others.
      off(0, "error",
          [](double x, const At& at) { return at.row() == 0 && at.step() >= 2 ? at.earlier(2) : x; },
          {"crossing"}),
      // It rests, or does not alternate by η.
      off(0, "error", [](double x, const At& at) { return at.last() ? at.earlier(1) : x; }, {"stride"}),
      off(0, "error", where_it_is(&At::last, times(1 + 1e-6)), {"stride"})}},
    {"li2026/gd-stability", {off(-1, "error", times(1.001))}},
    {"li2026/gd-scaling-law",
     {off(0, "excess_loss", of_t(-0.02), {"exponent-in-t/s = 2, M = 1e+06"}),
      off(2, "excess_loss",
          [](double x, const At& at) { return x / std::sqrt(std::log(at.point.class_total())); },
          {"exponent-in-log-k"}),
      off(1, "excess_loss", times(1.05), {"integral-form/s = 2, M = 2000"}, {"exponent-in-t"}),
      // A fit averages this away.
      off(0, "excess_loss",
          [](double x, const At& at) { return x * (1 + 0.004 * std::sin(20 * std::log(at.steps() + 1))); },
          {"local-slopes/s = 2, M = 1e+06"}, {"exponent-in-t/s = 2, M = 1e+06"}),
      off(1, "class_loss",
          [](double x, const At& at) {
            return x - 0.01 * (x - irreducible_loss(at.point.class_total(), at.point.experiment.label_noise));
          },
          {"class-bound"})}},
    {"li2026/muon-scaling-law",
     {off(0, "excess_loss", of_last_step(0.1), {"exponent"}),
      off(0, "excess_loss", with("classes.exponent", 3, of_last_step(0.1)), {"same-exponent"},
          {"exponent/s = 1.5"}),
      off(0, "excess_loss", times(1.02), {"closed-form", "leading-order"}, {"exponent"}),
      off(0, "excess_loss", times(2), {"bound"})}},
    {"li2026/block-symmetry",
     {off(0, "error", of_dense(where_it_is([](const At& at) { return at.index == 40; }, times(1 + 1e-11))),
          {""}),
      off(0, "weight_stable_rank",
          where_it_is([](const At& at) { return at.point.experiment.engine != Engine::dense; },
                      times(1 + 1e-11)),
          {"singular-values/gd"}),
      off(-1, "error", times(0))}},
    {"li2026/preconditioner",
     {off(0, deviation, with("data.label_noise", 0, at_step(20, becomes(1))), {"bound"}),
      off(0, deviation, with("data.label_noise", 0.1, at_step(40, becomes(1))), {"past-optimum"}),
      off(0, deviation, at_step(40, becomes(NAN)), {"bound", "past-optimum"}),
      // The sign stays past the optimum.
      off(0, deviation, [](double old, const At&) { return old > 1 ? 2 - old : old; }, {"past-optimum"}),
      off(0, deviation, of_c(0.01), {"order"}), off(0, deviation, times(1.05), {"constant"}, {"order"}),
      off(0, deviation, at_step(0, times(1 + 1e-9)), {"first-update"})}},
    {"li2026/tra-signgd",
     {off(0, "error", of("tra_signgd", at_step(7, times(1 + 1e-10))), {"oracle"}),
      off(0, "error", of("tra_signgd", at_step(7, becomes(NAN))), {"oracle"}),
      off(0, "error", apart(0.02, 1), {"order"}), off(0, "error", apart(0, 1.05), {"constant"}, {"order"}),
      off(0, "error", apart(0, 100), {"climb", "cycle"})}},
    {"li2026/ngd-imbalance",
     {off(0, "loss", of_time(1e-4), {"rate"}),
      off(0, "class_loss", raised(1 + 1e-6), {"products", "imbalance"}),
      off(0, "loss", of("gd", times(1 + 1e-9)), {"gd"}, {"faster"}),
      // The last class of Muon at one K alone.
      off(0, "class_loss",
          of("muon",
             where_it_is([](const At& at) { return at.number == 1 && at.index + 1 == at.values.size(); },
                         times(2))),
          {"muon-every-balance"}, {"muon-balance"})}},
    {"kim2026/one-step-muon",
     {off(0, "recovered_count", plus(0.5), impossible), off(0, "recovered_count", times(1e6), impossible),
      off(0, "recovered_weight", plus(0.1), impossible), off(0, "recovered_weight", times(1e-3), impossible),
      off(0, "soft_recovery", plus(1), impossible), off(0, "soft_recovery", times(1e-5), impossible),
      off(0, "loss", times(1e-3), impossible), off(0, "loss", becomes(NAN), impossible), no_count, no_mass}},
    {"kim2026/one-step-sgd", {off(0, "recovered_count", becomes(0), {"capacity"}), no_count, no_mass}},
    {"kim2026/one-step-newton", {no_count, no_mass}},
    {"kim2026/critical-batch", {no_count, no_mass}},
    {"kim2026/multi-step-thresholded", {no_count, no_mass}},
    {"kim2026/multi-step-exact",
     {off(0, "recovered_count",
          where_it_is(&At::last, [](double, const At& at) { return at.values[at.width + at.row()]; }),
          {"more-than-at-first"}),
      no_count, no_mass}},
    {"li2026b/spiked", {off(-1, "push", times(1.2)), off(-1, "push", times(0.9))}},
    {"li2026b/low-snr", {off(-1, "push", times(1.2))}},
    {"li2026b/window-is-batch", {off(-1, "alignment", times(0.995)), off(-1, "alignment", times(1.005))}},
    {"li2026b/order",
     {off(0, "alignment",
          where_it_is([](const At& at) { return at.optimizer == 1 && at.index == 20; }, plus(1e-8)),
          {"linear"}),
      off(-1, "alignment", times(1.4))}},
    {"li2026b/rate",
     {off(0, "alignment", [](double x, const At&) { return 1 - std::sqrt(1 - x); }, {"memory"}),
      off(-1, "alignment", times(0.99))}},
    {"li2026b/coverage",
     // One class of 128 as if it had a third more draws, one before it was drawn, and a tail at scale.
     {off(0, "push", of_place(0, 5, times(1.33)), {"law"}),
      off(1, "push", of_place(1, 127, plus(0.05)), {"before"}),
      off(2, "push", of_place(1, 1, times(1.1)), {"scale"}), off(-1, "push", times(1.1))}},
    {"li2026b/training",
     {off(0, "excess_loss", exchanged(0, 2), {"after"}), off(1, "excess_loss", exchanged(0, 2), {"after"})}},
    {"formula/effective-exponent",
     // A tail that is learned half as fast again.
     {off(0, "error",
          [](double x, const At& at) {
            return at.row() == 1 ? at.earlier(at.index / at.width - 2 * (at.index / at.width) / 3) : x;
          },
          {"exponent"}),
      off(0, "push", raised(1.05), {"exponent"}), off(-1, "error", times(100))}},
    {"wang2026/nds-at-zero",
     {off(1, "nds", times(1 + 1e-11), {"nds"}), off(0, "nds_effective", times(1 + 1e-11), {"effective"}),
      off(2, "nds_effective", times(1 + 1e-11), {"effective"})}},
    {"wang2026/imbalance", {off(-1, "nds", becomes(NAN))}},
    {"wang2026/embeddings",
     {off(0, "nds", exchanged(0, 1), {"haar", "identity"}), off(-1, "nds", times(1.1), {"limit"}, {"haar"}),
      off(-1, "nds", becomes(NAN))}},
    {"wang2026/matched-loss", {off(-1, "nds", becomes(NAN))}},
    {"wang2026/taylor",
     {off(0, "first_order_gain", times(1 + 1e-10), {"terms"}),
      off(0, "curvature_penalty", times(1 + 1e-10), {"terms"}),
      off(0, "taylor_remainder", times(1 + 1e-10), {"terms"}),
      off(0, "loss", at_step(7, plus(1e-12)), {"sum"}, {"terms"})}},
    {"wang2026/quadratic",
     {off(0, "nds", times(1 + 1e-10), {"gd", "muon"}),
      off(0, "taylor_remainder", becomes(1e-300), {"remainder"}),
      off(0, "nds", [](double x, const At& at) { return at.step() == 7000 && x < 0.005 ? 1.0 : x; },
          {"crossings"})}},
    {"vasudeva2025/closed-forms",
     {off(0, "coefficient", times(1 + 1e-11), {"coefficient"}, {"same"}),
      off(0, "excess_loss", times(3), {"cycle"})}},
    {"vasudeva2025/minority", {off(-1, "class_loss", times(-1))}},
    {"vasudeva2025/equal-rates", {off(-1, "class_loss", times(1 + 1e-11))}},
    {"paquette2026/square-root",
     {off(0, "class_loss", steeper("muon", 0.05), {"slope"}),
      off(0, "class_loss", faster("muon", 1.2), {"octave"}, {"slope"}),
      off(0, "class_loss", faster("muon", -1), {"slope"}), off(-1, "class_loss", becomes(NAN))}},
    {"paquette2026/small-batch",
     {off(0, "class_loss", steeper("muon", -0.35), {"tail", "head", "batch", "octave"}),
      // A tail like the head.
      off(0, "class_loss",
          taken("muon", [](double fall, double p) { return fall * std::pow(std::min(p / 0.02, 1.0), -0.4); }),
          {"rises"})}},
    {"paquette2026/signsgd",
     {off(0, "class_loss", steeper("signgd", 0.15), {"slope/signgd, basis of the modes"}),
      off(0, "class_loss", steeper("signgd", -0.15), {"slope/signgd, random basis"}),
      off(0, "class_loss", faster("signgd", 1.5), {"octave"}),
      off(0, "class_loss",
          where_it_is([](const At& at) { return at.point.experiment.query_embedding.kind == "identity"; },
                      steeper("muon", 1e-3)),
          {"muon"})}},
    {"paquette2026/dynamics",
     {off(0, "excess_loss", [](double x, const At& at) { return at.step() > 0 ? 1.25 * x : x; }, {"loss"}),
      off(-1, "excess_loss", becomes(NAN)), off(-1, "excess_loss_predicted", becomes(NAN))}},
    {"paquette2026/isotropic",
     {off(0, "class_loss", faster("muon", 0.8), {"worth"}),
      off(0, "class_loss", faster("signgd", 1.25), {"worth"})}},
    {"rarefact2026/fan-in-speed",
     // The odds of an error move as its margin: by a thousandth of it.
     {off(0, "error", of_time(-2e-4), {"muon"})}},
    {"rarefact2026/first-step",
     {off(0, "push", times(1 + 1e-11), {"gain"}), off(0, "push", times(1.001), {"order"}),
      off(0, "update_entropy", of_place(1, 0, times(1 + 1e-11)), {"values"})}},
    {"rarefact2026/rho-of-fan-in",
     {off(0, "rho_at_threshold", of_k(0.003), {"exponent", "order", "rho"}),
      off(0, "rho_at_threshold", times(1 + 1e-11), {"rho"})}},
    {"rarefact2026/loss-exponent",
     {off(0, "loss", times(1.1), {"loss"}), off(0, "loss", of_t(-0.15), {"run"})}},
    {"rarefact2026/late-lock",
     {off(0, "error", at_step(1, of_dense(times(1 + 1e-8))), {"before"}),
      off(0, "error", of_dense(raised(2)), {"constant"}), off(0, "loss", of_dense(times(1.1)), {"total"}),
      off(-1, "error", times(0))}},
    {"rarefact2026/newton-margins", {off(0, "error", times(1 + 1e-9), {"recursion"})}}};

}  // namespace

TEST_CASE("numbers that are off make the findings fail that they concern, and those alone", "[numbers]") {
  for (const auto& [id, changes] : cases) {
    for (const Case& one : changes) {
      CAPTURE(id, one.experiment, one.variable, one.fail, one.stay);
      const CheckReport report = judged(id, changed(id, one.experiment, one.variable, one.change));
      CHECK(report.verdict() >= (one.fail.empty() ? Verdict::inconclusive : Verdict::fails));
      for (const std::string& finding : one.fail)
        CHECK((finding.empty() || verdict_of(report, finding) == Verdict::fails));
      for (const std::string& finding : one.stay) CHECK(verdict_of(report, finding) <= Verdict::holds);
    }
  }
}

TEST_CASE("step sizes that are off by two percent fail the limit of stability, and a thousandth its rate",
          "[numbers]") {
  const auto off_by = [](double factor) {
    Evidence evidence = quick_evidence("li2026/gd-stability");
    for (EvidencePoint& point : evidence.experiments[0]) {
      for (OptimizerChoice& choice : point.experiment.optimizers) choice.step_size *= factor;
    }
    return judged("li2026/gd-stability", evidence);
  };
  // What is said to be above the constant converges, what is below it does not.
  const CheckReport low = off_by(1.02), high = off_by(0.98), slightly = off_by(1.001);
  for (const auto& [report, holds, fails] :
       {std::tuple{&low, "sufficient", "necessary"}, {&high, "necessary", "sufficient"}}) {
    for (const char* finding : {"limit", "constants", fails})
      CHECK(verdict_of(*report, finding) == Verdict::fails);
    CHECK(verdict_of(*report, holds) == Verdict::holds);
  }
  CHECK(verdict_of(slightly, "limit") == Verdict::sharp);
  CHECK(verdict_of(slightly, "rate") == Verdict::fails);
  CHECK(verdict_of(off_by(0.995), "cycle") == Verdict::fails);
}

TEST_CASE("curvatures of another power than is said fail", "[numbers]") {
  Evidence evidence = quick_evidence("paquette2026/phases");
  for (EvidencePoint& point : evidence.experiments[0]) {
    for (double& p : point.result.runs.front().class_probability) p = std::pow(p, 0.3);
  }
  const CheckReport report = judged("paquette2026/phases", evidence);
  for (const char* finding : {"inside", "signgd"}) CHECK(verdict_of(report, finding) == Verdict::fails);
}

TEST_CASE("the batch with half of the facts is where the curve of counts says", "[numbers]") {
  // Counts that grow as B^{2/3} up to B = d and stay there have half of them at B = d / 2^{3/2}.
  const std::string id = "kim2026/critical-batch";
  const CheckReport report =
      judged(id, changed(id, 0, "recovered_count", [](double, const At& at) {
               const Experiment& experiment = at.point.experiment;
               return std::pow(std::min(experiment.data_parameters.number("batch"),
                                        experiment.query_embedding.parameters.number("dimension")),
                               2 / 3.0);
             }));
  CHECK(report.of("saturation/muon").front()->measured == Approx(1).margin(1e-9));
  CHECK(report.of("growth/muon").front()->measured == Approx(2 / 3.0).margin(1e-9));
}

TEST_CASE(
    "a loss that rises over the steps is evidence against several steps of Muon, whatever the seeds differ by",
    "[numbers]") {
  const std::string id = "kim2026/multi-step-thresholded";
  const auto with_ratio = [&](const std::function<double(double seed)>& ratio) {
    return judged(id, changed(id, 0, "loss", [&](double, const At& at) {
                    const auto seed = static_cast<double>(at.point.experiment.seed);
                    return (3 + 0.3 * seed) * (at.step() == 1 ? 1 : ratio(seed));
                  }));
  };
  const auto falls = with_ratio([](double) { return 0.5; }), rises = with_ratio([](double) { return 2.0; });
  CHECK(falls.of("loss-over-first").front()->measured == Approx(0.5).epsilon(1e-14));
  CHECK(falls.verdict() == Verdict::evidence);
  CHECK(rises.of("loss-over-first").front()->measured == Approx(2).epsilon(1e-14));
  CHECK(rises.verdict() == Verdict::against);
  // Seeds that differ in the direction: neither.
  const auto mixed = with_ratio([](double seed) { return std::fmod(seed, 2) == 0 ? 2 : 0.6; });
  CHECK(verdict_of(mixed, "loss-over-first") == Verdict::evidence);
}
