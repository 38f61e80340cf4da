// Training on one law of the queries, measures under another.

#include <catch2/catch.hpp>

#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/sampler.hpp"
#include "model/spectrum.hpp"
#include "model/symmetric_layout.hpp"

using namespace rarefact;

namespace {

const ClassGroups groups{{1, 2, 4}, {0.4, 0.15, 0.075}};

SamplingLaw law_of(double exponent) {
  double total = 0;
  for (std::size_t g = 0; g < groups.size(); ++g)
    total += groups.count[g] * std::pow(groups.probability[g], exponent);
  return {exponent, std::log(total)};
}

/// The groups with the probabilities of training.
ClassGroups trained(const SamplingLaw& law) {
  ClassGroups of_training = groups;
  for (double& p : of_training.probability) p = law(p);
  return of_training;
}

Population population(const ClassGroups& queries, const SamplingLaw& law) {
  return {.queries = queries, .label_noise = 0.1, .sampling = law};
}

/// G in units of 1, written out: of the law p trained by `law`, and of its law of training.
template <class Memory>
void compare(const Memory& apart, const Memory& plain, const typename Memory::State& w) {
  Gradient<typename Memory::State> a, b;
  Observation seen;
  apart.evaluate(w, &a, &seen, Workers::serial());
  plain.evaluate(w, &b, nullptr, Workers::serial());
  CHECK(a.exponent == b.exponent);
  auto difference = a.ambient();
  combine(difference, 1, -1, b.ambient());
  CHECK(largest_entry(difference) == 0);
  const auto root = apart.second_moment_root(), same = plain.second_moment_root();
  auto of_roots = root.root;
  combine(of_roots, 1, -1, same.root);
  CHECK((root.exponent == same.exponent && largest_entry(of_roots) == 0));
  const std::vector<Cell> cells = apart.cells(), of_training = plain.cells();
  for (std::size_t c = 0; c < cells.size(); ++c) {
    CHECK(cells[c].probability == groups.probability[static_cast<std::size_t>(cells[c].group)]);
    CHECK(cells[c].training == of_training[c].probability);
  }
}

}  // namespace

TEST_CASE("the law of training decides gradients, second moments and samples; cells are measured by p") {
  for (const double exponent : {1.0, 0.5, 0.0, -2.0}) {
    CAPTURE(exponent);
    const SamplingLaw law = law_of(exponent);
    const ClassGroups of_training = trained(law);
    const Population apart = population(groups, law), plain = population(of_training, {});
    ColumnMatrix columns(square_columns(groups.count));
    columns.right << 1, 0.5, -0.25;
    columns.wrong << -0.25, 0.125, 0.5;
    compare(ColumnMemory(apart), ColumnMemory(plain), columns);
    const SymmetricMemory<double> symmetric(apart, 1, {}, {});
    SymmetricMatrix<double> w = symmetric.zero();
    w.off_entries().setConstant(0.125);
    w.diagonal_column(2)(0) = 1;
    compare(symmetric, SymmetricMemory<double>(plain, 1, {}, {}), w);
    compare(DenseMemory(apart, nullptr, nullptr), DenseMemory(plain, nullptr, nullptr),
            DenseMatrix{Matrix::Identity(7, 7)});
    const RandomStream stream(3, "sampling law");
    const Sample drawn = Sampler(apart, stream).sample(0, 100, Workers::serial()),
                 same = Sampler(plain, stream).sample(0, 100, Workers::serial());
    CHECK((drawn.query == same.query && drawn.weight == same.weight && drawn.answer == same.answer));
  }
}

TEST_CASE("without embeddings in 50 digits, too, the total loss is a mean by p, whatever training draws") {
  const SamplingLaw law = law_of(0.5);
  const SymmetricMemory<Real50> apart(population(groups, law), 1, {}, {}),
      plain(population(groups, {}), 1, {}, {});
  SymmetricMatrix<Real50> w = apart.zero();
  w.diagonal_column(0)(0) = 2;
  Observation a, b;
  apart.evaluate(w, nullptr, &a, Workers::serial());
  plain.evaluate(w, nullptr, &b, Workers::serial());
  CHECK(*a.total_excess_loss == *b.total_excess_loss);
  CHECK(*a.total_loss_drop == *b.total_loss_drop);
}

TEST_CASE("noise answers by frequency are drawn by p") {
  // Queries 0 and 1 have answers 0 and 1; class-balanced training draws each half of the time.
  const ClassGroups two{{1, 1}, {0.9, 0.1}};
  const Pairs pairs{.probability = {0.9, 0.1},
                    .begin = {0, 1, 2},
                    .answer = {0, 1},
                    .share = {1, 1},
                    .right = {1, 1},
                    .answers = 2};
  const Population balanced{.queries = two,
                            .label_noise = 0.999,
                            .noise = NoiseAnswers::frequency,
                            .sampling = {0, std::log(2.0)},
                            .pairs = &pairs};
  const Sampler sampler(balanced, RandomStream(3, "sampling law"));
  double first_queries = 0, first_answers = 0;
  constexpr std::uint64_t draws = 4000;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const Draw draw = sampler.draw(0, i);
    first_queries += draw.query == 0;
    first_answers += draw.answer == 0;
  }
  // Four standard deviations.
  CHECK(std::abs(first_queries / draws - 0.5) < 0.032);
  CHECK(std::abs(first_answers / draws - 0.9) < 0.02);
}
