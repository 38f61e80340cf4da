// The rules of experiments/rules on answers and queries in unlike numbers, with twins.

#include <catch2/catch.hpp>

#include "laws/formula_histories.hpp"
#include "laws/zoo.hpp"
#include "optim/formula/formula.hpp"
#include "reference/expand.hpp"
#include "reference/random_symmetric.hpp"

using namespace laws;
using reference::expand;

namespace {

using M = SymmetricMatrix<double>;
using Side = GroupStructure::Side;

/// The root of C of queries that are p, as they are in the full matrix: twins are alike, so the algebra has p alone of
/// queries without twins.
M root_of(const SharedStructure& s) {
  M root(with_sides(s, Side::columns, Side::columns));
  const GroupTypes& types = s->column_types();
  for (Index a = 0; a < s->columns(); ++a)
    root.own_column(a)(a - types.begin(types.group(a))) = std::sqrt(1.0 / (static_cast<double>(a) + 1.5));
  return root;
}

double of(const Matrix& x) {
  return x.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE(
    "every rule of the zoo does on units of many answers and queries what it does on the matrix written out") {
  for (const auto& [name, s] : reference::rectangular_structures()) {
    std::vector<M> tasks;
    std::vector<DenseMatrix> written;
    for (std::uint64_t step = 0; step < 3; ++step) {
      tasks.push_back(reference::random_symmetric(s, 40 + step));
      written.push_back({expand(tasks.back())});
    }
    const auto answers = static_cast<double>(written[0].entries.rows()),
               queries = static_cast<double>(written[0].entries.cols());
    CHECK(s->total(Side::rows) == answers);
    CHECK(s->total(Side::columns) == queries);
    for (const auto& [rule, experiment] : zoo()) {
      const ParameterValues& definitions = zoo_rule(rule);
      const bool reads_queries = rule == "newton_muon" || rule == "whitened_gd";
      // Twin queries have contrasts in C, and singular vectors of their own need gaps.
      if (formula_symmetries(definitions).needs_gaps || (reads_queries && s->column_types().has_twins()))
        continue;
      const M root = root_of(s);
      const auto got = history(*optimizer_row("formula").symmetric(definitions), tasks,
                               {{}, {root, 0}, {answers, queries}});
      const auto expected = history(*optimizer_row("formula").dense(definitions), written,
                                    {{}, {{expand(root)}, 0}, {answers, queries}});
      CAPTURE(name, rule, got.failure, expected.failure);
      REQUIRE(got.directions.size() == 3);
      REQUIRE(expected.directions.size() == 3);
      for (std::size_t t = 0; t < 3; ++t) {
        const double unit = std::ldexp(1.0, expected.exponents[t]);
        const Matrix exact = unit * expected.directions[t].entries,
                     seen = std::ldexp(1.0, got.exponents[t]) * expand(got.directions[t]);
        CAPTURE(t);
        // Adam's first step is signs but for its ε of 1e-8, and singular values of signs that are zero become as small.
        const double tolerance = rule == "adam_then_polar" && t == 0 ? 1e-7 : 1e-11;
        CHECK(of(seen - exact) < tolerance * of(exact));
      }
    }
  }
}
