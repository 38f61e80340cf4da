#pragma once

/// A claim as its file has it.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/syntax.hpp"
#include "experiment/setting.hpp"

namespace rarefact::claims {

/// A finding, an assumption or a curve: its keys.
class Entry {
 public:
  Entry(ConfigNode table, std::string file) : table_(std::move(table)), file_(std::move(file)) {}

  bool has(const std::string& key) const { return table_.get(key) != nullptr; }
  /// A text or a number, as text; empty where it is not there.
  std::string text(const std::string& key) const;
  bool yes(const std::string& key) const;
  /// Whether it has a relation, and is not evidence alone.
  bool claims_something() const;
  /// A text or a list of texts.
  std::vector<std::string> texts(const std::string& key) const;
  /// The entries of a table of texts, label and text; of a list of texts each is its own label.
  std::vector<std::pair<std::string, std::string>> labelled(const std::string& key) const;
  /// each.x = ["a", "b"]: x -> texts.
  std::vector<std::pair<std::string, std::vector<std::string>>> choices(const std::string& key) const;
  /// InputError at the place of a key.
  [[noreturn]] void refuse(const std::string& key, const std::string& message) const;
  /// Calls f; an InputError without a place gets that of the key or, from a SyntaxError, that of the byte of its text.
  template <class F>
  auto at(const std::string& key, const F& f) const {
    try {
      return f();
    } catch (const InputError& error) {
      rethrow(key, error);
    }
  }
  /// Refuses keys that are none of these.
  void check_keys(const std::vector<std::string>& known, const std::string& table) const;

 private:
  [[noreturn]] void rethrow(const std::string& key, const InputError& error) const;
  ConfigNode table_;
  std::string file_;
};

/// What a claim defines, by name.
struct Defines : std::map<std::string, Syntax> {
  std::optional<Entry> table = {};  ///< [claim.define]
};

struct ClaimText {
  std::map<std::string, std::string> words = {};  ///< title, statement, source ...
  std::optional<Entry> table = {};                ///< [claim] itself
  std::vector<std::string> assumes = {}, further = {};
  std::vector<std::string> quick = {}, precise = {};  ///< KEY=VALUE each
  Defines defines = {};
  std::vector<Entry> findings = {}, assumptions = {}, curves = {};
};

/// InputError with the place of everything that is wrong with the text alone.
ClaimText read_claim(const std::string& text, const std::string& file);

}  // namespace rarefact::claims
