#include <fmt/format.h>

#include "rarefact/core/catalogue.hpp"
#include "rarefact/core/error.hpp"
#include "rarefact/verify/check_row.hpp"

namespace rarefact {

namespace checks {
CheckRow one_step_gd();
}

const std::vector<CheckRow>& check_catalogue() {
  using namespace checks;
  static const std::vector<CheckRow> rows = {one_step_gd()};
  return rows;
}

const CheckRow& check_row(const std::string& id) {
  std::vector<std::string> ids;
  for (const CheckRow& row : check_catalogue()) {
    if (row.id == id) return row;
    ids.push_back(row.id);
  }
  const std::string nearest = nearest_name(id, ids);
  throw InputError(fmt::format("no check is called \"{}\"{}; rarefact verify --list shows all", id,
                               nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)));
}

}  // namespace rarefact
