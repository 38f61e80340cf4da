#include "verify/claim_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "verify/claim_finding.hpp"

namespace rarefact::claims {

namespace {

/// The words of a list with blanks between them.
std::vector<std::string> words(std::string_view text) {
  return mapped(split_text(text, ' '), [](std::string_view word) { return std::string(word); });
}

const std::vector<std::string> claim_keys = words(
    "title statement source predicted method rule note only_doubles include assumes further blind define finding "
    "assumption curve quick precise");
const std::vector<std::string> assumption_keys = words("name text holds of");
const std::vector<std::string> curve_keys = words("title x x_label y of at where per grid");
/// Keys of a finding that stand for themselves.
const std::vector<std::string> finding_keys =
    words("id text of at where per each grid measured published headline blind");

std::string as_text(const ConfigNode& setting) {
  const auto* text = setting.as<std::string>();
  return text != nullptr ? *text : to_toml(setting);
}

/// The entries of a table in the order of the file; none of something else.
ConfigList in_order(const ConfigNode* table) {
  const auto* sub_table = table == nullptr ? nullptr : table->as<ConfigTable>();
  ConfigList entries = sub_table == nullptr ? ConfigList() : sub_table->entries;
  std::ranges::stable_sort(entries, {},
                           [](const ConfigNode& node) { return std::pair(node.key.line, node.key.column); });
  return entries;
}

Assumption assumption_of(const Entry& entry) {
  entry.check_keys(assumption_keys, "[[claim.assumption]]");
  if (!entry.has("name")) return {entry, entry.text("text"), nullptr, entry.text("holds")};
  const AssumptionRow* row = entry.at("name", [&] { return &assumption_row(entry.text("name")); });
  return {entry, row->words, row};
}

/// Keys that stand for themselves or relate, and those that say something only beside a relation.
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
  if (finding.has("equals") && finding.has("within") && finding.has("plus_minus"))
    finding.refuse("plus_minus", "within is there, too: one of them");
}

/// Adds what the [claim] of a file has, after what it includes.
void add(const Entry& claim, const std::string& file, const ReadText& read, ClaimText& all,
         std::size_t depth = 0) {
  claim.check_keys(claim_keys, "[claim]");
  for (const std::string& name : claim.texts("include")) {
    claim.at("include", [&] {
      if (depth > 10) throw bad_input("{} includes itself", name);
      const std::string path = file.substr(0, file.rfind('/') + 1) + name;
      const std::optional<Entry> other = claim_table(read(path), path);
      if (!other) throw bad_input("{} has no [claim]", name);
      add(*other, path, read, all, depth + 1);
    });
  }
  for (const std::string& name : claim.texts("assumes")) {
    const AssumptionRow* row = claim.at("assumes", [&] { return &assumption_row(name); });
    all.assumptions.push_back({claim, row->words, row});
  }
  for (const Entry& entry : claim.tables("assumption")) all.assumptions.push_back(assumption_of(entry));
  for (const auto& [name, text] : claim.labelled("define")) {
    const auto table = std::make_shared<const Entry>(claim.tables("define").front());
    all.defines[name] = {table->at(name, [&text = text] { return parsed_condition(text); }), table};
  }
  for (const Entry& finding : claim.tables("finding")) {
    check_finding(finding);
    all.findings.push_back(finding);
  }
  for (const Entry& curve : claim.tables("curve")) {
    curve.check_keys(curve_keys, "[[claim.curve]]");
    all.curves.push_back(curve);
  }
}

}  // namespace

std::string Entry::text(const std::string& key) const {
  const ConfigNode* found = table_.get(key);
  return found == nullptr ? "" : as_text(*found);
}

bool Entry::yes(const std::string& key) const {
  const ConfigNode* found = table_.get(key);
  const auto* value = found == nullptr ? nullptr : found->as<bool>();
  return value != nullptr && *value;
}

