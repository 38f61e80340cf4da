#pragma once

// How keys stand in an Experiment: most are a member with a plain value; a few have forms of their own.

#include "experiment/keys.hpp"
#include "experiment/values.hpp"

namespace rarefact {

/// A plain value in a member of Experiment or OptimizerChoice.
template <class Owner, class T>
Codec member(T Owner::*field) {
  const auto owner = [](const Part& part) -> Owner& {
    if constexpr (std::is_same_v<Owner, Experiment>)
      return *part.experiment;
    else
      return *part.optimizer;
  };
  return {[=](const Setting& setting, const ExperimentKey& key, Part& part, ProblemList& problems) {
            const auto value = read_value(setting, part.key_in_messages(key.last_name()),
                                          key.uses.front().parameter, problems);
            if (value) owner(part).*field = std::get<T>(*value);
            return value.has_value();
          },
          [=](const Part& part) { return Setting{owner(part).*field}; }};
}

/// The key that chooses the row of its table.
Codec row_choice();

/// A member that is true for one of two words, the second.
Codec two_words(bool Experiment::*field, const std::string& no, const std::string& yes);

Codec record_codec();     ///< run.record
Codec nodes_codec();      ///< run.nodes
Codec classes_codec();    ///< run.classes
Codec step_size_codec();  ///< optimizer.step_size: a number or a search
Codec offset_codec();     ///< optimizer.schedule_offset, written only where the schedule has one

}  // namespace rarefact
