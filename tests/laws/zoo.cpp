// The rules of experiments/rules: what is derived of each, and gradients near the least double.

#include "laws/zoo.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "laws/formula_histories.hpp"
#include "optim/formula/evaluate.hpp"
#include "optim/formula/formula.hpp"
#include "reference/project_file.hpp"
#include "reference/random_matrix.hpp"

using namespace laws;

namespace {

constexpr double none = NAN;

/// What is to be derived: answers and queries rotate (O) or not (P), columns stay (C), D(cX) = c^degree D(X), ties.
struct Expected {
  const char* name;
  const char* levels;
  bool keeps_wrong_ties;
  double degree;
  bool tie = false;
};

const std::vector<Expected> table = {{"gd", "OO", true, 1},
                                     {"ngd", "OO", true, 0},
                                     {"nuclear_gd", "OO", true, 0},
                                     {"signgd", "PP", true, 0},
                                     {"lion", "PP", true, 0},
                                     {"tra_signgd", "OO", true, 0},
                                     {"adam", "PP", true, none},
                                     {"adamw", "PP", true, none},
                                     {"rmsprop", "PP", true, none},
                                     {"adafactor", "PP", false, 0},
                                     {"muon", "OO", false, 0},
                                     {"muon_nesterov", "OO", false, 0},
                                     {"moonlight", "OO", false, none},
                                     {"scion_spectral", "OO", false, 0},
                                     {"column_normalised", "OP", true, 0},
                                     {"row_normalised", "PO", false, 0},
                                     {"normuon", "PO", false, 0},
                                     {"polargrad", "OO", false, 1},
                                     {"root_muon", "OO", false, 0.5},
                                     {"fourth_root_muon", "OO", false, 0.25},
                                     {"post_polar", "OO", false, 0},
                                     {"adam_then_polar", "PP", false, none},
                                     {"sign_of_polar", "PP", false, 0},
                                     {"adamuon", "PP", false, 0},
                                     {"cautious_muon", "PP", false, 0},
                                     {"shampoo", "OO", false, 0},
                                     {"shampoo_averaged", "OO", false, -1},
                                     {"shampoo_memoryless", "OO", false, 0},
                                     {"newton_muon", "OO", false, 0},
                                     {"whitened_gd", "OO", true, 1},
                                     {"dion", "OO", false, 0, true},
                                     {"soap", "OO", false, none, true},
                                     {"conda", "OP", false, none, true}};

/// Directions for gradients of 2^exponent, of which `unit` is in their unit and the rest in their entries.
void check_scale(const std::string& name, int unit, int entries) {
  const formula::Compiled compiled = formula::compiled(zoo_rule(name));
  const formula::Trait& trait = compiled.traits[compiled.graph.direction];
  const Matrix one = Matrix::Identity(6, 6);
  const auto run = [&](int exponent, double factor) {
    std::vector<DenseMatrix> tasks;
    for (std::uint64_t step = 0; step < 4; ++step)
      tasks.push_back({factor * reference::random_matrix(6, 6, "small", step)});
    return history(*optimizer_row("formula").make<DenseMatrix>(zoo_rule(name)), tasks,
                   coordinates(one, one, Vector::Constant(6, 0.2)), exponent);
  };
  const auto plain = run(0, 1);
  const auto small = run(unit, std::ldexp(1.0, entries));
  CAPTURE(name);
  REQUIRE(plain.failure.empty());
  REQUIRE(small.failure.empty());
  for (std::size_t t = 0; t < 4; ++t) {
    CHECK(small.directions[t].entries.allFinite());
    if (!trait.degree) continue;
    const double shift = small.exponents[t] - plain.exponents[t] - (unit + entries) * *trait.degree;
    const Matrix off = std::exp2(shift) * small.directions[t].entries - plain.directions[t].entries;
    // Norms of vectors whose squares underflow are summed in another unit, which rounds differently.
    CHECK(off.cwiseAbs().maxCoeff() <= 4e-15 * plain.directions[t].entries.cwiseAbs().maxCoeff());
  }
}

}  // namespace

TEST_CASE(
    "of every rule of the zoo is derived which sides rotate, whether columns stay, how it scales and whether it has ties") {
  for (const Expected& expected : table) {
    CAPTURE(expected.name);
    const ParameterValues& rule = zoo_rule(expected.name);
    const Symmetries s = formula_symmetries(rule);
    CHECK(std::string(s.answers_rotate ? "O" : "P") + (s.queries_rotate ? "O" : "P") == expected.levels);
    CHECK(s.keeps_wrong_ties == expected.keeps_wrong_ties);
    CHECK(s.needs_gaps == expected.tie);
    CHECK(s.scale_invariant == (expected.degree == 0));
    CHECK(s.reads_task == (expected.name == std::string("tra_signgd")));
    const formula::Compiled compiled = formula::compiled(rule);
    const formula::Trait& d = compiled.traits[compiled.graph.direction];
    CHECK(d.degree.has_value() == !std::isnan(expected.degree));
    if (d.degree) CHECK(*d.degree == Approx(expected.degree).margin(1e-15));
  }
  CHECK(table.size() == zoo().size());
}

TEST_CASE("a file of experiments/rules has the name of its experiment and of its optimizer") {
  for (const auto& [name, experiment] : zoo()) {
    CAPTURE(name);
    CHECK(experiment.name == name);
    REQUIRE(experiment.optimizers.size() == 1);
    CHECK(experiment.optimizers[0].name == name);
    CHECK(experiment.optimizers[0].rule == "formula");
  }
}

TEST_CASE("gradients of 2^-600, by their unit or by their entries, scale directions by 2^(-600 degree)") {
  for (const auto& [name, unused] : zoo()) {
    check_scale(name, -600, 0);
    check_scale(name, 0, -600);
  }
}
