#include "core/syntax.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "model/answer_law.hpp"

namespace rarefact {

namespace {

/// The keys with the part of the typed name, if their tables have parts.
std::vector<std::string> with_part(std::vector<std::string> keys, const KeyPath& typed) {
  for (std::string& key : keys) {
    KeyPath path(key);
    path.part = typed.part;
    if (path.has_part()) key = path.text();
  }
  return keys;
}

/// The last parts of keys, with their names in other programs.
constexpr std::string_view other_words =
    "step_size learning_rate lr eta η stepsize;steps iterations epochs max_steps num_steps T;batch batch_size;seed seeds;"
    "beta1 beta_1 betas β₁;beta2 beta_2 β₂;momentum μ;sampling_exponent tau τ;epsilon eps;rule optimizer;direction update;polar_steps ns_steps;"
    "label_noise noise alpha α;count K num_classes vocab_size;dimension d dim;schedule scheduler lr_scheduler;weight_decay wd decay l2 λ;"
    "warmup warmup_steps num_warmup_steps warm-up;record log_every eval_every;precision dtype;curvature hessian sharpness";

}  // namespace

KeyPath::KeyPath(std::string_view typed) {
  std::size_t dot = typed.rfind('.');
  const std::string_view before = typed.substr(0, dot);
  const std::size_t family = before.rfind('.') + 1;  // npos + 1 is 0
  if (dot != typed.npos && std::ranges::count(families(), before.substr(family)) > 0) dot = family - 1;
  name = typed.substr(dot + 1);
  if (dot == typed.npos) return;
  const std::string_view path = typed.substr(0, dot);
  const std::size_t end = std::min(path.find('.'), path.size());
  table = path.substr(0, end);
  part = path.substr(std::min(end + 1, path.size()));
}

bool KeyPath::has_part() const {
  return table == "embedding" ? part == "query" || part == "answer" : table == "optimizer" && !part.empty();
}

std::string usual_word(const std::string& name) {
  KeyPath path(name);
  const std::string usual = our_word(path.name, other_words);
  if (usual.empty()) return name;
  path.name = usual;
  return path.text();
}

const Parameter* ExperimentKey::parameter_of(std::string_view owner) const {
  for (const KeyUse& use : uses)
    if (use.owners.empty() || std::ranges::find(use.owners, owner) != use.owners.end()) return &use.parameter;
  return nullptr;
}

std::vector<std::string> ExperimentKey::owners() const {
  std::vector<std::string> all;
  for (const KeyUse& use : uses) all.insert(all.end(), use.owners.begin(), use.owners.end());
  return all;
}

const std::vector<const ExperimentKey*>& keys_of_table(std::string_view table) {
  static const auto tables = [] {
    std::map<std::string, std::vector<const ExperimentKey*>, std::less<>> all;
    for (const ExperimentKey& key : experiment_keys()) all[key.table].push_back(&key);
    return all;
  }();
  static const std::vector<const ExperimentKey*> none;
  const auto found = tables.find(table);
  return found == tables.end() ? none : found->second;
}

bool ExperimentKey::has(std::string_view name) const {
  return family() ? name.starts_with(last_name() + ".") : name == last_name();
}

const ExperimentKey* find_key(std::string_view name) {
  const KeyPath path(name);
  const std::string table = path.has_part() ? path.table : path.section();
  for (const ExperimentKey& key : experiment_keys())
    if (key.table == table && (key.last_name() == path.name || key.has(path.name))) return &key;
  return nullptr;
}

std::string symbol_of(const std::string& key) {
  const ExperimentKey* row = find_key(key);
  if (row == nullptr) return key;
  std::string symbol = row->uses.front().parameter.symbol;
  for (const KeyUse& use : row->uses)
    if (use.parameter.symbol != symbol) return key;
  const KeyPath path(key);
  if (row->has(path.name) && row->family()) symbol = path.name.substr(row->last_name().size() + 1);
  if (symbol.empty()) return key;
  return path.part.empty() ? symbol : fmt::format("{} of {}", symbol, path.part);
}

std::vector<std::string> key_names() {
  return mapped(experiment_keys(), &ExperimentKey::shown);
}

std::vector<std::string> nearest_keys(std::string_view name) {
  const std::string typed(name);
  const KeyPath path(name);
  // "muon.step_size"
  const std::string of_optimizer = "optimizer." + typed;
  if (!path.table.empty() && find_key(of_optimizer) != nullptr &&
      find_row(experiment_tables(), path.table) == nullptr)
    return {of_optimizer};
  std::vector<std::string> same_end, last_names;
  for (const ExperimentKey& key : experiment_keys()) {
    if (key.last_name() == path.name) same_end.push_back(key.shown());
    if (key.family() && key.has(path.name)) same_end.push_back(dotted(key.table, path.name));
    last_names.push_back(key.last_name());
  }
  if (!same_end.empty()) return with_part(std::move(same_end), path);
  // "optimizer.LABEL.parm.mu"
  if (KeyPath meant(path.section());
      path.table == "optimizer" && nearest_name(path.name, last_names).empty()) {
    const std::string family = nearest_name(meant.name, families());
    meant.name = dotted(family, path.name);
    if (!family.empty()) return {meant.text()};
  }
  if (const std::string usual = usual_word(typed); usual != typed) return nearest_keys(usual);
  const bool has_table = !path.table.empty();
  const std::string nearest =
      has_table ? nearest_name(path.of_table(), key_names()) : nearest_name(name, last_names);
  if (nearest.empty()) return {};
  return has_table ? with_part({nearest}, path) : nearest_keys(nearest);
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
    return fmt::format(
        "an integer {}, \"{}\", or {{exponent = s, largest = r}} with s >= 0 and an integer r >= 1",
        to_string(parameter.legal), joined(parameter.choices, "\" or \""));
  if (!parameter.choices.empty())
    return (parameter.choices.size() == 1 ? "" : "one of ") + joined(parameter.choices);
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
    // Reported by the reader of formulas.
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
      {"model", "[model]", "",
       "the loss, and the factors of W; without this table softmax cross-entropy and one matrix",
       [](const Experiment& e) { return e.loss->of_outputs || e.in_factors(); }},
      {"classes", "[classes]", "spectrum", "the classes (facts) and how often they occur",
       [](const Experiment& e) { return has_classes(e.answers.kind); }},
      {"answers", "[answers]", "law",
       "which answers the queries have; without this table every class has its own answer",
       [](const Experiment& e) { return !e.own_answers() || e.answers.seed.has_value(); }},
      {"embedding", "[embedding]", "embedding",
       "embeddings of both sides; or [embedding.query] and [embedding.answer] with the same keys for one "
       "side"},
      {"init", "[init]", "kind", "where training starts; without this table W = 0",
       [](const Experiment& e) { return !e.starts_at_zero() || e.init.seed.has_value(); }},
      {"data", "[data]", "mode", "data for the gradient"},
      {"target", "[target]", "", "for least squares with Gaussian queries: what is to be learned",
       [](const Experiment& e) { return e.loss->of_outputs && e.squares.gaussian(); }},
      {"run", "[run]", "", "how long, on which engine, and what is recorded"},
      {"optimizer", "[[optimizer]]", "rule", "one such table for each optimizer, at least one"},
  };
  return tables;
}

