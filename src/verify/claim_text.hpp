#pragma once

/// A claim as its file has it.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/syntax.hpp"
#include "experiment/setting.hpp"
#include "verify/assumptions.hpp"

namespace rarefact::claims {

using LabelledTexts = std::vector<std::pair<std::string, std::string>>;

/// A finding, an assumption or a curve: its keys.
class Entry {
 public:
  Entry(ConfigNode table, std::string file) : table_(std::move(table)), file_(std::move(file)) {}

  bool has(const std::string& key) const { return table_.get(key) != nullptr; }
  /// A text or a number, as text; empty where it is not there.
  std::string text(const std::string& key) const;
  bool yes(const std::string& key) const;
  /// A text or a list of texts.
  std::vector<std::string> texts(const std::string& key) const;
  /// The entries of a table of texts in the order of the file, label and text; of a list of texts each is its own label.
  LabelledTexts labelled(const std::string& key) const;
  /// each.x = ["a", "b"]: x -> texts.
  std::map<std::string, std::vector<std::string>> choices(const std::string& key) const;
  /// NAME=VALUE of every entry of a table.
  std::vector<std::string> overrides(const std::string& key) const;
  /// The tables of [[claim.KEY]].
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

struct Define {
  Syntax tree;
  std::shared_ptr<const Entry> table = {};  ///< that it stands in
};
using Defines = std::map<std::string, Define>;

/// One that is tested by a row or by an expression, or else only stated.
struct Assumption {
  Entry entry;
  std::string text;
  const AssumptionRow* row = nullptr;
  std::string holds = {};

  bool tested() const { return row != nullptr || !holds.empty(); }
};

struct ClaimText {
  std::optional<Entry> table = {};  ///< [claim] itself
  Defines defines = {};
  std::vector<Assumption> assumptions = {};
  std::vector<Entry> findings = {}, curves = {};
};

/// [claim] of a text; nothing where it has none.
std::optional<Entry> claim_table(const std::string& text, const std::string& file);

using ReadText = std::function<std::string(const std::string& file)>;
/// InputError with the place of everything that is wrong with the text alone. `read` gives the text of a file that it includes.
ClaimText read_claim(const std::string& text, const std::string& file, const ReadText& read = {});

}  // namespace rarefact::claims
