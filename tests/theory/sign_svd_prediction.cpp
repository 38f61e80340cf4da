#include <catch2/catch.hpp>
#include <cmath>

#include "plain.hpp"
#include "theory/sign_svd.hpp"

using namespace rarefact;

namespace {

/// λ_j ∝ 1/j, e_j = 1/j.
PredictionInput minibatches() {
  PredictionInput made = plain::input("muon", 64, 0, 0.05, {});
  made.class_probability.clear();
  for (int j = 1; j <= 64; ++j) made.class_probability.push_back(1.0 / j);
  made.class_count.assign(64, 1);
  made.population = false;
  made.outputs = 64;
  made.batch = 256;
  made.squares =
      LeastSquares{.measurement = "bilinear", .queries = "gaussian", .directions = "random", .exponent = 0.5};
  return made;
}

const std::vector<std::int64_t> steps = {0, 3, 50};

std::vector<double> left(const PredictionInput& input) {
  std::vector<double> distances;
  for (const auto& [none, distance] : plain::predicted("sign-svd", input, steps))
    distances.push_back(distance);
  return distances;
}

}  // namespace

TEST_CASE("distances are roots of those that the recursion follows, of groups as of their classes") {
  const PredictionInput input = minibatches();
  const PredictionRow& row = plain::row("sign-svd");
  REQUIRE(!row.objection(input));
  const BilinearProblem problem{Eigen::ArrayXd::LinSpaced(64, 1, 64).inverse(), 64, 256};
  const BilinearPath path = follow(
      sign_svd_rates(problem), problem, problem.curvature, [](std::int64_t) { return 0.05; }, steps);
  const std::vector<double> found = left(input);
  REQUIRE(found.size() == path.distance.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == Approx(std::sqrt(path.distance[i])).epsilon(1e-9));

  PredictionInput equal = input;
  equal.squares->exponent = 0;
  equal.class_probability.assign(64, 1.0 / 64);
  const std::vector<double> each = left(equal);
  equal.class_probability = {1.0 / 64};
  equal.class_count = {64};
  const std::vector<double> group = left(equal);
  REQUIRE(group.size() == 3);
  CHECK(group[2] == Approx(each[136]).epsilon(1e-12));
}

TEST_CASE("the recursion refuses what it does not hold for") {
  const auto refused = [](auto change) {
    PredictionInput of = minibatches();
    change(of);
    return plain::row("sign-svd").objection(of).has_value();
  };
  CHECK(!refused([](PredictionInput&) {}));
  CHECK(!refused([](PredictionInput& i) { i.identity = false; }));
  CHECK(refused([](PredictionInput& i) { i.rule = "signgd"; }));
  CHECK(refused([](PredictionInput& i) { i.parameters.set("momentum", 0.9); }));
  CHECK(refused([](PredictionInput& i) { i.schedule.factor = schedule_factor("linear"); }));
  CHECK(refused([](PredictionInput& i) { i.orthonormal = false; }));
  CHECK(refused([](PredictionInput& i) { i.squares->measurement = "vector"; }));
  CHECK(refused([](PredictionInput& i) { i.squares->directions = "aligned"; }));
  CHECK(refused([](PredictionInput& i) { i.squares->query_noise = 0.1; }));
  CHECK(refused([](PredictionInput& i) { i.outputs = 63; }));
  CHECK(refused([](PredictionInput& i) { i.class_total = 6; }));
  CHECK(refused([](PredictionInput& i) { i.batch = 0; }));
  CHECK(refused([](PredictionInput& i) { i.batch = 513; }));
  CHECK(refused([](PredictionInput& i) { i.class_count[3] = 2; }));
  // Few modes that share the risk, in small batches; noise of the answers makes residuals normal.
  const auto steep = [](PredictionInput& i) {
    for (double& p : i.class_probability) p *= p;
  };
  CHECK(!refused(steep));
  CHECK(refused([&](PredictionInput& i) { steep(i), i.batch = 255; }));
  CHECK(!refused([&](PredictionInput& i) { steep(i), i.batch = 255, i.squares->answer_noise = 2; }));
  CHECK(!refused([](PredictionInput& i) {
    i.batch = 1, i.class_probability.assign(64, 1.0 / 64), i.squares->exponent = 0;
  }));
}
