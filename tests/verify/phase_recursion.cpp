#include "verify/paquette2026/phase_recursion.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

using namespace rarefact;
using namespace rarefact::checks::paquette2026;

namespace {

const std::vector<std::int64_t> horizons = {8, 32, 128, 512, 2048};

std::vector<double> ratios(double alpha, double beta, Index d) {
  const Modes modes = power_modes(alpha, beta, d);
  const std::vector<double> muon = tuned_risks(muon_phase_rates(modes.curvature), modes, horizons),
                            sign = tuned_risks(signsgd_phase_rates(modes.curvature), modes, horizons);
  std::vector<double> found;
  for (std::size_t h = 0; h < horizons.size(); ++h) found.push_back(muon[h] / sign[h]);
  return found;
}

}  // namespace

TEST_CASE("R of Muon over that of SignSGD, each at its best step size, is that of a plain loop in NumPy") {
  // e = e*exp(-2*η*r/sqrt(2*R)) + η²*n with 49 rows e, best of numpy.geomspace(1e-4, 3, 49).
  const std::vector<std::pair<std::pair<double, double>, std::vector<double>>> known = {
      {{0.25, 0.75}, {1.3029, 1.7494, 2.0426, 1.4911, 0.86902}},
      {{0.75, 0.25}, {1.1727, 0.9468, 0.63937, 0.31064, 0.069721}},
      {{0.75, 1.75}, {2.6276, 5.0026, 7.7997, 10.292, 6.7055}},
      {{1.25, 0.5}, {1.0008, 0.55716, 0.25667, 0.10204, 0.035391}}};
  for (const auto& [powers, expected] : known) {
    const std::vector<double> found = ratios(powers.first, powers.second, 256);
    for (std::size_t h = 0; h < horizons.size(); ++h) CHECK(found[h] == Approx(expected[h]).epsilon(1e-4));
  }
}

TEST_CASE("of equal curvatures SignSGD needs π/2 times the steps, and is else Muon") {
  Modes modes = power_modes(0, 0.75, 16);
  PhaseRates muon = muon_phase_rates(modes.curvature), sign = signsgd_phase_rates(modes.curvature);
  CHECK((sign.noise - muon.noise).abs().maxCoeff() < 1e-15);
  CHECK((muon.drift / sign.drift).square().maxCoeff() == Approx(std::acos(-1.0) / 2));
  sign.drift = muon.drift;
  sign.norm = muon.norm;
  CHECK(tuned_risks(sign, modes, horizons)[3] == Approx(tuned_risks(muon, modes, horizons)[3]));
  // The units of λ drop out of what is compared.
  modes.curvature *= 7;
  CHECK(tuned_risks(muon_phase_rates(modes.curvature), modes, horizons)[3] ==
        Approx(7 * tuned_risks(muon, power_modes(0, 0.75, 16), horizons)[3]));
}

TEST_CASE("the four phases, and where none is defined") {
  CHECK(phase_of(0.25, 0.75) == Phase::signsgd);
  CHECK(phase_of(0.75, 1.75) == Phase::signsgd);
  CHECK(phase_of(0.75, 0.25) == Phase::trade_off);
  CHECK(phase_of(1.25, 0.5) == Phase::muon);
  CHECK(phase_of(1.25, 2) == Phase::equal);
  CHECK_THROWS_AS(phase_of(0.25, 0.25), std::invalid_argument);
}