std::vector<Section> sections_of(Experiment& e, bool both_sides) {
  const auto side = [&](const std::string& name, ChosenRow& chosen) {
    return Section{name,        name.substr(0, name.find('.')), &e, &chosen.kind, &chosen.parameters, nullptr,
                   &chosen.seed};
  };
  std::vector<Section> sections = {
      {"", "", &e}, {"model", "model", &e}, side("classes", e.spectrum), side("answers", e.answers)};
  if (both_sides) {
    sections.push_back(side("embedding", e.query_embedding));
  } else {
    sections.push_back(side("embedding.query", e.query_embedding));
    sections.push_back(side("embedding.answer", e.answer_embedding));
  }
  sections.push_back(side("init", e.init));
  sections.push_back({"data", "data", &e, &e.data_mode, &e.data_parameters, nullptr, &e.data_seed});
  sections.push_back({"target", "target", &e});
  sections.push_back({"run", "run", &e});
  for (OptimizerChoice& choice : e.optimizers)
    sections.push_back(
        {"optimizer." + choice.name, "optimizer", &e, &choice.rule, &choice.parameters, &choice});
  return sections;
}

bool Section::knows(std::string_view key) const {
  return contains(known, std::string(key));
}

std::string Section::key_in_messages(const std::string& key) const {
  return dotted(optimizer == nullptr ? name : table, key);
}

const std::vector<std::string>& families() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ExperimentKey& key : experiment_keys())
      if (key.family()) all.push_back(key.last_name());
    return all;
  }();
  return names;
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
