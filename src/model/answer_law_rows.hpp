#pragma once

/// Private helpers of answer_law*.cpp.

#include "model/answer_law.hpp"

namespace rarefact {

/// The classes in groups. Throws InputError if there are too many distinct ones to write out.
const ClassGroups& written_classes(const AnswerLawRequest& request, const char* law);

/// The law of these components, its query types sorted.
AnswerLaw in_components(Components components);
/// The law of the pairs that `pairs` makes, each time the same.
AnswerLaw in_components(const std::function<Pairs()>& pairs);

/// A law with more queries than can be written out. Throws InputError if the probability of the rarest query
/// underflows.
AnswerLaw unwritten(const SmoothLaw& law);

AnswerLawRow fan_in_row();
AnswerLawRow counts_row();
AnswerLawRow zipf_row();

}  // namespace rarefact
