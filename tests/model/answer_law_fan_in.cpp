#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "model/answer_law_cases.hpp"

using namespace answer_law_cases;

TEST_CASE("fan_in of one number splits the mass of answers by the million million") {
  const Spectrum classes =
      classes_of("grouped_power_law", {{"groups", std::int64_t{3}}, {"group_size", 1e15}, {"exponent", 1.0}});
  const AnswerLaw law = law_of("fan_in", {{"fan_in", 4.0}}, classes);
  check_sound(law);
  REQUIRE(law.components->groups.size() == 3);
  CHECK(law.components->groups[1] ==
        ComponentGroup{1e15, {1}, {{4, classes.groups->probability[1] / 4, {{0, 1, true}}}}});
  CHECK(law.components->queries() == 1.2e16);
  CHECK(law.components->answers() == 3e15);
}

TEST_CASE(
    "fan_in proportional to frequency makes all queries equally likely, rounded where it is no whole number") {
  const AnswerLaw law = law_of("fan_in", {{"fan_in", std::string("proportional")}},
                               classes_of("dyadic", {{"levels", std::int64_t{4}}}));
  check_sound(law);
  std::vector<double> fan_ins;
  for (const ComponentGroup& group : law.components->groups)
    fan_ins.push_back(group.queries.front().multiplicity);
  CHECK(fan_ins == std::vector<double>{16, 8, 4, 2, 1});
  for (const double p : law.queries.probability) CHECK(p == law.queries.probability.front());
  const Spectrum uneven = spectrum_of("file", {{"path", std::string("x")}, {"column", std::string("count")}},
                                      [](const std::string&, const std::string&) {
                                        return CountTable{{2, 5, 3}};
                                      });
  const AnswerLaw rounded = law_of("fan_in", {{"fan_in", std::string("proportional")}}, uneven);
  check_sound(rounded);
  CHECK(rounded.components->queries() == 3 + 2 + 1);  // 2.5 and 1.5 away from zero
}

TEST_CASE(
    "fan_in as a law of the rank cuts groups where the rounded value changes, one component group a value") {
  const ParameterValues law_keys = {{"fan_in", std::vector<double>{1, 20}}};
  const AnswerLaw law = law_of("fan_in", law_keys, uniform(1e6));
  check_sound(law);
  std::map<double, double> counted, expected;
  for (const ComponentGroup& group : law.components->groups)
    counted[group.queries.front().multiplicity] += group.count;
  for (double k = 1; k <= 1e6; ++k) ++expected[std::max(1.0, std::round(20 / k))];
  CHECK(counted == expected);
  CHECK(law.components->groups.size() == expected.size());
  CHECK(law.components->groups.size() < 12);
  const AnswerLaw huge = law_of("fan_in", {{"fan_in", std::vector<double>{0.5, 1000}}}, uniform(1e15));
  CHECK(huge.components->answers() == 1e15);
  CHECK(huge.components->groups.size() < 300);
  const AnswerLaw grouped = law_of("fan_in", law_keys, classes_of("dyadic", {{"levels", std::int64_t{3}}}));
  check_sound(grouped);
  std::vector<std::pair<double, double>> groups;
  for (const ComponentGroup& group : grouped.components->groups)
    groups.emplace_back(group.count, group.queries.front().multiplicity);
  using P = std::pair<double, double>;
  CHECK(groups == std::vector<P>{P(1, 20), P(1, 10), P(1, 7), P(1, 5), P(1, 4), P(3, 3)});
  CHECK(law_of("fan_in", {{"fan_in", std::vector<double>{0, 3}}}, uniform(50)).components->groups.size() ==
        1);
}

TEST_CASE("counts whose sum a double does not hold leave no class without its fan-in") {
  for (const double size : {1e12, 1e37, 1e97}) {
    const Spectrum classes =
        classes_of("grouped_power_law", {{"groups", 400.0}, {"group_size", size}, {"exponent", 1.5}});
    const AnswerLaw law = law_of("fan_in", {{"fan_in", 3.0}}, classes);
    CHECK(law.components->groups.size() == 400);
    CHECK(law.components->answers() == Approx(400 * size).epsilon(1e-13));
  }
}

TEST_CASE("within makes the queries of an answer a power law that sums to what the answer has") {
  const AnswerLaw law = law_of("fan_in", {{"fan_in", 3.0}, {"within", 2.0}}, uniform(10));
  check_sound(law);
  const auto& queries = law.components->groups.at(0).queries;
  REQUIRE(queries.size() == 3);
  const double sum = 1 + 1 / 4.0 + 1 / 9.0;
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(queries[j].multiplicity == 1);
    CHECK(queries[j].probability == Approx(0.1 / ((double(j) + 1) * (double(j) + 1)) / sum).epsilon(1e-15));
  }
}

TEST_CASE("fan-ins that are not rounded are real, and a smooth law where the classes are") {
  const Spectrum classes = classes_of("power_law", {{"count", 100.0}, {"exponent", 1.0}});
  const AnswerLaw falling =
      law_of("fan_in", {{"fan_in", std::vector<double>{0.5, 30}}, {"rounded", false}}, classes);
  REQUIRE(falling.components->groups.size() == 100);
  CHECK(falling.components->groups[2].queries[0].multiplicity == Approx(30 / std::sqrt(3.0)));
  CHECK(mass(falling.queries) == Approx(1));
  REQUIRE(falling.law);
  CHECK(falling.law->queries(3) == falling.components->groups[2].queries[0].multiplicity);
  CHECK(queries_of_ranks(*falling.law, 100) == Approx(falling.components->queries()).epsilon(1e-14));
  CHECK(answer_of_query(*falling.law, 30) == 1);
  CHECK(answer_of_query(*falling.law, 31) == 2);

  const AnswerLaw equal =
      law_of("fan_in", {{"fan_in", std::string("proportional")}, {"rounded", false}}, classes);
  CHECK(equal.queries.probability.front() == equal.queries.probability.back());
  CHECK(equal.components->groups[7].queries[0].multiplicity == Approx(100.0 / 8));

  CHECK(law_of("fan_in", {{"fan_in", 3.0}}, classes).law);
  CHECK_FALSE(law_of("fan_in", {{"fan_in", std::vector<double>{0.5, 30}}}, classes).law);
  CHECK_FALSE(law_of("fan_in", {{"fan_in", 3.0}}, uniform(100)).law);
  CHECK_FALSE(law_of("fan_in", {{"fan_in", 7.0}, {"within", 1.5}}, classes).law);
  CHECK_FALSE(law_of("modulo", {{"count", 10.0}}, classes).law);
  const AnswerLaw huge =
      law_of("fan_in", {{"fan_in", 3.0}}, classes_of("power_law", {{"count", 1e12}, {"exponent", 1.0}}));
  CHECK_FALSE(huge.components);
  CHECK(huge.answers() == 1e12);
}
