#include <catch2/catch.hpp>

#include "algebra/polar_variants.hpp"
#include "core/real50.hpp"
#include "optim/gradients.hpp"
#include "reference/decompositions.hpp"
#include "reference/expand.hpp"
#include "reference/with_defaults.hpp"

using namespace gradients;
using reference::expand;

namespace {

/// f of the singular values.
template <class Function>
Matrix with_singular_values(const Matrix& x, Function f) {
  const reference::Svd svd = reference::svd(x);
  return svd.u * svd.values.unaryExpr(f).asDiagonal() * svd.v.transpose();
}

/// Steps of the scalar map from σ/(factor norm + 1e-7).
double mapped_value(const std::vector<Quintic>& steps, double factor, double norm, double sigma) {
  double value = sigma / (factor * norm + 1e-7);
  for (const Quintic& q : steps) value = value_at(q, value);
  return value;
}

}  // namespace

TEST_CASE("the scalar maps of five Newton-Schulz steps and of Polar Express have known values") {
  // From 40 digits; where steps nearly cancel, rounding is amplified a thousandfold. The published
  // coefficients of Polar Express, rounded to nine decimals, end at 1 + 1e-9.
  const auto newton_schulz = std::vector<Quintic>(5, newton_schulz_step());
  const auto value = [](const std::vector<Quintic>& steps, double sigma) {
    for (const Quintic& q : steps) sigma = value_at(q, sigma);
    return sigma;
  };
  CHECK(value(newton_schulz, 1) == Approx(0.69643640947097528).epsilon(1e-11));
  CHECK(value(newton_schulz, 0.1) == Approx(0.71212008165807534).epsilon(1e-11));
  CHECK(value(newton_schulz, 1e-5) == Approx(1e-5 * std::pow(3.4445, 5)).epsilon(1e-5));
  CHECK(value(polar_express_steps(), 1e-3) == Approx(1.0000000009999927).epsilon(1e-14));
  CHECK(value(polar_express_steps(), 1) == Approx(1.0000000009999927).epsilon(1e-14));
  CHECK(value(polar_express_steps(), 1e-4) == Approx(0.99447215756820633).epsilon(1e-13));
}

TEST_CASE("muon is the formula that its parameters say") {
  struct Case {
    ParameterValues given;
    std::string state, direction;
  };
  const std::string sum = "mu*B + G";
  for (const auto& [given, state, direction] :
       {Case{{}, sum, "polar(B)"},
        {{{"nesterov", true}}, sum, "polar(G + mu*B)"},
        {{{"nesterov", true}, {"momentum_kind", "average"}}, "mu*B + (1 - mu)*G", "polar((1 - mu)*G + mu*B)"},
        {{{"momentum_order", "after"}}, "mu*B + (1 - mu)*polar(G)", "B"},
        {{{"momentum_order", "after"}, {"nesterov", true}, {"polar", "newton_schulz"}},
         "mu*B + (1 - mu)*newton_schulz(G, 5)",
         "(1 - mu)*newton_schulz(G, 5) + mu*B"},
        {{{"momentum_order", "after"}, {"lr_scale", "original"}},
         "mu*B + (1 - mu)*polar(G)",
         "sqrt(maximum(1, d_out/d_in))*(B)"},
        {{{"smoothing", 0.5}}, sum, "smooth_polar(B, 0.5)"},
        {{{"polar", "newton_schulz"}, {"polar_steps", std::int64_t{2}}}, sum, "newton_schulz(B, 2)"},
        {{{"polar", "polar_express"}}, sum, "polar_express(B, 10)"}}) {
    const OptimizerRow& row = optimizer_row("muon");
    ParameterValues values = with_defaults(row.parameters, given);
    values.set("momentum", 0.75);
    CHECK(row.definitions(values) ==
          ParameterValues{{"param.mu", 0.75}, {"state.B", state}, {"direction", direction}});
  }
}

TEST_CASE("a polynomial acts on the singular values of the gradient and leaves its singular vectors") {
  struct Case {
    ParameterValues given;
    std::vector<Quintic> steps;
    double factor;
  };
  // Three steps of Polar Express as well: ten end in 1 from wherever they start.
  const std::vector<Case> cases = {
      {{{"polar", "newton_schulz"}}, std::vector<Quintic>(5, newton_schulz_step()), 1},
      {{{"polar", "polar_express"}}, polar_express_steps(), 1.01},
      {{{"polar", "polar_express"}, {"polar_steps", std::int64_t{3}}},
       taken_steps(polar_express_steps(), 3),
       1.01}};
  for (const Case& one : cases) {
    const auto measured = directions("muon", one.given, 2);
    for (std::uint64_t t = 0; t < 2; ++t) {
      const double norm = gradient(t).norm();
      const Matrix expected = with_singular_values(
          gradient(t), [&](double sigma) { return mapped_value(one.steps, one.factor, norm, sigma); });
      CHECK(largest(measured[t] - expected) < 1e-12);
    }
  }
}

