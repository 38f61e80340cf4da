#pragma once

/// Everything except keys that has a name in an experiment or result, for `list` and `explain`.

#include "cli/output.hpp"

namespace rarefact {

struct ListedRow : CatalogueRow {
  std::string more = {};                      ///< a further line for some kinds of rows
  std::vector<std::string> other_names = {};  ///< other names for `explain`: names in result files, aliases
  std::string list = {};                      ///< the list that has it

  bool has(const std::string& typed) const;
};

struct Listing {
  std::string name;  ///< as typed
  std::string summary;
  std::vector<ListedRow> (*rows)();
  std::string other_name = {};
};
const std::vector<Listing>& listings();

std::vector<ListedRow> listed_rows();

std::string text_of(const ListedRow& row);
Json json_of(const ListedRow& row);

}  // namespace rarefact
