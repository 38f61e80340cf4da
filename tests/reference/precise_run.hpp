#pragma once

/// The memory as its definition has it, in 80 digits: any embeddings, dense, no reduction. Slow; judges what doubles
/// lose.

#include <Eigen/SVD>
#include <boost/math/special_functions/log1p.hpp>
#include <string>
#include <vector>

#include "reference/high_precision.hpp"

namespace reference {

struct PreciseProblem {
  PreciseMatrix query, answer;      ///< E, Ẽ
  std::vector<double> probability;  ///< of every class
  double noise = 0;                 ///< α
};

/// What a state shows.
struct PreciseState {
  Precise loss = 0, excess_loss = 0;
  std::vector<Precise> error;
};

/// ∇L, and what is seen of W.
inline PreciseMatrix precise_gradient(const PreciseProblem& problem, const PreciseMatrix& w,
                                      PreciseState& seen) {
  const auto classes = static_cast<rarefact::Index>(problem.probability.size());
  const PreciseMatrix s = problem.answer.transpose() * w * problem.query;
  PreciseMatrix g(classes, classes);
  seen = {};
  for (rarefact::Index l = 0; l < classes; ++l) {
    const Precise p = problem.probability[l], alpha = problem.noise;
    rarefact::Index most = 0;
    const Precise peak = s.col(l).maxCoeff(&most);
    Precise others = 0, wrong = 0;  // beside that of the largest logit, which is 1
    for (rarefact::Index k = 0; k < classes; ++k)
      if (k != most) others += exp(Precise(s(k, l) - peak));
    for (rarefact::Index k = 0; k < classes; ++k) {
      const Precise probability = exp(Precise(s(k, l) - peak)) / (1 + others),
                    pi = (k == l ? 1 - alpha : Precise(0)) + alpha / Precise(classes);
      if (k != l) wrong += probability;
      if (pi > 0) {
        const Precise log_probability = s(k, l) - peak - boost::math::log1p(others);
        seen.loss -= p * pi * log_probability;
        seen.excess_loss += p * pi * (log(pi) - log_probability);
      }
      g(k, l) = p * (probability - pi);
    }
    // 1 - wrong would have no digits where wrong is below 1e-80.
    g(l, l) = p * (alpha - alpha / Precise(classes) - wrong);
    seen.error.push_back(wrong);
  }
  return problem.answer * g * problem.query.transpose();
}

/// msgn by singular values.
inline PreciseMatrix precise_msgn(const PreciseMatrix& x) {
  const Eigen::JacobiSVD<PreciseMatrix> svd(x, Eigen::ComputeThinU | Eigen::ComputeThinV);
  PreciseMatrix factor = PreciseMatrix::Zero(x.rows(), x.cols());
  for (rarefact::Index i = 0; i < svd.singularValues().size(); ++i) {
    if (svd.singularValues()(i) > svd.singularValues()(0) * Precise(1e-40))
      factor += svd.matrixU().col(i) * svd.matrixV().col(i).transpose();
  }
  return factor;
}

/// The states at W = 0 and after each of `steps` updates of gd, momentum, ngd, signgd, adam or muon with the
/// parameters that the program gives them.
inline std::vector<PreciseState> precise_run(const PreciseProblem& problem, const std::string& rule,
                                             double step_size, double momentum, int steps) {
  PreciseMatrix w = PreciseMatrix::Zero(problem.answer.rows(), problem.query.rows()), mean = w, square = w;
  std::vector<PreciseState> states(static_cast<std::size_t>(steps) + 1);
  for (int t = 0; t <= steps; ++t) {
    const PreciseMatrix g = precise_gradient(problem, w, states[t]);
    mean = rule == "adam" ? PreciseMatrix(Precise(0.9) * mean + (1 - Precise(0.9)) * g)
                          : PreciseMatrix(Precise(momentum) * mean + g);
    PreciseMatrix d = mean;
    if (rule == "ngd") d /= d.norm();
    if (rule == "muon") d = precise_msgn(mean);
    if (rule == "signgd")
      d = mean.unaryExpr([](const Precise& x) {
        return x > 0 ? Precise(1) : x < 0 ? Precise(-1) : Precise(0);
      });
    if (rule == "adam") {
      square = Precise(0.999) * square + (1 - Precise(0.999)) * g.cwiseProduct(g);
      const Precise first = 1 - pow(Precise(0.9), t + 1), second = 1 - pow(Precise(0.999), t + 1);
      d = mean.binaryExpr(square, [&](const Precise& m, const Precise& v) {
        return Precise((m / first) / (sqrt(Precise(v / second)) + Precise(1e-8)));
      });
    }
    w -= Precise(step_size) * d;
  }
  return states;
}

}  // namespace reference
