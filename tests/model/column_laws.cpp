// Columns of any law of answers against K x N arrays.

#include <catch2/catch.hpp>
#include <cmath>

#include "model/column_layout.hpp"
#include "reference/plain_law.hpp"

using namespace rarefact;

namespace {

/// Queries as a population has them: one group a query type, likeliest first.
ClassGroups query_groups(const Components& components) {
  ClassGroups queries;
  for (const TypeAt& at : query_types(components)) {
    queries.count.push_back(at.component.count * at.query.multiplicity);
    queries.probability.push_back(at.query.probability);
  }
  return queries;
}

Gradient<ColumnMatrix> gradient_of(const ColumnMemory& memory, const ColumnMatrix& w) {
  Gradient<ColumnMatrix> gradient;
  memory.evaluate(w, &gradient, nullptr, Workers::serial());
  return gradient;
}

/// Three equal right answers of seven, and one query of one answer.
const Components right_sets = {
    {{2, {3}, {{1, 0.3, {{0, 1.0 / 3, true}}}}}, {1, {1}, {{1, 0.4, {{0, 1, true}}}}}}};

}  // namespace

TEST_CASE("one answer a query is two numbers a column, however many queries share it") {
  const Components stars = {
      {{3, {1, 1}, {{2, 0.03, {{0, 1, true}}}, {1, 0.02, {{1, 1, true}}}, {1, 0.06, {{0, 1, true}}}}},
       {1, {1}, {{5, 0.05, {{0, 1, true}}}, {1, 0.33, {{0, 1, true}}}}}}};
  CHECK(ColumnMemory({query_groups(stars), 0.1, &stars}).zero().structure->two_numbers());
  CHECK(ColumnMemory({query_groups(stars), 0.1, &stars}).zero().structure->answers == 7);
  CHECK(!ColumnMemory({query_groups(right_sets), 0, &right_sets}).zero().structure->two_numbers());
}

TEST_CASE("answers that are equally likely and both right or both wrong are one number") {
  // Right answers of .3 and .2 (twice, of two types), a wrong one of .2, wrong identical classes of .05; three others.
  const Components components = {
      {{1,
        {1, 1, 1, 1, 2},
        {{1, 1, {{0, 0.2, true}, {1, 0.2, false}, {2, 0.3, true}, {3, 0.2, true}, {4, 0.05, false}}}}},
       {1, {3}, {}}}};
  const ColumnMemory memory({query_groups(components), 0, &components});
  const ColumnStructure& s = *memory.zero().structure;
  CHECK(s.right_times == std::vector<double>{1});
  CHECK(s.wrong_times == std::vector<double>{3});
  CHECK(s.shared_times == std::vector<double>{2, 1, 2});
  ColumnMatrix w = memory.zero();
  w.right << 0.7;
  w.wrong << -0.5;
  w.shared << 0.2, 1.1, -0.3;
  Matrix logits(9, 1);
  logits << 0.7, 0.2, 0.2, 1.1, -0.3, -0.3, -0.5, -0.5, -0.5;
  const Matrix p = reference::softmax_of(logits);
  const Gradient<ColumnMatrix> g = gradient_of(memory, w);
  const auto entry = [&](double scaled) { return std::ldexp(scaled, g.exponent); };
  CHECK(entry(g.task.right(0)) == Approx(p(0) - 0.3).epsilon(1e-14));
  CHECK(entry(g.task.shared(0)) == Approx(p(1) - 0.2).epsilon(1e-14));
  CHECK(entry(g.task.shared(1)) == Approx(p(3) - 0.2).epsilon(1e-14));
  CHECK(entry(g.task.shared(2)) == Approx(p(4) - 0.05).epsilon(1e-14));
  CHECK(entry(g.task.wrong(0)) == Approx(p(6)).epsilon(1e-14));
}

TEST_CASE("equally likely right answers keep every digit at errors of e^-1000") {
  const ColumnMemory memory({query_groups(right_sets), 0, &right_sets});
  ColumnMatrix w = memory.zero();
  w.right << 1000, 1001;  // the query of one answer first
  const Gradient<ColumnMatrix> g = gradient_of(memory, w);
  REQUIRE(g.exponent < -1000);
  const auto log_of = [&](double entry) { return std::log(entry) + g.exponent * std::log(2.0); };
  CHECK(log_of(g.task.wrong(0)) == Approx(std::log(0.4) - 1000).margin(1e-12));
  CHECK(log_of(g.task.wrong(1)) == Approx(std::log(0.3 / 3) - 1001).margin(1e-12));
  CHECK(g.task.right(0) == Approx(-6 * g.task.wrong(0)).epsilon(1e-15));
  CHECK(g.task.right(1) == Approx(-4 * g.task.wrong(1) / 3).epsilon(1e-15));
}

TEST_CASE("unequal right answers keep every digit of errors of e^-600 and of wrong entries") {
  const Components components = {{{1, {1, 2, 1}, {{1, 1, {{0, 0.5, true}, {1, 0.25, true}}}}}, {1, {3}, {}}}};
  const ColumnMemory memory({query_groups(components), 0, &components});
  ColumnMatrix w = memory.zero();
  w.right << 600;
  w.shared << 599.5;
  Observation seen;
  Gradient<ColumnMatrix> g;
  memory.evaluate(w, &g, &seen, Workers::serial());
  const double right = 1 + 2 * std::exp(-0.5);
  CHECK(seen.log_odds[0] == Approx(-600 + std::log(4 / right)).epsilon(1e-15));
  CHECK(seen.error[0] == Approx(std::exp(-600.0) * 4 / right).epsilon(1e-13));
  CHECK(std::ldexp(g.task.wrong(0), g.exponent) == Approx(std::exp(-600.0) / right).epsilon(1e-13));
  CHECK(g.task.right(0) == -2 * g.task.shared(0));
  w.shared << 600 - std::log(2.0);
  memory.evaluate(w, nullptr, &seen, Workers::serial());
  CHECK(seen.excess_loss[0] == Approx(std::exp(-600.0) * 2).epsilon(1e-13).margin(1e-26));
}
