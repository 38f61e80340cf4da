#include "core/random.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <set>
#include <vector>

using namespace rarefact;

namespace {

using Words = std::array<std::uint64_t, 4>;

constexpr std::uint64_t sample_size = 1 << 20;

std::vector<double> normals(const RandomStream& stream, std::uint64_t step, std::size_t count = sample_size) {
  std::vector<double> x(count);
  stream.fill_normal(step, x);
  return x;
}

/// Probability of a chi-square statistic at least as far out as that of `cdf_values` in 1024 equal bins,
/// two-sided.
double chi_square_level(const std::vector<double>& cdf_values) {
  constexpr std::size_t bins = 1024;
  std::vector<double> hits(bins);
  for (const double u : cdf_values) hits[std::min(bins - 1, static_cast<std::size_t>(u * bins))] += 1;
  const double expected = double(cdf_values.size()) / bins;
  double statistic = 0;
  for (const double h : hits) statistic += (h - expected) * (h - expected) / expected;
  const boost::math::chi_squared distribution(bins - 1);
  const double below = boost::math::cdf(distribution, statistic);
  return 2 * std::min(below, 1 - below);
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

}  // namespace

TEST_CASE("Philox4x64-10 gives the known answers of the Random123 distribution") {
  const std::uint64_t ones = ~std::uint64_t{0};
  CHECK(philox_block({0, 0, 0, 0}, {0, 0}) ==
        Words{0x16554d9eca36314cu, 0xdb20fe9d672d0fdcu, 0xd7e772cee186176bu, 0x7e68b68aec7ba23bu});
  CHECK(philox_block({ones, ones, ones, ones}, {ones, ones}) ==
        Words{0x87b092c3013fe90bu, 0x438c3c67be8d0224u, 0x9cc7d7c69cd777b6u, 0xa09caebf594f0ba0u});
  CHECK(philox_block({0x243f6a8885a308d3u, 0x13198a2e03707344u, 0xa4093822299f31d0u, 0x082efa98ec4e6c89u},
                     {0x452821e638d01377u, 0xbe5466cf34e90c6cu}) ==
        Words{0xa528f45403e61d95u, 0x38c72dbd566e9788u, 0xa5a1610e72fd18b5u, 0x57bd43b5e52b7fe6u});
}

TEST_CASE("the documented layout of key and counter is what the streams use") {
  const RandomStream stream(7, "a");
  const std::uint64_t key_of_a = 0xaf63dc4c8601ec8cu;  // the published FNV-1a test value of "a"
  const Words uniform = philox_block({5, 3, 0, 0}, {7, key_of_a});
  const Words normal = philox_block({5, 3, 1, 0}, {7, key_of_a});
  for (std::uint64_t word = 0; word < 4; ++word)
    CHECK(stream.uniform(3, 20 + word) == (double(uniform[word] >> 12) + 0.5) / 0x1p52);
  for (std::uint64_t pair : {0, 2}) {
    const long double radius = std::sqrt(-2 * std::log((normal[pair] + 0.5L) * 0x1p-64L));
    const long double angle = 2 * std::numbers::pi_v<long double> * (normal[pair + 1] * 0x1p-64L);
    // The angle is cut to 53 bits, 2 pi 2^-53 of a turn; times a radius below 10.
    CHECK(stream.normal(3, 20 + pair) == Approx(double(radius * std::cos(angle))).margin(1e-14).epsilon(0));
    CHECK(stream.normal(3, 21 + pair) == Approx(double(radius * std::sin(angle))).margin(1e-14).epsilon(0));
  }
}

TEST_CASE("a quadruple is the four words of one counter") {
  const RandomStream stream(7, "a");
  const Words words = philox_block({41, 3, 2, 0}, {7, 0xaf63dc4c8601ec8cu});
  const auto found = stream.quadruple(3, 41);
  for (std::size_t word = 0; word < 4; ++word)
    CHECK(found[word] == (double(words[word] >> 12) + 0.5) / 0x1p52);
}

TEST_CASE("filling an array gives the numbers of single calls for every length") {
  const RandomStream stream(1, "query");
  for (const std::size_t length : {0, 1, 2, 3, 4, 5, 1001}) {
    const std::vector<double> filled = normals(stream, 9, length);
    for (std::size_t i = 0; i < length; ++i) CHECK(filled[i] == stream.normal(9, i));
  }
}

TEST_CASE("a change of seed, name, step, index or kind changes the number") {
  std::set<double> seen;
  for (const std::uint64_t seed : {1, 2})
    for (const auto* name : {"query", "answer"})
      for (const std::uint64_t step : {0, 1})
        for (const std::uint64_t index : {0, 1, 2, 3, 4}) {
          const RandomStream stream(seed, name);
          seen.insert(stream.uniform(step, index));
          seen.insert(normal_cdf(stream.normal(step, index)));
          for (const double u : stream.quadruple(step, index)) seen.insert(u);
        }
  CHECK(seen.size() == 2 * 2 * 2 * 5 * (2 + 4));
}

// The samples below are fixed by their seeds, so a pass is a pass for ever; the bounds would be missed by a
// right generator for about one seed in 10,000.

TEST_CASE("normal numbers have the moments, the distribution and the tails of the normal law") {
  const std::vector<double> x = normals(RandomStream(12, "normal test"), 0);
  double moment[5] = {};
  std::vector<double> u;
  double beyond_four = 0;
  for (const double v : x) {
    for (int k = 1; k <= 4; ++k) moment[k] += std::pow(v, k) / double(sample_size);
    u.push_back(normal_cdf(v));
    if (std::abs(v) > 4) beyond_four += 1;
  }
  // Variances of the sample moments of a standard normal: 1, 2, 15, 96 over n.
  CHECK(std::abs(moment[1]) < 4 * std::sqrt(1.0 / sample_size));
  CHECK(std::abs(moment[2] - 1) < 4 * std::sqrt(2.0 / sample_size));
  CHECK(std::abs(moment[3]) < 4 * std::sqrt(15.0 / sample_size));
  CHECK(std::abs(moment[4] - 3) < 4 * std::sqrt(96.0 / sample_size));
  CHECK(chi_square_level(u) > 1e-4);
  const double expected = double(sample_size) * std::erfc(4 / std::numbers::sqrt2);  // 66.4
  CHECK(std::abs(beyond_four - expected) < 4 * std::sqrt(expected));
}
