#pragma once

/// The hypotheses of the predictions, each a question put to an input. An answer is an objection, one
/// short sentence that says why the prediction does not apply, or nothing.

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "theory/prediction.hpp"

namespace rarefact {

using Objection = std::optional<std::string>;

/// A parameter that a prediction tolerates, and the only value it tolerates; any value where none is given.
struct Tolerated {
  std::string parameter;
  std::optional<Value> neutral = {};
};

/// The first objection of several, or nothing.
Objection first_objection(std::initializer_list<Objection> objections);

/// The rule is one of `rules`, and its step size is the same throughout.
Objection require_rule(const PredictionInput& input, const std::vector<std::string>& rules);

/// The start and the data: K >= 2 classes and the exact population gradient.
Objection require_population(const PredictionInput& input);

/// EᵀE = ẼᵀẼ = I.
Objection require_orthonormal(const PredictionInput& input);

/// α = 0, or α > 0.
Objection require_noiseless(const PredictionInput& input);
Objection require_noise(const PredictionInput& input);

/// Every parameter of the rule is tolerated. A parameter that is not listed is an objection: the prediction
/// cannot know what it does. A listed one that is absent has not been switched on by the user, so it is
/// neutral.
Objection require_plain(const PredictionInput& input, const std::vector<Tolerated>& tolerated);

/// The parameters of `muon` at which it is W ← W - η msgn(∇L), the exact polar factor without memory.
/// How a momentum of 0 is kept or looked ahead of changes nothing.
const std::vector<Tolerated>& plain_muon();

}  // namespace rarefact
