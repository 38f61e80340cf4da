#pragma once

#include <memory>
#include <vector>

#include "core/archive.hpp"
#include "core/types.hpp"

namespace rarefact {

/// How K classes fall into M groups of identical blocks of b classes: K = b Σ n_i. Shared by all matrices of
/// a run.
struct GroupStructure {
  Index block = 1;            ///< b
  std::vector<double> count;  ///< n_i >= 1 blocks in group i; real in a quadrature, up to 1e300

  Index groups() const { return static_cast<Index>(count.size()); }
  Index rows() const { return block * groups(); }  ///< b M

  double classes() const {  ///< K
    double sum = 0;
    for (const double n : count) sum += n;
    return static_cast<double>(block) * sum;
  }

  void exchange(Archive& archive) { archive(block, count); }
};

using SharedStructure = std::shared_ptr<const GroupStructure>;

}  // namespace rarefact
