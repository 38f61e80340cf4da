#include "metrics/probe.hpp"

namespace rarefact {

const Probe& twin_gain_probe() {
  static const Probe probe = {
      .rows =
          {{{"twin_gain",
             "whether answers, or queries of an answer, that are learned alike stay so: above 2 the least rounding parts them",
             "max η p_l p̂(k|l)/σ, σ the norm of ∇L in answer k's row for twin queries l, in l's column for twin "
             "answers k; on the engines symmetric and quadrature, else NaN",
             ""},
            "gain of a difference between twins in a step",
            "1"}},
      .needs = {.update = true},
      .wanted = [](const ProbeCase& query) { return query.merges_identical; },
      .observe = [](Moment& moment, const Experiment&,
                    Measurements& found) { found.number("twin_gain", moment.twin_gain()); }};
  return probe;
}

}  // namespace rarefact
