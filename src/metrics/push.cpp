#include "metrics/probe.hpp"

namespace rarefact {

const Probe& push_probe() {
  static const Probe probe = {
      .rows = {{{"push", "how much the next update raises the right logit of a class, per unit of step size",
                 "-(Ẽᵀ D E)_ll, mean over the group's classes", ""},
                "push of the right logit per unit of step size",
                "1",
                Along::class_groups,
                {.certified = Certified::beside}}},
      .needs = {.update = true, .row_values = 1},
      .wanted = [](const ProbeCase& query) { return query.experiment.push; },
      .observe = [](Moment& moment, const Experiment&,
                    Measurements& found) { found.cells("push", moment.push()); }};
  return probe;
}

}  // namespace rarefact
