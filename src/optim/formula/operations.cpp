#include <algorithm>
#include <stdexcept>

#include "optim/formula/operation_list.hpp"

namespace rarefact::formula {

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> rows = entrywise_operations();
    const std::vector<Operation> others = WholeOperations::rows();
    rows.insert(rows.end(), others.begin(), others.end());
    for (Operation& row : rows) {
      if (row.call.empty()) continue;
      row.name = row.call.substr(0, row.call.find('('));
      row.arity = 1 + static_cast<std::size_t>(std::ranges::count(row.call, ','));
    }
    return rows;
  }();
  return all;
}

Op operation(std::string_view name) {
  const auto found = std::ranges::find(operations(), name, &Operation::name);
  if (found == operations().end()) throw std::logic_error("no operation " + std::string(name));
  return &*found;
}

}  // namespace rarefact::formula
