#pragma once

/// The tables of a claim as its file has them.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/syntax.hpp"
#include "experiment/setting.hpp"

namespace rarefact::claims {

using LabelledTexts = std::vector<std::pair<std::string, std::string>>;

/// [claim], or a finding, an assumption or a curve: its keys. Values of keys are in the order of the file.
class Entry {
 public:
  Entry(ConfigNode table, std::string file) : table_(std::move(table)), file_(std::move(file)) {}

  bool has(const std::string& key) const { return table_.get(key) != nullptr; }
  /// A text or a number, as text; empty where it is not there.
  std::string text(const std::string& key) const;
  /// A text or a list of texts.
  std::vector<std::string> texts(const std::string& key) const;
  /// The entries of a table of texts, label and text; of a list of texts each is its own label.
  LabelledTexts labelled(const std::string& key) const;
  /// each.x = ["a", "b"]: x -> texts.
  std::map<std::string, std::vector<std::string>> choices(const std::string& key) const;
  /// NAME=VALUE of every entry of a table.
  std::vector<std::string> overrides(const std::string& key) const;
  /// The tables of [[claim.KEY]], or the one of [claim.KEY].
  std::vector<Entry> tables(const std::string& key) const;
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

/// [claim] of a text; nothing where it has none.
std::optional<Entry> claim_table(const std::string& text, const std::string& file);

}  // namespace rarefact::claims
