#pragma once

/// The bands of an experiment among its classes, and means over them on every engine.

#include "metrics/rank_band.hpp"
#include "sim/class_rows.hpp"

namespace rarefact {

/// The bands of run.bands in their order, then `medium` if they leave classes. Throws InputError if a band has no
/// class, bands overlap, or nothing says how often classes occur.
std::vector<ClassBand> bands_of(const Experiment& experiment, const Spectrum& spectrum);

/// The probability of all classes of a band.
double mass_of(const ClassBand& band, const Spectrum& spectrum);

/// The last rank of every range: no panel of a quadrature may extend across it.
std::vector<double> cuts_of(const std::vector<ClassBand>& bands);

/// Means over the classes of bands, from cells of an exact engine, each of which has classes of one group, of sampled
/// classes, or of nodes from the cell `first` on, whose panels end at the cuts.
CellsToRows over_bands(const std::vector<Cell>& cells, const std::vector<ClassBand>& bands,
                       const Spectrum& spectrum);
CellsToRows over_bands(const SampledClasses& sampled, const std::vector<ClassBand>& bands,
                       const Spectrum& spectrum);
CellsToRows over_bands(const QuadratureRule& nodes, std::size_t first, const std::vector<ClassBand>& bands);

}  // namespace rarefact
