#include <algorithm>

#include "model/pairs.hpp"

namespace rarefact {

namespace {

/// The k-th number of an order that may be empty.
Index at(const std::vector<Index>& order, std::size_t k) {
  return order.empty() ? static_cast<Index>(k) : order[k];
}

std::size_t whole(double count) {
  return static_cast<std::size_t>(count);
}

}  // namespace

Pairs written_out(const OrderedUnits& ordered) {
  const auto& [units, order] = ordered;
  Pairs pairs;
  const std::size_t queries = whole(units.queries());
  pairs.answers = static_cast<Index>(units.answers());
  pairs.probability.resize(queries);
  std::vector<std::vector<AnswerShare>> columns(queries);  // by number instead of type
  std::size_t next_query = 0, next_answer = 0;
  std::vector<std::size_t> first;  // of each answer type of a unit, in the order of the answers
  for (const ComponentGroup& group : units.groups) {
    for (std::size_t unit = 0; unit < whole(group.count); ++unit) {
      first.clear();
      for (const double multiplicity : group.answer_multiplicity) {
        first.push_back(next_answer);
        next_answer += whole(multiplicity);
      }
      for (const QueryType& type : group.queries) {
        std::vector<AnswerShare> column;
        for (const AnswerShare& share : type.answers) {
          const auto b = static_cast<std::size_t>(share.type);
          for (std::size_t i = 0; i < whole(group.answer_multiplicity[b]); ++i)
            column.push_back({at(order.answer, first[b] + i), share.probability, share.right});
        }
        std::ranges::sort(column, {}, &AnswerShare::type);
        for (std::size_t i = 0; i < whole(type.multiplicity); ++i) {
          const auto query = static_cast<std::size_t>(at(order.query, next_query++));
          pairs.probability[query] = type.probability;
          columns[query] = column;
        }
      }
    }
  }
  pairs.begin = {0};
  for (const auto& column : columns) {
    for (const AnswerShare& share : column) {
      pairs.answer.push_back(share.type);
      pairs.share.push_back(share.probability);
      pairs.right.push_back(share.right);
    }
    pairs.begin.push_back(pairs.answer.size());
  }
  return pairs;
}

std::vector<Index> types_of_queries(const OrderedUnits& ordered) {
  const auto& [units, order] = ordered;
  std::vector<Index> types(whole(units.queries()));
  std::size_t next = 0;
  Index first = 0;
  for (const ComponentGroup& group : units.groups) {
    for (std::size_t n = 0; n < whole(group.count); ++n) {
      for (std::size_t type = 0; type < group.queries.size(); ++type) {
        for (std::size_t i = 0; i < whole(group.queries[type].multiplicity); ++i)
          types[at(order.query, next++)] = first + static_cast<Index>(type);
      }
    }
    first += static_cast<Index>(group.queries.size());
  }
  return types;
}

}  // namespace rarefact
