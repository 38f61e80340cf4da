#include "model/logit_ranks.hpp"

#include <catch2/catch.hpp>

#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/symmetric_layout.hpp"
#include "reference/random_cases.hpp"

using namespace rarefact;

namespace {

/// 1 - the share of the k largest logits, over all orders of ties: one by one, by counting.
double plain_top_error(const QueryAnswers<double>& law, const Vector& logits, const Vector& times, double k) {
  double kept = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    double above = 0, tied = 0;
    for (Index other = 0; other < logits.size(); ++other) {
      if (logits(other) > logits(law.at[i])) above += times(other);
      if (logits(other) == logits(law.at[i])) tied += times(other);
    }
    const double places = std::clamp((k - above) / tied, 0.0, 1.0);
    kept += law.times[i] * law.share[i] * places;
  }
  return 1 - kept;
}

const ClassGroups three_groups = {{3, 5, 4}, {0.2, 0.06, 0.025}};
constexpr Index classes = 12;

template <class Memory>
Gradient<typename Memory::State> population(const Memory& memory, const typename Memory::State& w) {
  Gradient<typename Memory::State> gradient;
  memory.evaluate(w, &gradient, nullptr, Workers::serial());
  return gradient;
}

}  // namespace

TEST_CASE("an answer is among the k largest as often as counting says, ties included, for every k") {
  const reference::RandomCases cases(50, 1000);
  for (int c = 0; c < cases.count; ++c) {
    std::mt19937_64 random(cases[c]);
    const auto below = [&](std::uint64_t n) { return static_cast<Index>(random() % n); };
    const Index size = 2 + below(12);
    Vector logits(size), times(size);
    for (Index k = 0; k < size; ++k)
      logits(k) = static_cast<double>(below(5)), times(k) = static_cast<double>(1 + below(3));
    QueryAnswers<double> law;
    double number = 0;
    for (Index k = 0; k < size; ++k) {
      if (k == 0 || below(2) == 0) law.add(k, 1, 0, times(k), k == 0), number += times(k);
    }
    for (double& share : law.share) share /= number;
    QueryColumn<double> column{{logits.data(), size}, {}, times.data(), {}, &law};
    std::vector<LogitRank<double>> ranks;
    set_ranks(column, logits, 0.25, 1e300, ranks);
    CAPTURE(c, logits.transpose(), times.transpose());
    for (double k = 1; k <= times.sum(); ++k) {
      // Sums of at most 14 terms.
      CHECK(top_error(law, ranks, 0.0, k) == Approx(plain_top_error(law, logits, times, k)).margin(1e-14));
    }
  }
}

TEST_CASE("the rank of a right logit is 1 without ties exactly if the fact is recovered") {
  for (const double right : {0.5, 1.0, 2.0}) {
    Vector logits(3);
    logits << right, 1, 0;
    QueryAnswers<double> law;
    law.add(0, 1, 0, 1, true);
    QueryColumn<double> column{{logits.data(), 3}, {}, nullptr, {}, &law};
    std::vector<LogitRank<double>> ranks;
    set_ranks(column, Vector(logits), 1e-12, 1e300, ranks);
    const ColumnSoftmax<double> odds =
        normalise_wrong<double>(column, law.right_at, logits_of_right(law, Vector(logits)));
    CHECK(odds.recovered() == (ranks[0].above == 0 && ranks[0].tied == 1));
    CHECK(ranks[0].missed(1) == (right > 1 ? 0 : right == 1 ? 0.5 : 1));
    CHECK(ranks[0].missed(2) == 0);
  }
}

TEST_CASE("top-k errors of a right answer do not depend on how many more are asked for") {
  Vector logits(7), times(7);
  logits << 0.5, 2, 0.5, 3, 0.5, -1, 1;
  times << 1, 2, 3, 1, 0, 4, 5;
  for (Index right = 0; right < 7; ++right) {
    for (double* counts : {static_cast<double*>(nullptr), times.data()}) {
      if (counts != nullptr && !(counts[right] > 0)) continue;
      QueryAnswers<double> law;
      law.add(right, 1, 0, 1, true);
      QueryColumn<double> column{{logits.data(), 7}, {}, counts, {}, &law};
      std::vector<LogitRank<double>> all, some;
      set_ranks(column, logits, 1e-12, 1e300, all);
      for (double k = 1; k <= 7; ++k) {
        set_ranks(column, logits, 1e-12, k, some);
        CAPTURE(right, k, counts != nullptr);
        CHECK(some[0].missed(k) == all[0].missed(k));
      }
    }
  }
}

TEST_CASE("a memory whose facts are all recovered has a gradient of zero, however sure it is") {
  const Population removing{.queries = three_groups, .removes_recovered = true};
  for (const double size : {1.0, 800.0}) {
    const DenseMatrix w = {size * Matrix::Identity(classes, classes)};
    const auto dense = population(DenseMemory(removing, nullptr, nullptr), w);
    CHECK(dense.task.entries.isZero(0));
    ColumnMatrix columns(square_columns(three_groups.count));
    columns.right.setConstant(size);
    CHECK(population(ColumnMemory(removing), columns).task.right.isZero(0));
    SymmetricMatrix<double> x(
        std::make_shared<const GroupStructure>(GroupStructure::blocks(1, three_groups.count)));
    x.diagonal_entries().setConstant(size);
    CHECK(population(SymmetricMemory<double>(removing, 1, {}, {}), x).task.diagonal_entries().isZero(0));
  }
}
