#include "verify/claim_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"

namespace rarefact::claims {

namespace {

const std::vector<std::string> word_keys = {"title",  "statement", "source", "predicted",
                                            "method", "rule",      "note",   "only_doubles"};
const std::vector<std::string> finding_keys = {"id",
                                               "text",
                                               "of",
                                               "at",
                                               "where",
                                               "per",
                                               "each",
                                               "grid",
                                               "measured",
                                               "equals",
                                               "within",
                                               "plus_minus",
                                               "sharp",
                                               "at_most",
                                               "at_least",
                                               "between",
                                               "bounded",
                                               "growth",
                                               "ends_at",
                                               "mean_equals",
                                               "widest",
                                               "interval_above",
                                               "interval_below",
                                               "evidence",
                                               "geometric",
                                               "published",
                                               "headline",
                                               "blind",
                                               "claimed_below",
                                               "claimed_above"};

/// Keys that say something only beside others.
const std::vector<std::pair<std::string, std::vector<std::string>>> companions = {
    {"within", {"equals", "ends_at"}},
    {"plus_minus", {"equals", "mean_equals"}},
    {"sharp", {"equals"}},
    {"growth", {"bounded"}},
    {"ends_at", {"bounded"}},
    {"widest", {"mean_equals"}},
    {"geometric", {"evidence", "mean_equals"}},
    {"claimed_below", {"evidence"}},
    {"claimed_above", {"evidence"}}};

std::string text_of(const ConfigNode& setting) {
  const auto* text = setting.as<std::string>();
  return text != nullptr ? *text : to_toml(setting);
}

}  // namespace

namespace {

/// The entries of a table in the order of the file; none of something else.
ConfigList in_order(const ConfigNode* table) {
  const auto* held = table == nullptr ? nullptr : table->as<ConfigTable>();
  ConfigList entries = held == nullptr ? ConfigList() : held->entries;
  std::ranges::stable_sort(entries, {},
                           [](const ConfigNode& node) { return std::pair(node.key.line, node.key.column); });
  return entries;
}

}  // namespace

std::string Entry::text(const std::string& key) const {
  const ConfigNode* found = table_.get(key);
  return found == nullptr ? "" : text_of(*found);
}

bool Entry::yes(const std::string& key) const {
  const ConfigNode* found = table_.get(key);
  const auto* value = found == nullptr ? nullptr : found->as<bool>();
  return value != nullptr && *value;
}

bool Entry::claims_something() const {
  constexpr const char* relations[] = {"equals",  "at_most",     "at_least",       "between",
                                       "bounded", "mean_equals", "interval_above", "interval_below"};
  return std::ranges::any_of(relations, [&](const char* key) { return has(key); });
}

std::vector<std::string> Entry::texts(const std::string& key) const {
  const ConfigNode* found = table_.get(key);
  if (found == nullptr) return {};
  const auto* list = found->as<ConfigList>();
  return list == nullptr ? std::vector<std::string>{text_of(*found)} : mapped(*list, text_of);
}

std::vector<std::pair<std::string, std::string>> Entry::labelled(const std::string& key) const {
  std::vector<std::pair<std::string, std::string>> all;
  const ConfigNode* found = table_.get(key);
  if (found == nullptr || found->as<ConfigTable>() == nullptr) {
    for (const std::string& text : texts(key)) all.emplace_back(text, text);
  }
  for (const ConfigNode& node : in_order(found)) all.emplace_back(node.name, text_of(node));
  return all;
}

std::vector<std::pair<std::string, std::vector<std::string>>> Entry::choices(const std::string& key) const {
  std::vector<std::pair<std::string, std::vector<std::string>>> all;
  const ConfigNode* found = table_.get(key);
  for (const ConfigNode& node : in_order(found))
    all.emplace_back(node.name, Entry(*found, file_).texts(node.name));
  return all;
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
  // Where {x} stands for other texts a byte of the whole is nowhere in the file.
  if (inside != nullptr && text != nullptr && text->find('{') == std::string::npos)
    problems.add_within(found->place, *text, inside->offset, std::move(problem));
  else
    problems.add(found == nullptr ? table_.place : found->place, std::move(problem));
  problems.throw_if_any();
  throw error;
}

void Entry::check_keys(const std::vector<std::string>& known, const std::string& table) const {
  ProblemList problems(file_);
  for (const ConfigNode& node : table_.as<ConfigTable>()->entries) {
    if (!contains(known, node.name))
      problems.add(node.key, "unknown key \"{}\" in {}{}", node.name, table,
                   did_you_mean(nearest_name(node.name, known)));
  }
  problems.throw_if_any();
}

ClaimText read_claim(const std::string& text, const std::string& file) {
  const ConfigNode root = parse_toml(text, file);
  const ConfigNode* table = root.get("claim");
  if (table == nullptr || table->as<ConfigTable>() == nullptr)
    throw InputError(file + ": it has no [claim], and nothing to verify (docs/claims.md)");
  const Entry claim(*table, file);
  std::vector<std::string> known = word_keys;
  known.insert(known.end(), {"assumes", "further", "blind", "define", "finding", "assumption", "curve",
                             "quick", "precise"});
  claim.check_keys(known, "[claim]");
  ClaimText read;
  for (const std::string& key : word_keys) {
    if (claim.has(key)) read.words[key] = claim.text(key);
  }
  read.table = claim;
  read.assumes = claim.texts("assumes");
  read.further = claim.texts("further");
  for (const auto& [key, into] : {std::pair{"quick", &read.quick}, std::pair{"precise", &read.precise}}) {
    const ConfigNode* over = table->get(key);
    const auto* list = over == nullptr ? nullptr : over->as<ConfigTable>();
    for (const ConfigNode& node : list == nullptr ? std::vector<ConfigNode>() : list->entries)
      into->push_back(node.name + "=" + to_toml(node));
  }
  if (const ConfigNode* defines = table->get("define")) {
    read.defines.table.emplace(*defines, file);
    for (const auto& [name, tree] : claim.labelled("define"))
      read.defines[name] = read.defines.table->at(name, [&tree = tree] { return parsed_condition(tree); });
  }
  const auto tables = [&](const char* key, std::vector<Entry>& into, const std::vector<std::string>& keys) {
    const ConfigNode* found = table->get(key);
    const auto* list = found == nullptr ? nullptr : found->as<ConfigList>();
    if (found != nullptr && (list == nullptr || std::ranges::any_of(*list, [](const ConfigNode& node) {
                               return node.as<ConfigTable>() == nullptr;
                             })))
      claim.refuse(key, fmt::format("expected tables [[claim.{}]]", key));
    for (const ConfigNode& node : list == nullptr ? ConfigList() : *list) {
      into.emplace_back(node, file);
      into.back().check_keys(keys, fmt::format("[[claim.{}]]", key));
    }
  };
  tables("finding", read.findings, finding_keys);
  tables("assumption", read.assumptions, {"name", "text", "holds", "of"});
  tables("curve", read.curves, {"title", "x", "x_label", "y", "of", "at", "where", "per", "grid"});
  for (const Entry& finding : read.findings) {
    if (finding.text("id").empty()) finding.refuse("id", "a finding has an id");
    for (const auto& [key, others] : companions) {
      if (finding.has(key) &&
          std::ranges::none_of(others, [&](const std::string& other) { return finding.has(other); }))
        finding.refuse(key, fmt::format("it belongs beside {}", joined(others, " or ")));
    }
    if (finding.has("equals") && finding.has("within") && finding.has("plus_minus"))
      finding.refuse("plus_minus", "within is there, too: one of them");
  }
  if (read.findings.empty()) claim.refuse("finding", "there is no [[claim.finding]]");
  return read;
}

}  // namespace rarefact::claims
