#pragma once

/// Closed forms by name, which claims may call: numbers in, one number out. None of them sees a result.

#include <string>
#include <vector>

#include "core/real50.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

struct ClosedForm : CatalogueRow {
  std::vector<std::string> arguments;
  double (*of)(const double* numbers) = nullptr;
  Real50 (*of50)(const Real50* numbers) = nullptr;  ///< nothing: in doubles alone

  /// In 50 digits where `precise`, rounded to a double. NaN for numbers that the form is not for.
  double value(const double* numbers, bool precise) const;
};

const std::vector<ClosedForm>& closed_forms();
/// Some of them: of spikes in noise, and of SignGD with rotated blocks.
std::vector<ClosedForm> spike_forms();
std::vector<ClosedForm> sign_block_forms();

}  // namespace rarefact
