#include "model/answer_law.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "model/make_spectrum.hpp"
#include "rarefact/error.hpp"
#include "reference/with_defaults.hpp"

using namespace rarefact;
using Catch::Matchers::Contains;

namespace {

Spectrum classes_of(const std::string& kind, const ParameterValues& parameters) {
  return spectrum_of(kind, parameters, {});
}

Spectrum uniform(double count) {
  return classes_of("uniform", {{"count", count}});
}

AnswerLaw law_of(const std::string& name, const ParameterValues& parameters, const Spectrum& classes,
                 const CountReader& counts = {}, const PairReader& pairs = {}, std::uint64_t seed = 1) {
  const ParameterValues all = with_defaults(answer_law_row(name).parameters, parameters);
  return answer_law_of(name, {all, classes, seed, counts, pairs});
}

std::string refusal(const std::string& name, const ParameterValues& parameters, const Spectrum& classes,
                    const CountReader& counts = {}, const PairReader& pairs = {}) {
  try {
    law_of(name, parameters, classes, counts, pairs);
  } catch (const InputError& error) {
    return to_string(error.problems().front());
  }
  return "no InputError";
}

double mass(const ClassGroups& groups) {
  double sum = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) sum += groups.count[g] * groups.probability[g];
  return sum;
}

double mass(const Units& units) {
  double sum = 0;
  for (const UnitGroup& group : units.groups) {
    for (const QueryType& type : group.queries) sum += group.count * type.twins * type.probability;
  }
  return sum;
}

/// Every query's answers as query -> answer -> share.
std::vector<std::map<Index, double>> answers_of(const AnswerLaw& law) {
  const Pairs pairs = written_out({*law.units, law.order});
  std::vector<std::map<Index, double>> all;
  for (std::size_t l = 0; l + 1 < pairs.begin.size(); ++l) {
    all.emplace_back();
    for (std::size_t i = pairs.begin[l]; i < pairs.begin[l + 1]; ++i)
      all.back()[pairs.answer[i]] = pairs.share[i];
  }
  return all;
}

/// What of everything must hold of a law: query types sorted, their mass one, in `type` the number of each.
void check_sound(const AnswerLaw& law) {
  CHECK(mass(law.queries) == Approx(1).epsilon(1e-13));
  CHECK(mass(*law.units) == Approx(1).epsilon(1e-13));
  CHECK(std::ranges::is_sorted(law.queries.probability, std::greater<>()));
  std::vector<std::pair<double, double>> types;
  for (const UnitGroup& group : law.units->groups) {
    for (const QueryType& type : group.queries) {
      types.emplace_back(group.count * type.twins, type.probability);
      double sum = 0;
      for (const AnswerShare& one : type.answers)
        sum += one.probability * group.answer_twins[static_cast<std::size_t>(one.type)];
      CHECK(sum == Approx(1).epsilon(1e-14));
    }
  }
  REQUIRE(types.size() == law.queries.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto& [count, probability] = types.at(law.type.empty() ? i : law.type[i]);
    CHECK(law.queries.count[i] == count);
    CHECK(law.queries.probability[i] == probability);
  }
}

/// a: 3 of x and y each, 2 of z; b: 4 of y; c: 1 of w; in the order of the file z comes last for a.
const PairCounts few_pairs = {{0, 0, 0, 1, 2}, {0, 1, 2, 1, 3}, {3, 3, 2, 4, 1}, 3, 4};

PairReader reader_of(const PairCounts& pairs) {
  return [pairs](const std::string&) { return pairs; };
}

AnswerLaw counted(ParameterValues parameters, const PairCounts& pairs = few_pairs, std::uint64_t seed = 1) {
  parameters.set("path", std::string("pairs.tsv"));
  return law_of("counts", parameters, {}, {}, reader_of(pairs), seed);
}

}  // namespace

