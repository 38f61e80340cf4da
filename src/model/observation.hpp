#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "core/types.hpp"

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
/// are; a memory that computes in more digits than a double rounds here.
struct Observation {
  std::vector<double> error;        ///< 1 - p̂(l|l), the sum of the wrong answers' probabilities
  std::vector<double> log_odds;     ///< ln(wrong/right): error = 1/(1 + e^-log_odds)
  std::vector<double> excess_loss;  ///< L_l - L_l* = KL(π || p̂) in nats
  std::vector<double> advantage;    ///< right logit minus the largest wrong one
  /// max p̂ - min p̂ over the cells that stand for a class: of the errors, so nothing is subtracted from 1.
  double gap = 0;
  /// Σ_l p_l (L_l - L_l*) from a memory that knows it to more digits than the entries of excess_loss tell.
  std::optional<double> total_excess_loss = {};

  void resize(std::size_t cells) {
    error.resize(cells);
    log_odds.resize(cells);
    excess_loss.resize(cells);
    advantage.resize(cells);
  }

  /// Sets the gap from the errors of the cells; `stands` says whether a cell stands for a class.
  template <class Stands>
  void set_gap(Stands stands) {
    double least = 1, most = 0;
    for (std::size_t c = 0; c < error.size(); ++c) {
      if (!stands(c)) continue;
      least = std::min(least, error[c]);
      most = std::max(most, error[c]);
    }
    gap = most - least;
  }
};

}  // namespace rarefact
