#include "metrics/probe.hpp"

#include <algorithm>

namespace rarefact {

Needs& Needs::operator+=(const Needs& more) {
  update |= more.update;
  logits |= more.logits;
  singular_values |= more.singular_values;
  polar_factor |= more.polar_factor;
  expansion |= more.expansion;
  logit_matrices = std::max(logit_matrices, more.logit_matrices);  // probes run one after the other
  row_values += more.row_values;
  return *this;
}

// One per file of this room, in the order in which a result lists their variables.
const Probe &spectral_probe(), &task_probe(), &push_probe(), &alignment_probe(), &rho_probe(),
    &curvature_probe(), &twin_gain_probe();

const std::vector<const Probe*>& probes() {
  static const std::vector<const Probe*> all = {&spectral_probe(),  &task_probe(), &push_probe(),
                                                &alignment_probe(), &rho_probe(),  &curvature_probe(),
                                                &twin_gain_probe()};
  return all;
}

Probes wanted_probes(const ProbeCase& query) {
  Probes wanted{&query.experiment};
  for (const Probe* probe : probes()) {
    if (!probe->wanted(query) || (probe->needs.update && !query.updates)) continue;
    wanted.chosen.push_back(probe);
    wanted.needs += probe->needs;
  }
  return wanted;
}

void Probes::observe(bool update, Moment& moment, Measurements& found) const {
  for (const Probe* probe : chosen) {
    if (probe->needs.update == update) probe->observe(moment, *experiment, found);
  }
}

}  // namespace rarefact
