// Resolution of names: a definition is built when it is first needed.

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "core/transform.hpp"
#include "optim/formula/builder.hpp"

namespace rarefact::formula {

namespace {

/// Names of leaves: capital letters, and t.
std::vector<std::string> leaf_names() {
  std::vector<std::string> names;
  for (const Operation& row : operations())
    if (row.leaf && row.name.size() == 1) names.push_back(row.name);
  return names;
}

bool is_leaf(const std::string& word) {
  return std::ranges::count(leaf_names(), word) > 0;
}

/// Our names, with those of papers and other programs.
constexpr std::string_view other_words =
    "G grad gradient;W weights;polar msgn msign svd orthogonalize;** pow;.T transpose;"
    "norm fro frobenius frobenius_norm;newton_schulz zeropower_via_newtonschulz5";

const std::vector<std::string> later_words = {"step", "steps", "pi", "query_probability",
                                              "answer_probability"};

/// Leaves whose names definitions may take.
Op later_leaf(const std::string& word) {
  return std::ranges::count(later_words, word) > 0 ? operation(word) : nullptr;
}

/// Suggests our name for a foreign one, or the nearest name.
Hint nearest_hint(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string ours = our_word(word, other_words);
  return did_you_mean(ours.empty() ? nearest_name(word, candidates) : ours, "");
}

}  // namespace

Builder::Meaning& Builder::name(const std::string& key) {
  const std::string word = key.substr(key.find('.') + 1);
  key_ = key;
  const bool function = find_row(function_rows(), word) != nullptr;
  if (function || is_leaf(word) || word == "d_out" || word == "d_in" || word == "lambda") {
    say({}, fmt::format("'{}' means something in formulas already; choose another name", word));
  } else if (const auto found = names_.find(word); found != names_.end()) {
    say({}, fmt::format("'{}' is {} as well; choose another name", word, found->second.key));
  }
  Meaning& meaning = names_[word];
  meaning.key = key;
  return meaning;
}

void Builder::definition(const std::string& key, const std::string& text) {
  Meaning& meaning = name(key);
  meaning.is_state = key.starts_with("state.");
  try {
    meaning.tree = parsed(text);
    meaning.text = to_text(*meaning.tree);
  } catch (const SyntaxError& error) {
    key_ = key;
    say(error.offset, error.problems().front().message);
  }
}

int Builder::new_state(const std::string& word, const Syntax& at) {
  const auto place = static_cast<double>(graph_.states.size());
  const int node = make(op::state, {}, at, place);
  graph_.nodes[node].text = word;
  graph_.states.push_back({word, node, node});
  return node;
}

int Builder::before(Meaning& meaning, const Syntax& at) {
  if (!meaning.before) {
    meaning.before = new_state(meaning.word(), at);
    waiting_.push_back(&meaning);
  }
  return *meaning.before;
}

void Builder::build(Meaning& meaning) {
  // An explicit stack, because chains of definitions may have thousands of links.
  std::vector<std::pair<Meaning*, bool>> todo = {
      {&meaning, false}};  // and whether its dependencies are built
  std::vector<Meaning*> under_way;
  while (!todo.empty()) {
    const auto [here, ready] = todo.back();
    todo.pop_back();
    if (here->node) continue;
    if (ready) {
      under_way.pop_back();
      key_ = here->key;
      whole_ = here->text;
      here->node = (*this)(*here->tree);
      continue;
    }
    if (here->under_way) refuse_cycle({std::ranges::find(under_way, here), under_way.end()});
    here->under_way = true;
    under_way.push_back(here);
    todo.emplace_back(here, true);
    std::vector<Meaning*> needed;
    find_needed(*here->tree, *here, "", needed);
    std::ranges::reverse(needed);
    for (Meaning* const item : needed) todo.emplace_back(item, false);
  }
}

void Builder::find_needed(const Syntax& at, const Meaning& within, const std::string& variable,
                          std::vector<Meaning*>& needed) {
  if (at.kind == Syntax::Kind::name && at.text != variable && at.text != "direction") {
    const auto found = names_.find(at.text);
    if (found == names_.end() || !found->second.tree) return;
    // Its own update sees the old value.
    if (&found->second != &within || !within.is_state) needed.push_back(&found->second);
  }
  if (at.kind == Syntax::Kind::call && at.text == "prev") return;
  for (const Syntax& argument : at.arguments)
    find_needed(argument, within, at.kind == Syntax::Kind::lambda ? at.text : variable, needed);
}

void Builder::refuse_cycle(const std::vector<Meaning*>& cycle) {
  std::vector<std::string> words = mapped(cycle, &Meaning::word);
  key_ = cycle.front()->key;
  const auto state = std::ranges::find(cycle, true, &Meaning::is_state);
  constexpr long limit = 8;
  if (std::ssize(words) > limit) words.insert(words.erase(words.begin() + limit / 2, words.end() - 1), "...");
  const std::string hint = state == cycle.end()
                               ? "a state has a value of the step before"
                               : fmt::format("prev({}) is the value of the step before", (*state)->word());
  say({}, fmt::format("'{}' needs itself within one step ({} -> {}); {}", words.front(),
                      joined(words, " -> "), words.front(), hint));
  throw Refused();
}

int Builder::named(const Syntax& at) {
  const std::string& word = at.text;
  if (!variable_.empty() && word == variable_) return make(op::variable, {}, at);
  if (is_leaf(word)) return make(operation(word), {}, at);
  // W has the size of G.
  if (word == "d_out" || word == "d_in")
    return make(op::size, {make(op::gradient, {}, at)}, at, 0,
                word == "d_out" ? KeptAxis::columns : KeptAxis::rows);
  const auto found = names_.find(word);
  if (const Op leaf = found == names_.end() ? later_leaf(word) : nullptr) return make(leaf, {}, at);
  if (found == names_.end() || word == "direction") no_such(at, word);
  Meaning& meaning = found->second;
  meaning.used = true;
  if (meaning.constant) return number(*meaning.constant, at);
  // Its own update sees the old value.
  return meaning.is_state && key_ == meaning.key ? before(meaning, at) : meaning.node.value();
}

void Builder::no_such(const Syntax& at, const std::string& word) {
  std::vector<std::string> candidates = leaf_names();
  candidates.insert(candidates.end(), {"d_out", "d_in"});
  candidates.insert(candidates.end(), later_words.begin(), later_words.end());
  for (const auto& [other, meaning] : names_) {
    if (other != "direction") candidates.push_back(other);
  }
  if (find_row(function_rows(), word)) refuse(at, fmt::format("{0} is a function; expected {0}(...)", word));
  Hint hint = nearest_hint(word, candidates);
  if (word == "D") {
    hint = {"; it is what the direction defines; write G, or use weight_decay"};
  } else if (word == "lambda") {
    hint = {"; the word is reserved; choose another, such as param.wd"};
  } else if (hint.text.empty() && word != "direction")
    hint.text = fmt::format("; define it as param.{0}, state.{0} or let.{0}", word);
  refuse(at, fmt::format("there is nothing named '{}'", word), hint);
}

int Builder::called(const Syntax& at) {
  // As claims and schedules call them.
  const std::string& word = at.text == "min"   ? op::minimum->name
                            : at.text == "max" ? op::maximum->name
                                               : at.text;
  const Function* function = find_row(function_rows(), word);
  if (function == nullptr)
    refuse(at, fmt::format("there is no function '{}'", at.text),
           nearest_hint(at.text, names_of(function_rows())));
  const std::size_t got = at.arguments.size();
  if (got < function->least || got > function->most) {
    const std::string wanted = function->least == function->most
                                   ? fmt::format("{}", function->least)
                                   : fmt::format("{} to {}", function->least, function->most);
    refuse(at, fmt::format("{} takes {} argument{}, and got {}", at.text, wanted,
                           function->most == 1 ? "" : "s", got));
  }
  return function->make(*this, at);
}

}  // namespace rarefact::formula
