#include "theory/sign_svd.hpp"

#include <boost/math/quadrature/exp_sinh.hpp>
#include <catch2/catch.hpp>
#include <cmath>
#include <stdexcept>

#include "core/random.hpp"
#include "reference/decompositions.hpp"
#include "theory/power_fit.hpp"

using namespace rarefact;
using Array = Eigen::ArrayXd;

namespace {

const double pi = std::acos(-1.0);

/// λ_j = j^-power.
BilinearProblem power_law(Index d, double power, double outputs, double batch) {
  return {Array::LinSpaced(d, 1, static_cast<double>(d)).pow(-power), outputs, batch};
}

template <class Function>
double integral(const Function& f) {
  boost::math::quadrature::exp_sinh<double> integrator;
  return integrator.integrate([&](double t) { return t > 1e20 ? 0 : f(std::max(t, 1e-20)); }, 1e-12);
}

/// Fit of y ∝ λ^-slope over octaves of modes: 1, 2-3, 4-7, …
LineFit octave_fit(const Array& curvature, const Array& y) {
  std::vector<double> x, mean;
  for (Index from = 1; 2 * from <= y.size(); from *= 2) {
    x.push_back(std::exp(-curvature.segment(from - 1, from).log().mean()));
    mean.push_back(y.segment(from - 1, from).mean());
  }
  return fit_power(x, mean);
}

double octave_slope(const Array& curvature, const Array& y) {
  return -octave_fit(curvature, y).slope;
}

/// Φ_j of weak signals, from the drift of distances that the noise of answers drowns.
Array preconditioner(BilinearProblem problem) {
  problem.answer_noise = 1;
  const Array e = Array::Constant(problem.inputs(), 1e-40);
  return sign_svd_rates(problem).drift(e) / (problem.curvature * e);
}

/// b_j √e_j of matrices that are drawn: u, x and the target's directions are Gaussian.
Array drawn_drift(const BilinearProblem& problem, const Array& e, int draws, bool entrywise) {
  const Index out = static_cast<Index>(problem.outputs), batch = static_cast<Index>(problem.batch);
  const RandomStream stream(1, "bilinear");
  auto gaussian = [&, draw = std::uint64_t{0}](Index rows, Index columns) mutable {
    Matrix x(rows, columns);
    stream.fill_normal(draw++, {x.data(), static_cast<std::size_t>(x.size())});
    return x;
  };
  Array mean = Array::Zero(problem.inputs());
  for (int draw = 0; draw < draws; ++draw) {
    Matrix delta = gaussian(out, problem.inputs());
    delta = delta.colwise().normalized() * e.sqrt().matrix().asDiagonal();
    const Matrix u = gaussian(out, batch),
                 x = problem.curvature.sqrt().matrix().asDiagonal() * gaussian(problem.inputs(), batch);
    const Vector residual = u.cwiseProduct(delta * x).colwise().sum();
    const Matrix gradient = u * residual.asDiagonal() * x.transpose();
    const Index rank = std::min(gradient.rows(), gradient.cols());
    const Matrix update = entrywise ? Matrix(gradient.cwiseSign()) : reference::svd(gradient).polar(rank);
    mean += update.cwiseProduct(delta).colwise().sum().transpose().array() / draws;
  }
  return mean;
}

}  // namespace

TEST_CASE("the nodes meet the three equations as they are written, ψ by quadrature") {
  for (const auto& [outputs, batch] :
       {std::pair{64.0, 256.0}, {64.0, 8.0}, {1024.0, 1e6}, {16.0, 300.0}, {64.0, 64.0}, {48.0, 80.0}}) {
    const BilinearProblem problem = power_law(64, 1.5, outputs, batch);
    for (const double t : {1e-9, 1e-4, 0.03, 0.3, 1.0, 10.0}) {
      CAPTURE(outputs, batch, t);
      const auto [psi, kappa_out, kappa_in] = sign_node(problem, t);
      const double alpha_u = outputs / (t * t * (1 + kappa_out)),
                   alpha_v = (problem.curvature / (1 + kappa_in * problem.curvature)).sum() / (t * t),
                   a = t * t * alpha_u * alpha_v / (batch * batch);
      CHECK(kappa_out == Approx(psi * alpha_v / batch).epsilon(1e-10));
      CHECK(kappa_in == Approx(psi * alpha_u / batch).epsilon(1e-12));
      const double expected = integral([&](double xi) {
        return std::sqrt(2 / pi) * std::exp(-xi * xi / 2) * xi * xi / (1 + xi * xi * a);
      });
      CHECK(psi == Approx(expected).epsilon(1e-11));
    }
  }
}

