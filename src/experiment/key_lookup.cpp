#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/syntax.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "model/answer_law.hpp"

namespace rarefact {

namespace {

/// The text between the first and the last part of a key.
std::string shared_of(const std::string& name) {
  const std::string path = path_part(name);
  const std::size_t dot = path.find('.');
  return dot == std::string::npos ? "" : path.substr(dot + 1);
}

bool takes_middle(std::string_view table, std::string_view middle) {
  return (table == "embedding" && (middle == "query" || middle == "answer")) ||
         (table == "optimizer" && !middle.empty());
}

/// "embedding.query.kind" and "optimizer.LABEL.rule" without their middle part.
std::string without_middle(const std::string& name) {
  const std::string table = name.substr(0, name.find('.'));
  return takes_middle(table, shared_of(name)) ? dotted(table, last_part(name)) : name;
}

/// The keys with the middle part of the typed name, if they have one.
std::vector<std::string> with_middle(std::vector<std::string> keys, const std::string& typed) {
  const std::string middle = shared_of(typed);
  for (std::string& key : keys) {
    const std::size_t dot = key.find('.');
    if (takes_middle(key.substr(0, dot), middle)) key.insert(dot, "." + middle);
  }
  return keys;
}

/// Names in other programs, and the last part of the key here.
constexpr std::pair<std::string_view, std::string_view> other_words[] = {
    {"learning_rate", "step_size"},
    {"lr", "step_size"},
    {"eta", "step_size"},
    {"iterations", "steps"},
    {"epochs", "steps"},
    {"T", "steps"},
    {"batch_size", "batch"},
    {"beta_1", "beta1"},
    {"beta_2", "beta2"},
    {"eps", "epsilon"},
    {"optimizer", "rule"},
    {"noise", "label_noise"},
    {"alpha", "label_noise"},
    {"K", "count"},
    {"num_classes", "count"},
    {"dim", "dimension"},
    {"scheduler", "schedule"},
};

}  // namespace

std::string usual_word(const std::string& name) {
  const std::string last = last_part(name);
  for (const auto& [word, key] : other_words) {
    if (word == last) return dotted(path_part(name), std::string(key));
  }
  return name;
}

const Parameter* ExperimentKey::parameter_of(std::string_view owner) const {
  for (const KeyUse& use : uses) {
    if (use.owners.empty() || contains(use.owners, std::string(owner))) return &use.parameter;
  }
  return nullptr;
}

std::vector<std::string> ExperimentKey::owners() const {
  std::vector<std::string> all;
  for (const KeyUse& use : uses) all.insert(all.end(), use.owners.begin(), use.owners.end());
  return all;
}

std::vector<const ExperimentKey*> keys_of_table(std::string_view table) {
  std::vector<const ExperimentKey*> keys;
  for (const ExperimentKey& key : experiment_keys()) {
    if (key.table == table) keys.push_back(&key);
  }
  return keys;
}

bool ExperimentKey::has(std::string_view name) const {
  return family() ? name.starts_with(last_name() + ".") : name == last_name();
}

const ExperimentKey* find_key(std::string_view name) {
  const std::string plain_name = without_middle(std::string(name));
  const std::string table = path_part(plain_name), last_name = last_part(plain_name);
  for (const ExperimentKey& key : experiment_keys()) {
    if (key.table == table && (key.last_name() == last_name || key.has(last_name))) return &key;
  }
  return nullptr;
}

std::string symbol_of(const std::string& key) {
  const ExperimentKey* row = find_key(key);
  if (row == nullptr) return key;
  std::string symbol = row->uses.front().parameter.symbol;
  for (const KeyUse& use : row->uses) {
    if (use.parameter.symbol != symbol) return key;
  }
  if (row->has(last_part(key)) && row->family()) symbol = last_part(key).substr(row->last_name().size() + 1);
  if (symbol.empty()) return key;
  const std::string middle = shared_of(key);
  return middle.empty() ? symbol : fmt::format("{} of {}", symbol, middle);
}

std::vector<std::string> key_names() {
  return mapped(experiment_keys(), &ExperimentKey::shown);
}

std::vector<std::string> nearest_keys(std::string_view name) {
  const std::string typed(name), plain_name = without_middle(typed), last_name = last_part(plain_name);
  // "muon.step_size"
  const std::string of_optimizer = "optimizer." + typed;
  if (!path_part(typed).empty() && find_key(of_optimizer) != nullptr &&
      find_row(experiment_tables(), typed.substr(0, typed.find('.'))) == nullptr)
    return {of_optimizer};
  std::vector<std::string> same_end;
  std::vector<std::string> last_names;
  for (const ExperimentKey& key : experiment_keys()) {
    if (key.last_name() == last_name) same_end.push_back(key.shown());
    if (key.family() && key.has(last_name)) same_end.push_back(dotted(key.table, last_name));
    last_names.push_back(key.last_name());
  }
  if (!same_end.empty()) return with_middle(std::move(same_end), typed);
  // "optimizer.LABEL.parm.mu"
  if (const std::string family = last_part(path_part(typed));
      typed.starts_with("optimizer.") && nearest_name(last_name, last_names).empty()) {
    const std::string meant = nearest_name(family, families());
    if (!meant.empty()) return {dotted(path_part(path_part(typed)), dotted(meant, last_name))};
  }
  if (const std::string usual = usual_word(typed); usual != typed) return nearest_keys(usual);
  const bool has_table = plain_name.size() != last_name.size();
  const std::string nearest =
      has_table ? nearest_name(plain_name, key_names()) : nearest_name(name, last_names);
  if (nearest.empty()) return {};
  return has_table ? with_middle({nearest}, typed) : nearest_keys(nearest);
}

Problem unknown_key(const std::string& key, const std::string& table) {
  const std::vector<std::string> nearest = nearest_keys(key);
  Problem problem = problem_of("unknown key \"{}\"{}{}", key, table.empty() ? "" : " in [" + table + "]",
                               did_you_mean(joined(nearest, "\" or \"")));
  problem.key = dotted(table, key), problem.hint = joined(nearest, " or ");
  return problem;
}

std::string legal_values(const Parameter& parameter) {
  if (parameter.kind == Kind::ranked)
    return fmt::format("a whole number {}, \"{}\", or {}", to_string(parameter.legal),
                       joined(parameter.choices, "\" or \""), ranked_form);
  if (!parameter.choices.empty()) {
    const std::string single =
        parameter.choices.size() == 1 ? parameter.choices.front() : "one of " + joined(parameter.choices);
    return parameter.kind == Kind::triples ? fmt::format("{}, or {}", single, triples_form) : single;
  }
  std::string words(to_string(parameter.kind));
  const bool bounded = std::isfinite(parameter.legal.low) || std::isfinite(parameter.legal.high);
  if (bounded) words += fmt::format(" {}", to_string(parameter.legal));
  return words;
}

std::string in_words(const std::vector<std::string>& names, const std::string& last) {
  if (names.size() < 2) return joined(names);
  return joined({names.begin(), names.end() - 1}) + last + names.back();
}

ConfigNode canonical_setting(const ExperimentKey& key, ConfigNode setting) {
  auto* text = std::get_if<std::string>(&setting.value);
  if (text == nullptr || key.uses.front().parameter.kind != Kind::formula) return setting;
  try {
    *text = to_text(parsed(*text));
  } catch (const SyntaxError&) {
    // The reader of formulas reports its problem.
  }
  return setting;
}

bool has_classes(std::string_view law) {
  const AnswerLawRow* row = find_row(answer_law_catalogue(), law);
  return row == nullptr || !row->classes.empty();
}

const std::vector<ExperimentTable>& experiment_tables() {
  static const std::vector<ExperimentTable> tables = {
      {"", "", "", "top level, before the first [table]"},
      {"model", "[model]", "", "the loss; without this table softmax cross-entropy",
       [](const Experiment& e) { return !e.loss->of_distributions; }},
      {"classes", "[classes]", "spectrum", "the classes (facts) and how often they occur",
       [](const Experiment& e) { return has_classes(e.answers.kind); }},
      {"answers", "[answers]", "law",
       "which answers the queries have; without this table every class has its own answer",
       [](const Experiment& e) { return !e.own_answers(); }},
      {"embedding", "[embedding]", "embedding",
       "embeddings of both sides; or [embedding.query] and [embedding.answer] with the same keys for one "
       "side"},
      {"data", "[data]", "mode", "data for the gradient"},
      {"target", "[target]", "", "for least squares with Gaussian queries: what is to be learned",
       [](const Experiment& e) { return e.loss->of_outputs && e.squares.gaussian(); }},
      {"run", "[run]", "", "how long, on which engine, and what is recorded"},
      {"optimizer", "[[optimizer]]", "rule", "one such table for each optimizer, at least one"},
  };
  return tables;
}

std::vector<Part> parts_of(Experiment& e, bool both_sides) {
  const auto side = [&](const std::string& name, Component& component) {
    return Part{name, name.substr(0, name.find('.')), &e, &component.kind, &component.parameters};
  };
  std::vector<Part> parts = {
      {"", "", &e}, {"model", "model", &e}, side("classes", e.spectrum), side("answers", e.answers)};
  if (both_sides) {
    parts.push_back(side("embedding", e.query_embedding));
  } else {
    parts.push_back(side("embedding.query", e.query_embedding));
    parts.push_back(side("embedding.answer", e.answer_embedding));
  }
  parts.push_back({"data", "data", &e, &e.data_mode, &e.data_parameters});
  parts.push_back({"target", "target", &e});
  parts.push_back({"run", "run", &e});
  for (OptimizerChoice& choice : e.optimizers)
    parts.push_back({"optimizer." + choice.name, "optimizer", &e, &choice.rule, &choice.parameters, &choice});
  return parts;
}

bool Part::knows(std::string_view key) const {
  return contains(known, std::string(key));
}

std::string Part::key_in_messages(const std::string& key) const {
  return dotted(optimizer == nullptr ? name : table, key);
}

const std::vector<std::string>& families() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ExperimentKey& key : experiment_keys()) {
      if (key.family()) all.push_back(key.last_name());
    }
    return all;
  }();
  return names;
}

std::string last_part(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  if (dot == std::string::npos) return key;
  const std::string path = key.substr(0, dot);
  const std::size_t before = path.rfind('.') + 1;  // npos + 1 is 0
  return key.substr(contains(families(), path.substr(before)) ? before : dot + 1);
}

std::string path_part(const std::string& key) {
  const std::size_t last = last_part(key).size();
  return last == key.size() ? "" : key.substr(0, key.size() - last - 1);
}

std::string dotted(const std::string& table, const std::string& key) {
  return table.empty() ? key : table + "." + key;
}

std::string parameter_variable(const std::string& key) {
  std::string name = "param_" + key;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

}  // namespace rarefact
