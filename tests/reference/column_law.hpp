#pragma once

/// Laws of queries and answers in components, written out as K x N matrices, and column matrices of them.

#include <map>

#include "algebra/column_matrix.hpp"
#include "core/random.hpp"
#include "model/population.hpp"

namespace reference {

using rarefact::Index;
using rarefact::Matrix;
using rarefact::Vector;

/// p, π, π₀ and the right answers. Queries and answers in the order of the components: by group, component, type, copy.
struct PlainLaw {
  Vector p;
  Matrix pi, own_share, right;    ///< K x N; 1 where an answer is right
  std::vector<std::size_t> type;  ///< query type of every query, counted over the component groups
};

inline PlainLaw written_out(const rarefact::Components& components, double noise) {
  const auto answers = static_cast<Index>(components.answers()),
             queries = static_cast<Index>(components.queries());
  PlainLaw law{Vector(queries),
               Matrix::Zero(answers, queries),
               Matrix::Zero(answers, queries),
               Matrix::Zero(answers, queries),
               {}};
  Index l = 0, k = 0;
  std::size_t types = 0;
  for (const rarefact::ComponentGroup& group : components.groups) {
    for (double n = 0; n < group.count; ++n) {
      std::vector<Index> first = {k};
      for (const double multiplicity : group.answer_multiplicity)
        first.push_back(k += static_cast<Index>(multiplicity));
      for (std::size_t a = 0; a < group.queries.size(); ++a) {
        for (double r = 0; r < group.queries[a].multiplicity; ++r, ++l) {
          law.p(l) = group.queries[a].probability;
          law.type.push_back(types + a);
          for (const rarefact::AnswerShare& share : group.queries[a].answers) {
            const auto b = static_cast<std::size_t>(share.type);
            for (Index one = first[b]; one < first[b + 1]; ++one) {
              law.own_share(one, l) = share.probability;
              law.right(one, l) = share.right;
            }
          }
        }
      }
    }
    types += group.queries.size();
  }
  law.pi = (1 - noise) * law.own_share.array() + noise / static_cast<double>(answers);
  return law;
}

/// Queries as a population has them: one group a query type, likeliest first.
inline rarefact::ClassGroups query_groups(const rarefact::Components& components) {
  rarefact::ClassGroups queries;
  for (const rarefact::TypeAt& at : rarefact::query_types(components)) {
    queries.count.push_back(at.component.count * at.query.multiplicity);
    queries.probability.push_back(at.query.probability);
  }
  return queries;
}

/// Three groups of one to three components with one to four answer types and one to three query types, some of them
/// identical. Every query has some of the answers, with shares that often are equal, and at least one of them is right.
inline rarefact::Components random_components(std::uint64_t seed) {
  const rarefact::RandomStream random(seed, "units");
  std::uint64_t next = 0;
  const auto draw = [&](int most) {
    return 1 + std::min(most - 1, static_cast<int>(random.quadruple(0, next++)[0] * most));
  };
  rarefact::Components components;
  double total = 0;
  for (int u = 0; u < 3; ++u) {
    rarefact::ComponentGroup group{double(draw(3)), {}, {}};
    for (int b = draw(4); b > 0; --b) group.answer_multiplicity.push_back(draw(3));
    for (int a = draw(3); a > 0; --a) {
      rarefact::QueryType query{double(draw(2)), double(draw(20)), {}};
      double sum = 0;
      for (std::size_t b = 0; b < group.answer_multiplicity.size(); ++b) {
        const bool first = query.answers.empty();
        if (draw(3) == 1 && !(first && b + 1 == group.answer_multiplicity.size())) continue;
        query.answers.push_back({Index(b), double(draw(3)), first || draw(3) > 1});
        sum += group.answer_multiplicity[b] * query.answers.back().probability;
      }
      for (rarefact::AnswerShare& share : query.answers) share.probability /= sum;
      total += group.count * query.multiplicity * query.probability;
      group.queries.push_back(query);
    }
    components.groups.push_back(group);
  }
  for (rarefact::ComponentGroup& group : components.groups)
    for (rarefact::QueryType& query : group.queries) query.probability /= total;
  return components;
}

/// Which number of its column every entry is: 0 own, 1 other, from 2 on the middle; and the column of every query.
struct ColumnPlaces {
  std::vector<Index> column;
  Eigen::MatrixXi place;
};

inline ColumnPlaces places_of(const rarefact::Components& components) {
  const PlainLaw law = written_out(components, 0);
  const std::vector<rarefact::TypeAt> types = rarefact::query_types(components);
  ColumnPlaces places{{}, Eigen::MatrixXi(law.pi.rows(), law.pi.cols())};
  for (Index l = 0; l < law.pi.cols(); ++l) {
    const auto found = std::ranges::find(types, law.type[l], &rarefact::TypeAt::number);
    places.column.push_back(found - types.begin());
    std::map<std::pair<double, double>, int> kinds;  // right answers first, likeliest first
    for (Index k = 0; k < law.pi.rows(); ++k) {
      if (law.own_share(k, l) > 0) kinds[{-law.right(k, l), -law.own_share(k, l)}] = 0;
    }
    int next = 0;
    for (auto& [kind, place] : kinds) place = next == 0 ? next++, 0 : ++next;
    for (Index k = 0; k < law.pi.rows(); ++k)
      places.place(k, l) = law.own_share(k, l) > 0 ? kinds.at({-law.right(k, l), -law.own_share(k, l)}) : 1;
  }
  return places;
}

/// The K x N matrix, rows and columns in the order of the components.
inline Matrix expand(const rarefact::ColumnMatrix& x, const ColumnPlaces& places) {
  Matrix full(places.place.rows(), places.place.cols());
  for (Index l = 0; l < full.cols(); ++l) {
    const Index column = places.column[l];
    for (Index k = 0; k < full.rows(); ++k) {
      const int place = places.place(k, l);
      if (place < 2) {
        full(k, l) = place == 0 ? x.right(column) : x.wrong(column);
      } else {
        full(k, l) = x.shared(x.structure->shared_begin[column] + place - 2);
      }
    }
  }
  return full;
}

inline rarefact::ColumnMatrix random_columns(const rarefact::SharedColumns& s, std::uint64_t seed) {
  const rarefact::RandomStream random(seed, "columns of a law");
  rarefact::ColumnMatrix x(s);
  std::uint64_t next = 0;
  for (Vector* part : {&x.right, &x.wrong, &x.shared})
    for (double& entry : *part) entry = random.normal(0, next++);
  for (std::size_t l = 0; l < s->wrong_times.size(); ++l)
    if (s->wrong_times[l] == 0) x.wrong(Index(l)) = 0;
  return x;
}

/// softmax down each column
inline Matrix plain_softmax(const Matrix& logits) {
  Matrix p = logits.array().exp();
  for (Index l = 0; l < p.cols(); ++l) p.col(l) /= p.col(l).sum();
  return p;
}

/// p (p̂ - π)
inline Matrix plain_gradient(const PlainLaw& law, const Matrix& logits) {
  return (plain_softmax(logits) - law.pi) * law.p.asDiagonal();
}

/// 40 laws: the first of one right answer a query, the second of one component whose queries have all answers.
inline rarefact::Components law_number(std::uint64_t i) {
  if (i == 0)
    return {{{3, {1, 1}, {{2, 0.03, {{0, 1, true}}}, {1, 0.02, {{1, 1, true}}}, {1, 0.06, {{0, 1, true}}}}},
             {1, {1}, {{5, 0.05, {{0, 1, true}}}, {1, 0.33, {{0, 1, true}}}}}}};
  if (i == 1)
    return {{{1,
              {2, 1, 3},
              {{1, 0.5, {{0, 0.1, true}, {1, 0.5, true}, {2, 0.1, false}}},
               {2, 0.25, {{0, 0.1, true}, {1, 0.2, false}, {2, 0.2, true}}}}}}};
  return random_components(i);
}

}  // namespace reference