std::vector<std::string> Entry::texts(const std::string& key) const {
  const ConfigNode* found = table_.get(key);
  if (found == nullptr) return {};
  const auto* list = found->as<ConfigList>();
  return list == nullptr ? std::vector<std::string>{as_text(*found)} : mapped(*list, as_text);
}

LabelledTexts Entry::labelled(const std::string& key) const {
  LabelledTexts all;
  const ConfigNode* found = table_.get(key);
  if (found == nullptr || found->as<ConfigTable>() == nullptr) {
    for (const std::string& text : texts(key)) all.emplace_back(text, text);
  }
  for (const ConfigNode& node : in_order(found)) all.emplace_back(node.name, as_text(node));
  return all;
}

std::map<std::string, std::vector<std::string>> Entry::choices(const std::string& key) const {
  std::map<std::string, std::vector<std::string>> all;
  const ConfigNode* found = table_.get(key);
  for (const ConfigNode& node : in_order(found)) all[node.name] = Entry(*found, file_).texts(node.name);
  return all;
}

std::vector<std::string> Entry::overrides(const std::string& key) const {
  return mapped(in_order(table_.get(key)),
                [](const ConfigNode& node) { return node.name + "=" + to_toml(node); });
}

std::vector<Entry> Entry::tables(const std::string& key) const {
  const ConfigNode* found = table_.get(key);
  if (found == nullptr) return {};
  const auto is_table = [](const ConfigNode& node) { return node.as<ConfigTable>() != nullptr; };
  const auto* list = found->as<ConfigList>();
  if (list == nullptr ? !is_table(*found) : !std::ranges::all_of(*list, is_table))
    refuse(key, fmt::format("expected tables [[claim.{}]]", key));
  return mapped(list == nullptr ? ConfigList{*found} : *list,
                [&](const ConfigNode& node) { return Entry(node, file_); });
}

void Entry::refuse(const std::string& key, const std::string& message) const {
  rethrow(key, InputError(message));
}

void Entry::rethrow(const std::string& key, const InputError& error) const {
  Problem problem = error.problems().front();
  if (!problem.file.empty()) throw error;
  const ConfigNode* found = table_.get(key);
  problem = prefixed("claim, " + key, std::move(problem));
  const auto* inside = dynamic_cast<const SyntaxError*>(&error);
  const auto* text = found == nullptr ? nullptr : found->as<std::string>();
  ProblemList problems(file_);
  // If {x} stands for other texts, a byte of the whole text has no place in the file.
  if (inside != nullptr && text != nullptr && text->find('{') == std::string::npos)
    problems.add_within(found->place, *text, inside->offset, std::move(problem));
  else
    problems.add(found == nullptr ? table_.place : found->place, std::move(problem));
  problems.throw_if_any();
  throw error;
}

void Entry::check_keys(const std::vector<std::string>& known, const std::string& table) const {
  ProblemList problems(file_);
  for (const ConfigNode& node : in_order(&table_)) {
    if (!contains(known, node.name))
      problems.add(node.key, "unknown key \"{}\" in {}{}", node.name, table,
                   did_you_mean(nearest_name(node.name, known)));
  }
  problems.throw_if_any();
}

std::optional<Entry> claim_table(const std::string& text, const std::string& file) {
  const ConfigNode root = parse_toml(text, file);
  const ConfigNode* table = root.get("claim");
  if (table == nullptr || table->as<ConfigTable>() == nullptr) return {};
  return Entry(*table, file);
}

ClaimText read_claim(const std::string& text, const std::string& file, const ReadText& read) {
  ClaimText all{.table = claim_table(text, file)};
  if (!all.table)
    throw InputError(file +
                     ": it has no [claim], so there is nothing to verify "
                     "(docs/reference.md)");
  add(*all.table, file, read, all);
  if (all.findings.empty()) all.table->refuse("finding", "there is no [[claim.finding]]");
  return all;
}

}  // namespace rarefact::claims
