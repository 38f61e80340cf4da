#pragma once

/// Sampling of query-answer pairs. Every draw is a pure function of (seed, stream, step, index), so a sample
/// depends neither on the number of threads nor on earlier draws.

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "model/population.hpp"

namespace rarefact {

/// The data modes: population, minibatch, dataset.
const std::vector<CatalogueRow>& data_mode_catalogue();

/// The number of pairs in a sample of this mode; 0 for the population.
double draws_of(const std::string& mode, const ParameterValues& parameters);

/// Largest number of pairs in a sample; they are drawn before they are counted, 8 bytes each.
inline constexpr double max_draws = 1e9;

/// One pair; classes are numbered from 0, group by group.
struct Draw {
  Index query = 0, answer = 0;
};

/// Query l with its probability in training, then one of its answers by π₀ with probability 1-α and else one by b, so
/// that answer k has probability π(k|l) = (1-α) π₀(k|l) + α b_k. The four numbers of a draw decide, in this
/// order, the group of the query by inversion of the cumulative law of the groups, the member of that group,
/// whether the answer is noise, and which one then. Numbers have 52 bits, so probabilities have an error of
/// 2^-52 (2^-52 n for a member within its group). If the law is written out, each query is a group, and the
/// second number chooses among its answers.
class Sampler {
 public:
  /// Groups of whole sizes, N < 2^52. Pairs must outlive it. Within groups of a smooth law (`within`) a
  /// member is drawn by rejection with further numbers of the stream: a uniform member is accepted with
  /// probability weight/(largest weight, of the first or the last).
  Sampler(const Population& population, const RandomStream& stream, std::optional<SmoothLaw> within = {});

  Draw draw(std::uint64_t step, std::uint64_t index) const;

  /// Draws 0 .. count-1 of a step; 1 <= count <= max_draws.
  std::vector<Draw> draws(std::uint64_t step, std::int64_t count, const Workers& workers) const;
  /// The same as counts, in O(count log count) for any K < 2^32.
  Sample sample(std::uint64_t step, std::int64_t count, const Workers& workers) const;

 private:
  /// One of M + 1 cells of equal mass; the last is that of masses that round to 1.
  std::size_t cell_of(double mass) const;
  std::size_t group_at(double mass) const;
  void for_draws(std::uint64_t step, std::int64_t count, const Workers& workers,
                 const std::function<void(std::size_t, const Draw&)>& body) const;

  Index noise_answer(double number) const;
  Index member_by_law(std::size_t group, std::uint64_t step, std::uint64_t index) const;

  RandomStream stream_;
  std::optional<SmoothLaw> within_;
  double label_noise_;
  const Pairs* pairs_;
  bool by_frequency_;
  Index queries_ = 0, answers_ = 0;
  std::vector<Index> begin_;          // first class of every group, then K
  std::vector<double> mass_;          // cumulative mass of the groups in training; the last is 1
  std::vector<double> noise_mass_;    // by p, if noise answers are by frequency
  std::vector<std::uint32_t> guide_;  // for each cell the first group whose mass is in it or beyond
};

/// Counts of pairs as a sample. `draws` are query x K + answer, in any order, and are sorted.
Sample counted(std::span<std::uint64_t> draws, Index answers);

// The classes that a run on samples can distinguish: those drawn as queries or as noisy answers. All others
// stay identical, whatever their probabilities: their columns of W stay zero, and in every other column
// their rows stay equal. So a run of T batches of B pairs stores at most 2TB classes, exactly, for any K.

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
