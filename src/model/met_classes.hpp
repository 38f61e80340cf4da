#pragma once

/// What a run on samples can tell apart: the classes that its samples show, as queries or as noisy answers. All others are
/// alike, whatever their probabilities: their columns of W stay zero, and in every other column their rows stay equal.
/// So a run of T batches of B pairs holds at most 2TB classes of any K, exactly.

#include <functional>

#include "model/sampler.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

/// Ranks 1, 2-3, 4-7, ... of a law that has too many classes to write out, as groups of the mean probability.
ClassGroups dyadic_groups(const SmoothLaw& law);

/// Draws have numbers of 52 bits.
inline constexpr double most_told_apart = 4.5e15;

/// The classes that samples show, and the groups that a memory holds instead of all.
struct MetClasses {
  std::vector<Index> number;  ///< of each in the spectrum, from 0, ascending
  /// Each met class, and last all others with their mean probability where there are any.
  ClassGroups groups;

  /// The group of a class: its own if it was met, else that of all others.
  Index group_of(Index class_number) const;
};

using DrawsOfStep = std::function<std::vector<Draw>(std::int64_t step)>;

/// Of the draws of so many steps; where there is a law, `groups` are its dyadic groups.
MetClasses met_classes(const DrawsOfStep& draws, std::int64_t steps, const ClassGroups& groups,
                       const SmoothLaw* law);

/// How many classes such samples meet on average: Σ_l 1 - (1-p_l)^D (1-α/K)^D of D draws in all.
double expected_met(const Spectrum& spectrum, double label_noise, double draws);

}  // namespace rarefact
