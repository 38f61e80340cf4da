#include <catch2/catch.hpp>

#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/margin.hpp"
#include "model/symmetric_layout.hpp"
#include "reference/expand.hpp"
#include "reference/high_precision.hpp"

using namespace rarefact;
using reference::Precise;

namespace {

const ClassGroups three_groups{{1, 2, 4}, {0.4, 0.15, 0.075}};

/// -ln p̂ and error of a column in 80 digits.
struct Exact {
  Precise error, loss;
};
Exact exact_column(const Vector& logits, Index right, double noise) {
  Precise odds = 0;
  const Precise total = Precise(static_cast<double>(logits.size()));
  for (Index k = 0; k < logits.size(); ++k) {
    if (k != right) odds += exp(Precise(logits(k)) - Precise(logits(right)));
  }
  const Precise lse = log1p(odds), a(noise);
  Precise kl = 0;
  for (Index k = 0; k < logits.size(); ++k) {
    const Precise pi = (k == right ? 1 - a : Precise(0)) + a / total;
    const Precise log_p = Precise(logits(k)) - Precise(logits(right)) - lse;
    if (pi > 0) kl += pi * (log(pi) - log_p);
  }
  return {odds / (1 + odds), kl};
}

}  // namespace

TEST_CASE("all three memories are accurate to 10 digits at errors of 1e-100 and at the noisy minimum") {
  // Symmetric and column states with these logits, the dense state written out, and 80 digits.
  const auto structure =
      std::make_shared<const GroupStructure>(GroupStructure::blocks(1, three_groups.count));
  for (const double noise : {0.0, 0.3}) {
    for (const double margin : {0.0, 3.0, 120.0, 236.0}) {
      ColumnMatrix columns(square_columns(three_groups.count));
      columns.right << margin, margin + 0.5, margin + 1;
      columns.wrong << -0.25, 0.125, 0.0;
      SymmetricMatrix<double> symmetric(structure);
      for (Index j = 0; j < 3; ++j) {
        symmetric.diagonal_block(j)(0, 0) = columns.right(j);
        symmetric.off_entries().col(j).setConstant(columns.wrong(j));
      }
      symmetric.off_block(0, 0)(0, 0) = 0;
      const Matrix full = reference::expand(columns);
      const ColumnMemory column_memory({three_groups, noise});
      const SymmetricMemory<double> symmetric_memory({three_groups, noise}, 1, {}, {});
      const DenseMemory dense_memory({three_groups, noise}, nullptr, nullptr);
      Observation a, b, c;
      column_memory.evaluate(columns, nullptr, &a, Workers::serial());
      symmetric_memory.evaluate(symmetric, nullptr, &b, Workers::serial());
      dense_memory.evaluate({full}, nullptr, &c, Workers::serial());
      const std::size_t first[] = {0, 1, 3};
      for (std::size_t g = 0; g < 3; ++g) {
        const auto l = static_cast<Index>(first[g]);
        const Exact exact = exact_column(full.col(l), l, noise);
        CAPTURE(noise, margin, g);
        for (const double error : {a.error[g], b.error[g], c.error[first[g]]}) {
          CHECK(error == Approx(static_cast<double>(exact.error)).epsilon(1e-13));
        }
        for (const double excess : {a.excess_loss[g], b.excess_loss[g], c.excess_loss[first[g]]}) {
          CHECK(excess == Approx(static_cast<double>(exact.loss)).epsilon(1e-12));
        }
        CHECK(a.advantage[g] == b.advantage[g]);
      }
    }
  }
}

