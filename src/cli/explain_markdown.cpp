#include <fmt/format.h>

#include <map>

#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"

namespace rarefact {

namespace {

std::string default_cell(const Parameter& parameter) {
  return parameter.default_value ? markdown_code(default_text(parameter)) : default_text(parameter);
}

std::string legal_cell(const ExperimentKey& key, const Parameter& parameter) {
  std::string text = parameter.choices.empty() || parameter.kind == Kind::ranked
                         ? markdown_cell(legal_values(parameter))
                         : joined(mapped(parameter.choices, markdown_code));
  if (parameter.unit != "1") text += ", in " + parameter.unit;
  return text + (key.other_forms.empty() ? "" : ", " + markdown_cell(key.other_forms));
}

std::string sentence_start(std::string text) {
  if (text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

using Cells = std::vector<std::vector<std::string>>;

/// The keys of a table; if it has rows, each key with its rows.
std::string key_table(const ExperimentTable& table) {
  Cells rows = {{"key", "default", "legal values", table.rows, "meaning"}};
  for (const ExperimentKey* key : keys_of_table(table.name)) {
    for (const KeyUse& use : key->uses) {
      rows.push_back({markdown_code(use.parameter.shown()), default_cell(use.parameter),
                      legal_cell(*key, use.parameter),
                      use.owners.empty() ? "all" : joined(mapped(use.owners, markdown_code)),
                      markdown_cell(use.parameter.meaning)});
    }
  }
  if (table.rows.empty()) {
    for (auto& row : rows) row.erase(row.begin() + 3);
  }
  return markdown_table(rows);
}

/// The catalogue rows that own keys of a table, under a title; empty if there are none.
std::string row_table(const std::string& table) {
  static const std::map<std::string, std::string> titles = {{"classes", "Spectra"},
                                                            {"answers", "Laws of answers"},
                                                            {"embedding", "Embeddings"},
                                                            {"data", "Data modes"},
                                                            {"optimizer", "Update rules"}};
  if (!titles.contains(table)) return "";
  Cells rows = {{"name", "what it is", "formula", "source"}};
  for (const CatalogueRow& row : rows_of_table(table))
    rows.push_back({markdown_code(row.name), markdown_cell(row.summary), markdown_code(row.formula),
                    markdown_cell(row.source)});
  return fmt::format("\n### {}\n\n{}", titles.at(table), markdown_table(rows));
}

}  // namespace

std::string experiment_file_markdown() {
  std::string text = words("experiment_file.md");
  for (const ExperimentTable& table : experiment_tables()) {
    text += table.header.empty()
                ? "\n## Top level\n\nBefore the first table.\n\n"
                : fmt::format("\n## `{}`\n\n{}.\n\n", table.header, sentence_start(table.meaning));
    text += key_table(table) + row_table(table.name);
  }
  return text + "\n## `[sweep]`\n\n" + wrapped_markdown(words("sweep.md"), 120);
}

}  // namespace rarefact
