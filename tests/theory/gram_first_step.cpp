/// Where the first step under correlated embeddings is predicted, and closed forms beside it.

#include <catch2/catch.hpp>
#include <cmath>

#include "model/margin.hpp"
#include "plain.hpp"
#include "rarefact/error.hpp"
#include "reference/decompositions.hpp"
#include "theory/closed_form.hpp"

using namespace rarefact;

namespace {

/// K classes with p ∝ 1/k.
PredictionInput twelve(const std::string& rule, double step_size) {
  std::vector<double> p;
  for (int k = 1; k <= 12; ++k) p.push_back(420.0 * 66 / k / 86021);  // H_12 = 86021/27720
  PredictionInput input = plain::input(rule, 12, 0, step_size, p);
  input.class_count.assign(12, 1);
  input.orthonormal = input.identity = false, input.equicorrelated = true;
  input.query_cosine = 0.3, input.answer_cosine = 0.4;
  return input;
}

double form(const char* name, std::vector<double> arguments) {
  return row_named(closed_forms(), name, "closed form").value(arguments.data(), false);
}

}  // namespace

TEST_CASE("the first step says why it is absent") {
  const PredictionRow& row = plain::row("gram-first-step");
  PredictionInput input = twelve("gd", 1);
  input.label_noise = 0.1;
  CHECK(row.objection(input)->find("label noise 0") != std::string::npos);
  input = twelve("adam", 1);
  CHECK(row.objection(input)->find("the rule is adam") != std::string::npos);
  input = twelve("gd", 1), input.query_cosine = 0;
  CHECK(row.objection(input)->find("classes do not interact") != std::string::npos);
  input = twelve("gd", 1), input.class_count.back() = 0;
  CHECK(row.objection(input)->find("nodes of a quadrature") != std::string::npos);
}

TEST_CASE("Adam's rate solves its equation, stays below ½ ln(1/β₂), and names its range") {
  CHECK(form("adam_rate", {.05, .9, .95}) == Approx(.0247283910015371).epsilon(1e-13));
  CHECK(form("adam_rate", {.05, .9, .99}) == Approx(.00501371).epsilon(1e-6));
  CHECK(form("adam_rate", {1e-8, .9, .999}) == Approx(2e-8).epsilon(1e-4));
  CHECK(form("adam_rate", {.003, .95, .905}) == Approx(.006400645228056502).epsilon(1e-13));
  CHECK(form("adam_rate", {.0005, .97, .95}) == Approx(.0010137763419049249).epsilon(1e-13));
  CHECK(form("adam_rate", {.002, .97, .9411}) == Approx(.0043163084413596776).epsilon(1e-13));
  for (const double step_size : {.01, 1.0, 100.0})
    CHECK(form("adam_rate", {step_size, .9, .99}) <= std::log(1 / .99) / 2);
  for (const std::vector<double>& outside : {std::vector<double>{.05, .9, .8},
                                             {.05, .9, .81},
                                             {.05, std::sqrt(.95), .95},
                                             {0, .9, .99},
                                             {.1, .9, 1}})
    CHECK_THROWS_AS(form("adam_rate", outside), InputError);
  CHECK(std::isnan(form("adam_rate", {.05, NAN, .9})));
  CHECK_THROWS_AS(form("l2_margin", {.1, 10, 0, 0}), InputError);
  CHECK(form("sign_walk", {.3, -2.05, 5}) == -1.5);
  CHECK_THROWS_AS(form("sign_walk", {1, 9.5, 2.5}), InputError);
  CHECK(form("flow_margin", {.1, 10, 1, 5}) == 0);
  CHECK_THROWS_AS(form("l2_margin", {.1, 10, .1, 1}), InputError);
}