TEST_CASE("the gradient keeps its direction when every error is below the smallest double") {
  const auto structure = square_columns(three_groups.count);
  ColumnMatrix near(structure), far(structure);
  near.right << 20, 21, 22;
  far.right << 1020, 1021, 1022;
  const ColumnMemory memory({three_groups, 0});
  Gradient<ColumnMatrix> g, h;
  memory.evaluate(near, &g, nullptr, Workers::serial());
  memory.evaluate(far, &h, nullptr, Workers::serial());
  // Margins count: the same number on every logit changes nothing, the unit included.
  ColumnMatrix raised = far;
  raised.right.array() += 512;
  raised.wrong.array() += 512;
  Gradient<ColumnMatrix> r;
  memory.evaluate(raised, &r, nullptr, Workers::serial());
  CHECK(r.exponent == h.exponent);
  CHECK(r.task.right == h.task.right);
  // Errors are e^-1000 of each other, up to the factor 1 + odds of the nearer one.
  const double unit = std::exp(-1000 + std::log(2.0) * (g.exponent - h.exponent));
  for (Index l = 0; l < 3; ++l) {
    CHECK(h.task.right(l) == Approx(unit * g.task.right(l)).epsilon(1e-7));
    CHECK(h.task.right(l) < 0);
  }
}

TEST_CASE("excess losses of 1e207 classes with a noise of 1e-100 are those of a margin") {
  const ClassGroups huge{{0.5e207, 0.5e207}, {1e-207, 1e-207}};
  SymmetricMatrix<double> w(std::make_shared<const GroupStructure>(GroupStructure::blocks(1, huge.count)));
  const double margin = optimal_margin<double>(1e207, 1e-100) + 1e-7;
  for (Index j = 0; j < 2; ++j) w.diagonal_block(j)(0, 0) = margin;
  Observation seen;
  SymmetricMemory<double>({huge, 1e-100}, 1, {}, {}).evaluate(w, nullptr, &seen, Workers::serial());
  // A wrong answer has a part of 5e-322 in it; logits near 700 give 1e-7 six digits.
  CHECK(seen.excess_loss[0] / excess_loss_of_margin<double>(margin, 1e207, 1e-100) ==
        Approx(1).epsilon(1e-4));
}

TEST_CASE("a memory of 1e300 classes has the loss ln K at the start and a residual of full accuracy") {
  const ClassGroups huge{{0.25e300, 0.75e300}, {2e-300, 2.0 / 3 * 1e-300}};
  const SymmetricMemory<double> memory({huge, 0}, 1, {}, {});
  const auto w = memory.zero();
  Gradient<SymmetricMatrix<double>> gradient;
  Observation seen;
  memory.evaluate(w, &gradient, &seen, Workers::serial());
  CHECK(seen.excess_loss[0] == Approx(300 * std::log(10.0)).epsilon(1e-14));
  CHECK(seen.error[1] == Approx(1));
  // Wrong answers p/K of the right one's -p, both as normal numbers.
  const auto& g = gradient.task;
  CHECK(g.off_block(1, 0)(0, 0) / -g.diagonal_block(0)(0, 0) == Approx(1e-300).epsilon(1e-12));
  CHECK(g.diagonal_block(1)(0, 0) / g.diagonal_block(0)(0, 0) == Approx(1.0 / 3).epsilon(1e-14));
}

TEST_CASE("where updates mix columns, a margin below the rounding of the largest entry of W is a tie") {
  const ClassGroups single_classes{{1, 1, 1}, {0.5, 0.3, 0.2}};
  for (const bool couples : {false, true}) {
    const SymmetricMemory<double> memory({single_classes, 0}, 1, {}, {}, couples);
    // Column 2's wrong answers are 1e-11 behind the right one: nothing beside the entry 1e6 of column 0.
    auto w = memory.zero();
    w.diagonal_block(0)(0, 0) = 1e6;
    w.diagonal_block(2)(0, 0) = 1;
    w.off_entries().col(2).setConstant(1 - 1e-11);
    Observation seen;
    memory.evaluate(w, nullptr, &seen, Workers::serial());
    CHECK((seen.advantage[2] == 0) == couples);
    CHECK(seen.advantage[0] > 0);

    const DenseMemory dense_memory({single_classes, 0}, nullptr, nullptr, {.couples_columns = couples});
    DenseMatrix dense = dense_memory.zero();
    dense.entries(0, 0) = 1e6;
    dense.entries.col(2) << 1 - 1e-11, 1 - 1e-11, 1;
    dense_memory.evaluate(dense, nullptr, &seen, Workers::serial());
    CHECK((seen.advantage[2] == 0) == couples);
    CHECK(seen.advantage[0] > 0);
  }
}
