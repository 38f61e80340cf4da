#include <catch2/catch.hpp>
#include <cmath>

#include "metrics/metric.hpp"

using namespace rarefact;

namespace {

/// Three classes, two, and one that was never met.
ClassStats<double> seen() {
  return {{0.1, 0.5, 1}, {std::log(1.0 / 9), 0, 40}, {0.2, 0.7, 3}, {2, 0, -1}, {1.3, 0.8, -1.5}};
}

CellWeights<double> weights() {
  CellWeights<double> weights;
  weights.add(3, 0.25);
  weights.add(2, 0.1);
  weights.add(1, 0.05);
  return weights;
}

double metric(const std::string& name, const std::vector<double>& totals) {
  const LossScale scale{.least = 0.25, .classes = 6};
  for (std::size_t m = 0; m < totals.size(); ++m) {
    if (class_metrics()[m]->name == name) return class_metrics()[m]->classes().metric(totals[m], scale);
  }
  throw std::logic_error("no metric " + name);
}

}  // namespace

TEST_CASE("metrics of classes are the sums that their formulas say") {
  const std::vector<double> all = totals<double>(class_metrics(), seen(), weights());
  const double excess = 0.75 * 0.2 + 0.2 * 0.7 + 0.05 * 3;
  CHECK(metric("excess_loss", all) == Approx(excess));
  CHECK(metric("loss", all) == Approx(0.25 + excess));
  CHECK(metric("class_loss", all) == Approx(0.25 + excess));
  CHECK(metric("loss_drop", all) == Approx((0.75 * 1.3 + 0.2 * 0.8 - 0.05 * 1.5) / std::log(6.0)));
  CHECK(metric("error", all) == Approx(0.75 * 0.1 + 0.2 * 0.5 + 0.05));
  CHECK(metric("gap", all) == Approx(0.9));
  CHECK(metric("soft_recovery", all) == Approx(0.75 * 0.9 + 0.2 * 0.5));
  CHECK(metric("recovered_count", all) == 3);  // a tie is no recovery
  CHECK(metric("recovered_weight", all) == 0.75);
}

TEST_CASE("metrics of classes are sums over as many cells as have weights, however many") {
  ClassStats<double> many;
  CellWeights<double> weights;
  for (int i = 0; i < 5000; ++i) {
    for (auto* field : {&many.error, &many.log_odds, &many.excess_loss, &many.advantage, &many.loss_drop})
      field->push_back(i);
    if (i < 4000) weights.add(1, 1);
  }
  const std::vector<double> all = totals<double>(class_metrics(), many, weights);
  CHECK(metric("excess_loss", all) == 4000 * 3999 / 2);
  CHECK(metric("gap", all) == 3999);
  CHECK(metric("recovered_count", all) == 3999);
}

TEST_CASE("predicted metrics are the same in 50 digits") {
  ClassStats<Real50> precise;
  for (const auto& [field, from] : {std::pair{&precise.error, seen().error},
                                    {&precise.log_odds, seen().log_odds},
                                    {&precise.excess_loss, seen().excess_loss},
                                    {&precise.advantage, seen().advantage}})
    field->assign(from.begin(), from.end());
  CellWeights<Real50> exact;
  for (const auto& [n, p] : {std::pair{3, 0.25}, {2, 0.1}, {1, 0.05}}) exact.add(n, p);
  const auto rounded = totals<double>(class_metrics(false, true), seen(), weights());
  const auto all = totals<Real50>(class_metrics(false, true), precise, exact);
  REQUIRE(all.size() == rounded.size());
  for (std::size_t m = 0; m < all.size(); ++m) CHECK(static_cast<double>(all[m]) == Approx(rounded[m]));
}
