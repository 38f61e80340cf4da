#include <boost/math/distributions/chi_squared.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "model/make_spectrum.hpp"
#include "model/sampler.hpp"

using namespace rarefact;

namespace {

SmoothLaw power_law(double classes, double exponent) {
  return {classes, [exponent](double rank) { return std::pow(rank, -exponent); }};
}

Sampler sampler_of(const ClassGroups& groups, double noise, std::optional<SmoothLaw> law = {},
                   std::uint64_t seed = 3) {
  return Sampler({groups, noise}, RandomStream(seed, "met classes"), std::move(law));
}

DrawsOfStep draws_of(const Sampler& sampler, std::int64_t count) {
  return [&sampler, count](std::int64_t step) {
    return sampler.draws(static_cast<std::uint64_t>(step), count, Workers::serial());
  };
}

}  // namespace

TEST_CASE("classes of a law that is not written out are drawn as often as it says") {
  const std::int64_t draws = 1 << 17;
  for (const double exponent : {0.7, 1.5}) {
    const double classes = 1e15;
    const SmoothLaw law = power_law(classes, exponent);
    const Sampler sampler = sampler_of(dyadic_groups(law), 0, law);
    // Single ranks where the head is frequent, decades where it is rare.
    std::vector<double> edges = {1e3, 1e6, 1e12, 4e14, classes};
    if (exponent > 1) edges = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 100, 1000, classes};
    std::vector<double> counts(edges.size(), 0), expected;
    double before = 0;
    for (const double edge : edges) {
      const double up_to = weight_of_ranks(law, edge) / weight_of_ranks(law, classes);
      expected.push_back((up_to - before) * static_cast<double>(draws));
      before = up_to;
    }
    for (const Draw& one : sampler.draws(4, draws, Workers::serial())) {
      REQUIRE(one.query >= 0);
      REQUIRE(static_cast<double>(one.query) < classes);
      const auto rank = static_cast<double>(one.query) + 1;
      ++counts[std::ranges::lower_bound(edges, rank) - edges.begin()];
    }
    double statistic = 0;
    std::size_t cells = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (expected[i] < 20) continue;
      statistic += std::pow(counts[i] - expected[i], 2) / expected[i];
      ++cells;
    }
    REQUIRE(cells > 2);
    const boost::math::chi_squared of(static_cast<double>(cells - 1));
    CHECK(boost::math::cdf(of, statistic) < 0.999);
  }
}

TEST_CASE("sampled classes are those of the draws, and all others keep their mass") {
  const ClassGroups written = make_spectrum("power_law", {{"count", 500.0}, {"exponent", 1.2}}, {});
  const SmoothLaw law = power_law(500, 1.2);
  const ClassGroups octaves = dyadic_groups(law);
  for (const bool by_law : {false, true}) {
    for (const std::int64_t draws : {3, 40, 4000}) {
      const ClassGroups& groups = by_law ? octaves : written;
      const Sampler sampler = by_law ? sampler_of(groups, 0.2, law) : sampler_of(groups, 0.2);
      std::set<Index> expected;
      for (std::uint64_t step = 0; step < 5; ++step) {
        for (const Draw& one : sampler.draws(step, draws, Workers::serial())) {
          expected.insert(one.query);
          expected.insert(one.answer);
        }
      }
      const SampledClasses sampled =
          sampled_classes(draws_of(sampler, draws), 5, groups, by_law ? &law : nullptr);
      CHECK(sampled.number == std::vector<Index>(expected.begin(), expected.end()));
      CHECK(sampled.groups.total() == 500);
      double mass = 0;
      for (std::size_t i = 0; i < sampled.groups.size(); ++i)
        mass += sampled.groups.count[i] * sampled.groups.probability[i];
      CHECK(mass == Approx(1).epsilon(1e-13));
      for (std::size_t i = 0; i < sampled.number.size(); ++i) {
        CHECK(sampled.group_of(sampled.number[i]) == static_cast<Index>(i));
        const double p = written.probability[sampled.number[i]];
        CHECK(sampled.groups.probability[i] == Approx(p).epsilon(1e-13));
      }
      if (sampled.groups.size() > sampled.number.size()) {
        double others = 0;
        for (Index l = 0; l < 500; ++l) {
          if (!expected.contains(l)) others += written.probability[l];
        }
        CHECK(sampled.groups.count.back() * sampled.groups.probability.back() ==
              Approx(others).epsilon(1e-14));
        Index other = 0;
        while (expected.contains(other)) ++other;
        CHECK(sampled.group_of(other) == static_cast<Index>(sampled.number.size()));
      }
    }
  }
}

TEST_CASE("the expected number of sampled classes is the mean over seeds") {
  const ClassGroups groups = make_spectrum("power_law", {{"count", 300.0}, {"exponent", 1.0}}, {});
  const double noise = 0.25;
  double sum = 0;
  const int seeds = 200;
  for (int seed = 0; seed < seeds; ++seed) {
    const Sampler sampler = sampler_of(groups, noise, {}, static_cast<std::uint64_t>(seed));
    sum += static_cast<double>(sampled_classes(draws_of(sampler, 25), 4, groups, nullptr).number.size());
  }
  const Spectrum spectrum{.groups = groups, .law = {}, .classes = 300};
  CHECK(expected_sampled(spectrum, noise, 100) == Approx(sum / seeds).epsilon(0.02));
}

TEST_CASE(
    "the expected number of sampled classes is that of independent draws, of common and of rare classes") {
  for (const std::size_t classes : {5, 300, 20000}) {
    Spectrum spectrum{.groups = ClassGroups{std::vector<double>(classes, 2), {}},
                      .law = {},
                      .classes = 2 * static_cast<double>(classes)};
    double total = 0;
    for (std::size_t g = 0; g < classes; ++g) {
      spectrum.groups->probability.push_back(std::pow(static_cast<double>(g + 1), -2.5));
      total += 2 * spectrum.groups->probability.back();
    }
    for (double& p : spectrum.groups->probability) p /= total;
    for (const double noise : {0.0, 0.3}) {
      for (const double draws : {1.0, 100.0, 1e5}) {
        long double expected = 0;
        for (const double p : spectrum.groups->probability)
          expected +=
              -2 * std::expm1(draws * (std::log1p(static_cast<long double>(-p)) +
                                       std::log1p(static_cast<long double>(-noise / spectrum.classes))));
        CAPTURE(classes, noise, draws);
        CHECK(expected_sampled(spectrum, noise, draws) ==
              Approx(static_cast<double>(expected)).epsilon(1e-8));
      }
    }
  }
}
