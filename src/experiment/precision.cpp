#include "experiment/precision.hpp"

#include <algorithm>

namespace rarefact {

const std::vector<Precision>& precisions() {
  static const std::vector<Precision> all = {{16, sizeof(double), 1, 1, 128, true, ""},
                                             {50, sizeof(Real50), 200, 4600, 32, false,
                                              "in 50 significant digits, which no other engine computes in"}};
  return all;
}

const Precision& precision_of(const Experiment& experiment) {
  return *std::ranges::find(precisions(), experiment.precision, &Precision::digits);
}

}  // namespace rarefact
