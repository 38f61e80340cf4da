#pragma once

#include <array>
#include <optional>
#include <vector>

#include "core/types.hpp"

namespace rarefact {

/// Classes that an engine does not distinguish: a group, a position of all blocks of a group, or a single
/// class.
struct Cell {
  Index group = 0;                ///< of the class spectrum
  Index position = 0;             ///< within a block; 0 if blocks have one class
  double classes = 1;             ///< number of classes in the cell
  double probability = 0;         ///< of one of them
  double training = probability;  ///< in the law of training
};

/// Statistics of the classes in a state or a prediction, one entry per cell. Relative accuracy, however small
/// error and loss are.
template <class Real>
struct ClassStats {
  std::vector<Real> error;           ///< 1 - p̂(l|l), the sum of the wrong answers' probabilities
  std::vector<Real> log_odds;        ///< ln(wrong/right): error = 1/(1 + e^-log_odds)
  std::vector<Real> excess_loss;     ///< L_l - L_l* = KL(π || p̂) in nats
  std::vector<Real> advantage;       ///< right logit minus the largest wrong one
  std::vector<Real> loss_drop = {};  ///< ln K - L_l in nats; empty in predictions
  std::vector<Real> coefficient = {};  ///< for least squares (Ẽᵀ W E)_ll; excess_loss is then L_l itself, and
                                       ///< the others are empty

  /// All but the coefficient.
  static constexpr auto of_logits() {
    return std::array{&ClassStats::error, &ClassStats::log_odds, &ClassStats::excess_loss,
                      &ClassStats::advantage, &ClassStats::loss_drop};
  }
  void resize(std::size_t cells) {
    for (const auto field : of_logits()) (this->*field).resize(cells);
  }
  void set(Index cell, const Real& seen_error, const Real& seen_log_odds, const Real& seen_excess_loss,
           const Real& seen_advantage, const Real& seen_loss_drop) {
    const auto at = static_cast<std::size_t>(cell);
    error[at] = seen_error;
    log_odds[at] = seen_log_odds;
    excess_loss[at] = seen_excess_loss;
    advantage[at] = seen_advantage;
    loss_drop[at] = seen_loss_drop;
  }
};

/// The observation of a state. A memory that computes in more digits than a double rounds here, and adds what
/// the rounded entries cannot give.
struct Observation : ClassStats<double> {
  /// For laws other than the identity (else empty): ln p̂ of one answer, for every cell, in the order of its
  /// query's answers.
  std::vector<double> log_answers;
  std::array<std::vector<double>, 2>
      attribute_error;                      ///< of queries that are sums of attributes, for every cell the
                                            ///< probability of answers with the wrong one; else empty
  std::vector<double> top_error;            ///< for every cell, 1 - π₀ of the answer with the
                                            ///< largest logit; the mean over ties
  std::vector<double> top_ranks;            ///< every k of a requested top-k error
  std::vector<std::vector<double>> top;     ///< for each of these the errors of every cell, like top_error
  std::vector<double> mean_log;             ///< of every answer, or answer type of the
                                            ///< components: Σ_l p_l ln p̂(k|l); with label noise
  std::optional<double> gap;                ///< max p̂ - min p̂
  std::optional<double> total_excess_loss;  ///< Σ_l p_l (L_l - L_l*)
  std::optional<double> total_loss_drop;    ///< Σ_l p_l (ln K - L_l)
  bool keeps_logits = false;                ///< logits are requested
  Matrix logits;                            ///< S of a dense memory with embeddings, if requested; empty: 0
};

}  // namespace rarefact
