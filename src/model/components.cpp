#include "model/components.hpp"

#include "core/compensated_sum.hpp"
#include "core/sorted_order.hpp"
#include "core/transform.hpp"

namespace rarefact {

double Components::queries() const {
  CompensatedSum sum;
  for (const ComponentGroup& group : groups) {
    for (const QueryType& type : group.queries) sum.add(group.count * type.multiplicity);
  }
  return sum.value();
}

double Components::answers() const {
  CompensatedSum sum;
  for (const ComponentGroup& group : groups) {
    for (const double multiplicity : group.answer_multiplicity) sum.add(group.count * multiplicity);
  }
  return sum.value();
}

std::vector<TypeAt> query_types(const Components& components) {
  std::vector<TypeAt> types;
  std::size_t answers = 0;
  for (const ComponentGroup& component : components.groups) {
    for (const QueryType& query : component.queries)
      types.push_back({component, query, types.size(), answers});
    answers += component.answer_multiplicity.size();
  }
  const auto likelihood = [&](std::size_t type) { return types[type].query.probability; };
  return mapped(sorted_order(types.size(), std::greater(), likelihood),
                [&](std::size_t type) { return types[type]; });
}

bool deterministic(const Components& components) {
  for (const ComponentGroup& group : components.groups) {
    for (const QueryType& query : group.queries) {
      const bool single = query.answers.size() == 1 && query.answers.front().right;
      if (!single || group.answer_multiplicity[query.answers.front().type] != 1) return false;
    }
  }
  return true;
}

}  // namespace rarefact
