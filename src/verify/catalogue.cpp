#include "rarefact/catalogue.hpp"

#include <algorithm>
#include <deque>
#include <sstream>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "experiment/read.hpp"
#include "rarefact/error.hpp"
#include "verify/assumptions.hpp"
#include "verify/claim_judge.hpp"

namespace rarefact {

namespace {

/// What follows "# Tag: " in the header of an experiment, with its further lines, which are indented, once for every time that
/// the tag is there.
std::vector<std::string> header_texts(const std::string& experiment, const std::string& tag) {
  std::istringstream lines(experiment);
  std::vector<std::string> texts;
  const std::string start = "# " + tag + ": ";
  bool inside = false;
  for (std::string line; std::getline(lines, line) && line.starts_with("#");) {
    if (inside && line.starts_with("#  ")) {
      texts.back() += line.substr(line.find_first_not_of(' ', 1) - 1);
      continue;
    }
    inside = line.starts_with(start);
    if (inside) texts.push_back(line.substr(start.size()));
  }
  return texts;
}

/// The words of a statement: tags of the header of its file, and keys of [claim].
struct Word {
  const char *tag, *key;
  std::string CheckRow::*member;
};
constexpr Word words[] = {
    {"Title", "title", &CheckRow::title},        {"Claim", "statement", &CheckRow::statement},
    {"Source", "source", &CheckRow::source},     {"Predicted", "predicted", &CheckRow::predicted},
    {"Measured", "method", &CheckRow::measured}, {"Judged by", "rule", &CheckRow::rule},
    {"Note", "note", &CheckRow::note},           {"", "only_doubles", &CheckRow::no_precise_runs}};

HypothesisRow assumption(const std::string& name) {
  if (const AssumptionRow* found = find_row(assumptions(), name)) return found->row;
  throw bad_input("no assumption is called \"{}\"{}", name,
                  did_you_mean(nearest_name(name, names_of(assumptions()))));
}

/// An experiment with what the header of its file, or [claim], puts over it.
CheckExperiment experiment_of(const std::string& file, const std::string& text) {
  CheckExperiment found{file, text, header_texts(text, "Quick"), header_texts(text, "In 50 digits")};
  if (parse_toml(text, file).get("claim") == nullptr) return found;
  const claims::ClaimText claim = claims::read_claim(text, file);
  found.quick.insert(found.quick.end(), claim.quick.begin(), claim.quick.end());
  found.precise.insert(found.precise.end(), claim.precise.begin(), claim.precise.end());
  return found;
}

/// The statement of a file, whose further experiments stand beside it. `read` gives the text of a file.
template <class Read>
CheckRow row_of(const std::string& id, const std::string& file, const Read& read) {
  const std::string text = read(file), folder = file.substr(0, file.rfind('/') + 1);
  const auto claim = std::make_shared<const claims::ClaimText>(claims::read_claim(text, file));
  CheckRow row{.id = id, .claim = claim};
  row.experiments.push_back(experiment_of(file, text));
  for (const std::string& name : claim->further)
    row.experiments.push_back(experiment_of(folder + name, read(folder + name)));
  for (const std::string& name : claim->assumes)
    row.hypotheses.push_back(claim->table->at("assumes", [&] { return assumption(name); }));
  for (const claims::Entry& entry : claim->assumptions) {
    if (entry.has("holds")) continue;  // the judge evaluates it
    HypothesisRow& added = row.hypotheses.emplace_back(
        entry.has("name") ? entry.at("name", [&] { return assumption(entry.text("name")); })
                          : HypothesisRow{entry.text("text")});
    if (entry.has("of")) added.experiment = claims::experiment_number(row, entry, entry.text("of"));
  }
  for (const auto& [tag, key, member] : words) {
    if (claim->words.contains(key)) row.*member = claim->words.at(key);
    for (const std::string& entry : header_texts(text, tag)) row.*member = entry;
  }
  if (row.title.empty()) row.title = id;
  return row;
}

std::deque<CheckRow>& rows_of_files() {
  static std::deque<CheckRow> rows;
  return rows;
}

}  // namespace

const std::vector<CheckRow>& check_catalogue() {
  static const std::vector<CheckRow> rows = [] {
    const std::string folder = "experiments/theorems/";
    std::vector<CheckRow> all;
    for (const std::string& file : embedded_experiments()) {
      if (parse_toml(experiment_text(file), file).get("claim") == nullptr) continue;
      all.push_back(row_of(file.substr(0, file.rfind(".toml")), folder + file, [&](const std::string& path) {
        return experiment_text(path.substr(folder.size()));
      }));
    }
    return all;
  }();
  return rows;
}

const CheckRow& claim_of_file(const std::filesystem::path& path) {
  return rows_of_files().emplace_back(row_of(path.stem().string(), path.string(), experiment_file_text));
}

const CheckRow& check_row(const std::string& id) {
  for (const CheckRow& row : rows_of_files()) {
    if (row.id == id) return row;
  }
  // An id may be mistyped, or its source forgotten.
  std::vector<std::string> ids, names;
  for (const CheckRow& row : check_catalogue()) {
    if (row.id == id) return row;
    ids.push_back(row.id);
    names.push_back(row.id.substr(row.id.find('/') + 1));
  }
  std::string nearest = nearest_name(id, ids);
  if (nearest.empty()) {
    const auto found = std::find(names.begin(), names.end(), nearest_name(id, names));
    if (found != names.end()) nearest = ids[found - names.begin()];
  }
  throw bad_input("no check is called \"{}\"{}; rarefact list theorems has them all", id,
                  did_you_mean(nearest, ""));
}

}  // namespace rarefact
