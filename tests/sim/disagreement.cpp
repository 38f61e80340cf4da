#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/comparison.hpp"

using namespace rarefact;

TEST_CASE("runs disagree by what probes found, compared as its row says") {
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
           {"top1_error", {0.5, 0.25}, {0.5, 0.2}, {0, 0.2}},
           {"answer_error", {1, 2, 1e-9, 4}, {1, 2, 3e-9, 4}, {0, 2}},
           {"answer_loss", {1, 2, 4, 4}, {1, 2, 4, NAN}, {0, inf}},
           {"rho_scale", {1, 1}, {2, 2}, {0, 0}},  // not certified
           {"rho", {1, 1}, {}, {0, 0}},            // not measured
       }) {
    const auto check = [&, name = name](const Values& x, const Values& y, std::size_t records, double off) {
      Trajectory a, b;
      a.series[name] = x;
      if (!y.empty()) b.series[name] = y;
      for (Trajectory* each : {&a, &b}) each->series["first_order_gain"] = Values(records, 1);
      const double found = disagreement(a, b, records);
      CAPTURE(name, x, y, found);
      CHECK((found == off || found == Approx(off).epsilon(1e-9)));
    };
    check(run, other, 2, std::ranges::max(expected));
    const auto at = [](const Values& all, std::size_t t) {
      const auto width = static_cast<std::ptrdiff_t>(all.size() / 2),
                 first = static_cast<std::ptrdiff_t>(t) * width;
      return Values(all.begin() + first, all.begin() + first + width);
    };
    for (const std::size_t t : {0, 1}) check(at(run, t), at(other, t), 1, expected[t]);
  }
  Trajectory a, b;
  a.total_error = 0.5, b.total_error = 0.25;
  CHECK(disagreement(a, b, 2) == 0.5);
}
