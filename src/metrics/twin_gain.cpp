#include "metrics/probe.hpp"

namespace rarefact {

const Probe& twin_gain_probe() {
  static const Probe probe = {
      .rows =
          {{{"twin_gain",
             "growth of differences between identical queries or answers: above 2 rounding separates them",
             "max η p_l p̂(k|l)/σ, σ the norm of ∇L in answer k's row for identical queries l, in l's "
             "column for identical answers k; on the engines symmetric and quadrature, else NaN",
             ""},
            "growth of a difference between identical classes in a step",
            "1"}},
      .needs = {.update = true},
      .wanted = [](const ProbeCase& query) { return query.merges_identical; },
      .observe = [](Moment& moment, const Experiment&,
                    Measurements& found) { found.number("twin_gain", moment.twin_gain()); }};
  return probe;
}

}  // namespace rarefact
