// Numbers beside the singular value in the body of a lambda, and what a body may claim.

#include <catch2/catch.hpp>

#include "optim/formula/formula.hpp"
#include "optim/gradients.hpp"

using namespace gradients;

namespace {

/// Directions of a formula for made-up gradients.
std::vector<Matrix> of(const std::string& direction) {
  return directions("formula", {{"direction", direction}}, 3);
}

void equal(const std::string& direction, const std::string& other) {
  CAPTURE(direction, other);
  const auto x = of(direction), y = of(other);
  for (std::size_t t = 0; t < x.size(); ++t) CHECK(largest(x[t] - y[t]) < 1e-13 * largest(y[t]));
}

Symmetries kept(const std::string& direction) {
  return formula_symmetries({{"direction", direction}});
}

}  // namespace

TEST_CASE("the body of a lambda sees numbers of the whole formula") {
  equal("spectral(G, lambda s: s/spectral_norm(G))", "G/spectral_norm(G)");
  equal("spectral(G, lambda s: s*trace(G@G.T))", "G*norm(G)**2");
  equal("spectral(G, lambda s: s*(t + 0.5*norm(G)))", "t*G + 0.5*norm(G)*G");
  equal("spectral(G@G.T, lambda s: s**0.5/norm(G))@G", "power(G@G.T, 0.5)@G/norm(G)");
}

TEST_CASE("the body of a lambda may divide by the singular value, which is 0 nowhere that it is computed") {
  equal("spectral(G, lambda s: 1/s)", "power(G, -1)");
  equal("spectral(G, lambda s: s/s)", "polar(G)");
  equal("power(G@G.T, -0.5)@G", "polar(G)");
  equal("2*(G.T@power(G@G.T, -0.25)).T", "2*power(G, 0.5)");
  equal("G@power(3*(G.T@G), 0.5)", "sqrt(3)*power(G, 2)");
  equal("spectral(G, lambda s: where(s > 0, 1/s**2, 0))", "power(G, -2)");
  CHECK(kept("spectral(G, lambda s: log(1/s))").amplifies_small_entries);
}

TEST_CASE("the body of a lambda loses what its numbers lose") {
  CHECK(kept("G@spectral(C, lambda s: s*2)").keeps_wrong_ties);
  CHECK_FALSE(kept("G@spectral(C, lambda s: s/trace(G@G.T))").keeps_wrong_ties);
  CHECK(kept("spectral(G, lambda s: s*norm(top(G, 3)))").needs_gaps);
  CHECK_FALSE(kept("spectral(G, lambda s: s*sum(G))").answers_rotate);
}

TEST_CASE("a function that jumps at zero lifts the smallest singular values") {
  CHECK(kept("spectral(G, lambda s: 1)").amplifies_small_entries);
  CHECK(kept("spectral(G, lambda s: exp(-s))").amplifies_small_entries);
  CHECK_FALSE(kept("spectral(G, lambda s: s/(s + 1))").amplifies_small_entries);
}

TEST_CASE("formulas with singular values of columns say so") {
  for (const char* direction : {"G/nuclear(G)", "G/spectral_norm(G)", "G/norm(G)", "G/nuclear(C)"})
    CHECK(kept(direction).keeps_wrong_ties);
  CHECK(kept("G/nuclear(G)").spectrum_of_columns);
  CHECK(kept("G/spectral_norm(G)").spectrum_of_columns);
  CHECK_FALSE(kept("G/norm(G)").spectrum_of_columns);
  CHECK_FALSE(kept("G/nuclear(C)").spectrum_of_columns);
}
