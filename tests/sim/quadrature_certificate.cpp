#include <catch2/catch.hpp>
#include <cmath>

#include "sim/quadrature_run.hpp"

using namespace rarefact;

TEST_CASE("a certificate compares what probes found, each as its row says") {
  NodeRun run;
  run.steps = 2;
  run.totals.assign(2 * class_metrics().size(), 1);
  run.rank_values.resize(class_metrics().size());
  const auto error = [&run](const char* name, std::vector<double> fine, std::vector<double> coarse) {
    NodeRun other = run, first = run;
    first.ending.series[name] = std::move(fine);
    other.ending.series[name] = std::move(coarse);
    return certificate(first, other, 0);
  };
  CHECK(certificate(run, run, 0) == Approx(1e-11));  // the least it claims
  // By itself.
  CHECK(error("rho", {0.5, NAN}, {0.5005, NAN}) == Approx(1e-3));
  CHECK(std::isinf(error("rho", {0.5, NAN}, {0.5, 0.5})));
  // Beside the largest of the step: two ranks a step.
  CHECK(error("push", {1, 2, 4, 1e-9}, {1, 2.002, 4, 3e-9}) == Approx(2e-3 / 2.002));
  CHECK(std::isinf(error("push", {1, 2, 4, NAN}, {1, 2, 4, 1})));
  CHECK(std::isinf(error("push", {1, 2, 4, 1}, {1, 2})));
  CHECK(error("rho_scale", {1, 1}, {2, 2}) == Approx(1e-11));  // not certified
  run.ending.series["first_order_gain"] = {1, 1};
  CHECK(error("taylor_remainder", {1e-6, 0}, {2e-6, 0}) == Approx(1e-6));
}
