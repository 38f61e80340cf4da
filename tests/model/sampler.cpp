#include "model/sampler.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "model/make_spectrum.hpp"

using namespace rarefact;

namespace {

/// Distinct classes, equal classes in groups, one group; 12 to 40 classes.
std::vector<ClassGroups> laws() {
  return {make_spectrum("power_law", {{"count", 40.0}, {"exponent", 1.2}}, {}),
          make_spectrum("two_level", {{"count", 30.0}, {"head_fraction", 0.2}, {"head_mass", 0.8}}, {}),
          make_spectrum("dyadic", {{"levels", std::int64_t{5}}}, {}),
          make_spectrum("grouped_power_law", {{"groups", 4.0}, {"group_size", 7.0}, {"exponent", 1.5}}, {}),
          make_spectrum("uniform", {{"count", 12.0}}, {})};
}

Sampler sampler(const ClassGroups& groups, double label_noise, std::uint64_t seed = 5) {
  return Sampler({groups, label_noise}, RandomStream(seed, "sampler test"));
}

/// The group by plain search from the left, in more digits, then the member.
Index plain_query(const ClassGroups& groups, double mass, double member) {
  long double before = 0;
  double begin = 0;
  std::size_t group = 0;
  for (;; ++group) {
    before += static_cast<long double>(groups.count[group]) * groups.probability[group];
    if (mass < before) break;
    begin += groups.count[group];
  }
  return static_cast<Index>(begin + std::floor(member * groups.count[group]));
}

bool same(const Sample& a, const Sample& b) {
  return a.query == b.query && a.weight == b.weight && a.begin == b.begin && a.answer == b.answer &&
         a.answer_weight == b.answer_weight;
}

}  // namespace

TEST_CASE("a handful of pairs is counted as by hand") {
  const Index classes = 10;
  std::vector<std::uint64_t> pairs = {73, 11, 73, 70, 11, 11, 99, 73};  // 7 -> 3 is 73
  const Sample sample = counted(pairs, classes);
  CHECK(sample.query == std::vector<Index>{1, 7, 9});
  CHECK(sample.weight == std::vector<double>{3.0 / 8, 4.0 / 8, 1.0 / 8});
  CHECK(sample.begin == std::vector<std::size_t>{0, 1, 3, 4});
  CHECK(sample.answer == std::vector<Index>{1, 0, 3, 9});
  CHECK(sample.answer_weight == std::vector<double>{3.0 / 8, 1.0 / 8, 3.0 / 8, 1.0 / 8});
}

TEST_CASE("the first number of a draw chooses the group by inversion of the cumulative law") {
  std::vector<ClassGroups> all = laws();
  all.push_back({{1, 1, 1, 1}, {1 - 1e-300, 1e-300, 1e-17, 1e-17}});  // some are beyond the reach of 52 bits
  all.push_back({{1, 1, 1}, {1e-9, 1e-12, 1 - 1.001e-9}});            // many cells of the guide are one group
  for (const ClassGroups& groups : all) {
    const RandomStream stream(9, "inversion");
    const Sampler law({groups, 0}, stream);
    for (std::uint64_t i = 0; i < 20000; ++i) {
      const auto numbers = stream.quadruple(1, i);
      REQUIRE(law.draw(1, i).query == plain_query(groups, numbers[0], numbers[1]));
    }
  }
}

TEST_CASE("a sample is its draws, one by one, whatever the number of threads and of other draws") {
  const ClassGroups groups = make_spectrum("power_law", {{"count", 300.0}, {"exponent", 1.1}}, {});
  const Sampler law = sampler(groups, 0.4);
  constexpr std::int64_t count = 10000;  // three tiles
  std::vector<std::uint64_t> one_by_one;
  for (std::int64_t i = count - 1; i >= 0; --i) {
    const Draw one = law.draw(7, static_cast<std::uint64_t>(i));
    one_by_one.push_back(static_cast<std::uint64_t>(one.query * 300 + one.answer));
  }
  const Sample expected = counted(one_by_one, 300);
  CHECK(same(law.sample(7, count, Workers::serial()), expected));
  CHECK(same(law.sample(7, count, Workers(2)), expected));
  CHECK(!same(law.sample(8, count, Workers::serial()), expected));
  CHECK(!same(sampler(groups, 0.4, 6).sample(7, count, Workers::serial()), expected));
}
