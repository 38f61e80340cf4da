#pragma once

// Values from the command line put over those of a file, and the places of dotted keys in its tables.

#include <optional>
#include <string>
#include <vector>

#include "experiment/setting.hpp"

namespace rarefact {

/// "key=value" taken apart at the first =, blanks around both parts dropped; nothing, and a problem, if one
/// is missing.
struct OverrideParts {
  std::string key, value;
};
std::optional<OverrideParts> override_parts(const std::string& override_text, ProblemList& problems);

/// The value; nothing, and a problem, if it is no TOML.
std::optional<Setting> override_value(const OverrideParts& parts, const std::string& override_text,
                                      ProblemList& problems);

/// Puts "key=value" into the tables of a file. Wrong types are left to the reader of the tables to find.
void apply_override(Setting& root, const std::string& override_text, ProblemList& problems);

/// The label of an optimizer's table: its name, or else its rule.
std::string label_of(const Setting& optimizer);

/// The labels of all optimizers of a file.
std::vector<std::string> optimizer_labels(const Setting& root);

/// 'no optimizer is named "x"; there are: a, b', with the nearest.
std::string no_such_optimizer(const Setting& root, const std::string& label);

/// The table in which a dotted key stands, made where it is missing: "optimizer.LABEL.step_size" in that of
/// the label. Null where there is no such optimizer or something else is in the way.
Setting* table_of_key(Setting& root, const std::string& key);

}  // namespace rarefact
