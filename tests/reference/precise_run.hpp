#pragma once

/// The memory as its definition has it, in 80 or 400 digits: any embeddings and answers, dense, no reduction. Slow; judges
/// what doubles lose.

#include <string>
#include <vector>

#include "reference/high_precision.hpp"

namespace reference {

struct PreciseProblem {
  rarefact::Matrix query, answer;  ///< E, Ẽ; without entries the identity
  rarefact::Matrix joint;          ///< weights of every answer and query
  double noise = 0;                ///< α, spread evenly
};

/// The joint weights of queries whose answers are their own.
inline rarefact::Matrix own_answers(const std::vector<double>& weight) {
  return rarefact::Vector::Map(weight.data(), std::ssize(weight)).asDiagonal();
}

/// What a state shows.
template <int Digits>
struct PreciseState {
  Number<Digits> loss = 0, excess_loss = 0;
  std::vector<Number<Digits>> error;  ///< of every query
  int rank = 0;                       ///< of muon's polar factor
};

/// The states at W = 0 and after each of `steps` updates of gd, momentum, ngd, signgd, adam or muon with the parameters that
/// the program gives them, or of muon on columns of length 1. Polar factors are made of the singular values that leave 40
/// digits.
template <int Digits>
std::vector<PreciseState<Digits>> precise_run(const PreciseProblem& problem, const std::string& rule,
                                              double step_size, double momentum, int steps);

}  // namespace reference
