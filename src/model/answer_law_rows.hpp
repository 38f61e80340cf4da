#pragma once

/// What the rows of the catalogue of laws share; for their sources alone.

#include "model/answer_law.hpp"

namespace rarefact {

/// The classes in groups. InputError where there are too many distinct ones to write out.
const ClassGroups& written_classes(const AnswerLawRequest& request, const char* law);

/// The law of these units, its query types sorted.
AnswerLaw in_units(OrderedUnits ordered);

/// A law of more queries than are written out. InputError if a double cannot say how likely the rarest query is.
AnswerLaw unwritten(const SmoothLaw& law);

AnswerLawRow fan_in_row();
AnswerLawRow counts_row();

}  // namespace rarefact
