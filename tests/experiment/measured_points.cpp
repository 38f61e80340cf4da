/// What points of a sweep measure by default.

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "experiment/plan_samples.hpp"
#include "experiment/write.hpp"

using namespace rarefact;

namespace {

/// Step sizes of the points that measure their digits.
std::set<double> measured(const std::string& axis) {
  const ExperimentPlan plan = plan_of("\"optimizer.gd.step_size\" = " + axis);
  std::set<double> sizes;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const SweepPoint point = plan.point(i);
    if (point.experiment.digits == "auto")
      sizes.insert(std::get<double>(point.parameters.at("optimizer.gd.step_size")));
    else
      CHECK(point.experiment.digits == "noted");
  }
  return sizes;
}

}  // namespace

TEST_CASE("a long sweep measures the digits of one point of eight, which its own experiment decides") {
  const std::set<double> all = measured("{range = [1, 801]}"), part = measured("{range = [100, 120]}");
  CHECK(all.size() > 60);
  CHECK(all.size() < 140);
  std::set<double> same;
  for (const double x : all)
    if (x >= 100 && x < 120) same.insert(x);
  CHECK(part == same);
  CHECK(measured("{range = [100, 116]}").size() == 16);
}

TEST_CASE("the text of a long sweep keeps its key, and gives the same points") {
  const ExperimentPlan plan = plan_of("\"optimizer.gd.step_size\" = {range = [1, 41]}");
  const ExperimentPlan again = parse_plan(resolved_text(plan), "b.toml");
  CHECK(resolved_text(again) == resolved_text(plan));
  for (std::size_t i = 0; i < plan.size(); ++i)
    CHECK(plan.point(i).experiment.digits == again.point(i).experiment.digits);
}

TEST_CASE(
    "the points of a long sweep measure singular values if they are cheap, unless the experiment says otherwise") {
  const auto metrics = [](const std::string& last, const std::string& key) {
    const ExperimentPlan plan = plan_of("\"optimizer.gd.step_size\" = {range = [1, " + last + "]}\n" + key);
    return plan.point(plan.size() - 1).experiment.spectral_metrics;
  };
  CHECK(metrics("17", "") == "auto");
  CHECK(metrics("18", "") == "cheap");
  for (const std::string value : {"cheap", "on", "off"})
    CHECK(metrics("18", "\"run.spectral_metrics\" = [\"" + value + "\"]") == value);
}
