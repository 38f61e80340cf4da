#pragma once

#include <vector>

#include "rarefact/core/types.hpp"

namespace rarefact {

/// Classes an engine cannot or need not tell apart: a whole group, one position of all blocks of a group, one
/// class.
struct Cell {
  Index group = 0;         ///< of the class spectrum
  Index position = 0;      ///< within a block; 0 where blocks have one class
  double classes = 1;      ///< how many classes the cell stands for
  double probability = 0;  ///< of one of them
};

/// What is seen of a state, one entry a cell. Accurate in the relative sense however small error and loss
/// are.
struct Observation {
  std::vector<double> error;        ///< 1 - p̂(l|l), the sum of the wrong answers' probabilities
  std::vector<double> log_odds;     ///< ln(wrong/right): error = 1/(1 + e^-log_odds)
  std::vector<double> excess_loss;  ///< L_l - L_l* = KL(π || p̂) in nats
  std::vector<double> advantage;    ///< right logit minus the largest wrong one

  void resize(std::size_t cells) {
    error.resize(cells);
    log_odds.resize(cells);
    excess_loss.resize(cells);
    advantage.resize(cells);
  }
};

}  // namespace rarefact
