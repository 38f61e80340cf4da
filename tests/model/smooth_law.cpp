#include "model/smooth_law.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rarefact;

namespace {

SmoothLaw power(double classes, double exponent) {
  return {classes, [exponent](double rank) { return std::pow(rank, -exponent); }};
}

}  // namespace

TEST_CASE("the class at a percentile of the mass is the first whose running sum reaches it") {
  for (const double s : {0.5, 1.2, 2.0}) {
    for (const double mass : {0.01, 0.5, 0.9, 0.99}) {
      const SmoothLaw law = power(5000, s);
      const double total = weight_of_ranks(law, law.classes);
      double sum = 0, rank = 0;
      while (sum < mass * total * (1 - 1e-14)) sum += law.weight(++rank);
      CAPTURE(s, mass);
      CHECK(rank_at_mass(law, mass) == rank);
    }
  }
  CHECK(rank_at_mass(power(1e300, 1.0), 0.5) == Approx(1e150).epsilon(1));  // ln k / ln K
}
