#include "verify/li2026b/spikes.hpp"

#include <map>
#include <mutex>
#include <tuple>

#include "algebra/dense_matrix.hpp"
#include "core/random.hpp"
#include "theory/recovery.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::li2026b {

namespace {

/// The seeds of what is drawn.
const std::vector<double> drawn_seeds = {1, 2, 3, 4};

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

/// θ of the first class of a memory on random unit vectors in d dimensions, at W = 0: λ = p_1, and the columns of all others
/// add to noise of σ = (Σ p²)^½/d an entry.
double memory_theta(const EvidencePoint& point) {
  const ClassGroups groups = groups_of(point);
  const double first = groups.probability.front();
  double squares = -first * first;
  for (std::size_t i = 0; i < groups.size(); ++i)
    squares += groups.count[i] * groups.probability[i] * groups.probability[i];
  return first * std::sqrt(point.experiment.query_embedding.parameters.number("dimension") / squares);
}

void judge_drawn(const Spike& spike, double exact, const std::string& of, CheckReport& report) {
  const auto kept = collect(drawn_seeds, [&](double seed) { return drawn_recovery(spike, seed, 8); });
  report.headline("drawn", of)
      .seed_mean_equals("uᵀ msgn v of matrices of Gaussian numbers", kept, exact, 0.005, 0.05);
}

void judge_spiked(const Evidence& evidence, CheckReport& report) {
  constexpr Index size = 128;
  for (const double theta : {0.5, 1.0, 2.0, 4.0}) {
    const Spike spike{size, size, theta * std::sqrt(static_cast<double>(size))};
    judge_drawn(spike, spike_recovery(theta), fmt::format("θ = {:g}", theta), report);
  }
  const Spike flat{size / 2, size, std::sqrt(static_cast<double>(size))};
  judge_drawn(flat, spike_recovery(flat.theta(), 0.5), "θ = 1, γ = 1/2", report);

  Points measured, exact;
  for (const double mass : values_of(evidence[0], mass_key)) {
    const PointList points = where(evidence[0], mass_key, mass);
    const double theta = memory_theta(*points.front());
    const Finding& found =
        report.finding("memory", fmt::format("θ = {:.3g}", theta))
            .seed_mean_equals("push of one frequent fact among d² rare ones",
                              collect(points, [](const auto* point) { return point->at("muon", "push", 0); }),
                              spike_recovery(theta), 0.05, 0.2);
    measured[theta] = found.measured;
    exact[theta] = spike_recovery(theta);
  }
  report.curve("push of one frequent fact among many rare ones", "θ",
               {{"measured", measured}, {"a(θ)", exact}});
}

constexpr const char* dimension_key = "embedding.dimension";
constexpr std::array drawn_sizes = {32.0, 64.0, 128.0, 256.0, 512.0};

/// √m uᵀ msgn v at one λ/σ, a number for each m and seed. Small matrices are many, as their numbers scatter most.
std::map<double, std::vector<double>> scaled(double strength) {
  std::map<double, std::vector<double>> found;
  for (const double size : drawn_sizes) {
    const auto m = static_cast<Index>(size);
    const int draws = static_cast<int>(std::clamp(std::pow(384 / size, 2), 1.0, 64.0));
    found[size] = collect(drawn_seeds, [&](double seed) {
      return std::sqrt(size) * drawn_recovery({m, m, strength}, seed, draws);
    });
  }
  return found;
}

/// a(θ)√m of θ = strength/√m.
double exact_scaled(double strength, double size) {
  return std::sqrt(size) * spike_recovery(strength / std::sqrt(size));
}

void judge_strength(double strength, CheckReport& report) {
  const std::string of = fmt::format("λ/σ = {:g}", strength);
  judge::SeedCurves curves;
  Points mean, exact;
  Finding all{.low = INFINITY, .high = -INFINITY, .verdict = Verdict::evidence};
  for (const auto& [size, kept] : scaled(strength)) {
    for (std::size_t seed = 0; seed < kept.size(); ++seed)
      curves[static_cast<std::int64_t>(seed)][size] = kept[seed] / std::sqrt(size);
    exact[size] = exact_scaled(strength, size);
    const Finding found = judge::seed_mean("√m uᵀ msgn v", kept);
    mean[size] = found.measured;
    all.low = std::min(*all.low, *found.low);
    all.high = std::max(*all.high, *found.high);
    report.finding("kept", fmt::format("{}, m = {:g}", of, size), size == drawn_sizes.back())
        .seed_mean_equals("√m uᵀ msgn v", kept, exact[size], 0.02, 0.2);
  }
  Finding side = strength <= 1 ? judge::interval_below("1 - √m uᵀ msgn v of all m", all, 1)
                               : judge::interval_above("√m uᵀ msgn v - 1 of all m", all, 1);
  if (strength <= 1) side.published = ">= 0";
  report.headline("bound", of).is(side);
  const std::vector<double> slopes =
      collect(curves, [](const auto& seed) { return judge::fit_of(seed.second).slope; });
  report.finding("slope", of)
      .seed_mean_equals("exponent of uᵀ msgn v in m", slopes, judge::fit_of(exact).slope - 0.5, 0.1, 0.2);
  report.curve("√m uᵀ msgn v, " + of, "m", {{"measured", mean}, {"a(θ)√m", exact}});
}

void judge_low_snr(const Evidence& evidence, CheckReport& report) {
  for (const double strength : {1.0, 1.5}) judge_strength(strength, report);
  for (const double dimension : values_of(evidence[0], dimension_key)) {
    const PointList points = where(evidence[0], dimension_key, dimension);
    const double theta = memory_theta(*points.front());
    report.finding("memory", fmt::format("d = {:g}", dimension))
        .seed_mean_equals(
            "√d times the mean push of d² facts",
            collect(points,
                    [=](const auto* point) { return std::sqrt(dimension) * point->at("muon", "push", 0); }),
            std::sqrt(dimension) * spike_recovery(theta), 0.05, 0.2);
  }
}

/// θ of the spike that is drawn.
constexpr double drawn_theta = 0.5;

/// 1 - uᵀ msgn v of the average over a window T, whose noise has the size σ/√(2T-1).
Points drawn_deficits(double seed) {
  constexpr Index size = 128;
  Points deficits;
  for (const double window : {200.0, 400.0, 800.0}) {
    const double batch = 2 * window - 1;
    const Spike spike{size, size, drawn_theta * std::sqrt(static_cast<double>(size)), 1 / std::sqrt(batch)};
    deficits[batch] = 1 - drawn_recovery(spike, seed, 4);
  }
  return deficits;
}

/// The published order is a bound from above; what is found falls faster.
void judge_slopes(const std::string& id, const judge::SeedCurves& curves, double sharp, double tolerance,
                  double widest, const std::string& words, CheckReport& report) {
  const std::vector<double> slopes =
      collect(curves, [](const auto& seed) { return judge::fit_of(seed.second).slope; });
  report.headline(id).seed_mean_equals(words, slopes, sharp, tolerance, widest).published = "<= -0.5";
  report.finding(id + "-bound").interval_below("-1/2 less the " + words, judge::seed_mean("", slopes), -0.5);
}

void judge_rate(const Evidence& evidence, CheckReport& report) {
  judge::SeedCurves drawn, memory;
  for (const double seed : drawn_seeds) drawn[static_cast<std::int64_t>(seed)] = drawn_deficits(seed);
  const Points mean = judge::mean_over_seeds(drawn);
  const Points exact = over(keys(mean), std::identity(),
                            [](double batch) { return 1 - spike_recovery(drawn_theta * std::sqrt(batch)); });
  judge_slopes("drawn", drawn, judge::fit_of(exact).slope, 0.02, 0.1,
               "exponent of 1 - uᵀ msgn v in 2T-1, spike of θ = 0.5", report);
  for (const EvidencePoint& point : evidence[0]) {
    const double batch = window_of(momentum_of(point, "before"));
    memory[point.experiment.seed][batch] = 1 - late_mean(point, "before", "alignment", point.last_step() / 2);
  }
  judge_slopes("memory", memory, -1, 0.05, 0.15, "exponent of 1 - alignment in 2T-1, equally likely facts",
               report);
  report.curve("1 - uᵀ msgn v of a spike, θ = 0.5", "2T-1", {{"measured", mean}, {"1 - a", exact}});
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

CheckRow spiked() {
  return {.id = "li2026b/spiked",
          .hypotheses = {four_seeds(), equal_fan_in(), population_without_noise(),
                         of_embeddings("random unit vectors in fewer dimensions",
                                       [](const Component& side) { return side.kind == "sphere"; }),
                         assumed("m → ∞")},
          .no_precise_runs = no_digits,
          .judge = judge_spiked};
}

CheckRow low_snr() {
  return {.id = "li2026b/low-snr",
          .hypotheses = {four_seeds(), equal_fan_in(), population_without_noise(),
                         of_embeddings("random unit vectors in fewer dimensions",
                                       [](const Component& side) { return side.kind == "sphere"; }),
                         every(
                             "equally likely facts",
                             [](const auto& point) { return probability_ratio(point) == 1; }, "all runs",
                             "not in every run"),
                         assumed("m → ∞")},
          .no_precise_runs = no_digits,
          .judge = judge_low_snr};
}

CheckRow rate() {
  return {.id = "li2026b/rate",
          .hypotheses = {four_seeds(), equal_fan_in(), frozen(), samples(), label_noise(), complete(),
                         ranged(
                             "facts drawn often in a window, s > 2",
                             [](const auto& point) {
                               const double batch = batch_of(point) * window_of(momentum_of(point, "before"));
                               const double noise = point.experiment.label_noise;
                               return noise > 0 ? flat_strength(point.class_total(), noise, batch) : INFINITY;
                             },
                             "s from {:.3g} to {:.3g}", [](double least, double) { return least > 2; })},
          .momentum = true,
          .no_precise_runs = no_digits,
          .judge = judge_rate};
}

}  // namespace rarefact::checks::li2026b
