#pragma once

/// Everything that has a name in an experiment or in a result, beside the keys: what `list` lists and `explain` explains.

#include <string>
#include <vector>

#include "cli/json.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// What a list says of a row.
struct ListedRow : CatalogueRow {
  std::string more = {};                      ///< the further line that only a kind of row has
  std::vector<std::string> other_names = {};  ///< that `explain` knows: names in result files, other words
  std::string list = {};                      ///< that it is in

  bool has(const std::string& typed) const;
};

struct Listing {
  std::string name;  ///< as typed
  std::string summary;
  std::vector<ListedRow> (*rows)();
  std::string other_name = {};
};
const std::vector<Listing>& listings();

/// All rows of all lists.
std::vector<ListedRow> listed_rows();

std::string text_of(const ListedRow& row);
Json json_of(const ListedRow& row);

}  // namespace rarefact
