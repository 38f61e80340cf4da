#pragma once

#include <catch2/catch.hpp>

#include "results/result_fields.hpp"
#include "results/sample_result.hpp"

namespace rarefact {

/// All but index and parameters.
inline void require_same_run(const Run& a, const Run& b) {
  REQUIRE(a.answers.has_value() == b.answers.has_value());
  REQUIRE(a.trajectories.size() == b.trajectories.size());
  for (std::size_t o = 0; o < a.trajectories.size(); ++o) {
    const Trajectory &s = a.trajectories[o], &t = b.trajectories[o];
    REQUIRE(s.optimizer == t.optimizer);
    for (const ResultField& field : result_fields()) {
      INFO(field.name);
      std::visit(
          [&]<class T, class Holder>(T Holder::*member) {
            if constexpr (std::is_same_v<T Holder::*, double Trajectory::*>) {
              REQUIRE(same_values({s.*member}, {t.*member}));
            } else if constexpr (std::is_same_v<Holder, Trajectory>) {
              REQUIRE(s.*member == t.*member);
            } else if constexpr (std::is_same_v<Holder, Run>) {
              REQUIRE(a.*member == b.*member);
            } else if (a.answers) {
              REQUIRE((*a.answers).*member == (*b.answers).*member);
            }
          },
          field.member);
    }
    REQUIRE(s.series.size() == t.series.size());
    for (const auto& [name, values] : s.series) {
      INFO(name);
      REQUIRE(same_values(values, t.series.at(name)));
    }
  }
}

inline void require_same(const Result& a, const Result& b) {
  REQUIRE(a.title == b.title);
  REQUIRE(a.rules == b.rules);
  REQUIRE(a.experiment == b.experiment);
  REQUIRE(a.steps == b.steps);
  REQUIRE(a.optimizers == b.optimizers);
  REQUIRE(a.variables.size() == b.variables.size());
  for (std::size_t v = 0; v < a.variables.size(); ++v) {
    const Variable &x = a.variables[v], &y = b.variables[v];
    REQUIRE(x.name == y.name);
    REQUIRE(x.long_name == y.long_name);
    REQUIRE(x.units == y.units);
    REQUIRE(x.along == y.along);
    REQUIRE(x.source == y.source);
    REQUIRE(x.validity == y.validity);
  }
  REQUIRE(a.runs.size() == b.runs.size());
  for (std::size_t r = 0; r < a.runs.size(); ++r) {
    REQUIRE(a.runs[r].index == b.runs[r].index);
    REQUIRE(a.runs[r].parameters == b.runs[r].parameters);
    require_same_run(a.runs[r], b.runs[r]);
  }
}

}  // namespace rarefact
