#include <catch2/catch.hpp>

#include "model/softmax_residual.hpp"

using namespace rarefact;

namespace {

/// The column of P̂ - Π at W = 0.
Vector residual_at_zero(const QueryAnswers<double>& law, Index answers) {
  Vector values = Vector::Zero(answers);
  const RightLogits<double> right = logits_of_right(law, values);
  std::vector<double> inside;
  set_inside(law, values, right, inside);
  QueryColumn<double> column{{values.data(), answers}};
  column.law = &law;
  column.weight = 0.7;
  const auto odds = normalise_wrong<double>(column, law.right_at, right);
  to_residual(column, odds, inside, std::log(double(answers)));
  return values;
}

}  // namespace

TEST_CASE("an answer with its own probability 1/K has the residual 0 at W = 0, so that its sign is 0") {
  for (Index answers = 3; answers <= 40; ++answers) {
    CAPTURE(answers);
    const double one = 1 / double(answers);
    QueryAnswers<double> table;  // K - 1 pairs with one answer, one pair with another
    table.add(0, 1 - one, 0, 1, true);
    table.add(1, one, 0, 1, false);
    const Vector counted = residual_at_zero(table, answers);
    CHECK(counted(1) == 0);
    CHECK(counted(answers - 1) == Approx(0.7 * one));

    QueryAnswers<double> right;  // the right answer itself, beside others by frequency
    right.add(0, one, 0, 1, true);
    for (Index k = 1; k < answers; ++k) right.add(k, one * (1 + 0.3 * std::sin(double(k))), 0, 1, false);
    CHECK(residual_at_zero(right, answers)(0) == 0);

    QueryAnswers<double> sample;  // a sample: one answer twice, all others but the last once
    for (Index k = 0; k + 1 < answers; ++k) sample.add(k, k == 0 ? 2 * one : one, 0, 1, true);
    const Vector drawn = residual_at_zero(sample, answers);
    CHECK(drawn(0) == Approx(-0.7 * one));
    CHECK(drawn.segment(1, answers - 2).isZero(0));
  }
}

TEST_CASE("logits that tie but differ turn the residual by their difference") {
  // Muon with label noise returns to within 1e-11 of W = 0, and its next step hangs on what is left.
  QueryAnswers<double> own;
  own.noisy = true;
  own.add(0, 0.9, 0.05, 1, true);
  own.finish(0.1, 2);
  const double margin = 7.6e-12;
  Vector values(2);
  values << margin, 0;
  const RightLogits<double> right = logits_of_right(own, values);
  QueryColumn<double> column{{values.data(), 2}, {.constant = 0.05}};
  column.law = &own;
  column.weight = 0.7;
  auto odds = normalise_wrong<double>(column, own.right_at, right);
  odds.advantage = untied(odds.advantage, 31.0);
  REQUIRE(odds.advantage == 0);
  to_residual(column, odds, {}, std::log(2.0));
  CHECK(values(1) == Approx(0.7 * (0.45 - margin / 4)).epsilon(1e-15));
  CHECK(values(0) == -values(1));
}
