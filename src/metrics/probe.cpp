#include "metrics/probe.hpp"

#include <iterator>

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

std::vector<Probe> spectral_probes(), step_probes();

const std::vector<Probe>& probes() {
  static const std::vector<Probe> all = [] {
    std::vector<Probe> probes = spectral_probes();
    std::ranges::move(step_probes(), std::back_inserter(probes));
    return probes;
  }();
  return all;
}

Probes wanted_probes(const ProbeCase& query) {
  Probes wanted{&query.experiment};
  for (const Probe& probe : probes()) {
    if (!probe.wanted(query) || (probe.needs.update && !query.updates)) continue;
    if (query.repetition && !probe.has_digits) continue;
    wanted.chosen.push_back(&probe);
    wanted.needs += probe.needs;
  }
  return wanted;
}

void Probes::observe(bool update, Moment& moment, Measurements& found) const {
  for (const Probe* probe : chosen) {
    if (probe->needs.update != update) continue;
    for (std::size_t i = 0; i < probe->numbers.size(); ++i)
      found.number(probe->rows[i].name, probe->numbers[i](moment));
    if (probe->observe) probe->observe(moment, *experiment, found);
  }
}

}  // namespace rarefact
