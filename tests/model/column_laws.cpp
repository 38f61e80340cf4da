// Columns of any law of answers against K x N arrays.

#include <catch2/catch.hpp>
#include <cmath>

#include "model/column_layout.hpp"
#include "reference/column_law.hpp"
#include "reference/random_cases.hpp"

using namespace rarefact;
using reference::expand;

namespace {

Gradient<ColumnMatrix> gradient_of(const ColumnMemory& memory, const ColumnMatrix& w) {
  Gradient<ColumnMatrix> gradient;
  memory.evaluate(w, &gradient, nullptr, Workers::serial());
  return gradient;
}

/// Three equal right answers of seven, and one query of one answer.
const Units right_sets = {{{2, {3}, {{1, 0.3, {{0, 1.0 / 3, true}}}}}, {1, {1}, {{1, 0.4, {{0, 1, true}}}}}}};

}  // namespace

TEST_CASE("one answer a query is two numbers a column, however many queries share it") {
  const Units stars = reference::law_number(0);
  CHECK(ColumnMemory({reference::query_groups(stars), 0.1, &stars}).zero().structure->two_numbers());
  CHECK(ColumnMemory({reference::query_groups(stars), 0.1, &stars}).zero().structure->answers == 7);
  CHECK(!ColumnMemory({reference::query_groups(right_sets), 0, &right_sets}).zero().structure->two_numbers());
}

TEST_CASE("answers that are equally likely and both right or both wrong are one number") {
  // Right answers of .3 and .1 (twice, of two types), a wrong one of .1, wrong twins of .2; three others.
  const Units units = {
      {{1,
        {1, 1, 1, 1, 2},
        {{1, 1, {{0, 0.1, true}, {1, 0.1, false}, {2, 0.3, true}, {3, 0.1, true}, {4, 0.2, false}}}}},
       {1, {3}, {}}}};
  const ColumnMemory memory({reference::query_groups(units), 0, &units});
  const ColumnStructure& s = *memory.zero().structure;
  CHECK(s.own_times == std::vector<double>{1});
  CHECK(s.other_times == std::vector<double>{3});
  CHECK(s.middle_times == std::vector<double>{2, 2, 1});
}

TEST_CASE("equally likely right answers keep every digit at errors of e^-1000") {
  const ColumnMemory memory({reference::query_groups(right_sets), 0, &right_sets});
  ColumnMatrix w = memory.zero();
  w.own << 1000, 1001;  // the query of one answer first
  const Gradient<ColumnMatrix> g = gradient_of(memory, w);
  REQUIRE(g.exponent < -1000);
  const auto log_of = [&](double entry) { return std::log(entry) + g.exponent * std::log(2.0); };
  CHECK(log_of(g.task.other(0)) == Approx(std::log(0.4) - 1000).margin(1e-12));
  CHECK(log_of(g.task.other(1)) == Approx(std::log(0.3 / 3) - 1001).margin(1e-12));
  CHECK(g.task.own(0) == Approx(-6 * g.task.other(0)).epsilon(1e-15));
  CHECK(g.task.own(1) == Approx(-4 * g.task.other(1) / 3).epsilon(1e-15));
}

TEST_CASE("unequal right answers keep every digit of errors of e^-600 and of wrong entries") {
  const Units units = {{{1, {1, 2, 1}, {{1, 1, {{0, 0.5, true}, {1, 0.25, true}}}}}, {1, {3}, {}}}};
  const ColumnMemory memory({reference::query_groups(units), 0, &units});
  ColumnMatrix w = memory.zero();
  w.own << 600;
  w.middle << 599.5;
  Observation seen;
  Gradient<ColumnMatrix> g;
  memory.evaluate(w, &g, &seen, Workers::serial());
  const double right = 1 + 2 * std::exp(-0.5);
  CHECK(seen.log_odds[0] == Approx(-600 + std::log(4 / right)).epsilon(1e-15));
  CHECK(seen.error[0] == Approx(std::exp(-600.0) * 4 / right).epsilon(1e-13));
  CHECK(std::ldexp(g.task.other(0), g.exponent) == Approx(std::exp(-600.0) / right).epsilon(1e-13));
  CHECK(g.task.own(0) == -2 * g.task.middle(0));
  w.middle << 600 - std::log(2.0);
  memory.evaluate(w, nullptr, &seen, Workers::serial());
  CHECK(seen.excess_loss[0] == Approx(std::exp(-600.0) * 2).epsilon(1e-13).margin(1e-26));
}

TEST_CASE("queries that are recovered leave the gradient, whatever their law") {
  const Units units = reference::law_number(1);
  const ClassGroups queries = reference::query_groups(units);
  const ColumnMemory all({queries, 0, &units}), rest({queries, 0, &units}, true);
  ColumnMatrix w = reference::random_columns(all.zero().structure, 3);
  w.own(0) = 10;
  w.own(1) = w.middle(w.structure->middle_begin[1]) = -10;
  const Gradient<ColumnMatrix> g = gradient_of(all, w), left = gradient_of(rest, w);
  CHECK(left.task.own(0) == 0);
  CHECK(left.task.middle.head(w.structure->middle_begin[1]).isZero(0));
  CHECK(left.task.own(1) == g.task.own(1));
  CHECK(left.task.middle.tail(1) == g.task.middle.tail(1));
  CHECK(g.task.own(0) != 0);
}
