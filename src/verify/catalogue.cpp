#include "rarefact/catalogue.hpp"

#include <algorithm>
#include <deque>

#include "core/text.hpp"
#include "experiment/read.hpp"
#include "rarefact/error.hpp"
#include "verify/claim_judge.hpp"

namespace rarefact {

namespace {

/// An experiment with what [claim] puts over it.
CheckExperiment experiment_of(const std::string& file, const std::string& text) {
  const std::optional<claims::Entry> claim = claims::claim_table(text, file);
  if (!claim) return {file, text};
  return {file, text, claim->overrides("quick"), claim->overrides("precise")};
}

/// The statement of a file, whose further experiments stand beside it. `read` gives the text of a file.
CheckRow row_of(const std::string& id, const std::string& file, const claims::ReadText& read) {
  const std::string text = read(file), folder = file.substr(0, file.rfind('/') + 1);
  const auto claim = std::make_shared<const claims::ClaimText>(claims::read_claim(text, file, read));
  CheckRow row{.id = id, .claim = claim};
  row.experiments.push_back(experiment_of(file, text));
  for (const std::string& name : claim->table->texts("further"))
    row.experiments.push_back(
        claim->table->at("further", [&] { return experiment_of(folder + name, read(folder + name)); }));
  for (const claims::Assumption& assumption : claim->assumptions)
    claims::experiments_of(row, assumption.entry);
  return row;
}

std::deque<CheckRow>& rows_of_files() {
  static std::deque<CheckRow> rows;
  return rows;
}

}  // namespace

std::string CheckRow::word(const std::string& key) const {
  const std::string text = claim->table->text(key);
  return text.empty() && key == "title" ? id : text;
}

const std::vector<CheckRow>& check_catalogue() {
  static const std::vector<CheckRow> rows = [] {
    const std::string folder = "experiments/theorems/";
    std::vector<CheckRow> all;
    for (const std::string& file : embedded_experiments()) {
      const std::optional<claims::Entry> claim = claims::claim_table(experiment_text(file), file);
      if (!claim || !claim->has("title")) continue;  // of another statement
      all.push_back(row_of(file.substr(0, file.rfind(".toml")), folder + file, [&](const std::string& path) {
        return experiment_text(path.substr(folder.size()));
      }));
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
  CheckRow row = row_of(path.stem().string(), path.string(), read);
  row.rehearsed = true;
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
  for (const CheckRow& row : rows_of_files()) {
    if (row.id == id) return row;
  }
  // An id may be mistyped, or its source forgotten.
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
  if (nearest.empty()) {
    const auto found = std::find(names.begin(), names.end(), nearest_name(id, names));
    if (found != names.end()) nearest = ids[found - names.begin()];
  }
  throw bad_input("no check is called \"{}\"{}; rarefact list theorems has them all", id,
                  did_you_mean(nearest, ""));
}

}  // namespace rarefact
