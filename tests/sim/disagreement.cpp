#include "sim/disagreement.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rarefact;

TEST_CASE("runs disagree at each step by what probes found, compared as its row says") {
  using Values = std::vector<double>;
  const double inf = std::numeric_limits<double>::infinity();
  struct Case {
    const char* name;
    Values run, other, expected;
  };
  for (const auto& [name, run, other, expected] : {
           // By itself.
           Case{"rho", {0.5, NAN}, {0.5005, NAN}, {1e-3, 0}},
           {"rho", {0.5, NAN}, {0.5, 0.5}, {0, inf}},
           {"loss", {2, 1e-301}, {1, 2e-301}, {0.5, 0}},
           // Beside the largest of the step: two ranks a step.
           {"push", {1, 2, 4, 1e-9}, {1, 2.002, 4, 3e-9}, {2e-3 / 2.002, 2e-9 / 4}},
           {"push", {1, 2, 4, NAN}, {1, 2, 4, 1}, {0, inf}},
           {"push", {1, 2, 4, 1}, {1, 2}, {inf, inf}},
           {"taylor_remainder", {1e-6, 0}, {2e-6, 0}, {1e-6, 0}},
           {"rho_scale", {1, 1}, {2, 2}, {0, 0}},  // not certified
           {"rho", {1, 1}, {}, {0, 0}},            // not measured
       }) {
    Trajectory a, b;
    a.series[name] = run;
    if (!other.empty()) b.series[name] = other;
    for (Trajectory* each : {&a, &b}) each->series["first_order_gain"] = {1, 1};
    const Values found = disagreement(a, b, 2);
    CAPTURE(name, run, other, found);
    for (std::size_t t = 0; t < 2; ++t)
      CHECK((found[t] == expected[t] || found[t] == Approx(expected[t]).epsilon(1e-9)));
  }
  Trajectory a, b;
  a.total_error = 0.5, b.total_error = 0.25;
  CHECK(disagreement(a, b, 2) == Values{0, 0.5});
}
