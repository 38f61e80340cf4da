#pragma once

// How keys stand in an Experiment: most as a plain value in a member; a few have forms of their own.

#include "experiment/keys.hpp"
#include "experiment/values.hpp"

namespace rarefact {

/// A plain value that stands where `place` says.
template <class T>
Codec value_in(std::function<T&(const Part&)> place) {
  return {[place](const Setting& setting, const ExperimentKey& key, Part& part, ProblemList& problems) {
            const auto value = read_value(setting, part.key_in_messages(key.last_name()),
                                          key.uses.front().parameter, problems);
            if (value) place(part) = std::get<T>(*value);
          },
          [place](const Part& part) { return Setting{place(part)}; }};
}

template <class T>
Codec member(T Experiment::*field) {
  return value_in<T>([field](const Part& part) -> T& { return part.experiment->*field; });
}
template <class T>
Codec member(T OptimizerChoice::*field) {
  return value_in<T>([field](const Part& part) -> T& { return part.optimizer->*field; });
}

/// A member that is true for one of two words, the second.
Codec two_words(bool Experiment::*field, const std::string& no, const std::string& yes);

Codec engine_codec();     ///< run.engine
Codec record_codec();     ///< run.record
Codec nodes_codec();      ///< run.nodes
Codec classes_codec();    ///< run.classes
Codec step_size_codec();  ///< optimizer.step_size: a number or a search
Codec offset_codec();     ///< optimizer.schedule_offset, written only where the schedule has one

}  // namespace rarefact
