#include "model/units.hpp"

#include "core/compensated_sum.hpp"

namespace rarefact {

double Units::queries() const {
  CompensatedSum sum;
  for (const UnitGroup& group : groups) {
    for (const QueryType& type : group.queries) sum.add(group.count * type.twins);
  }
  return sum.value();
}

double Units::answers() const {
  CompensatedSum sum;
  for (const UnitGroup& group : groups) {
    for (const double twins : group.answer_twins) sum.add(group.count * twins);
  }
  return sum.value();
}

}  // namespace rarefact
