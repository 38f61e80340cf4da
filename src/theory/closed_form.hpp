#pragma once

/// Closed forms by name, which claims may call: numbers in, one number out. They never see a result.

#include <string>
#include <vector>

#include "core/real50.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

struct ClosedForm : CatalogueRow {
  std::vector<std::string> arguments;
  double (*of)(const double* numbers) = nullptr;
  Real50 (*of50)(const Real50* numbers) = nullptr;  ///< null: in double only

  /// The value; if `precise`, computed in 50 digits and rounded to a double. NaN outside of the domain.
  double value(const double* numbers, bool precise) const;
};

const std::vector<ClosedForm>& closed_forms();
/// Further rows: spikes in noise, and SignGD with rotated blocks.
std::vector<ClosedForm> spike_forms();
std::vector<ClosedForm> sign_block_forms();

}  // namespace rarefact
