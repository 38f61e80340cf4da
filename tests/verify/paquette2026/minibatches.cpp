#include <catch2/catch.hpp>

#include "verify/tampered.hpp"

using namespace tampered;

namespace {

const std::string paper = "paquette2026/";

/// Evidence where a class loss at the end is as much lower as `f` (of its value at the start and of what was taken) says.
Evidence taken(const std::string& id, const std::string& optimizer,
               const std::function<double(double taken, double p)>& f) {
  Evidence evidence = quick_evidence(id);
  for (EvidencePoint& point : evidence.experiments[0]) {
    const std::vector<double>& p = point.run().class_probability;
    for (Trajectory& trajectory : point.result.runs.front().trajectories) {
      if (trajectory.optimizer != optimizer) continue;
      std::vector<double>& loss = trajectory.series.at("class_loss");
      for (std::size_t c = 0; c < p.size(); ++c)
        loss[p.size() + c] = loss[c] - f(loss[c] - loss[p.size() + c], p[c] / p[0]);
    }
  }
  return evidence;
}

Evidence steeper(const std::string& id, const std::string& optimizer, double power) {
  return taken(id, optimizer, [=](double x, double p) { return x * std::pow(p, power); });
}

Evidence scaled(const std::string& id, const std::string& optimizer, double factor) {
  return taken(id, optimizer, [=](double x, double) { return x * factor; });
}

}  // namespace

TEST_CASE("Muon preconditions by the square root on large batches") {
  const std::string id = paper + "square-root";
  const CheckReport report = require_sharp(id);
  CHECK(report.of("slope").front()->measured == Approx(0.561).margin(0.01));
  CHECK(verdict_of(judged(id, steeper(id, "muon", 0.05)), "slope") == Verdict::fails);
  const CheckReport faster = judged(id, scaled(id, "muon", 1.2));
  CHECK(verdict_of(faster, "slope") == Verdict::sharp);
  for (const Finding* octave : faster.of("octave")) CHECK(octave->verdict == Verdict::fails);
  CHECK(verdict_of(judged(id, scaled(id, "muon", -1)), "slope") == Verdict::fails);
}

TEST_CASE("on small batches the tail drifts as under SGD") {
  const std::string id = paper + "small-batch";
  require_sharp(id);
  const CheckReport flat = judged(id, steeper(id, "muon", -0.35));
  for (const char* finding : {"tail", "head", "batch", "octave"})
    CHECK(verdict_of(flat, finding) == Verdict::fails);
  // A tail like the head.
  const CheckReport even = judged(
      id, taken(id, "muon", [](double x, double p) { return x * std::pow(std::min(p / 0.02, 1.0), -0.4); }));
  CHECK(verdict_of(even, "rises") == Verdict::fails);
}

TEST_CASE("SignSGD preconditions in the basis of the modes alone, Muon alike in any") {
  const std::string id = paper + "signsgd";
  const CheckReport report = require_sharp(id);
  CHECK(report.of("slope/signgd, random basis").front()->measured == Approx(0.95).margin(0.01));
  CHECK(report.of("slope/signgd, basis of the modes").front()->measured == Approx(0.5).margin(0.01));
  CHECK(verdict_of(judged(id, steeper(id, "signgd", 0.15)), "slope/signgd, basis of the modes") ==
        Verdict::fails);
  CHECK(verdict_of(judged(id, steeper(id, "signgd", -0.15)), "slope/signgd, random basis") == Verdict::fails);
  CHECK(verdict_of(judged(id, scaled(id, "signgd", 1.5)), "octave") == Verdict::fails);
  Evidence other = quick_evidence(id);
  const auto turned = steeper(id, "muon", 1e-3);
  for (std::size_t i = 0; i < other.experiments[0].size(); ++i) {
    if (other.experiments[0][i].experiment.query_embedding.kind == "identity")
      other.experiments[0][i] = turned.experiments[0][i];
  }
  CHECK(verdict_of(judged(id, other), "muon") == Verdict::fails);
}

TEST_CASE("the loss of Muon on minibatches follows the equation for its columns down to the plateau") {
  const std::string id = paper + "dynamics";
  const CheckReport report = require_sharp(id);
  const std::vector<double>&y = report.curves[0].series[0].y, &formula = report.curves[0].series[1].y;
  CHECK(y[2] == Approx(0.0700).margin(0.001));
  CHECK(formula[2] == Approx(0.06757).epsilon(1e-3));
  CHECK(formula[4] == Approx(0.04356).epsilon(1e-3));
  CHECK(formula[40] == Approx(0.03720).epsilon(1e-3));
  Evidence higher = quick_evidence(id);
  change(higher, 0, "excess_loss",
         [](double x, const EvidencePoint&, std::int64_t step) { return step > 0 ? 1.25 * x : x; });
  const CheckReport off = judged(id, higher);
  for (const Finding* loss : off.of("loss")) CHECK(loss->verdict == Verdict::fails);
  const EvidencePoint& point = quick_evidence(id)[0].front();
  const std::vector<double> losses = point.classes("muon", "class_loss_predicted", 400);
  double sum = 0;
  for (std::size_t c = 0; c < losses.size(); ++c) sum += point.run().class_probability[c] * losses[c];
  CHECK(sum == Approx(point.last("muon", "excess_loss_predicted")).epsilon(1e-13));
  CHECK(point.last("muon", "loss_predicted") == point.last("muon", "excess_loss_predicted"));
  CHECK(std::isnan(point.classes("muon", "coefficient_predicted", 400).front()));
}

TEST_CASE("at equal curvatures Muon and SignSGD drift at their known speeds") {
  const std::string id = paper + "isotropic";
  const CheckReport report = require_sharp(id);
  CHECK(report.findings[0].measured == Approx(0.759).margin(0.01));
  CHECK(report.findings[1].measured == Approx(0.75).margin(0.02));
  for (const std::string rule : {"muon", "signgd"}) {
    for (const double factor : {0.8, 1.25}) {
      const CheckReport off = judged(id, scaled(id, rule, factor));
      CHECK(off.findings[rule == "muon" ? 0 : 1].verdict == Verdict::fails);
      CHECK(off.findings[rule == "muon" ? 1 : 0].verdict == Verdict::sharp);
      CHECK(verdict_of(off, "worth") == Verdict::fails);
    }
  }
}
