#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "model/margin.hpp"
#include "plain.hpp"
#include "theory/margin_paths.hpp"

using namespace rarefact;

namespace {

std::vector<std::int64_t> first_steps(std::int64_t last) {
  std::vector<std::int64_t> steps(static_cast<std::size_t>(last) + 1);
  std::iota(steps.begin(), steps.end(), std::int64_t{0});
  return steps;
}

std::vector<double> predict(const std::string& name, const PredictionInput& input,
                            const std::vector<std::int64_t>& steps) {
  REQUIRE_FALSE(plain::row(name).objection(input));
  return plain::margins(name, input, steps);
}

}  // namespace

TEST_CASE("noiseless Muon gives every class the margin η t") {
  const auto margins =
      predict("muon-descent", plain::input("muon", 1e15, 0, 0.25, {0.6, 0.3, 1e-16}), {0, 7, 4000});
  CHECK(margins == std::vector<double>{0, 0, 0, 1.75, 1.75, 1.75, 1000, 1000, 1000});
}

TEST_CASE("noisy Muon walks by the sign of the distance to the optimum") {
  const double total = GENERATE(64.0, 65536.0, 1e15, 1e300);
  const double noise = GENERATE(1e-6, 0.2, 0.999);
  const double step_size = GENERATE(0.013, 0.37, 5.0, 4000.0);
  const auto margins =
      predict("muon-cycle", plain::input("muon", total, noise, step_size, {0.5}), first_steps(300));
  const plain::Real optimum = plain::optimum(total, noise);
  plain::Real margin = 0;
  CAPTURE(total, noise, step_size);
  for (std::size_t t = 0; t < margins.size(); ++t) {
    REQUIRE(margins[t] == Approx(static_cast<double>(margin)).epsilon(1e-15));
    margin += margin < optimum ? step_size : -step_size;
  }
}

TEST_CASE("signs move the margin twice as far as Muon, with or without label noise") {
  const double noise = GENERATE(0.0, 0.2);
  const auto rule = GENERATE(std::string("signgd"), std::string("tra_signgd"));
  const auto steps = first_steps(200);
  const auto signs = predict("sign-descent", plain::input(rule, 64, noise, 0.11, {0.5, 0.1}), steps);
  const auto muon = predict(noise == 0 ? "muon-descent" : "muon-cycle",
                            plain::input("muon", 64, noise, 0.22, {0.5, 0.1}), steps);
  CHECK(signs == muon);
  CHECK(signs[2] == 0.22);
}

TEST_CASE("the sign walk reaches any step at once") {
  CHECK(sign_walk(1, INFINITY, std::int64_t{1} << 60) == std::ldexp(1.0, 60));
  CHECK(sign_walk(1, 9.5, std::int64_t{1} << 60) == 10);
  CHECK(sign_walk(1, 9.5, (std::int64_t{1} << 60) + 1) == 9);
  CHECK(sign_walk(1e-300, 9.5, 1000) == 1e-297);
  CHECK(sign_walk(1, -2.5, 1) == -1);
  CHECK(sign_walk(.3, -2.05, 5) == -1.5);
  CHECK(sign_walk(1, -2.5, 3) == -3);
  CHECK(sign_walk(1, -2.5, 4) == -2);
}

TEST_CASE("the sign walk turns where its own products pass the optimum, to the last digit") {
  for (const double stride : {0.1, 0.3, 0.7, 1 / 3.0, 4.9e-3}) {
    for (int k = 1; k <= 2000; ++k) {
      for (const double optimum :
           {stride * k, std::nextafter(stride * k, 1e9), std::nextafter(stride * k, 0)}) {
        int top = k - 1;
        while (stride * top < optimum) ++top;
        const bool rests = stride * top == optimum;
        REQUIRE(sign_walk(stride, optimum, top) == stride * top);
        REQUIRE(sign_walk(stride, optimum, top + 1) == stride * (rests ? top : top - 1));
        REQUIRE(sign_walk(stride, optimum, top + 2) == stride * top);
      }
    }
  }
}
