#include <algorithm>
#include <ostream>

#include "cli/command.hpp"
#include "cli/listings.hpp"
#include "core/text.hpp"

namespace rarefact {

namespace {

ExitCode run_list(const Arguments& arguments, const Streams& streams) {
  std::vector<ListedRow> rows;
  const std::string typed = arguments.operands.empty() ? "" : arguments.operands.front();
  const auto listing = std::ranges::find_if(
      listings(), [&](const Listing& list) { return typed == list.name || typed == list.other_name; });
  if (arguments.operands.empty()) {
    for (const Listing& list : listings()) rows.push_back({{list.name, list.summary}});
  } else if (listing != listings().end()) {
    rows = listing->rows();
  } else {
    throw bad_input("there is no list \"{}\"{} (the lists: {})", typed,
                    did_you_mean(nearest_name(typed, names_of(listings()))), joined(names_of(listings())));
  }
  Json json = Json::array();
  TextRows text;
  for (const ListedRow& row : rows) json.push_back(json_of(row)), text.emplace_back(row.name, text_of(row));
  if (arguments.has("json")) {
    print_json(streams.out, json);
  } else {
    streams.out << two_columns(text, 0);
  }
  return ExitCode::done;
}

}  // namespace

Command list_command() {
  return {.name = "list",
          .operands = {.name = joined(names_of(listings()), "|"),
                       .meaning = "which list; without it, the meaning of each list",
                       .required = false},
          .options = {json_option},
          .run = run_list};
}

}  // namespace rarefact
