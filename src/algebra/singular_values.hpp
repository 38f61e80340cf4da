#pragma once

#include <vector>

namespace rarefact {

/// The nonzero singular values of a matrix, descending. A value of multiplicity m stands for m equal ones; m
/// is a double because a group of classes may have 1e300 members or, in a quadrature, a real number of them.
struct SingularValues {
  std::vector<double> values;
  std::vector<double> multiplicities;
};

/// The same values in descending order.
SingularValues sorted(SingularValues unordered);

}  // namespace rarefact
