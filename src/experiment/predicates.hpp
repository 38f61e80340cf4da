#pragma once

/// Predicates shared by rows of the table of requirements.

#include "experiment/requirements.hpp"

namespace rarefact::predicates {

using Words = std::vector<std::string>;
using E = const Experiment&;
using C = const EngineQuery&;

inline const Predicate outputs = [](E e) { return e.loss->of_outputs ? Words{e.loss->name} : Words{}; },
                       logits = [](E e) { return e.loss->of_outputs ? Words{} : Words{e.loss->name}; },
                       noisy = [](E e) { return e.label_noise > 0; },
                       by_frequency = [](E e) { return e.noise() == NoiseAnswers::frequency; },
                       recovered = [](E e) { return e.removes_recovered(); },
                       precise = [](E e) { return e.precision == 50; },
                       single = [](E e) { return e.single(); }, rho = [](E e) { return e.rho_epsilon > 0; };

}  // namespace rarefact::predicates
