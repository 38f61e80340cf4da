#pragma once

#include <catch2/catch.hpp>

#include "results/result_fields.hpp"
#include "results/sample_result.hpp"

namespace rarefact {

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
    const Run &x = a.runs[r], &y = b.runs[r];
    REQUIRE(x.index == y.index);
    REQUIRE(x.parameters == y.parameters);
    REQUIRE(x.answers.has_value() == y.answers.has_value());
    REQUIRE(x.trajectories.size() == y.trajectories.size());
    for (std::size_t o = 0; o < x.trajectories.size(); ++o) {
      const Trajectory &s = x.trajectories[o], &t = y.trajectories[o];
      REQUIRE(s.optimizer == t.optimizer);
      for (const ResultField& field : result_fields()) {
        INFO(field.name);
        std::visit(
            [&]<class T, class Holder>(T Holder::*member) {
              if constexpr (std::is_same_v<Holder, Trajectory>) {
                REQUIRE(s.*member == t.*member);
              } else if (const Holder* held = holder_in<Holder>(x)) {
                REQUIRE(held->*member == holder_in<Holder>(y)->*member);
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
}

}  // namespace rarefact
