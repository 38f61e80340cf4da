#include "theory/sign_svd.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <cmath>
#include <memory>

#include "core/bracketed_root.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

namespace constants = boost::math::constants;

/// The integrand is analytic in ln t and decays as t and 1/t beyond all scales of the problem, so the
/// trapezoidal rule in ln t converges exponentially: halving this distance changes only the last digit.
constexpr double distance_of_nodes = 0.25;
constexpr double negligible = 1e-14;

/// E[ξ²a/(1+ξ²a)] and E[1/(1+ξ²a)] = √π x e^(x²) erfc x, a = 1/(2x²).
struct Shares {
  double kept, lost;
};

Shares shares_of(double x) {
  if (x < 2) {
    const double lost = constants::root_pi<double>() * x * std::exp(x * x) * std::erfc(x);
    return {1 - lost, lost};
  }
  // The continued fraction of erfc, which avoids the cancellation in 1 - √π x e^(x²) erfc x. More terms change no bit.
  double fraction = 0;
  for (int k = static_cast<int>(std::min(80.0, 12 + 400 / (x * x))); k > 0; --k)
    fraction = k / 2.0 / (x + fraction);
  return {fraction / (x + fraction), x / (x + fraction)};
}

/// The root of a function of a logarithm that changes sign once.
template <class Function>
double root_of(const Function& f) {
  const auto [low, high] = bracketed_root(f, -160.0, 160.0);
  return (low + high) / 2;
}

/// The integrand varies between these scales of t.
double min_scale(const BilinearProblem& problem) {
  return std::sqrt(std::min(1.0, problem.outputs / problem.batch) * problem.curvature.minCoeff());
}
double greatest_scale(const BilinearProblem& problem) {
  const double batch = problem.batch;
  return std::sqrt(std::max(std::max(1.0, problem.outputs / batch) * problem.curvature.maxCoeff(),
                            problem.curvature.sum() / batch));
}

/// Nodes and weights for (2/π)∫ ψ f(ψ, χ_j) dt.
struct SignNodes {
  Eigen::VectorXd weight;  ///< (2/π) ψ dt
  Eigen::ArrayXd psi;
  Eigen::ArrayXXd rho;  ///< mode x node
};

SignNodes nodes_of(const BilinearProblem& problem) {
  const auto from = std::lround(std::log(negligible * min_scale(problem)) / distance_of_nodes),
             to = std::lround(std::log(greatest_scale(problem) / negligible) / distance_of_nodes);
  const Index size = to - from + 1;
  SignNodes nodes{Eigen::VectorXd(size), Eigen::ArrayXd(size), Eigen::ArrayXXd(problem.inputs(), size)};
  for (auto n = from; n <= to; ++n) {
    const double t = std::exp(static_cast<double>(n) * distance_of_nodes);
    const SignNode node = sign_node(problem, t);
    nodes.psi[n - from] = node.psi;
    nodes.weight[n - from] = two_over_pi * distance_of_nodes * t * node.psi;
    nodes.rho.col(n - from) = 1 / (t * t * (1 + node.kappa_out) * (1 + node.kappa_in * problem.curvature));
  }
  return nodes;
}

/// q_j at a t that is small enough for the limit t → 0 even if B = d = d_out, where q_j differs from 1 by √t.
Eigen::ArrayXd noise_of(const BilinearProblem& problem) {
  const double kappa = sign_node(problem, 1e-30 * min_scale(problem)).kappa_in;
  return kappa * problem.curvature / (1 + kappa * problem.curvature);
}

}  // namespace

void BilinearProblem::validate() const {
  require_legal(inputs() > 0 && (curvature > 0).all(), "curvatures must be positive");
  require_legal(outputs >= 1 && batch >= 1, "there must be outputs and a batch");
  require_legal(answer_noise >= 0, "answer noise must not be negative");
}

SignRates sign_sgd_rates(const BilinearProblem& problem) {
  problem.validate();
  const double d = static_cast<double>(problem.inputs()), trace = problem.curvature.sum();
  const auto drift = [=](const Eigen::ArrayXd& e) -> Eigen::ArrayXd {
    const double entry = problem.twice_risk(e) * trace / (problem.batch * d) +
                         (problem.curvature.square() * e).sum() / (problem.outputs * d);
    return std::sqrt(two_over_pi / entry) * problem.curvature * e;
  };
  const Eigen::ArrayXd noise =
      problem.outputs * (two_over_pi * d / trace * problem.curvature + (1 - two_over_pi));
  return {drift, [noise](const Eigen::ArrayXd&) { return noise; }};
}

