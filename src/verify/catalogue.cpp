#include "rarefact/catalogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "core/text.hpp"
#include "rarefact/error.hpp"
#include "verify/check_row.hpp"

/// The checks: the folder and the function of each.
#define RAREFACT_CHECKS(CHECK)               \
  CHECK(wang2025, one_step_gd)               \
  CHECK(wang2025, one_step_signgd_decoupled) \
  CHECK(wang2025, one_step_signgd_coupled)   \
  CHECK(wang2025, one_step_muon)             \
  CHECK(wang2025, multi_step_muon)           \
  CHECK(wang2025, singular_values)           \
  CHECK(li2026, gd_noiseless)                \
  CHECK(li2026, muon_noiseless)              \
  CHECK(li2026, muon_noisy)                  \
  CHECK(li2026, gd_stability)                \
  CHECK(li2026, gd_scaling_law)              \
  CHECK(li2026, muon_scaling_law)            \
  CHECK(li2026, block_symmetry)              \
  CHECK(li2026, preconditioner)              \
  CHECK(li2026, tra_signgd)                  \
  CHECK(li2026, ngd_imbalance)               \
  CHECK(kim2026, one_step_muon)              \
  CHECK(kim2026, one_step_sgd)               \
  CHECK(kim2026, one_step_newton)            \
  CHECK(kim2026, critical_batch)             \
  CHECK(kim2026, multi_step_thresholded)     \
  CHECK(kim2026, multi_step_exact)

#define RAREFACT_DECLARE(paper, claim) \
  namespace paper {                    \
  CheckRow claim();                    \
  }
#define RAREFACT_ROW(paper, claim) completed(checks::paper::claim()),

namespace rarefact {

namespace checks {
RAREFACT_CHECKS(RAREFACT_DECLARE)
}  // namespace checks

std::vector<std::string> header_texts(const std::string& experiment, const std::string& tag) {
  std::istringstream lines(experiment);
  std::vector<std::string> texts;
  const std::string start = "# " + tag + ": ";
  bool inside = false;
  for (std::string line; std::getline(lines, line) && line.starts_with("#");) {
    if (inside && line.starts_with("#  ")) {
      texts.back() += line.substr(line.find_first_not_of(' ', 1) - 1);
      continue;
    }
    inside = line.starts_with(start);
    if (inside) texts.push_back(line.substr(start.size()));
  }
  return texts;
}

namespace {

/// The row with what the headers of its experiments say.
CheckRow completed(CheckRow row) {
  std::vector<std::string> names = row.further;
  names.insert(names.begin(), row.id);
  for (const std::string& name : names) {
    const std::string file = name + ".toml", &text = experiment_text(file);
    row.experiments.push_back({file, header_texts(text, "Quick"), header_texts(text, "In 50 digits")});
  }
  const std::string& text = experiment_text(names.front() + ".toml");
  for (const auto& [tag, member] :
       {std::pair{"Title", &CheckRow::title}, std::pair{"Claim", &CheckRow::statement},
        std::pair{"Source", &CheckRow::source}, std::pair{"Predicted", &CheckRow::predicted},
        std::pair{"Measured", &CheckRow::measured}, std::pair{"Judged by", &CheckRow::rule},
        std::pair{"Note", &CheckRow::note}}) {
    for (const std::string& one : header_texts(text, tag)) row.*member = one;
  }
  return row;
}

}  // namespace

const std::vector<CheckRow>& check_catalogue() {
  static const std::vector<CheckRow> rows = {RAREFACT_CHECKS(RAREFACT_ROW)};
  return rows;
}

const CheckRow& check_row(const std::string& id) {
  // An id may be mistyped, or its source forgotten.
  std::vector<std::string> ids, names;
  for (const CheckRow& row : check_catalogue()) {
    if (row.id == id) return row;
    ids.push_back(row.id);
    names.push_back(row.id.substr(row.id.find('/') + 1));
  }
  std::string nearest = nearest_name(id, ids);
  if (nearest.empty()) {
    const auto found = std::find(names.begin(), names.end(), nearest_name(id, names));
    if (found != names.end()) nearest = ids[static_cast<std::size_t>(found - names.begin())];
  }
  throw InputError(fmt::format("no check is called \"{}\"{}; the checks: {}", id,
                               nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest),
                               joined(ids)));
}

}  // namespace rarefact
