#pragma once

/// The tables of a claim as read from its file.

#include <functional>
#include <map>
#include <utility>

#include "core/syntax.hpp"
#include "experiment/setting.hpp"

namespace rarefact::claims {

using LabelledTexts = std::vector<std::pair<std::string, std::string>>;

/// The keys of [claim], or of a finding, an assumption or a curve, in the order of the file.
class Entry {
 public:
  Entry(ConfigNode table, std::string file) : table_(std::move(table)), file_(std::move(file)) {}

  bool has(const std::string& key) const { return table_.get(key) != nullptr; }
  /// A text, or a number as text; empty if missing.
  std::string text(const std::string& key) const;
  std::vector<std::string> texts(const std::string& key) const;
  /// The entries of a table of texts as label and text; the items of a list of texts, each its own label.
  LabelledTexts labelled(const std::string& key) const;
  /// each.x = ["a", "b"]: x -> texts.
  std::map<std::string, std::vector<std::string>> choices(const std::string& key) const;
  bool is_text(const std::string& key) const;
  /// A copy in which a key that is there has another text.
  Entry with(const std::string& key, const std::string& text) const;
  /// NAME=VALUE for every entry of a table, whose dotted names may be in quotes or plain.
  std::vector<std::string> overrides(const std::string& key) const;
  /// Calls f; errors of an override get its position in the table.
  void at_overrides(const std::string& key, const std::function<void()>& f) const;
  /// The tables of [[claim.KEY]], or the single [claim.KEY].
  std::vector<Entry> tables(const std::string& key) const;
  /// Throws InputError at the position of a key.
  [[noreturn]] void refuse(const std::string& key, const std::string& message) const;
  /// Calls f; errors without a position get one as in rethrow.
  template <class F>
  auto at(const std::string& key, const F& f) const {
    try {
      return f();
    } catch (const InputError& error) {
      rethrow(key, error);
    }
  }
  /// Throws the error with the position of a key, or of the byte in its text.
  [[noreturn]] void rethrow(const std::string& key, const InputError& error) const;
  void check_keys(const std::vector<std::string>& known, const std::string& table) const;

 private:
  ConfigNode table_;
  std::string file_;
};

/// [claim] of a text; nullopt if it has none.
std::optional<Entry> claim_table(const std::string& text, const std::string& file);

}  // namespace rarefact::claims