SignRates sign_sgd_eigenbasis_rates(const BilinearProblem& problem) {
  problem.validate();
  const auto drift = [=](const Eigen::ArrayXd& e) -> Eigen::ArrayXd {
    const Eigen::ArrayXd entry = problem.twice_risk(e) / problem.batch * problem.curvature +
                                 problem.curvature.square() * e / problem.outputs;
    return std::sqrt(two_over_pi) * problem.curvature * e / entry.sqrt();
  };
  const Eigen::ArrayXd noise = Eigen::ArrayXd::Constant(problem.inputs(), problem.outputs);
  return {drift, [noise](const Eigen::ArrayXd&) { return noise; }};
}

BilinearPath follow(const SignRates& rates, const BilinearProblem& problem, Eigen::ArrayXd distance,
                    const std::function<double(std::int64_t)>& step_size,
                    std::span<const std::int64_t> steps) {
  BilinearPath path;
  std::int64_t done = 0;
  for (const std::int64_t step : steps) {
    for (; done < step; ++done) {
      const double eta = step_size(done);
      // Exact rates satisfy b² <= q, so that this is never negative; for approximate rates it may be.
      distance = (distance - 2 * eta * rates.drift(distance) + eta * eta * rates.noise(distance)).max(0);
    }
    path.excess_loss.push_back((problem.curvature * distance).sum() / 2);
    path.distance.insert(path.distance.end(), distance.begin(), distance.end());
  }
  return path;
}

SignNode sign_node(const BilinearProblem& problem, double t) {
  // B E[ξ²a/(1+ξ²a)], d_out κ_o/(1+κ_o) and Σκ_iλ/(1+κ_iλ) all equal t²α_uα_vψ/B, the rank r at t. So x
  // determines r, κ_o and κ_i, or κ_o determines r, x and κ_i, and one equation is left. r approaches the
  // smaller of B and d_out; the unknown on that side gives d_out - r without cancellation.
  const double batch = problem.batch, outputs = problem.outputs;
  const auto node_of = [&](double x, double rank, double left) {
    const double psi = 2 * x * x * rank / batch;
    return SignNode{psi, rank / left, psi * left / (batch * t * t)};
  };
  const auto by_batch = [&](double log_x) {
    const double x = std::exp(log_x);
    const Shares shares = shares_of(x);
    return node_of(x, batch * shares.kept, (outputs - batch) + batch * shares.lost);
  };
  const auto by_outputs = [&](double log_kappa) {
    const double kappa = std::exp(log_kappa), rank = outputs * kappa / (1 + kappa);
    const double log_x =
        root_of([&](double log_of) { return std::log(shares_of(std::exp(log_of)).kept * batch / rank); });
    return node_of(std::exp(log_x), rank, outputs / (1 + kappa));
  };
  const auto at = [&](double unknown) { return batch > outputs ? by_outputs(unknown) : by_batch(unknown); };
  return at(root_of([&](double unknown) {
    const SignNode node = at(unknown);
    const double rank = outputs * node.kappa_out / (1 + node.kappa_out);
    return std::log((node.kappa_in * problem.curvature / (1 + node.kappa_in * problem.curvature)).sum() /
                    rank);
  }));
}

SignRates sign_svd_rates(const BilinearProblem& problem) {
  problem.validate();
  struct Solved {
    Eigen::ArrayXd share, noise;
    SignNodes nodes;
  };
  // Solved again once a share w_j has moved, by so little that the drift changes by less than 0.2 %.
  constexpr double moved = 0.002;
  const auto at = [problem, last = std::make_shared<Solved>()](const Eigen::ArrayXd& e) -> const Solved& {
    const Eigen::ArrayXd share = problem.curvature * e / problem.twice_risk(e);
    if (last->share.size() == 0 || (share - last->share).abs().maxCoeff() > moved) {
      BilinearProblem scattered = problem;
      scattered.curvature *= 1 + 2 * share;
      *last = {share, noise_of(scattered), nodes_of(scattered)};
    }
    return *last;
  };
  const auto drift = [problem, at](const Eigen::ArrayXd& e) -> Eigen::ArrayXd {
    const SignNodes& nodes = at(e).nodes;
    const Eigen::ArrayXd s = problem.curvature * (e / problem.twice_risk(e)).sqrt();
    const Eigen::ArrayXXd kept = nodes.rho.colwise() * s;
    const Eigen::ArrayXXd integrand =
        kept / (1 + (kept.colwise() * s).rowwise() * nodes.psi.square().transpose());
    return (integrand.matrix() * nodes.weight).array() * e.sqrt();
  };
  return {drift, [at](const Eigen::ArrayXd& e) { return at(e).noise; }};
}

}  // namespace rarefact
