#include <catch2/catch.hpp>

#include "core/real50.hpp"
#include "model/column_memory.hpp"
#include "model/column_residual.hpp"

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

TEST_CASE("the vector loop over columns sees what the loss of a column written out says") {
  const Index classes = 7;
  for (const double noise : {0.0, 0.3}) {
    const Population population{{{double(classes)}, {1.0 / double(classes)}}, noise};
    const ColumnMemory memory(population);
    for (const double margin : margins) {
      CAPTURE(noise, margin);
      ColumnMatrix w = memory.zero();
      w.own(0) = margin - 0.5;
      w.other(0) = -0.5;
      Observation seen;
      Gradient<ColumnMatrix> gradient;
      memory.evaluate(w, &gradient, &seen, Workers::serial());

      const Index right = 3;
      const Vector logits = column(classes, right, margin);
      Vector residual = logits;
      const ColumnOdds<double> odds = odds_of(residual, right);
      CHECK(seen.log_odds[0] == Approx(odds.log_odds).margin(1e-15));
      CHECK(seen.error[0] == Approx(logistic(odds.log_odds)));
      CHECK(seen.advantage[0] == odds.advantage);
      const auto law = one_answer<double>(right, noise, double(classes));
      const Background<double> background{noise / double(classes)};
      const Answers<const Vector&> wrong{logits, law.right_at, background};
      CHECK(seen.excess_loss[0] == Approx(excess_loss(odds, law, logits(right), wrong)).margin(1e-15));

      residual = (residual * std::exp(odds.log_peak)).array() - background.constant;
      set_right(
          law, odds, {1.0}, 1.0, 0, [&](Index k) -> double& { return residual(k); },
          [&] { return residual.sum(); });
      const double unit = std::ldexp(1.0, gradient.exponent) * double(classes);
      CHECK(unit * gradient.task.own(0) == Approx(residual(right)).margin(1e-15));
      CHECK(unit * gradient.task.other(0) == Approx(residual(0)).margin(1e-15));
    }
  }
}

TEST_CASE("answers that are counted are answers written out") {
  const Index classes = 12, right = 2;
  for (const double margin : margins) {
    CAPTURE(margin);
    const Vector logits = column(classes, right, margin);
    Vector ratios = logits;
    const ColumnOdds<double> expected = odds_of(ratios, right);
    // Logits of the right answer's own stretch, of one that stands for ten answers, and of one for none.
    using Reals = VectorOf<Real50>;
    Reals own(2), others(2), count(2);
    own << logits(right), logits(0);
    others << logits(0), 100;
    count << 10, 0;
    const Reals own_logits = own, other_logits = others;
    const Real50 ahead = own(0);
    const std::vector<Index> first = {0}, second = {1};
    const auto odds =
        to_wrong_ratios<Real50>({ahead}, CountedAnswers<Eigen::Ref<Reals>, Reals>{{others, second}, count},
                                Answers<Eigen::Ref<Reals>>{own, first});
    CHECK(static_cast<double>(odds.log_odds) == Approx(expected.log_odds).margin(1e-15));
    CHECK(static_cast<double>(odds.advantage) == expected.advantage);
    CHECK(static_cast<double>(odds.log_peak) == Approx(expected.log_peak).margin(1e-15));
    CHECK(own(0) == 0);
    CHECK(others(1) == 0);
    const auto precise = one_answer<Real50>(0, 0.3, 12);
    const Background<Real50> noise{Real50(0.3) / 12};
    const Real50 excess =
        excess_loss(odds, precise, ahead, Answers<const Reals&>{own_logits, first, noise},
                    CountedAnswers<const Reals&, Reals>{{other_logits, second, noise}, count});
    const auto law = one_answer<double>(right, 0.3, 12);
    const Answers<const Vector&> wrong{logits, law.right_at, {0.3 / 12}};
    CHECK(static_cast<double>(excess) ==
          Approx(excess_loss(expected, law, logits(right), wrong)).margin(1e-15));
  }
}