TEST_CASE("a step is told where what is added to the norm, or too few steps, decide") {
  struct Case {
    const char* direction;
    double norm;
    std::string note;
  };
  const std::vector<Case> cases = {
      {"newton_schulz(G)", 1, ""},
      {"newton_schulz(G)", 1.1e-7, ""},
      {"newton_schulz(G)", 1e-8, "δ = 1e-07 is above the norm 1e-08"},
      {"newton_schulz(G, 5, 1e-300)", 1e-250, ""},
      {"polar_express(G, 10, 0)", 1e-250, ""},
      {"quintic(G, [[1, 0, 0]])", 1, "1 step of the polynomial only multiplies it by 1"},
      {"polar(G)", 1e-9, ""}};
  for (const Case& one : cases) {
    Stepper formula("formula", {{"direction", one.direction}});
    const Direction<DenseMatrix> d = formula(one.norm / gradient(0).norm() * gradient(0));
    CAPTURE(one.note, d.note);
    CHECK(d.note.substr(0, one.note.size()) == one.note);
    CHECK(d.note.empty() == one.note.empty());
    if (one.note.empty()) CHECK(d.matrix->entries.norm() > 1);
  }
}

TEST_CASE("smoothing maps singular values to σ/√(σ²+λ²), λ in units of the gradient") {
  for (const double smoothing : {1e-12, 0.01, 1.0, 50.0}) {
    const auto measured = directions("muon", {{"smoothing", smoothing}}, 2);
    for (std::uint64_t t = 0; t < 2; ++t) {
      const Matrix expected = with_singular_values(
          gradient(t), [&](double sigma) { return sigma / std::hypot(sigma, smoothing); });
      CHECK(largest(measured[t] - expected) < 1e-13);
    }
  }
  CHECK(directions("muon", {{"smoothing", 0.0}}, 3) == directions("muon", {}, 3));
}

TEST_CASE("smoothing far above and far below the gradient neither over- nor underflows") {
  Matrix x = Matrix::Identity(40, 40);  // large enough for the factor by products alone
  for (Index j = 1; j < 40; ++j) x(j - 1, j) = 0.5;
  const auto d = [&](double smoothing) {
    return smoothed_polar(DenseMatrix{x}, smoothing, 0, Workers::serial()).entries;
  };
  CHECK(largest(d(1e-250) - d(0)) < 1e-14);
  CHECK(largest(d(1e250) * 1e250 - x) < 1e-14 * largest(x));
}

TEST_CASE("smoothing keeps the digits of columns that differ by many orders of magnitude") {
  const Index n = GENERATE(6, 40);
  const Matrix v = Vector::LinSpaced(n, 1, 2).normalized();
  const Matrix q = Matrix::Identity(n, n) - 2 * v * v.transpose();  // orthogonal, no zeros
  Vector sigma(n);
  for (Index j = 0; j < n; ++j)
    sigma(j) = std::pow(10.0, -12.0 * static_cast<double>(j) / static_cast<double>(n - 1));
  for (const double smoothing : {1e6, 1., 1e-3, 1e-6, 1e-9}) {
    const Vector kept = (sigma.array() / (sigma.array().square() + smoothing * smoothing).sqrt()).matrix();
    const Matrix d =
        smoothed_polar(DenseMatrix{q * sigma.asDiagonal()}, smoothing, 0, Workers::serial()).entries;
    CHECK(largest((q.transpose() * d) * kept.cwiseInverse().asDiagonal() - Matrix::Identity(n, n)) < 1e-10);
  }
}

TEST_CASE("smoothing keeps a zero singular value zero") {
  Matrix x = Matrix::Random(6, 6);
  x.row(5) = -x.topRows(5).colwise().sum();  // the left null vector of ones, as a gradient has it
  for (const double smoothing : {1e-16, 1e-6, 1e-3, 1.0}) {
    const Matrix d = smoothed_polar(DenseMatrix{x}, smoothing, 0, Workers::serial()).entries;
    // Rounding of x in that direction is a singular value of 1e-16, which a λ far above turns into 1e-16/λ;
    // beside a λ below it x has the rank decision of msgn.
    CHECK(largest(d.colwise().sum()) < 1e-14 + (smoothing > 1e-15 ? 1e-15 / smoothing : 0));
  }
}

TEST_CASE("lr_scale multiplies the step by a function of the shape of W") {
  const auto scale = [&](const char* name, WeightShape shape) {
    Stepper muon("muon", {{"lr_scale", name}}, shape);
    const Direction<DenseMatrix> d = muon(gradient(0));
    CHECK(*d.matrix->entries.data() == *directions("muon", {}, 1)[0].data());
    CHECK(d.size == std::ldexp(d.scale, d.exponent));
    return d.size;
  };
  CHECK(scale("none", {64, 16}) == 1);
  CHECK(scale("original", {64, 16}) == 2);
  CHECK(scale("original", {16, 64}) == 1);
  CHECK(scale("match_rms_adamw", {64, 16}) == Approx(1.6).epsilon(1e-15));
  CHECK(scale("match_rms_adamw", {16, 100}) == Approx(2).epsilon(1e-15));
  CHECK(scale("match_rms_adamw", {1e14, 1e14}) == Approx(2e6).epsilon(1e-15));
}
