#pragma once

/// Laws of answers by name, and what tests ask of every one.

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>

#include "model/answer_law.hpp"
#include "reference/with_defaults.hpp"

namespace answer_law_cases {

using namespace rarefact;
using Catch::Matchers::Contains;

inline Spectrum classes_of(const std::string& kind, const ParameterValues& parameters) {
  return spectrum_of(kind, parameters, {});
}

inline Spectrum uniform(double count) {
  return classes_of("uniform", {{"count", count}});
}

inline AnswerLaw law_of(const std::string& name, const ParameterValues& parameters, const Spectrum& classes,
                        const CountReader& counts = {}, const PairReader& pairs = {},
                        std::uint64_t seed = 1) {
  const ParameterValues all = with_defaults(answer_law_row(name).parameters, parameters);
  return answer_law_of(name, {all, classes, seed, counts, pairs});
}

inline double mass(const ClassGroups& groups) {
  double sum = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) sum += groups.count[g] * groups.probability[g];
  return sum;
}

inline double mass(const Components& components) {
  double sum = 0;
  for (const ComponentGroup& group : components.groups) {
    for (const QueryType& type : group.queries) sum += group.count * type.multiplicity * type.probability;
  }
  return sum;
}

/// Every query's answers as query -> answer -> share.
inline std::vector<std::map<Index, double>> answers_of(const AnswerLaw& law) {
  const Pairs pairs = written_out(law).pairs;
  std::vector<std::map<Index, double>> all;
  for (std::size_t l = 0; l + 1 < pairs.begin.size(); ++l) {
    all.emplace_back();
    for (std::size_t i = pairs.begin[l]; i < pairs.begin[l + 1]; ++i)
      all.back()[pairs.answer[i]] = pairs.share[i];
  }
  return all;
}

/// What of everything must hold of a law: query types sorted, their mass one, in `type` the number of each.
inline void check_sound(const AnswerLaw& law) {
  CHECK(mass(law.queries) == Approx(1).epsilon(1e-13));
  CHECK(mass(*law.components) == Approx(1).epsilon(1e-13));
  CHECK(std::ranges::is_sorted(law.queries.probability, std::greater<>()));
  std::vector<std::pair<double, double>> types;
  for (const ComponentGroup& group : law.components->groups) {
    for (const QueryType& type : group.queries) {
      types.emplace_back(group.count * type.multiplicity, type.probability);
      double sum = 0;
      for (const AnswerShare& one : type.answers)
        sum += one.probability * group.answer_multiplicity[one.type];
      CHECK(sum == Approx(1).epsilon(1e-14));
    }
  }
  REQUIRE(types.size() == law.queries.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto& [count, probability] = types.at(law.type[i]);
    CHECK(law.queries.count[i] == count);
    CHECK(law.queries.probability[i] == probability);
  }
}

/// a: 3 of x and y each, 2 of z; b: 4 of y; c: 1 of w; in the order of the file z comes last for a.
inline const PairCounts few_pairs = {{0, 0, 0, 1, 2}, {0, 1, 2, 1, 3}, {3, 3, 2, 4, 1}, 3, 4};

inline PairReader reader_of(const PairCounts& pairs) {
  return [pairs](const std::string&) { return pairs; };
}

}  // namespace answer_law_cases
