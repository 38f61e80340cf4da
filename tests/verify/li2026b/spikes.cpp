// spiked, low-snr and rate: matrices that the checks draw, and the memory beside them.

#include "verify/li2026b/spikes.hpp"

#include <catch2/catch.hpp>

#include "core/random.hpp"
#include "reference/decompositions.hpp"
#include "verify/tampered.hpp"

using namespace tampered;
using namespace rarefact::checks::li2026b;

TEST_CASE("what is drawn is u and v in the polar factor that Eigen finds, N beside -N") {
  const Spike spike{7, 9, 2, 0.5};
  Matrix noise(7, 9);
  RandomStream(3, "spiked").fill_normal(0, {noise.data(), 63});
  double expected = 0;
  for (const double sign : {0.5, -0.5}) {
    Matrix x = sign * noise;
    x(0, 0) += 2;
    expected += 0.5 * reference::svd(x).polar(7)(0, 0);
  }
  CHECK(drawn_recovery(spike, 3, 1) == Approx(expected).epsilon(1e-12));
  CHECK(spike.theta() == Approx(4.0 / 3));
}

TEST_CASE("spikes keep a(θ), also rectangular ones and frequent facts among many rare ones") {
  const CheckReport report = require_sharp("li2026b/spiked");
  CHECK(report.of("drawn").size() == 5);
  CHECK(report.of("memory").size() == 4);
  CHECK(report.of("drawn/θ = 1, γ = 1/2").front()->sharp.value() == Approx(0.67493).margin(1e-5));
}

TEST_CASE("a weak spike keeps 0.849 λ/(σ√m): below the published bound at λ = σ, above it at 1.5 σ") {
  const CheckReport report = require_sharp("li2026b/low-snr");
  CHECK(report.of("kept/λ/σ = 1, m = 512").front()->measured == Approx(0.849).margin(0.02));
  CHECK(report.of("kept/λ/σ = 1.5, m = 512").front()->measured == Approx(1.27).margin(0.03));
}

TEST_CASE("alignment falls short by 1/(2T-1), which the published -1/2 bounds") {
  const CheckReport report = require_sharp("li2026b/rate");
  CHECK(report.of("drawn").front()->sharp.value() == Approx(-0.9675).margin(1e-4));
  Evidence slower = quick_evidence("li2026b/rate");
  change(slower, 0, "alignment",
         [](double a, const EvidencePoint&, std::int64_t) { return 1 - std::sqrt(1 - a); });
  CHECK(verdict_of(judged("li2026b/rate", slower), "memory") == Verdict::fails);
}

TEST_CASE("with fewer than four seeds nothing is judged") {
  Evidence evidence = quick_evidence("li2026b/rate");
  std::erase_if(evidence.experiments[0], [](const auto& point) { return point.experiment.seed > 3; });
  const CheckReport report = judged("li2026b/rate", evidence);
  CHECK(report.verdict() == Verdict::inconclusive);
  CHECK(report.findings.empty());
}
