#pragma once

/// Class spectra: how often each fact occurs. Classes of equal probability form a group, so a spectrum of
/// 10^15 classes is a handful of numbers.

#include <functional>
#include <string>
#include <vector>

#include "rarefact/core/catalogue.hpp"

namespace rarefact {

/// Groups of equally likely classes, most likely first. Invariants: equal lengths, count >= 1, probability >
/// 0, probabilities strictly descending unless the spectrum's own definition says otherwise, Σ count x
/// probability = 1.
struct ClassGroups {
  std::vector<double> count;        ///< classes in the group (a double: it may be 1e300)
  std::vector<double> probability;  ///< of ONE class of the group

  double total() const;  ///< K
  std::size_t size() const { return count.size(); }
};

/// Reads the counts of a `file` spectrum: (path as typed, column) -> one count per class. Supplied by io.
using CountReader = std::function<std::vector<double>(const std::string& path, const std::string& column)>;

/// A row of the spectra catalogue.
struct SpectrumRow : CatalogueRow {
  ClassGroups (*make)(const ParameterValues&, const CountReader&) = nullptr;
};

/// uniform, two_level, power_law, grouped_power_law, dyadic, file.
const std::vector<SpectrumRow>& spectrum_catalogue();

/// The groups of a spectrum. InputError where parameters that are legal one by one do not fit together (βK
/// not whole).
ClassGroups make_spectrum(const std::string& kind, const ParameterValues& parameters,
                          const CountReader& reader);

}  // namespace rarefact
