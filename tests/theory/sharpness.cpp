// The sharpness of first updates: against the limits that integrals have, and against drawn embeddings.

#include "theory/sharpness.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/random.hpp"

using namespace rarefact;

namespace {

constexpr double pi = 3.14159265358979323846;

struct Law {
  std::vector<double> count, p;
  double moment(int power) const {
    double sum = 0;
    for (std::size_t g = 0; g < p.size(); ++g) sum += count[g] * std::pow(p[g], power);
    return sum;
  }
  double of_gd() const { return moment(3) / moment(2) / moment(0); }
  double of_sign() const { return first_sharpness_of_haar_sign(count, p); }
};

Law power_law(int classes, double exponent) {
  Law law{std::vector<double>(static_cast<std::size_t>(classes), 1), {}};
  for (int k = 1; k <= classes; ++k) law.p.push_back(std::pow(k, -exponent));
  const double total = law.moment(1);
  for (double& p : law.p) p /= total;
  return law;
}

}  // namespace

TEST_CASE("of equal classes the sign in a generic basis has the sharpness 1/K²") {
  for (const double total : {60.0, 1e4, 1e15}) {
    CAPTURE(total);
    CHECK(Law{{total}, {1 / total}}.of_sign() == Approx(1 / total / total).epsilon(1e-12));
  }
}

TEST_CASE("2/π of gradient descent's sharpness is left where no class dominates, and where one does") {
  const double rest = 1 - 2 / pi;
  for (const Law& law : {Law{{2e5, 8e5}, {0.8 / 2e5, 0.2 / 8e5}}, Law{{1, 999}, {1 - 1e-6, 1e-6 / 999}}}) {
    const double total = law.moment(0);
    CHECK(law.of_sign() == Approx(2 / pi * law.of_gd() + rest / total / total).epsilon(2e-3));
  }
}

TEST_CASE("between it is the mean of random numbers") {
  const RandomStream stream(1, "sharpness");
  for (const double exponent : {0.5, 1.0, 2.0}) {
    const Law law = power_law(60, exponent);
    std::vector<double> x(60);
    double sum = 0;
    const int draws = 40000;
    for (int draw = 0; draw < draws; ++draw) {
      stream.fill_normal(static_cast<std::uint64_t>(draw), {x.data(), x.size()});
      double cube = 0, square = 0;
      for (std::size_t l = 0; l < x.size(); ++l) {
        cube += std::pow(law.p[l], 3) * x[l] * x[l];
        square += std::pow(law.p[l] * x[l], 2);
      }
      sum += cube / square / draws;
    }
    CAPTURE(exponent);
    // Five standard errors of the mean are below half a per cent.
    CHECK(law.of_sign() == Approx(2 / pi * sum / 60 + (1 - 2 / pi) / 3600).epsilon(5e-3));
  }
}
