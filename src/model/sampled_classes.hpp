#pragma once

/// The classes that a run on samples can distinguish: those drawn as queries or as noisy answers. All others
/// stay identical, whatever their probabilities: their columns of W stay zero, and in every other column
/// their rows stay equal. So a run of T batches of B pairs stores at most 2TB classes, exactly, for any K.

#include <functional>

#include "model/sampler.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

/// Octaves of ranks 1, 2-3, 4-7, ... of a law with too many classes to write out, as groups with the mean
/// probability.
ClassGroups dyadic_groups(const SmoothLaw& law);

/// Largest number of classes that draws of 52 bits can distinguish.
inline constexpr double max_distinguished = 4.5e15;

/// The sampled classes, and the groups that a memory stores instead of all classes.
struct SampledClasses {
  std::vector<Index> number;  ///< number of each sampled class in the spectrum, from 0, ascending
  /// Each sampled class, then all others together, if any, with their mean probability.
  ClassGroups groups;

  /// The group of a class: its own if it was sampled, else that of the others.
  Index group_of(Index class_number) const;
};

using DrawsOfStep = std::function<std::vector<Draw>(std::int64_t step)>;

/// The sampled classes of the draws of all steps; with a smooth law, `groups` are its octaves.
SampledClasses sampled_classes(const DrawsOfStep& draws, std::int64_t steps, const ClassGroups& groups,
                               const SmoothLaw* law);

/// The expected number of sampled classes: Σ_l 1 - (1-p_l)^D (1-α/K)^D for D draws in all, p that of training.
double expected_sampled(const Spectrum& spectrum, double label_noise, double draws);

}  // namespace rarefact
