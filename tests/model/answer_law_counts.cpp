#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "model/answer_law_cases.hpp"

using namespace answer_law_cases;

namespace {

AnswerLaw counted(ParameterValues parameters, const PairCounts& pairs = few_pairs, std::uint64_t seed = 1) {
  parameters.set("path", std::string("pairs.tsv"));
  return law_of("counts", parameters, {}, {}, reader_of(pairs), seed);
}

}  // namespace

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
