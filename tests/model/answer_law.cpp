#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "core/random.hpp"
#include "model/answer_law_cases.hpp"

using namespace answer_law_cases;

namespace {

AnswerLaw counted(ParameterValues parameters, const PairCounts& pairs = few_pairs, std::uint64_t seed = 1) {
  parameters.set("path", std::string("pairs.tsv"));
  return law_of("counts", parameters, {}, {}, reader_of(pairs), seed);
}

}  // namespace

TEST_CASE("every law has an example, and the identity is first and has no components") {
  for (const AnswerLawRow& row : answer_law_catalogue())
    CHECK_THAT(row.example, Contains("law = \"" + row.name + "\""));
  CHECK(answer_law_catalogue().front().name == "identity");
  const AnswerLaw identity = law_of("identity", {}, uniform(7));
  CHECK_FALSE(identity.components.has_value());
  CHECK(identity.queries.count == std::vector<double>{7});
}

TEST_CASE("modulo deals the answers out, to powers too") {
  const Spectrum classes = classes_of("power_law", {{"count", 101.0}, {"exponent", 1.5}});
  for (const std::int64_t power : {1, 2, 7}) {
    const AnswerLaw law = law_of("modulo", {{"count", 13.0}, {"power", power}}, classes);
    check_sound(law);
    CHECK(law.components->queries() == 101);
    CHECK(law.components->answers() == 13);
    const auto answers = answers_of(law);
    for (std::size_t x = 0; x < 101; ++x) {
      std::size_t expected = 1;
      for (std::int64_t i = 0; i < power; ++i) expected = expected * x % 13;
      REQUIRE(answers[x] == std::map<Index, double>{{static_cast<Index>(expected), 1.0}});
    }
    const Pairs pairs = written_out(law).pairs;
    for (std::size_t x = 0; x < 101; ++x) CHECK(pairs.probability[x] == classes.groups->probability[x]);
  }
  // 3 is no square modulo 5, nor is 2: nobody's answers, identical classes.
  const AnswerLaw squares = law_of("modulo", {{"count", 5.0}, {"power", std::int64_t{2}}}, uniform(20));
  CHECK(squares.components->groups.back() == ComponentGroup{1, {2}, {}});
  CHECK(squares.components->groups.at(1).count == 2);  // 1 and 4
  CHECK(squares.components->groups.at(1).queries.front().multiplicity == 8);
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
  CHECK(sparse.components->answers() == 1000);
  CHECK(sparse.components->queries() == 20);
}

TEST_CASE("right_set gives every query answers of its own, all right") {
  const AnswerLaw law =
      law_of("right_set", {{"size", 5.0}}, classes_of("dyadic", {{"levels", std::int64_t{2}}}));
  check_sound(law);
  CHECK(law.components->answers() == 20);
  CHECK(law.components->groups[1].answer_multiplicity == std::vector<double>{5});
  CHECK(law.components->groups[1].queries.front().answers == std::vector<AnswerShare>{{0, 0.2, true}});
}

TEST_CASE("zipf gives every query all answers in one order, from its own number on, or as drawn") {
  const RandomStream stream(7, "answers");
  for (const std::string order : {"same", "shift", "random"}) {
    const AnswerLaw law = law_of("zipf", {{"exponent", 2.0}, {"order", order}},
                                 classes_of("power_law", {{"count", 6.0}, {"exponent", 1.0}}), {}, {}, 7);
    const auto answers = answers_of(law);
    const Pairs pairs = written_out(law).pairs;
    for (std::size_t l = 0; l < 6; ++l) {
      std::vector<std::size_t> ranked = {0, 1, 2, 3, 4, 5};
      if (order == "shift") std::ranges::rotate(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(l));
      if (order == "random")
        std::ranges::sort(ranked, {}, [&](std::size_t answer) { return stream.uniform(l, answer); });
      for (std::size_t k = 0; k < 6; ++k) {
        CAPTURE(order, l, k);
        const double rank = static_cast<double>(k + 1);
        CHECK(answers[l].at(static_cast<Index>(ranked[k])) == Approx(3600 / (5369 * rank * rank)));
        CHECK(pairs.right[pairs.begin[l] + ranked[k]] == (k == 0));
      }
    }
  }
}

TEST_CASE("counts keep the conditional law; right are the most frequent answers, ties included") {
  const AnswerLaw law = counted({});
  check_sound(law);
  const Pairs pairs = written_out(law).pairs;
  // By frequency: a (8), b (4), c (1); y (7), x (3), z (2), w (1).
  CHECK(pairs == Pairs{{8 / 13.0, 4 / 13.0, 1 / 13.0},
                       {0, 3, 4, 5},
                       {0, 1, 2, 0, 3},
                       {3 / 8.0, 3 / 8.0, 2 / 8.0, 1, 1},
                       {1, 1, 0, 1, 1},
                       4});
}

TEST_CASE("counts reduce to the most frequent answer, to several, or to one drawn") {
  using Column = std::map<Index, double>;
  // Of the tie x comes first in the file.
  CHECK(answers_of(counted({{"reduce", std::string("argmax")}})) ==
        std::vector<Column>{{{1, 1}}, {{0, 1}}, {{3, 1}}});
  CHECK(answers_of(counted({{"reduce", std::string("top")}, {"top", 2.0}})) ==
        std::vector<Column>{{{0, 0.5}, {1, 0.5}}, {{0, 1}}, {{3, 1}}});
  const AnswerLaw argmax = counted({{"reduce", std::string("argmax")}});
  CHECK(argmax.components->answers() == 4);  // z is nobody's answer now, and can be named all the same
  std::map<Index, int> drawn;
  for (std::uint64_t seed = 0; seed < 4000; ++seed)
    ++drawn[answers_of(counted({{"reduce", std::string("sample")}}, few_pairs, seed))[0].begin()->first];
  CHECK(std::abs(drawn[0] - 1500) < 125);  // 4 standard deviations
  CHECK(std::abs(drawn[1] - 1500) < 125);
  CHECK(std::abs(drawn[2] - 1000) < 110);
}

TEST_CASE("keep takes the most frequent queries and answers; queries without pairs go, answers stay") {
  const AnswerLaw two = counted({{"keep", 2.0}});
  check_sound(two);
  const Pairs pairs = written_out(two).pairs;
  CHECK(pairs == Pairs{{0.6, 0.4}, {0, 2, 3}, {0, 1, 0}, {0.5, 0.5, 1}, {1, 1, 1}, 2});
  const AnswerLaw three = counted({{"keep", 3.0}});
  CHECK(three.components->queries() == 2);  // c has w alone, which is not among three
  CHECK(three.components->answers() == 3);
  CHECK(counted({{"keep", 4.0}}).components == counted({}).components);
}