TEST_CASE("b and Φ are their integrals by another quadrature") {
  const BilinearProblem problem = power_law(32, 2, 48, 20);
  const Array e = Array::LinSpaced(32, 1, 32), drift = sign_svd_rates(problem).drift(e),
              phi = preconditioner(problem);
  BilinearProblem scattered = problem;
  scattered.curvature *= 1 + 2 * problem.curvature * e / problem.twice_risk(e);
  for (const Index j : {0, 5, 31}) {
    const auto rho = [j](double t, const SignNode& node, const BilinearProblem& of) {
      return 1 / (t * t * (1 + node.kappa_out) * (1 + node.kappa_in * of.curvature[j]));
    };
    const double s = problem.curvature[j] * std::sqrt(e[j] / problem.twice_risk(e)), scale = 0.1;
    CHECK(phi[j] == Approx(scale * 2 / pi * integral([&](double v) {
                             const SignNode node = sign_node(problem, scale * v);
                             return node.psi * rho(scale * v, node, problem);
                           }))
                        .epsilon(1e-10));
    CHECK(drift[j] == Approx(std::sqrt(e[j]) * scale * 2 / pi * integral([&](double v) {
                               const SignNode node = sign_node(scattered, scale * v);
                               const double r = rho(scale * v, node, scattered);
                               return node.psi * s * r / (1 + std::pow(node.psi * s, 2) * r);
                             }))
                          .epsilon(1e-10));
  }
}

TEST_CASE(
    "limits: square-root preconditioning, 8/(3π) of equal curvatures, rank of the noise, flat small modes") {
  BilinearProblem wide = power_law(16, 1, 1e10, 1e16);
  const Array root = (wide.batch / (wide.outputs * wide.curvature)).sqrt();
  CHECK((preconditioner(wide) / root - 1).abs().maxCoeff() < 1e-5);
  const BilinearProblem square{Array::Ones(64), 64, 64e10};
  CHECK(preconditioner(square)[7] * 1e-5 == Approx(8 / (3 * pi)).epsilon(1e-6));
  for (const auto& [outputs, batch, rank] :
       {std::tuple{64.0, 8.0, 8.0}, {10.0, 256.0, 10.0}, {64.0, 256.0, 64.0}, {64.0, 64.0, 64.0}})
    CHECK(sign_svd_rates(power_law(64, 1.5, outputs, batch)).noise(Array::Ones(64)).sum() ==
          Approx(rank).epsilon(1e-9));
  const BilinearProblem few = power_law(4096, 1.5, 4096, 4);
  const Array phi = preconditioner(few);
  CHECK(phi[4095] / phi[1023] == Approx(1).epsilon(0.05));
  CHECK(phi[4095] / phi[0] < 2);
}

TEST_CASE("known answers at d = 64, which a simulation in NumPy meets within 5 %") {
  // The simulation: 300 batches, numpy.linalg.svd; λ = j^-1.5, e = 1/λ. Slope .553 at B = 256; λΦ at B = 16 .455 .125
  // .024 .0034; loss after 20 and 40 steps and at the end .0691-.0702, .0445-.0455, .0379-.0386.
  const BilinearProblem problem = power_law(64, 1.5, 64, 256);
  const Array& lambda = problem.curvature;
  CHECK(octave_slope(lambda, lambda * preconditioner(problem)) == Approx(0.559).margin(0.0005));
  const BilinearProblem wide = power_law(64, 1.5, 1024, 4096);
  CHECK(octave_slope(lambda, lambda * preconditioner(wide)) == Approx(0.502).margin(0.0005));
  const Array small = lambda * preconditioner(power_law(64, 1.5, 64, 16));
  for (const auto& [j, expected] : {std::pair{0, 0.4549}, {3, 0.1247}, {15, 0.02378}, {63, 0.003312}})
    CHECK(small[j] == Approx(expected).epsilon(2e-4));
  // Of a small batch the tail moves as under SGD.
  const std::vector<double> local =
      octave_fit(lambda, lambda * preconditioner(power_law(64, 1.5, 64, 8))).local_slopes;
  for (const auto& [octave, expected] : {std::pair{0, 0.658}, {1, 0.782}, {2, 0.888}, {3, 0.953}, {4, 0.982}})
    CHECK(-local[octave] == Approx(expected).margin(0.007));
  const BilinearProblem equal{Array::Ones(64), 64, 256};
  CHECK(preconditioner(equal)[0] / 2 == Approx(0.7908).epsilon(1e-4));
  CHECK(sign_svd_rates(equal).drift(Array::Ones(64))[0] * 8 / 2 == Approx(0.76774).epsilon(1e-4));

  const Array e = Array::LinSpaced(64, 1, 64).pow(-0.5);
  std::vector<std::int64_t> steps = {0, 20, 40, 400};
  const auto step_size = [](std::int64_t) { return 0.0970165; };
  BilinearPath path = follow(sign_svd_rates(problem), problem, e, step_size, steps);
  for (const auto& [i, expected] : {std::pair{1, 0.07116}, {2, 0.04457}, {3, 0.03779}})
    CHECK(path.excess_loss[i] / path.excess_loss[0] == Approx(expected).epsilon(2e-4));
  CHECK(path.distance.size() == 4 * 64);
}

