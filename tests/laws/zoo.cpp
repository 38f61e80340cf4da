// The rules of experiments/rules: what is derived of each.

#include "laws/zoo.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "optim/formula/evaluate.hpp"
#include "optim/formula/formula.hpp"
#include "reference/project_file.hpp"

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
