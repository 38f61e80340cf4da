#include <catch2/catch.hpp>
#include <cmath>

#include "model/margin.hpp"
#include "plain.hpp"
#include "theory/margin_paths.hpp"

using namespace rarefact;

namespace {

Real50 off(const Real50& value, const Real50& expected) {
  return abs(Real50(value - expected)) / (1 + abs(expected));
}

}  // namespace

TEST_CASE("in 50 digits the flow solves its own equation") {
  for (const double total : {2.0, 64.0, 1e15, 1e300}) {
    for (const double time : {1e-3, 1.0, 60.0, 900.0, 3e4}) {
      const Real50 others = Real50(total) - 1;
      CAPTURE(total, time);
      // α = 0: the time at which the margin is reached, ((K-1) m + e^m - 1)/(p K).
      const Real50 unit = others / total, m = flow_margin<Real50>(0.25, total, 0, Real50(time) * unit).value;
      const Real50 back = (m + (exp(m) - 1) / others) * 4;
      CHECK(off(back, time) < Real50(1e-46));
      for (const double noise : {0.1, 0.9}) {
        const Real50 optimum = optimal_margin<Real50>(total, noise);
        const Real50 noisy = flow_margin<Real50>(0.25, total, noise, Real50(time) * unit).value;
        if (optimum - noisy < Real50(1e-12)) continue;  // the equation below ends in ln(m* - m)
        CHECK(off(plain::time_of_margin(noisy, 0.25, total, noise), Real50(time) * unit) < Real50(1e-34));
      }
    }
  }
  CHECK(flow_margin<Real50>(0.25, 64, 0.1, 1e9).value == optimal_margin<Real50>(64, 0.1));
}

TEST_CASE("in 50 digits the walks of signs add up without rounding and turn where theirs pass the optimum") {
  const std::vector<std::int64_t> steps{0, 3, 99, 300, 301};
  const auto descent = plain::margins<Real50>("muon-descent", plain::input("muon", 64, 0, 0.1, {0.5}), steps);
  for (std::size_t i = 0; i < steps.size(); ++i) CHECK(descent[i] == Real50(0.1) * steps[i]);
  for (const char* rule : {"muon", "signgd"}) {
    const bool muon = std::string(rule) == "muon";
    const auto input = plain::input(rule, 64, 0.2, 0.1, {0.5});
    const auto seen = plain::margins<Real50>(muon ? "muon-cycle" : "sign-descent", input, steps);
    const Real50 optimum = plain::optimum(64, 0.2), stride = Real50(0.1) * (muon ? 1 : 2);
    Real50 margin = 0;
    for (std::int64_t t = 0, i = 0; t <= steps.back(); ++t) {
      if (t == steps[i]) CHECK(off(seen[i++], margin) < Real50(1e-47));
      margin += margin < optimum ? stride : Real50(-stride);
    }
  }
}

TEST_CASE("in 50 digits error, losses and distances of a margin follow their definitions") {
  for (const double total : {3.0, 1e15}) {
    for (const double noise : {0.0, 0.2}) {
      for (const double margin : {0.0, 2.0, 40.0}) {
        CAPTURE(total, noise, margin);
        const Real50 right = 1 - Real50(noise) + Real50(noise) / total;
        const Real50 odds = (Real50(total) - 1) * exp(Real50(-margin));
        const Real50 memory = 1 / (1 + odds), memory_wrong = odds * memory;
        CHECK(off(error_of_margin<Real50>(margin, total), memory_wrong) < Real50(1e-48));
        Real50 excess = right * log(Real50(right / memory)), floor = -right * log(right);
        if (noise > 0) {
          const Real50 wrong = 1 - right;
          excess += wrong * log(Real50(wrong / memory_wrong));
          floor -= wrong * log(Real50(Real50(noise) / total));
          CHECK(off(shortfall_at_distance<Real50>(plain::optimum(total, noise) - margin, total, noise),
                    right - memory) < Real50(1e-46));
        }
        CHECK(off(excess_loss_of_margin<Real50>(margin, total, noise), excess) < Real50(1e-46));
        CHECK(off(irreducible_loss<Real50>(total, noise), floor) < Real50(1e-46));
      }
    }
  }
}
