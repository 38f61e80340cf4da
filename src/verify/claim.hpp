#pragma once

/// Claims: statements as data in [claim] of an experiment file, judged on its runs. docs/claims.md has the language.

#include <deque>
#include <filesystem>
#include <string>

#include "verify/check_row.hpp"

namespace rarefact {

/// An assumption that claims name.
struct AssumptionRow {
  std::string name;
  HypothesisRow row;
};
const std::vector<AssumptionRow>& assumptions();

/// The statement of an experiment file, whose experiments further ones of its folder may be. `id`: the file, below
/// experiments/theorems/ and without .toml. InputError with places, among them that of a [claim] that is not there.
CheckRow claim_row(const std::string& id);

/// The same of a user's file, complete: [claim.quick] says what --quick puts over it, and [claim.precise] what --precision 50
/// does. FileError.
const CheckRow& claim_of_file(const std::filesystem::path& path);

/// Those that have been read, which check_row knows beside the catalogue.
std::deque<CheckRow>& claims_of_files();

}  // namespace rarefact