TEST_CASE(
    "the catalogue of laws lists every law in order, says what classes are, and has the identity first") {
  std::vector<std::string> names;
  for (const AnswerLawRow& row : answer_law_catalogue()) {
    names.push_back(row.name + ": " + row.classes);
    CHECK(row.make != nullptr);
    CHECK_THAT(row.example, Contains("law = \"" + row.name + "\""));
  }
  CHECK(names == std::vector<std::string>{"identity: queries", "modulo: queries", "hash: queries",
                                          "fan_in: answers", "right_set: queries",
                                          "subject_relation: subjects", "counts: "});
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
  // 3 is no square modulo 5, nor is 2: nobody's answers, twins.
  const AnswerLaw squares = law_of("modulo", {{"count", 5.0}, {"power", std::int64_t{2}}}, uniform(20));
  CHECK(squares.units->groups.back() == UnitGroup{1, {2}, {}});
  CHECK(squares.units->groups.at(1).count == 2);  // 1 and 4
  CHECK(squares.units->groups.at(1).queries.front().twins == 8);
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

TEST_CASE("fan_in of one number splits the mass of answers by the million million") {
  const Spectrum classes =
      classes_of("grouped_power_law", {{"groups", std::int64_t{3}}, {"group_size", 1e15}, {"exponent", 1.0}});
  const AnswerLaw law = law_of("fan_in", {{"fan_in", 4.0}}, classes);
  check_sound(law);
  REQUIRE(law.units->groups.size() == 3);
  CHECK(law.units->groups[1] ==
        UnitGroup{1e15, {1}, {{4, classes.groups->probability[1] / 4, {{0, 1, true}}}}});
  CHECK(law.units->queries() == 1.2e16);
  CHECK(law.units->answers() == 3e15);
}

TEST_CASE(
    "fan_in proportional to frequency makes all queries equally likely, rounded where it is no whole number") {
  const AnswerLaw law = law_of("fan_in", {{"fan_in", std::string("proportional")}},
                               classes_of("dyadic", {{"levels", std::int64_t{4}}}));
  check_sound(law);
  std::vector<double> fan_ins;
  for (const UnitGroup& group : law.units->groups) fan_ins.push_back(group.queries.front().twins);
  CHECK(fan_ins == std::vector<double>{16, 8, 4, 2, 1});
  for (const double p : law.queries.probability) CHECK(p == law.queries.probability.front());
  const Spectrum uneven = spectrum_of("file", {{"path", std::string("x")}, {"column", std::string("count")}},
                                      [](const std::string&, const std::string&) {
                                        return std::vector<double>{2, 5, 3};
                                      });
  const AnswerLaw rounded = law_of("fan_in", {{"fan_in", std::string("proportional")}}, uneven);
  check_sound(rounded);
  CHECK(rounded.units->queries() == 3 + 2 + 1);  // 2.5 and 1.5 away from zero
}

TEST_CASE("fan_in as a law of the rank cuts groups where the rounded value changes, one unit group a value") {
  const ParameterValues law_keys = {{"fan_in", std::vector<double>{1, 20}}};
  const AnswerLaw law = law_of("fan_in", law_keys, uniform(1e6));
  check_sound(law);
  std::map<double, double> counted, expected;
  for (const UnitGroup& group : law.units->groups) counted[group.queries.front().twins] += group.count;
  for (double k = 1; k <= 1e6; ++k) ++expected[std::max(1.0, std::round(20 / k))];
  CHECK(counted == expected);
  CHECK(law.units->groups.size() == expected.size());
  CHECK(law.units->groups.size() < 12);
  const AnswerLaw huge = law_of("fan_in", {{"fan_in", std::vector<double>{0.5, 1000}}}, uniform(1e15));
  CHECK(huge.units->answers() == 1e15);
  CHECK(huge.units->groups.size() < 300);
  const AnswerLaw grouped = law_of("fan_in", law_keys, classes_of("dyadic", {{"levels", std::int64_t{3}}}));
  check_sound(grouped);
  std::vector<std::pair<double, double>> groups;
  for (const UnitGroup& group : grouped.units->groups)
    groups.emplace_back(group.count, group.queries.front().twins);
  using P = std::pair<double, double>;
  CHECK(groups == std::vector<P>{P(1, 20), P(1, 10), P(1, 7), P(1, 5), P(1, 4), P(3, 3)});
  CHECK(law_of("fan_in", {{"fan_in", std::vector<double>{0, 3}}}, uniform(50)).units->groups.size() == 1);
}

TEST_CASE("a million answers in five fan-in groups are five unit groups") {
  const CountReader reader = [](const std::string&, const std::string& column) {
    std::vector<double> rows;
    if (column == "fan_in")
      for (std::size_t k = 0; k < 1'000'000; ++k) rows.push_back(5 - double(k / 200'000));
    return rows;
  };
  const AnswerLaw law = law_of("fan_in", {{"path", std::string("x")}}, uniform(1e6), reader);
  check_sound(law);
  CHECK(law.units->groups.size() == 5);
  CHECK(law.units->queries() == 3e6);
}

TEST_CASE("fan-ins of a file are refused unless there is a whole one for every class") {
  const auto message = [](std::vector<double> rows) {
    return refusal("fan_in", {{"path", std::string("f.csv")}}, uniform(3),
                   [rows](const std::string&, const std::string&) { return rows; });
  };
  CHECK(message({1, 2}) ==
        "f.csv: error: column \"fan_in\" has 2 fan-ins; expected one for each of the 3 classes");
  CHECK(message({1, 2.5, 3}) ==
        "f.csv: error: row 2 of column \"fan_in\" is 2.5; a fan-in must be a whole number >= 1");
  CHECK_THAT(message({1, 2, 0.5}), Contains("row 3"));
}

TEST_CASE("within makes the queries of an answer a power law that sums to what the answer has") {
  const AnswerLaw law = law_of("fan_in", {{"fan_in", 3.0}, {"within", 2.0}}, uniform(10));
  check_sound(law);
  const auto& queries = law.units->groups.at(0).queries;
  REQUIRE(queries.size() == 3);
  const double sum = 1 + 1 / 4.0 + 1 / 9.0;
  for (std::size_t j = 0; j < 3; ++j) {
    CHECK(queries[j].twins == 1);
    CHECK(queries[j].probability == Approx(0.1 / ((double(j) + 1) * (double(j) + 1)) / sum).epsilon(1e-15));
  }
}

TEST_CASE("right_set gives every query answers of its own, all right") {
  const AnswerLaw law =
      law_of("right_set", {{"size", 5.0}}, classes_of("dyadic", {{"levels", std::int64_t{2}}}));
  check_sound(law);
  CHECK(law.units->answers() == 20);
  CHECK(law.units->groups[1].answer_twins == std::vector<double>{5});
  CHECK(law.units->groups[1].queries.front().answers == std::vector<AnswerShare>{{0, 0.2, true}});
  CHECK_THAT(refusal("right_set", {{"size", 1e200}}, uniform(1e200)), Contains("expected at most 1e+300"));
}

TEST_CASE("subjects and relations: probabilities multiply and every pair has an answer of its own") {
  const Spectrum subjects = classes_of("dyadic", {{"levels", std::int64_t{2}}});
  const AnswerLaw law =
      law_of("subject_relation", {{"relations", 3.0}, {"relation_exponent", 1.0}}, subjects);
  check_sound(law);
  CHECK(law.additive);
  CHECK(law.subjects == 4);
  CHECK(law.relations == 3);
  CHECK(law.units->queries() == 12);
  CHECK(law.units->answers() == 12);
  REQUIRE(law.units->groups.size() == 9);
  const double sum = 1 + 1 / 2.0 + 1 / 3.0;
  for (std::size_t g = 0; g < 3; ++g) {
    for (std::size_t h = 0; h < 3; ++h) {
      const UnitGroup& group = law.units->groups[3 * g + h];
      CHECK(group.count == subjects.groups->count[g]);
      CHECK(group.queries.front().probability ==
            Approx(subjects.groups->probability[g] / (double(h) + 1) / sum).epsilon(1e-14));
    }
  }
  const AnswerLaw alike = law_of("subject_relation", {{"relations", 1e6}}, subjects);
  CHECK(alike.units->groups.size() == 3);
  CHECK(alike.relation_groups.count == std::vector<double>{1e6});
}

TEST_CASE("counts keep the conditional law; right are the most frequent answers, ties included") {
  const AnswerLaw law = counted({});
  check_sound(law);
  const Pairs pairs = written_out({*law.units, law.order});
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
  CHECK(argmax.units->answers() == 4);  // z is nobody's answer now, and can be named all the same
  std::map<Index, int> drawn;
  for (std::uint64_t seed = 0; seed < 4000; ++seed)
    ++drawn[answers_of(counted({{"reduce", std::string("sample")}}, few_pairs, seed))[0].begin()->first];
  CHECK(std::abs(drawn[0] - 1500) < 125);  // 4 standard deviations
  CHECK(std::abs(drawn[1] - 1500) < 125);
  CHECK(std::abs(drawn[2] - 1000) < 110);
  CHECK(
      refusal("counts", {{"path", std::string("p")}, {"reduce", std::string("top")}}, {}, {},
              reader_of(few_pairs)) ==
      "error: answers.reduce: got \"top\" without answers.top; expected how many answers of each query are kept");
  CHECK_THAT(refusal("counts", {{"path", std::string("p")}, {"top", 3.0}}, {}, {}, reader_of(few_pairs)),
             Contains("top is for reduce = \"top\""));
}

TEST_CASE("keep takes the most frequent queries and answers; queries without pairs go, answers stay") {
  const AnswerLaw two = counted({{"keep", 2.0}});
  check_sound(two);
  const Pairs pairs = written_out({*two.units, two.order});
  CHECK(pairs == Pairs{{0.6, 0.4}, {0, 2, 3}, {0, 1, 0}, {0.5, 0.5, 1}, {1, 1, 1}, 2});
  const AnswerLaw three = counted({{"keep", 3.0}});
  CHECK(three.units->queries() == 2);  // c has w alone, which is not among three
  CHECK(three.units->answers() == 3);
  CHECK(counted({{"keep", 4.0}}).units == counted({}).units);
  CHECK(refusal("counts", {{"path", std::string("p.tsv")}, {"keep", 5.0}}, {}, {}, reader_of(few_pairs)) ==
        "error: answers.keep: got 5, but p.tsv has 3 queries and 4 answers; expected at most 4");
  CHECK_THAT(refusal("counts", {{"path", std::string("p.tsv")}, {"keep", 1.0}}, {}, {}, reader_of(few_pairs)),
             Contains("at least 1 and 2 are needed"));
}

TEST_CASE("fan-ins that are not rounded are real, and a smooth law where the classes are") {
  const Spectrum classes = classes_of("power_law", {{"count", 100.0}, {"exponent", 1.0}});
  const AnswerLaw falling =
      law_of("fan_in", {{"fan_in", std::vector<double>{0.5, 30}}, {"rounded", false}}, classes);
  REQUIRE(falling.units->groups.size() == 100);
  CHECK(falling.units->groups[2].queries[0].twins == Approx(30 / std::sqrt(3.0)));
  CHECK(mass(falling.queries) == Approx(1));
  REQUIRE(falling.law);
  CHECK(falling.law->queries(3) == falling.units->groups[2].queries[0].twins);
  CHECK(queries_of_ranks(*falling.law, 100) == Approx(falling.units->queries()).epsilon(1e-14));
  CHECK(query_at(*falling.law, 30).rank == 1);
  CHECK(query_at(*falling.law, 31).rank == 2);

  const AnswerLaw equal =
      law_of("fan_in", {{"fan_in", std::string("proportional")}, {"rounded", false}}, classes);
  CHECK(equal.queries.probability.front() == equal.queries.probability.back());
  CHECK(equal.units->groups[7].queries[0].twins == Approx(100.0 / 8));

  CHECK(law_of("fan_in", {{"fan_in", 3.0}}, classes).law);
  CHECK_FALSE(law_of("fan_in", {{"fan_in", std::vector<double>{0.5, 30}}}, classes).law);
  CHECK_FALSE(law_of("fan_in", {{"fan_in", 3.0}}, uniform(100)).law);
  const AnswerLaw huge =
      law_of("fan_in", {{"fan_in", 3.0}}, classes_of("power_law", {{"count", 1e12}, {"exponent", 1.0}}));
  CHECK_FALSE(huge.units);
  CHECK(huge.answers() == 1e12);
}

TEST_CASE("queries of answers that differ are a smooth law of rank and place, the same as written out") {
  const Spectrum classes = classes_of("power_law", {{"count", 60.0}, {"exponent", 1.0}});
  const AnswerLaw falling = law_of("fan_in", {{"fan_in", 7.0}, {"within", 1.5}}, classes);
  const AnswerLaw dealt = law_of("modulo", {{"count", 12.0}}, classes);
  REQUIRE(falling.law);
  REQUIRE(dealt.law);
  const double total = weight_of_ranks(*falling.law, 60), all = weight_of_ranks(*dealt.law, 12);
  for (const double rank : {1.0, 12.0, 60.0}) {
    for (const double place : {1.0, 2.0, 7.0})
      CHECK(falling.law->probability({rank, place}, total) ==
            Approx(falling.units->groups[static_cast<std::size_t>(rank) - 1]
                       .queries[static_cast<std::size_t>(place) - 1]
                       .probability)
                .epsilon(1e-13));
  }
  // Query 3 + 12 of 60 is the second of answer 3.
  CHECK(dealt.law->probability({3, 2}, all) == Approx(dealt.queries.probability[14]).epsilon(1e-13));
  CHECK(dealt.law->queries(1) == 5);
  CHECK(query_at(*dealt.law, 15).rank == 3);
  CHECK(query_at(*dealt.law, 15).place == 2);
  CHECK(query_at(*dealt.law, 60).rank == 12);
  CHECK(query_at(*dealt.law, 60).place == 5);

  CHECK_FALSE(law_of("modulo", {{"count", 13.0}}, classes).law);
  CHECK_FALSE(law_of("modulo", {{"count", 12.0}, {"power", std::int64_t{2}}}, classes).law);
  CHECK_FALSE(law_of("fan_in", {{"fan_in", std::vector<double>{0.5, 30}}, {"within", 1.0}}, classes).law);
  const Spectrum many = classes_of("power_law", {{"count", 1e12}, {"exponent", 1.0}});
  const AnswerLaw far = law_of("modulo", {{"count", 1e4}}, many);
  CHECK_FALSE(far.units);
  CHECK(far.law->queries(1) == 1e8);
  CHECK_FALSE(law_of("fan_in", {{"fan_in", 1e6}, {"within", 1.0}}, classes).units);
}

TEST_CASE("laws that write classes out refuse those that are too many") {
  const Spectrum many = classes_of("power_law", {{"count", 1e9}, {"exponent", 1.0}});
  CHECK_THAT(refusal("fan_in", {{"fan_in", std::string("proportional")}}, many),
             Contains("1e+09 distinct answers with rounded fan-ins"));
  CHECK_THAT(refusal("modulo", {{"count", 1e3}}, uniform(1e9)),
             Contains("unless the spectrum is a smooth law of distinct queries"));
  CHECK_THAT(refusal("modulo", {{"count", 999.0}}, many), Contains("and answers.count divides their number"));
  CHECK_THAT(refusal("fan_in", {{"fan_in", 1e6}, {"within", 60.0}},
                     classes_of("power_law", {{"count", 60.0}, {"exponent", 1.0}})),
             Contains("the rarest queries have a probability below"));
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
             Contains("of more than 2e+07 kinds"));
  CHECK_THAT(refusal("fan_in", {}, uniform(10)), Contains("answers.fan_in is missing"));
  CHECK_THAT(refusal("fan_in", {{"fan_in", 2.0}, {"path", std::string("x")}}, uniform(10)),
             Contains("one of the two"));
  CHECK_THAT(refusal("fan_in", {{"fan_in", 2.0}, {"column", std::string("x")}}, uniform(10)),
             Contains("there is no answers.path"));
}
