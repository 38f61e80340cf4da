#pragma once

/// The memory as its definition has it, in 80 digits or more: any embeddings, dense, no reduction. Slow; judges what doubles
/// lose.

#include <Eigen/SVD>
#include <boost/math/special_functions/log1p.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reference/high_precision.hpp"

namespace reference {

template <class Number = Precise>
struct PreciseProblem {
  rarefact::MatrixOf<Number> query, answer;  ///< E, Ẽ
  std::vector<double> probability;           ///< of every class
  double noise = 0;                          ///< α
};

/// What a state shows.
template <class Number = Precise>
struct PreciseState {
  Number loss = 0, excess_loss = 0;
  std::vector<Number> error;
};

/// ∇L, and what is seen of W.
template <class Number>
rarefact::MatrixOf<Number> precise_gradient(const PreciseProblem<Number>& problem,
                                            const rarefact::MatrixOf<Number>& w, PreciseState<Number>& seen) {
  const auto classes = static_cast<rarefact::Index>(problem.probability.size());
  const rarefact::MatrixOf<Number> s = problem.answer.transpose() * w * problem.query;
  rarefact::MatrixOf<Number> g(classes, classes);
  seen = {};
  for (rarefact::Index l = 0; l < classes; ++l) {
    const Number p = problem.probability[l], alpha = problem.noise;
    rarefact::Index most = 0;
    const Number peak = s.col(l).maxCoeff(&most);
    Number others = 0, wrong = 0;  // beside that of the largest logit, which is 1
    for (rarefact::Index k = 0; k < classes; ++k)
      if (k != most) others += exp(Number(s(k, l) - peak));
    for (rarefact::Index k = 0; k < classes; ++k) {
      const Number probability = exp(Number(s(k, l) - peak)) / (1 + others),
                   pi = (k == l ? 1 - alpha : Number(0)) + alpha / Number(classes);
      if (k != l) wrong += probability;
      if (pi > 0) {
        const Number log_probability = s(k, l) - peak - boost::math::log1p(others);
        seen.loss -= p * pi * log_probability;
        seen.excess_loss += p * pi * (log(pi) - log_probability);
      }
      g(k, l) = p * (probability - pi);
    }
    // 1 - wrong would have no digits where wrong is below 1e-80.
    g(l, l) = p * (alpha - alpha / Number(classes) - wrong);
    seen.error.push_back(wrong);
  }
  return problem.answer * g * problem.query.transpose();
}

/// msgn by the singular values that leave 40 digits, and their number.
template <class Number>
std::pair<rarefact::MatrixOf<Number>, int> precise_msgn(const rarefact::MatrixOf<Number>& x) {
  const Eigen::JacobiSVD<rarefact::MatrixOf<Number>> svd(x, Eigen::ComputeThinU | Eigen::ComputeThinV);
  rarefact::MatrixOf<Number> factor = rarefact::MatrixOf<Number>::Zero(x.rows(), x.cols());
  const Number least = svd.singularValues()(0) * pow(Number(10), 40 - std::numeric_limits<Number>::digits10);
  int rank = 0;
  for (rarefact::Index i = 0; i < svd.singularValues().size(); ++i) {
    if (!(svd.singularValues()(i) > least)) continue;
    factor += svd.matrixU().col(i) * svd.matrixV().col(i).transpose();
    ++rank;
  }
  return {std::move(factor), rank};
}

/// The states at W = 0 and after each of `steps` updates of gd, momentum, ngd, signgd, adam or muon with the
/// parameters that the program gives them. Of muon the states end where a polar factor has a lower rank than `rank`: the
/// digits of Number do not show its smallest singular values.
template <class Number>
std::vector<PreciseState<Number>> precise_run(const PreciseProblem<Number>& problem, const std::string& rule,
                                              double step_size, double momentum, int steps, int rank = 0) {
  using State = rarefact::MatrixOf<Number>;
  State w = State::Zero(problem.answer.rows(), problem.query.rows()), mean = w, square = w;
  std::vector<PreciseState<Number>> states(static_cast<std::size_t>(steps) + 1);
  for (int t = 0; t <= steps; ++t) {
    const State g = precise_gradient(problem, w, states[t]);
    mean = rule == "adam" ? State(Number(0.9) * mean + (1 - Number(0.9)) * g)
                          : State(Number(momentum) * mean + g);
    State d = mean;
    if (rule == "ngd") d /= d.norm();
    if (rule == "muon") {
      auto [factor, found] = precise_msgn<Number>(mean);
      if (found < rank) {
        states.resize(static_cast<std::size_t>(t) + 1);
        break;
      }
      d = std::move(factor);
    }
    if (rule == "signgd")
      d = mean.unaryExpr([](const Number& x) { return x > 0 ? Number(1) : x < 0 ? Number(-1) : Number(0); });
    if (rule == "adam") {
      square = Number(0.999) * square + (1 - Number(0.999)) * g.cwiseProduct(g);
      const Number first = 1 - pow(Number(0.9), t + 1), second = 1 - pow(Number(0.999), t + 1);
      d = mean.binaryExpr(square, [&](const Number& m, const Number& v) {
        return Number((m / first) / (sqrt(Number(v / second)) + Number(1e-8)));
      });
    }
    w -= Number(step_size) * d;
  }
  return states;
}

}  // namespace reference