TEST_CASE("SignSGD does not precondition in a generic basis, and like Muon in its own") {
  const BilinearProblem problem = power_law(64, 1.5, 64, 256);
  const Array& lambda = problem.curvature;
  const Array e = 1 / lambda;
  CHECK(octave_slope(lambda, sign_sgd_rates(problem).drift(e) / e) == Approx(1).margin(0.01));
  CHECK(octave_slope(lambda, sign_sgd_eigenbasis_rates(problem).drift(e) / e) == Approx(0.5).margin(0.01));
  // Squared drift for the noise of an update, Muon over SignSGD: 32/(9π), or π/2 of many outputs.
  for (const auto& [outputs, expected] : {std::pair{64.0, 32 / (9 * pi)}, {1e12, pi / 2}}) {
    const BilinearProblem equal{Array::Ones(64), outputs, 1e4 * outputs};
    const Array tiny = Array::Constant(64, 1e-12);
    BilinearProblem noisy = equal;
    noisy.answer_noise = 1;
    const SignRates muon = sign_svd_rates(noisy), sign = sign_sgd_rates(noisy);
    const auto worth = [&](const SignRates& rates) {
      return std::pow(rates.drift(tiny)[0], 2) / rates.noise(tiny)[0];
    };
    CHECK(worth(muon) / worth(sign) == Approx(expected).epsilon(1e-3));
  }
}

TEST_CASE("a distance that rates overshoot is zero, not negative") {
  const BilinearProblem problem{(Array(2) << 1, 1e-4).finished(), 2, 1e9};
  const Array e = (Array(2) << 0, 0.01).finished();
  const SignRates rates = sign_sgd_rates(problem);
  const double eta = e[1] / rates.drift(e)[1];  // η b = √e
  const std::vector<std::int64_t> steps = {1};
  CHECK(follow(
            rates, problem, e, [=](std::int64_t) { return eta; }, steps)
            .distance[1] == 0);
}

TEST_CASE("the drift is that of gradients that are drawn") {
  BilinearProblem problem = power_law(32, 1, 32, 128);
  const Array e = 1 / problem.curvature;
  const auto off = [&](const SignRates& rates, bool entrywise) {
    return std::abs(drawn_drift(problem, e, 100, entrywise).sum() / rates.drift(e).sum() - 1);
  };
  CHECK(off(sign_svd_rates(problem), false) < 0.05);
  CHECK(off(sign_sgd_eigenbasis_rates(problem), true) < 0.05);
  CHECK(off(sign_sgd_rates(problem), false) > 0.2);
  problem.curvature = Array::Ones(32);
  const double measured = drawn_drift(problem, Array::Ones(32), 100, true).sum(),
               expected = sign_sgd_rates(problem).drift(Array::Ones(32)).sum();
  CHECK(measured == Approx(expected).epsilon(0.1));
}

TEST_CASE("illegal problems are refused") {
  CHECK_THROWS_AS(sign_svd_rates({Array::Zero(2), 4, 4}), std::invalid_argument);
  CHECK_THROWS_AS(sign_sgd_rates({Array::Ones(2), 0, 4}), std::invalid_argument);
  CHECK_THROWS_AS(sign_svd_rates({Array::Ones(2), 4, 0}), std::invalid_argument);
}
