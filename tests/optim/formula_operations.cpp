// Entrywise operations, one line each: the value beside the library's, and what the rule keeps.

#include <catch2/catch.hpp>

#include "optim/formula/formula.hpp"
#include "optim/gradients.hpp"

using namespace gradients;

namespace {

struct Line {
  const char* direction;
  double (*value)(double x);
  bool scale_invariant, keeps_wrong_ties;
};

const std::vector<Line> lines = {
    {"minimum(G, 0.5)", [](double x) { return std::min(x, 0.5); }, false, true},
    {"maximum(G, 0.5*G)", [](double x) { return std::max(x, x / 2); }, false, true},
    {"where(G > 0, 1, -2)", [](double x) { return x > 0 ? 1.0 : -2.0; }, true, true},
    {"abs(G)", [](double x) { return std::abs(x); }, false, true},
    {"sign(G)", [](double x) { return x > 0   ? 1.0
                                      : x < 0 ? -1.0
                                              : 0.0; }, true, true},
    {"sqrt(abs(G))", [](double x) { return std::sqrt(std::abs(x)); }, false, true},
    {"exp(G)", [](double x) { return std::exp(x); }, false, true},
    {"log(1 + G**2)", [](double x) { return std::log1p(x * x); }, false, true},
    {"cos(G)", [](double x) { return std::cos(x); }, false, true},
    {"sin(G)", [](double x) { return std::sin(x); }, false, true},
    {"min(G, 0.5)", [](double x) { return std::min(x, 0.5); }, false, true},
    {"max(G, 0.5*G)", [](double x) { return std::max(x, x / 2); }, false, true},
    {"tanh(G)", [](double x) { return std::tanh(x); }, false, true},
    {"G/abs(G)", [](double x) { return x == 0 ? 0 : x / std::abs(x); }, true, true},
    {"G**3 - 2*G", [](double x) { return x * x * x - 2 * x; }, false, true},
    {"abs(G)**0.3*G", [](double x) { return std::pow(std::abs(x), 0.3) * x; }, false, true},
};

}  // namespace

TEST_CASE("an entry divided by its own size on the way does not vanish beside larger ones") {
  for (const char* direction : {"G/abs(G)*G", "G*(G/abs(G))", "0.5*G/abs(G)*(2*G)", "G/rownorm(G)*G"}) {
    CAPTURE(direction);
    Stepper formula("formula", {{"direction", std::string(direction)}});
    const Matrix& d = formula(Vector{{1, 1e-200}}).matrix->entries;
    CHECK(d(1, 0) / d(0, 0) == Approx(1e-200));
  }
}

TEST_CASE("an entrywise operation has the value of the library, and its row says what it keeps") {
  for (const Line& line : lines) {
    CAPTURE(line.direction);
    const ParameterValues definitions{{"direction", std::string(line.direction)}};
    const Matrix found = directions("formula", definitions, 1)[0];
    CHECK(largest(found - gradient(0).unaryExpr(line.value)) < 1e-13);
    const Symmetries kept = formula_symmetries(definitions);
    CHECK(kept.scale_invariant == line.scale_invariant);
    CHECK(kept.keeps_wrong_ties == line.keeps_wrong_ties);
    CHECK_FALSE(kept.answers_rotate);
  }
}
