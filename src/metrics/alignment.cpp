#include "metrics/probe.hpp"

namespace rarefact {

const Probe& alignment_probe() {
  static const Probe probe = {
      .rows = {{{"alignment",
                 "how much of the next update is along the polar factor of the population's gradient",
                 "<D, msgn(∇L)>/rank ∇L, ∇L of the population at W even if D is from samples; 1 if D is that "
                 "factor",
                 ""},
                "alignment of the update with msgn of the population's gradient",
                "1"}},
      .needs = {.update = true, .polar_factor = true},
      .wanted = [](const ProbeCase& query) { return query.experiment.alignment; },
      .observe = [](Moment& moment, const Experiment&,
                    Measurements& found) { found.number("alignment", moment.alignment()); }};
  return probe;
}

}  // namespace rarefact
