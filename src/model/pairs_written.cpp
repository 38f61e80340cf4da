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

/// The number of the unit of every query or answer; `twins` lists the multiplicities of the types of a group.
template <class Twins>
std::vector<Index> unit_numbers(const Units& units, double total, const std::vector<Index>& order,
                                const Twins& twins) {
  std::vector<Index> numbers(whole(total));
  std::size_t next = 0;
  Index unit = 0;
  for (const ComponentGroup& group : units.groups) {
    double size = 0;
    for (const double value : twins(group)) size += value;
    for (std::size_t n = 0; n < whole(group.count); ++n, ++unit) {
      for (std::size_t i = 0; i < whole(size); ++i) numbers[at(order, next++)] = unit;
    }
  }
  return numbers;
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
      for (const double twins : group.answer_twins) {
        first.push_back(next_answer);
        next_answer += whole(twins);
      }
      for (const QueryType& type : group.queries) {
        std::vector<AnswerShare> column;
        for (const AnswerShare& share : type.answers) {
          const auto b = static_cast<std::size_t>(share.type);
          for (std::size_t i = 0; i < whole(group.answer_twins[b]); ++i)
            column.push_back({at(order.answer, first[b] + i), share.probability, share.right});
        }
        std::ranges::sort(column, {}, &AnswerShare::type);
        for (std::size_t i = 0; i < whole(type.twins); ++i) {
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

std::vector<Index> units_of_queries(const OrderedUnits& ordered) {
  return unit_numbers(ordered.units, ordered.units.queries(), ordered.order.query,
                      [](const ComponentGroup& group) {
                        std::vector<double> twins;
                        for (const QueryType& type : group.queries) twins.push_back(type.twins);
                        return twins;
                      });
}

std::vector<Index> units_of_answers(const OrderedUnits& ordered) {
  return unit_numbers(ordered.units, ordered.units.answers(), ordered.order.answer,
                      [](const ComponentGroup& group) { return group.answer_twins; });
}

}  // namespace rarefact
