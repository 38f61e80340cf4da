#include "rarefact/catalogue.hpp"

#include <algorithm>
#include <sstream>

#include "core/text.hpp"
#include "rarefact/error.hpp"
#include "verify/claim.hpp"
#include "verify/hypotheses.hpp"

namespace rarefact {

using Claim = CheckRow();

namespace checks {
namespace wang2025 {
Claim one_step_muon, multi_step_muon, singular_values;
}
namespace li2026 {
Claim gd_noiseless, muon_noiseless, muon_noisy, gd_scaling_law, muon_scaling_law, preconditioner, tra_signgd;
}
namespace wang2026 {
Claim embeddings, taylor;
}
namespace paquette2026 {
Claim phases, square_root, small_batch, signsgd, isotropic;
}
namespace rarefact2026 {
Claim first_step, rho_of_fan_in, loss_exponent, late_lock, newton_margins;
}
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

/// The row with what the headers of its experiments say, and with what all statements take for granted.
CheckRow completed(CheckRow row) {
  if (!row.is_claim) {
    row.hypotheses.push_back(hypothesis::constant_step_sizes());
    if (!row.momentum) row.hypotheses.push_back(hypothesis::no_momentum());
    row.hypotheses.push_back(hypothesis::gradient(row.thresholded));
  }
  std::vector<std::string> names = row.further;
  names.insert(names.begin(), row.id);
  for (const std::string& name : names) {
    const std::string file = name + ".toml", &text = experiment_text(file);
    row.experiments.push_back({file, "experiments/theorems/" + file, text, header_texts(text, "Quick"),
                               header_texts(text, "In 50 digits")});
  }
  const std::string& text = experiment_text(row.id + ".toml");
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
  using namespace checks;
  const auto file = [](const char* id) { return [id] { return claim_row(id); }; };
  const auto all = [](auto... claims) { return std::vector<CheckRow>{completed(claims())...}; };
  static const std::vector<CheckRow> rows = all(
      file("wang2025/one-step-gd"), file("wang2025/one-step-signgd-decoupled"),
      file("wang2025/one-step-signgd-coupled"), wang2025::one_step_muon, wang2025::multi_step_muon,
      wang2025::singular_values, li2026::gd_noiseless, li2026::muon_noiseless, li2026::muon_noisy,
      file("li2026/gd-stability"), li2026::gd_scaling_law, li2026::muon_scaling_law,
      file("li2026/block-symmetry"), li2026::preconditioner, li2026::tra_signgd, file("li2026/ngd-imbalance"),
      file("kim2026/one-step-muon"), file("kim2026/one-step-sgd"), file("kim2026/one-step-newton"),
      file("kim2026/critical-batch"), file("kim2026/multi-step-thresholded"),
      file("kim2026/multi-step-exact"), file("li2026b/spiked"), file("li2026b/low-snr"),
      file("li2026b/window-is-batch"), file("li2026b/order"), file("li2026b/rate"), file("li2026b/coverage"),
      file("li2026b/training"), file("formula/effective-exponent"), file("wang2026/nds-at-zero"),
      file("wang2026/imbalance"), wang2026::embeddings, file("wang2026/matched-loss"), wang2026::taylor,
      file("wang2026/quadratic"), file("vasudeva2025/closed-forms"), file("vasudeva2025/minority"),
      file("vasudeva2025/equal-rates"), paquette2026::square_root, paquette2026::small_batch,
      paquette2026::signsgd, file("paquette2026/dynamics"), paquette2026::isotropic, paquette2026::phases,
      file("rarefact2026/fan-in-speed"), rarefact2026::first_step, rarefact2026::rho_of_fan_in,
      rarefact2026::loss_exponent, rarefact2026::late_lock, rarefact2026::newton_margins);
  return rows;
}

const CheckRow& check_row(const std::string& id) {
  for (const CheckRow& row : claims_of_files()) {
    if (row.id == id) return row;
  }
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
    if (found != names.end()) nearest = ids[found - names.begin()];
  }
  throw bad_input("no check is called \"{}\"{}; the checks: {}", id, did_you_mean(nearest, ""), joined(ids));
}

}  // namespace rarefact
