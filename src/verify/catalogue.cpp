#include <deque>

#include "experiment/read.hpp"
#include "verify/claim_finding.hpp"

namespace rarefact {

namespace {

using claims::Entry;
using claims::Part;

std::vector<std::string> words(std::string_view text) {
  return mapped(split_text(text, ' '), [](std::string_view word) { return std::string(word); });
}

const std::vector<std::string> claim_keys = words(
    "title statement source predicted method rule note only_doubles include assumes further blind define finding "
    "assumption curve quick precise");
const std::vector<std::string> assumption_keys = words("name text holds tested of");
const std::vector<std::string> curve_keys = words("title x x_label y of at where per grid");
/// Keys of a finding that need no relation.
const std::vector<std::string> finding_keys =
    words("id text of at where per each grid measured published headline blind");

/// A key that is true or false; nullopt without it.
std::optional<bool> truth_of(const Entry& entry, const std::string& key) {
  const std::string text = entry.text(key);
  if (entry.has(key) && text != "true" && text != "false") entry.refuse(key, "expected true or false");
  return entry.has(key) ? std::optional(text == "true") : std::nullopt;
}

/// Checks the keys of a finding: known ones, and those that need a relation only with it.
void check_finding(const Entry& finding) {
  std::vector<std::string> known = finding_keys;
  std::map<std::string, std::vector<std::string>> beside;
  for (const Part::Relation& relation : Part::relations()) {
    known.push_back(relation.name);
    for (const std::string& key : relation.beside) beside[key].push_back(relation.name);
  }
  for (const auto& row : beside) known.push_back(row.first);
  finding.check_keys(known, "[[claim.finding]]");
  if (finding.text("id").empty()) finding.refuse("id", "a finding has an id");
  for (const auto& [key, others] : beside) {
    if (finding.has(key) &&
        std::ranges::none_of(others, [&](const auto& other) { return finding.has(other); }))
      finding.refuse(key, fmt::format("it belongs beside {}", joined(others, " or ")));
  }
  for (const std::string key : {"evidence", "geometric"}) truth_of(finding, key);
  if (finding.has("equals") && finding.has("within") && finding.has("plus_minus"))
    finding.refuse("plus_minus", "within is there, too: one of them");
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\n") == std::string::npos;
}

/// An assumption of the list, one with a test of its own, or one that is only stated.
AssumptionRow row_of_assumption(const Entry& entry) {
  if (entry.has("name")) {
    for (const std::string key : {"text", "holds", "tested"})
      if (entry.has(key)) entry.refuse(key, "name is there, too, and has its own words and test");
    return entry.at("name", [&] { return assumption_row(entry.text("name")); });
  }
  const std::string text = entry.text("text"), holds = entry.text("holds");
  const bool stated = truth_of(entry, "tested") == false;
  if (stated && entry.has("holds")) entry.refuse("holds", "tested = false is there, too: one of them");
  if (stated && is_blank(text)) entry.refuse("text", "expected the assumption in words");
  if (!stated && is_blank(holds))
    entry.refuse("holds", "expected a condition; tested = false states an assumption without a test");
  return {.name = {}, .words = is_blank(text) ? holds : text, .met = {}, .holds = holds};
}

/// The path of a file in the same folder as another.
std::string beside(const std::string& file, const std::string& name) {
  return file.substr(0, file.rfind('/') + 1) + name;
}

/// Adds the contents of a file's [claim] to a row, after those of the files that it includes.
void add(const Entry& claim, const std::string& file, const ReadText& read, CheckRow& row, std::size_t& files,
         std::size_t depth = 0) {
  claim.check_keys(claim_keys, "[claim]");
  for (const std::string& key : words("title statement source predicted method rule note only_doubles"))
    if (claim.has(key) && !claim.is_text(key)) claim.refuse(key, "expected a string");
  for (const std::string& name : claim.texts("include")) {
    claim.at("include", [&] {
      if (depth > 10) throw bad_input("{} includes itself", name);
      if (++files > 100) throw bad_input("more than 100 files are included");
      const std::string path = beside(file, name);
      const std::optional<Entry> other = claims::claim_table(read(path), path);
      if (!other) throw bad_input("{} has no [claim]", name);
      add(*other, path, read, row, files, depth + 1);
    });
  }
  for (const std::string& name : claim.texts("assumes"))
    row.assumptions.push_back({claim, claim.at("assumes", [&] { return assumption_row(name); })});
  for (const Entry& entry : claim.tables("assumption")) {
    entry.check_keys(assumption_keys, "[[claim.assumption]]");
    row.assumptions.push_back({entry, row_of_assumption(entry)});
  }
  const std::vector<Entry> tables = claim.tables("define");
  const auto table = tables.empty() ? nullptr : std::make_shared<const Entry>(tables.front());
  for (const auto& [name, text] : claim.labelled("define")) {
    const auto failed = [table, name = name](const InputError& error) { table->rethrow(name, error); };
    row.defines.insert_or_assign(
        name, query::Definition{table->at(name, [&text = text] { return parsed_condition(text); }), failed});
  }
  for (const Entry& finding : claim.tables("finding")) {
    check_finding(finding);
    row.findings.push_back(finding);
  }
  for (const Entry& curve : claim.tables("curve")) {
    curve.check_keys(curve_keys, "[[claim.curve]]");
    row.curves.push_back(curve);
  }
}

CheckExperiment experiment_of(const std::string& file, const std::string& text) {
  const std::optional<Entry> claim = claims::claim_table(text, file);
  if (!claim) return {file, text};
  return {file, text, claim->overrides("quick"), claim->overrides("precise")};
}

std::deque<CheckRow>& rows_of_files() {
  static std::deque<CheckRow> rows;
  return rows;
}

}  // namespace

std::string CheckRow::word(const std::string& key) const {
  return key == "title" && !claim.has(key) ? id : claim.text(key);
}

std::vector<std::size_t> CheckRow::experiments_of(const Entry& entry) const {
  std::vector<std::size_t> numbers;
  for (const std::string& name : entry.texts("of")) {
    const std::string path = beside(experiments.front().file, name);
    const auto found = std::ranges::find(experiments, path, &CheckExperiment::file);
    if (found == experiments.end())
      entry.refuse(
          "of", fmt::format("no experiment of this claim is {}; further names others of its folder", name));
    numbers.push_back(static_cast<std::size_t>(found - experiments.begin()));
  }
  return numbers.empty() ? std::vector<std::size_t>{0} : numbers;
}

CheckRow read_claim(const std::string& id, const std::string& file, const ReadText& read) {
  const std::string text = read(file);
  const std::optional<Entry> claim = claims::claim_table(text, file);
  if (!claim) throw bad_input("{}: it has no [claim], so there is nothing to verify (docs/claims.md)", file);
  CheckRow row{.id = id, .claim = *claim};
  std::size_t files = 0;
  add(*claim, file, read, row, files);
  query::refuse_long_chains(row.defines);
  if (row.findings.empty()) claim->refuse("finding", "there is no [[claim.finding]]");
  row.experiments.push_back(experiment_of(file, text));
  for (const std::string& name : claim->texts("further")) {
    const std::string path = beside(file, name);
    row.experiments.push_back(claim->at("further", [&] { return experiment_of(path, read(path)); }));
  }
  for (const Assumption& assumption : row.assumptions) row.experiments_of(assumption.entry);
  return row;
}

const std::vector<CheckRow>& check_catalogue() {
  static const std::vector<CheckRow> rows = [] {
    const std::string folder = "experiments/theorems/";
    const auto read = [&](const std::string& path) { return experiment_text(path.substr(folder.size())); };
    std::vector<CheckRow> all;
    for (const std::string& file : embedded_experiments()) {
      const std::optional<Entry> claim = claims::claim_table(experiment_text(file), file);
      if (!claim || !claim->has("title")) continue;  // belongs to another statement
      all.push_back(read_claim(file.substr(0, file.rfind(".toml")), folder + file, read));
    }
    return all;
  }();
  return rows;
}

const CheckRow& claim_of_file(const std::filesystem::path& path) {
  const auto read = [&](const std::string& file) {
    try {
      return experiment_file_text(file);
    } catch (const FileError& error) {  // of a file that the claim names
      if (file == path) throw;
      throw InputError(error.what());
    }
  };
  CheckRow row = read_claim(path.stem().string(), path.string(), read);
  for (const CheckExperiment& experiment : row.experiments) {
    const std::optional<Entry> claim = claims::claim_table(experiment.text, experiment.file);
    for (const std::string key : {"quick", "precise"}) {
      if (claim && claim->has(key))
        claim->at_overrides(key,
                            [&] { parse_plan(experiment.text, experiment.file, claim->overrides(key)); });
    }
  }
  row.of_user = true;
  row.quick_first = std::ranges::any_of(row.experiments, [](const auto& own) { return !own.quick.empty(); });
  for (CheckRow& known : rows_of_files()) {
    if (known.id != row.id) continue;
    if (known.experiments.front().file != row.experiments.front().file)
      throw bad_input("{} and {} are both named {}; rename one", known.experiments.front().file,
                      path.string(), row.id);
    return known = std::move(row);
  }
  return rows_of_files().emplace_back(std::move(row));
}

const CheckRow& check_row(const std::string& id) {
  for (const CheckRow& row : rows_of_files())
    if (row.id == id) return row;
  // An id may be misspelt, or its source missing.
  std::vector<std::string> ids, names, of_source;
  for (const CheckRow& row : check_catalogue()) {
    if (row.id == id) return row;
    if (row.id.starts_with(id + "/")) of_source.push_back(row.id);
    ids.push_back(row.id);
    names.push_back(row.id.substr(row.id.find('/') + 1));
  }
  if (!of_source.empty())
    throw bad_input("{} has several checks; name one or more of {}", id, joined(of_source));
  std::string nearest = nearest_name(id, ids);
  const auto found = std::ranges::find(names, nearest_name(id, names));
  if (nearest.empty() && found != names.end()) nearest = ids[static_cast<std::size_t>(found - names.begin())];
  throw bad_input("no check is called \"{}\"{}; rarefact list theorems has them all", id,
                  did_you_mean(nearest, ""));
}

}  // namespace rarefact
