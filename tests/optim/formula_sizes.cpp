// Long definitions, products of many factors, and what is said where numbers end.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "optim/formula/formula.hpp"
#include "optim/gradients.hpp"

using namespace gradients;

namespace {

/// let.x0 = first, then let.x1, ... = link, whose x is the one before; the x of the direction is the last.
struct Chain {
  std::string first, link;
  int length;
  std::string direction = "x";
};

ParameterValues definitions_of(const Chain& chain) {
  const auto named = [](std::string text, int i) {
    const std::string name = fmt::format("x{}", i);
    for (std::size_t at = 0; (at = text.find('x', at)) != std::string::npos; at += name.size()) {
      // Not the x of exp.
      const bool alone = at == 0 || !std::isalpha(static_cast<unsigned char>(text[at - 1]));
      text.replace(at, 1, alone ? name : "x");
    }
    return text;
  };
  ParameterValues definitions{{"let.x0", chain.first}, {"direction", named(chain.direction, chain.length)}};
  for (int i = 1; i <= chain.length; ++i)
    definitions.set(fmt::format("let.x{}", i), named(chain.link, i - 1));
  return definitions;
}

Matrix last_direction(const Chain& chain, std::uint64_t steps = 2) {
  return directions("formula", definitions_of(chain), steps).back();
}

}  // namespace

TEST_CASE("a formula costs what its length is, however often its parts are named") {
  const std::vector<Chain> chains = {{"G", "x + x", 40},
                                     {"norm(G)", "x + x/2", 40, "G/x"},
                                     {"norm(G)", "x*t + x", 40, "spectral(G, lambda s: s/(s + x))"},
                                     {"G", "ema(x + t*x, 0.5)", 40},
                                     {"G", "0.3*(x@C)", 200, "x + G"},
                                     {"G", "0.5*x + G", 2000},
                                     {"G", "ema(x, 0.5) + G", 1000},
                                     {"G", "0.5*x + spectral(x, lambda s: s/(s + 1))", 300}};
  for (const Chain& chain : chains) {
    CAPTURE(chain.first, chain.link);
    CHECK(formula_problems(definitions_of(chain)).empty());
    CHECK(formula_work(definitions_of(chain)).matrices > 0);
  }
  CHECK(last_direction({"G", "x + x", 40}) == std::ldexp(1.0, 40) * gradient(1));
  CHECK(largest(last_direction({"G", "0.5*x + G", 2000}) - 2 * gradient(1)) < 1e-14);
}

TEST_CASE("a product of any number of factors of about 1 is a number") {
  // The largest singular value, or entry, stays 1; rounding grows by the number of factors, 3125.
  const Matrix product = last_direction({"G/spectral_norm(G)", "x@x.T@x@x.T@x", 5});
  CHECK(largest(product - last_direction({"G/spectral_norm(G)", "(x@x.T)@(x@x.T)@x", 5})) < 1e-11);
  CHECK(product.norm() == Approx(1).epsilon(1e-11));
  // Entry by entry, gradients are of about 1 in their unit, as memories give them: that of the first step is.
  CHECK(largest(last_direction({"G/maxabs(G)", "x*x*x*x*x", 5}, 1)) == Approx(1).epsilon(1e-11));
  CHECK(largest(last_direction({"0.99*sign(G)", "x*x*x*x*x", 5})) ==
        Approx(std::pow(0.99, 3125)).epsilon(1e-11));
  CHECK(largest(last_direction({"0.99*sign(G)", "x*x*x*x*x", 5, "G/x"})) ==
        Approx(largest(gradient(1)) / std::pow(0.99, 3125)).epsilon(1e-11));
  // Numbers in front of a product, and of the direction.
  CHECK(largest(last_direction({"1e-200*G", "x", 0, "1e300*(1e200*((x@x.T)@(1e100*x)))"}) -
                gradient(1) * gradient(1).transpose() * gradient(1)) < 1e-13);
  CHECK(largest(last_direction({"G", "(norm(G)/(1.01*norm(G)))*x", 2000}) / std::pow(1.01, -2000) -
                gradient(1)) < 1e-10);
}

TEST_CASE("the order of the factors of a product changes no more than its last digits") {
  const auto last = [](const char* text) {
    return directions("formula", {{"direction", std::string(text)}}, 3).back();
  };
  const Matrix square = last("0.1*(G*G)");
  for (const char* text :
       {"0.1*G*G", "G*0.1*G", "G*G/10", "G/10*G", "-G*-G*0.1", "0.1*t*G*(G/t)", "0.1*G/t*G*t"}) {
    CAPTURE(text);
    CHECK(largest(last(text) - square) <= 1e-15 * largest(square));
  }
  CHECK(largest(last("G/t*G/t*G/t") - last("G**3/t**3")) < 1e-15);
}

TEST_CASE("a state that is a product of itself keeps its size") {
  const auto q = directions("formula",
                            {{"state.q", std::string("where(t < 2, 8*G/norm(G), 1.5*q - 0.5*q@q.T@q/64)")},
                             {"direction", std::string("q")}},
                            12);
  CHECK(q.back().allFinite());
  CHECK(largest(q.back() - 8 * polar_factor<double>(gradient(0))) < 0.1);
}

TEST_CASE("the first part that is not finite is named with its definition") {
  const std::vector<std::pair<ParameterValues, std::string>> cases = {
      {{{"direction", std::string("exp(1000*abs(G))*G + G")}}, "exp(1000*abs(G)) of direction"},
      {{{"let.a", std::string("exp(1000*norm(G))")}, {"direction", std::string("G + a*G")}},
       "exp(1000*norm(G)) of let.a"},
      {{{"let.a", std::string("exp(1000*abs(G))")}, {"direction", std::string("a@a.T@G")}},
       "exp(1000*abs(G)) of let.a"},
      {{{"state.m", std::string("0.9*m + exp(1000*abs(G))*G")}, {"direction", std::string("m")}},
       "exp(1000*abs(G)) of state.m"},
      {{{"direction", std::string("G/(1 + exp(1000*norm(G)))")}}, "exp(1000*norm(G)) of direction"}};
  for (const auto& [definitions, part] : cases) {
    Stepper formula("formula", definitions);
    const Direction<DenseMatrix> d = formula(gradient(0));
    CHECK((d.failure.empty() ? d.not_finite : d.failure).find(part) == 0);
  }
}

TEST_CASE("a condition on a state that keeps falling is decided: roots of roots are checked, too") {
  const auto problems =
      formula_problems({{"state.m", std::string("(m**2)**0.49 + sqrt(G)")}, {"direction", std::string("m")}});
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].message == "the square root of G, which may be negative");
}
