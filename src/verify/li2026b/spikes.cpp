#include "verify/li2026b/spikes.hpp"

#include <map>
#include <mutex>
#include <tuple>

#include "algebra/dense_matrix.hpp"
#include "core/random.hpp"

namespace rarefact::checks::li2026b {

namespace {

double mean_recovery(const Spike& spike, double seed, int draws) {
  const RandomStream stream(static_cast<std::uint64_t>(seed), "spiked");
  Matrix noise(spike.rows, spike.columns);
  double sum = 0;
  for (int draw = 0; draw < draws; ++draw) {
    stream.fill_normal(static_cast<std::uint64_t>(draw),
                       {noise.data(), static_cast<std::size_t>(noise.size())});
    for (const double sign : {1.0, -1.0}) {
      DenseMatrix x{sign * spike.noise * noise};
      x.entries(0, 0) += spike.signal;
      DensePolar polar;
      sum += polar(x, Workers::serial(), {.mixed_columns = true}).entries(0, 0);
    }
  }
  return sum / (2 * draws);
}

}  // namespace

double drawn_recovery(const Spike& spike, double seed, int draws) {
  // Nothing of an experiment is in it, so each number is drawn once, however often a check is judged.
  static std::mutex drawing;
  static std::map<std::tuple<Index, Index, double, double, double, int>, double> drawn;
  const std::lock_guard lock(drawing);
  const auto [place, fresh] =
      drawn.try_emplace({spike.rows, spike.columns, spike.signal, spike.noise, seed, draws});
  if (fresh) place->second = mean_recovery(spike, seed, draws);
  return place->second;
}

double momentum_of(const EvidencePoint& point, const std::string& optimizer) {
  return point.optimizer(optimizer).parameters.number("momentum");
}

double late_mean(const EvidencePoint& point, const std::string& optimizer, const std::string& variable,
                 std::int64_t first, std::size_t row) {
  const std::vector<double> all = point.series(optimizer, variable, row);
  double sum = 0, steps = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (point.result.steps[i] < first) continue;
    sum += all[i];
    ++steps;
  }
  return sum / steps;
}

double memory_theta(const EvidencePoint& point) {
  const ClassGroups groups = groups_of(point);
  const double first = groups.probability.front();
  double squares = -first * first;
  for (std::size_t i = 0; i < groups.size(); ++i)
    squares += groups.count[i] * groups.probability[i] * groups.probability[i];
  return first * std::sqrt(point.experiment.query_embedding.parameters.number("dimension") / squares);
}

}  // namespace rarefact::checks::li2026b
