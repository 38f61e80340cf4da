#include "model/units.hpp"

#include <algorithm>

#include "core/compensated_sum.hpp"

namespace rarefact {

double Units::queries() const {
  CompensatedSum sum;
  for (const ComponentGroup& group : groups) {
    for (const QueryType& type : group.queries) sum.add(group.count * type.multiplicity);
  }
  return sum.value();
}

double Units::answers() const {
  CompensatedSum sum;
  for (const ComponentGroup& group : groups) {
    for (const double multiplicity : group.answer_multiplicity) sum.add(group.count * multiplicity);
  }
  return sum.value();
}

std::vector<TypeAt> query_types(const Units& units) {
  std::vector<TypeAt> types;
  for (std::size_t u = 0; u < units.groups.size(); ++u) {
    for (std::size_t a = 0; a < units.groups[u].queries.size(); ++a) types.push_back({u, a});
  }
  const auto likelihood = [&](const TypeAt& at) {
    return units.groups[at.group].queries[at.type].probability;
  };
  std::ranges::stable_sort(types, std::ranges::greater(), likelihood);
  return types;
}

}  // namespace rarefact
