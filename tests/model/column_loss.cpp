#include <catch2/catch.hpp>

#include "core/real50.hpp"
#include "model/column_layout.hpp"
#include "model/softmax_column.hpp"

using namespace rarefact;

namespace {

constexpr double margins[] = {-30, -1.5, 0, 0.25, 4, 40};

/// A column of K logits whose right answer is this far ahead of all others.
Vector column(Index classes, Index right, double margin) {
  Vector logits = Vector::Constant(classes, -0.5);
  logits(right) = margin - 0.5;
  return logits;
}

/// With label noise α, of K answers.
template <class Real>
QueryAnswers<Real> one_answer(Index right, double noise, double answers) {
  QueryAnswers<Real> law;
  law.add(right, 1 - Real(noise), Real(noise) / Real(answers), 1, true);
  law.finish(Real(noise));
  return law;
}

}  // namespace

TEST_CASE("two numbers of a column see what the loss of a column written out says") {
  const Index classes = 7;
  for (const double noise : {0.0, 0.3}) {
    const Population population{{{double(classes)}, {1.0 / double(classes)}}, noise};
    const ColumnMemory memory(population);
    for (const double margin : margins) {
      CAPTURE(noise, margin);
      ColumnMatrix w = memory.zero();
      w.right(0) = margin - 0.5;
      w.wrong(0) = -0.5;
      Observation seen;
      Gradient<ColumnMatrix> gradient;
      memory.evaluate(w, &gradient, &seen, Workers::serial());

      const Index right = 3;
      const Vector logits = column(classes, right, margin);
      Vector residual = logits;
      const auto law = one_answer<double>(right, noise, double(classes));
      QueryColumn<double> gathered{{residual.data(), classes}, {noise / double(classes)}};
      gathered.law = &law;
      gathered.weight = 1;
      const auto odds = normalise_wrong<double>(gathered, law.right_at, {logits(right)});
      CHECK(seen.log_odds[0] == Approx(odds.log_odds).margin(1e-15));
      CHECK(seen.error[0] == Approx(logistic(odds.log_odds)));
      CHECK(seen.advantage[0] == odds.advantage);
      CHECK(seen.excess_loss[0] == Approx(excess_loss(gathered, logits, odds, logits(right))).margin(1e-15));
      const int shift = to_residual(gathered, odds, {}, std::log(double(classes)));
      const double unit = std::ldexp(1.0, gradient.exponent - shift) * double(classes);
      CHECK(unit * gradient.task.right(0) == Approx(residual(right)).margin(1e-15));
      CHECK(unit * gradient.task.wrong(0) == Approx(residual(0)).margin(1e-15));
    }
  }
}
