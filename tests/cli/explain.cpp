#include <catch2/catch.hpp>

#include "cli/in_process.hpp"
#include "cli/listings.hpp"
#include "cli/output.hpp"
#include "core/text.hpp"
#include "experiment/keys.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

/// A text without line breaks and repeated blanks, so that wrapping makes no difference.
std::string unwrapped(const std::string& text) {
  std::string words;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!words.empty() && words.back() != ' ')) words += blank ? ' ' : c;
  }
  return words;
}

}  // namespace

TEST_CASE("every experiment key is explained: meaning, type, default, legal values, rows it belongs to") {
  for (const ExperimentKey& key : experiment_keys()) {
    const Outcome outcome = rarefact_program({"explain", key.name()});
    CHECK(outcome.code == 0);
    INFO(outcome.out);
    const std::string text = unwrapped(outcome.out);
    CHECK_THAT(text, Catch::StartsWith(key.name()));
    for (const KeyUse& use : key.uses) {
      CHECK_THAT(text, Contains("meaning " + use.parameter.meaning));
      CHECK((text.find(" type ") == std::string::npos) == !key.other_forms.empty());  // keys of several types
      if (key.other_forms.empty())
        CHECK_THAT(text, Contains("type " + std::string(to_string(use.parameter.kind))));
      CHECK_THAT(text, Contains("default " + default_text(use.parameter)));
      CHECK_THAT(text,
                 Contains("legal " + legal_values(use.parameter)) || Contains("legal " + key.other_forms));
      if (!use.owners.empty()) CHECK_THAT(text, Contains(" " + joined(use.owners)));
    }
  }
}

TEST_CASE("explain without a key lists all keys") {
  const std::string all = rarefact_program({"explain"}).out;
  for (const std::string& name : key_names()) CHECK_THAT(all, Contains("  " + name + " "));
}

TEST_CASE("whatever is listed is explained by its name, and by the names that results store it under") {
  for (const Listing& listing : listings()) {
    for (const ListedRow& row : listing.rows()) {
      std::vector<std::string> names = row.other_names;
      names.push_back(row.name);
      for (const std::string& name : names) {
        const Outcome outcome = rarefact_program({"explain", name});
        INFO(listing.name << ": " << name);
        CHECK(outcome.code == 0);
        if (find_row(experiment_tables(), name) == nullptr && name != "sweep")
          CHECK_THAT(unwrapped(outcome.out),
                     Contains(unwrapped(name + " (" + listing.name + ") " + row.summary)));
      }
    }
  }
}
