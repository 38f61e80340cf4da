#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "model/answer_law_cases.hpp"

using namespace answer_law_cases;

TEST_CASE(
    "the catalogue of laws lists every law in order, says what classes are, and has the identity first") {
  std::vector<std::string> names;
  for (const AnswerLawRow& row : answer_law_catalogue()) {
    names.push_back(row.name + ": " + row.classes);
    CHECK(row.make != nullptr);
    CHECK_THAT(row.example, Contains("law = \"" + row.name + "\""));
  }
  CHECK(names == std::vector<std::string>{"identity: queries", "modulo: queries", "hash: queries",
                                          "fan_in: answers", "right_set: queries", "counts: "});
  const AnswerLaw identity = law_of("identity", {}, uniform(7));
  CHECK_FALSE(identity.units.has_value());
  CHECK(identity.queries.count == std::vector<double>{7});
}

TEST_CASE("modulo deals the answers out, to powers too") {
  const Spectrum classes = classes_of("power_law", {{"count", 101.0}, {"exponent", 1.5}});
  for (const std::int64_t power : {1, 2, 7}) {
    const AnswerLaw law = law_of("modulo", {{"count", 13.0}, {"power", power}}, classes);
    check_sound(law);
    CHECK(law.units->queries() == 101);
    CHECK(law.units->answers() == 13);
    const auto answers = answers_of(law);
    for (std::size_t x = 0; x < 101; ++x) {
      std::size_t expected = 1;
      for (std::int64_t i = 0; i < power; ++i) expected = expected * x % 13;
      REQUIRE(answers[x] == std::map<Index, double>{{static_cast<Index>(expected), 1.0}});
    }
    const Pairs pairs = written_out({*law.units, law.order});
    for (std::size_t x = 0; x < 101; ++x) CHECK(pairs.probability[x] == classes.groups->probability[x]);
  }
  // 3 is no square modulo 5, nor is 2: nobody's answers, identical classes.
  const AnswerLaw squares = law_of("modulo", {{"count", 5.0}, {"power", std::int64_t{2}}}, uniform(20));
  CHECK(squares.units->groups.back() == ComponentGroup{1, {2}, {}});
  CHECK(squares.units->groups.at(1).count == 2);  // 1 and 4
  CHECK(squares.units->groups.at(1).queries.front().multiplicity == 8);
  CHECK(refusal("modulo", {{"count", 21.0}}, uniform(20)) ==
        "error: answers.count: got 21, more answers than the 20 queries have; expected at most 20");
  CHECK_THAT(refusal("modulo", {{"count", 5.0}}, uniform(1e9)), Contains("at most 2e+07 are possible"));
}

TEST_CASE("hash gives every query an answer that depends on the seed alone") {
  const auto of_seed = [](std::uint64_t seed) {
    return answers_of(law_of("hash", {{"count", 10.0}}, uniform(1000), {}, {}, seed));
  };
  const auto answers = of_seed(1);
  std::vector<Index> first;
  for (std::size_t l = 0; l < 12; ++l) first.push_back(answers[l].begin()->first);
  CHECK(first == std::vector<Index>{9, 8, 6, 6, 9, 9, 4, 8, 8, 8, 9, 6});  // pinned
  CHECK(of_seed(1) == answers);
  CHECK(of_seed(2) != answers);
  std::map<Index, int> count;
  for (const auto& one : answers) ++count[one.begin()->first];
  CHECK(count.size() == 10);
  for (const auto& [answer, n] : count) CHECK(std::abs(n - 100) < 50);  // 5 standard deviations
  const AnswerLaw sparse = law_of("hash", {{"count", 1000.0}}, uniform(20));
  check_sound(sparse);
  CHECK(sparse.units->answers() == 1000);
  CHECK(sparse.units->queries() == 20);
}

TEST_CASE("right_set gives every query answers of its own, all right") {
  const AnswerLaw law =
      law_of("right_set", {{"size", 5.0}}, classes_of("dyadic", {{"levels", std::int64_t{2}}}));
  check_sound(law);
  CHECK(law.units->answers() == 20);
  CHECK(law.units->groups[1].answer_multiplicity == std::vector<double>{5});
  CHECK(law.units->groups[1].queries.front().answers == std::vector<AnswerShare>{{0, 0.2, true}});
  CHECK_THAT(refusal("right_set", {{"size", 1e200}}, uniform(1e200)), Contains("expected at most 1e+300"));
}

TEST_CASE("laws that write classes out refuse those that are too many") {
  const Spectrum many = classes_of("power_law", {{"count", 1e9}, {"exponent", 1.0}});
  CHECK_THAT(refusal("fan_in", {{"fan_in", std::string("proportional")}}, many),
             Contains("1e+09 distinct answers with rounded fan-ins"));
  CHECK_THAT(refusal("modulo", {{"count", 1e3}}, many), Contains("at most 2e+07 are possible"));
  CHECK_THAT(refusal("fan_in", {{"fan_in", 3.0}, {"within", 1e6}}, uniform(30)),
             Contains("the rarest queries have a probability below"));
  CHECK_THAT(refusal("fan_in", {{"fan_in", 1e200}}, uniform(1e200)),
             Contains("the rarest queries have a probability below"));
  PairCounts huge = few_pairs;
  huge.count.assign(huge.count.size(), 1e308);
  CHECK_THAT(refusal("counts", {{"path", std::string("p")}}, {}, {}, reader_of(huge)),
             Contains("the counts sum to more than 1.8e308"));
  CHECK_THAT(refusal("right_set", {{"size", 2.0}}, many), Contains("1e+09 distinct classes are too many"));
  CHECK_THAT(refusal("fan_in", {{"fan_in", 1e8}, {"within", 1.0}}, uniform(10)),
             Contains("more than 2e+07 different kinds"));
  CHECK_THAT(refusal("fan_in", {}, uniform(10)), Contains("answers.fan_in is missing"));
  CHECK_THAT(refusal("fan_in", {{"fan_in", 2.0}, {"path", std::string("x")}}, uniform(10)),
             Contains("one of the two"));
  CHECK_THAT(refusal("fan_in", {{"fan_in", 2.0}, {"column", std::string("x")}}, uniform(10)),
             Contains("there is no answers.path"));
}