TEST_CASE(
    "near β₁ = √β₂, where there are three roots, Adam's rate is the least, at which its recursion ends") {
  std::uint64_t several = 0;
  for (int i = 0; i < 400; ++i) {
    const double beta2 = std::pow(.5, 5.0 * (i % 20 + 1) / 20), step_size = .2 * std::pow(.6, i / 20),
                 beta1 = std::sqrt(beta2) * (1 - std::pow(.5, 1 + i % 13)), most = -std::log(beta2) / 2;
    const auto lead = [&](double c) {
      return c - 2 * step_size * (1 - beta1) / (1 - beta1 * std::exp(c)) *
                     std::sqrt(-std::expm1(2 * (c - most)) / (1 - beta2));
    };
    double first = most;
    int roots = 0;
    constexpr int cells = 20000;
    for (int k = cells; k-- > 0;)
      if ((lead(most * k / cells) < 0) != (lead(most * (k + 1) / cells) < 0))
        first = most * k / cells, ++roots;
    several += roots > 1;
    CAPTURE(step_size, beta1, beta2, roots);
    const double c = form("adam_rate", {step_size, beta1, beta2});
    CHECK(c >= first * (1 - 1e-12));
    CHECK(c <= first + most / cells * (1 + 1e-12));
  }
  CHECK(several > 10);
  // The other roots are .3135 and .3465.
  PredictionInput input = plain::input("adam", 50, 0, .05, {.02});
  input.parameters = {{"beta1", .999 * std::sqrt(.5)}, {"beta2", .5}, {"epsilon", 0.0}};
  const auto margins = plain::margins("adam-recursion", input, {4000, 5000});
  CHECK((margins[1] - margins[0]) / 1000 ==
        Approx(form("adam_rate", {.05, .999 * std::sqrt(.5), .5})).epsilon(1e-6));
}

TEST_CASE("Muon's first update has the entries of a dense polar factor, in groups of one class too") {
  const std::vector<double> count = {1, 1, 3, 1}, probability = {.4, .3, .08, .06};
  FormClasses classes{{count, probability}, {{0, 1}, {1, 1}, {2, 1}, {3, 1}}};
  Vector p(6);
  p << .4, .3, .08, .08, .08, .06;
  const Matrix x = (Matrix::Identity(6, 6) - Matrix::Constant(6, 6, 1.0 / 6)) * p.asDiagonal();
  const Matrix d = reference::svd(x).polar(5);
  for (const bool precise : {false, true}) {
    const auto values = [&](const char* name) {
      return row_named(closed_forms(), name, "closed form").values(classes, nullptr, precise);
    };
    const std::vector<double> excess = values("muon_rate_excess");
    for (const auto& [group, l] : {std::pair<std::size_t, Index>{0, 0}, {1, 1}, {2, 3}, {3, 5}})
      CHECK(excess.at(group) == Approx(d(l, l) * 6 / 5 - 1).epsilon(1e-12));
    CHECK(values("muon_deviation").at(0) ==
          Approx(6 * (d - Matrix::Identity(6, 6)).cwiseAbs().maxCoeff()).epsilon(1e-12));
  }
}

TEST_CASE("correlated queries turn Muon's deficit from ln K/K into ln K/√K") {
  const ClosedForm& rho = row_named(closed_forms(), "rho_muon_correlated", "closed form");
  const double constant = form("muon_deficit_correlated", {.2, .3, .1});
  CHECK(constant == Approx(1.47297).epsilon(1e-5));
  const auto deficit = [&](double k) {
    FormClasses classes{{{.2 * k, .8 * k}, {4 / k, .25 / k}}, {{0, 1}, {1, 1}}};
    const double numbers[] = {.3, .1};
    return ((1 - rho.values(classes, numbers, true)[0]) / .1 - 1) / (std::log(9 * k) / std::sqrt(k));
  };
  CHECK(deficit(3e18) == Approx(constant).epsilon(1e-5));
  CHECK(deficit(3e10) == Approx(constant).epsilon(1e-2));
  const FormClasses one{{{10, 20}, {.05, .025}}, {{0, 1}, {1, 1}}};
  for (const auto& outside : {std::array{1.0, .1}, {-.1, .1}, {.3, .5}})
    CHECK_THROWS_AS(rho.values(one, outside.data(), false), InputError);
  const ClosedForm& plain_rho = row_named(closed_forms(), "rho_muon", "closed form");
  const double none[] = {0, .1};
  CHECK(rho.values(one, none, false)[0] == plain_rho.values(one, none + 1, false)[0]);
}
