#include "model/smooth_law.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rarefact;

namespace {

SmoothLaw power(double classes, double exponent) {
  return {classes, [exponent](double rank) { return std::pow(rank, -exponent); }};
}

/// Σ over all nodes of a law of what is asked of each.
template <class Value>
double sum(const SmoothLaw& law, const Value& value) {
  const QueryNodes nodes =
      query_nodes(law, [](double items) { return panel_rule(items, usual_panel_order); });
  double all = 0;
  for (std::size_t i = 0; i < nodes.ranks.size(); ++i) {
    for (std::size_t c = 0; c < nodes.places.size(); ++c)
      all += nodes.ranks.count[i] * nodes.twins(law, i, c) * value(nodes.at(i, c));
  }
  return all;
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

TEST_CASE("nodes of queries that differ count all of them and all their weight") {
  for (const double answers : {90.0, 1e6}) {
    for (const double each : {5.0, 1000.0}) {
      const SmoothLaw law = dealt_out(power(answers * each, 0.8), answers);
      CAPTURE(answers, each);
      const double total = weight_of_ranks(law, law.classes);
      CHECK(sum(law, [](const QueryAt&) { return 1.0; }) == Approx(answers * each).epsilon(1e-12));
      CHECK(sum(law, [&](const QueryAt& at) { return law.probability(at, total); }) ==
            Approx(1).epsilon(1e-12));
      CHECK(law.weight(1) == Approx(1).epsilon(1e-14));
      const auto [least, most] = query_probabilities(law);
      CHECK(least == law.probability({answers, each}, total));
      CHECK(most == law.probability({1, 1}, total));
      CHECK_FALSE(likeliest_first(law));
    }
  }
}

TEST_CASE("queries that are dealt out are those of their law, turn by turn") {
  const SmoothLaw queries = power(1200, 1.1), law = dealt_out(queries, 40);
  const double total = weight_of_ranks(law, 40), all = weight_of_ranks(queries, 1200);
  for (const double number : {1.0, 40.0, 41.0, 777.0, 1200.0}) {
    const QueryAt at = query_at(law, number);
    CAPTURE(number, at.rank, at.place);
    CHECK(at.rank + (at.place - 1) * 40 == number);
    CHECK(at.rank >= 1);
    CHECK(at.rank <= 40);
    CHECK(law.probability(at, total) == Approx(queries.weight(number) / all).epsilon(1e-13));
  }
  const SmoothLaw one_each = dealt_out(power(50, 1), 50);
  CHECK_FALSE(one_each.query);
  CHECK(one_each.queries(7) == 1);
}

TEST_CASE("blocks of consecutive classes are one class of so many queries") {
  const SmoothLaw law = power(60, 1), blocks = in_blocks(law, 3);
  CHECK(blocks.classes == 20);
  CHECK(blocks.query({5, 2}) == law.weight(14));
  CHECK(blocks.weight(5) == Approx(law.weight(13) + law.weight(14) + law.weight(15)));
  CHECK_FALSE(in_blocks(law, 1).query);
}
