#include <fmt/format.h>

#include <algorithm>

#include "core/catalogue.hpp"
#include "core/error.hpp"
#include "verify/check_row.hpp"

namespace rarefact {

namespace checks {
CheckRow one_step_gd();
CheckRow one_step_signgd_decoupled();
CheckRow one_step_signgd_coupled();
CheckRow one_step_muon();
CheckRow multi_step_muon();
CheckRow singular_values();
CheckRow gd_noiseless();
CheckRow muon_noiseless();
CheckRow muon_noisy();
CheckRow gd_stability();
CheckRow gd_scaling_law();
CheckRow muon_scaling_law();
CheckRow block_symmetry();
CheckRow preconditioner();
CheckRow tra_signgd();
CheckRow ngd_imbalance();
CheckRow kim2026_one_step_muon();
CheckRow kim2026_one_step_sgd();
CheckRow kim2026_one_step_newton();
CheckRow kim2026_critical_batch();
CheckRow kim2026_multi_step_thresholded();
CheckRow kim2026_multi_step_exact();
}  // namespace checks

const std::vector<CheckRow>& check_catalogue() {
  using namespace checks;
  static const std::vector<CheckRow> rows = {
      one_step_gd(),
      one_step_signgd_decoupled(),
      one_step_signgd_coupled(),
      one_step_muon(),
      multi_step_muon(),
      singular_values(),
      gd_noiseless(),
      muon_noiseless(),
      muon_noisy(),
      gd_stability(),
      gd_scaling_law(),
      muon_scaling_law(),
      block_symmetry(),
      preconditioner(),
      tra_signgd(),
      ngd_imbalance(),
      kim2026_one_step_muon(),
      kim2026_one_step_sgd(),
      kim2026_one_step_newton(),
      kim2026_critical_batch(),
      kim2026_multi_step_thresholded(),
      kim2026_multi_step_exact(),
  };
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
