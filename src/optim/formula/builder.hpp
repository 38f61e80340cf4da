#pragma once

/// Builds the graph from definitions: resolves names, and builds a definition when it is first needed.

#include <functional>

#include "core/syntax.hpp"
#include "core/text.hpp"
#include "optim/formula/graph.hpp"

namespace rarefact::formula {

/// A definition could not be built; its problem has been reported.
struct Refused {};

class Builder;

struct Function {
  std::string name;
  std::size_t least, most;  ///< arguments
  std::function<int(Builder&, const Syntax& call)> make;
  std::string call, meaning;  ///< for documentation: "ema(X, b)", its value
};

/// All functions; in functions.cpp.
const std::vector<Function>& function_rows();

class Builder {
 public:
  Builder(const ParameterValues& definitions, std::vector<ParameterProblem>& problems);

  Graph graph();

  /// Throws a problem about a part of a definition, with its text.
  [[noreturn]] void refuse(const Syntax& part, const std::string& message, const Hint& hint = {}) {
    say(part.offset, message, hint);
    throw Refused();
  }

  int make(Node node, const Syntax& at);
  int make(Op op, std::vector<int> arguments, const Syntax& at, double number = 0,
           KeptAxis left = KeptAxis::number) {
    return make(Node{op, std::move(arguments), number, left}, at);
  }
  int number(double value, const Syntax& at) { return make(op::number, {}, at, value); }

  /// The node of an expression.
  int operator()(const Syntax& at);

  /// The value of an argument that must be constant during a run.
  double constant_of(const Syntax& at, const char* what);

  /// The value of a node that is a constant; else nullopt.
  std::optional<double> constant_at(int node) const;

  /// An anonymous state with the update s <- keep·s + take·x.
  int average(const Syntax& call, double keep, double take);

  /// prev(NAME).
  int previous(const Syntax& call);

  int with_variable(const Syntax& lambda);

  /// x divided by the number of indices of the summed axis, which the calculus determines.
  int mean(int x, KeptAxis left, const Syntax& at);

 private:
  struct Meaning {
    std::string key;
    std::optional<Syntax> tree = {};
    std::string text = {};
    std::optional<double> constant = {};
    bool is_state = false, under_way = false, used = false;
    std::optional<int> node = {}, before = {};

    std::string word() const { return key.substr(key.find('.') + 1); }
  };

  void say(std::optional<std::size_t> offset, const std::string& message, const Hint& hint = {}) {
    problems_.push_back({key_, message + hint.text, offset, hint.name});
  }

  /// Defines the name in the last part of a key; reports a problem if it is in use.
  Meaning& name(const std::string& key);

  void definition(const std::string& key, const std::string& text);

  int new_state(const std::string& word, const Syntax& at);

  /// The node of a state's value before the update; its new value is built, too.
  int before(Meaning& meaning, const Syntax& at);

  /// Builds the node of a definition, after those that it needs.
  void build(Meaning& meaning);

  /// Adds the definitions that an expression of the definition `within` needs.
  void find_needed(const Syntax& at, const Meaning& within, const std::string& variable,
                   std::vector<Meaning*>& needed);

  [[noreturn]] void refuse_cycle(const std::vector<Meaning*>& cycle);

  int named(const Syntax& at);

  [[noreturn]] void no_such(const Syntax& at, const std::string& word);

  int called(const Syntax& at);

  int binary(const Syntax& at);

  std::vector<ParameterProblem>& problems_;
  std::map<std::string, Meaning> names_;
  std::map<std::tuple<int, double, double>, int> averages_;  ///< anonymous states, by x, keep, take
  NodePlaces places_;
  std::vector<Meaning*> waiting_;       ///< states whose old value is needed
  std::string key_, whole_, variable_;  ///< of the definition being built
  Graph graph_;
};

}  // namespace rarefact::formula
