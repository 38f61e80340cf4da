#include <catch2/catch.hpp>

#include "one_step_cases.hpp"
#include "reference/decompositions.hpp"
#include "theory/one_step.hpp"

using namespace rarefact;
using namespace one_step_cases;

namespace {

/// Every value as often as it occurs, descending.
template <class Real>
std::vector<double> written_out(const SingularValuesOf<Real>& spectrum) {
  std::vector<double> all;
  for (std::size_t i = 0; i < spectrum.values.size(); ++i)
    all.insert(all.end(), static_cast<std::size_t>(spectrum.multiplicities[i]), double(spectrum.values[i]));
  return all;
}

void check_equal(const std::vector<double>& values, const Vector& dense, double tolerance) {
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == Approx(dense(static_cast<Index>(i))).margin(tolerance * dense(0)).epsilon(0));
}

Vector dense_values(const Matrix& x) {
  return reference::svd(x).values;
}

ClassGroups four_groups() {
  ClassGroups groups{{1, 4, 1, 9}, {100, 10, 3, 0.5}};
  for (double& p : groups.probability) p /= 100 + 40 + 3 + 4.5;
  return groups;
}

}  // namespace

TEST_CASE("the exact singular values of X are those of the dense matrix") {
  const ClassGroups sorted = four_groups();
  const ClassGroups mixed{
      {9, 1, 4, 1},
      {sorted.probability[3], sorted.probability[2], sorted.probability[1], sorted.probability[0]}};
  const ClassGroups split{{1, 2, 2, 1, 9},
                          {sorted.probability[0], sorted.probability[1], sorted.probability[1],
                           sorted.probability[2], sorted.probability[3]}};
  for (const ClassGroups& groups : {two_level(30), sorted, mixed, split, ClassGroups{{7}, {1 / 7.0}}}) {
    const auto values = written_out(residual_singular_values<double>(groups));
    CAPTURE(groups.count);
    REQUIRE(values.size() + 1 == probabilities(groups).size());  // one 0
    check_equal(values, dense_values(dense_residual(groups)), 1e-14);
    CHECK(std::is_sorted(values.rbegin(), values.rend()));
  }
}

TEST_CASE("two levels have their closed form, at any K and whichever group comes first") {
  for (const double classes : {5.0, 30.0, 1e6, 1e15, 1e300}) {
    for (const double mass : {0.1, 0.8}) {
      const ClassGroups groups = two_level(classes, 0.2, mass);
      const auto closed = two_level_singular_values<double>(groups);
      const auto general = residual_singular_values<double>(groups);
      const auto precise = two_level_singular_values<Real50>(groups);
      const auto precise_general = residual_singular_values<Real50>(groups);
      CAPTURE(classes, mass);
      REQUIRE(closed.multiplicities == general.multiplicities);
      REQUIRE(closed.values.size() == precise.values.size());
      for (std::size_t i = 0; i < closed.values.size(); ++i) {
        CHECK(general.values[i] == Approx(closed.values[i]).epsilon(1e-15));
        CHECK(static_cast<double>(abs(precise.values[i] / precise_general.values[i] - 1)) < 1e-48);
        CHECK(static_cast<double>(abs(Real50(closed.values[i]) / precise.values[i] - 1)) < 1e-15);
      }
    }
  }
  const auto known = two_level_singular_values<double>(two_level(30));
  const double p1 = 0.8 / 6, p2 = 0.2 / 24;
  CHECK(known.multiplicities == std::vector<double>{5, 1, 23});
  CHECK(known.values[0] == Approx(p1).epsilon(1e-15));
  CHECK(known.values[1] == Approx(std::sqrt(p1 * p1 * 0.8 + p2 * p2 * 0.2)).epsilon(1e-15));
  CHECK(known.values[2] == Approx(p2).epsilon(1e-15));
  CHECK_THROWS_AS(two_level_singular_values<double>({{2}, {0.5}}), std::invalid_argument);
  CHECK_THROWS_AS(two_level_singular_values<double>({{2, 2}, {0.25, 0.25}}), std::invalid_argument);
}

TEST_CASE("the roots have 15 digits of those in 50, however wide the spectrum") {
  ClassGroups groups;
  for (int i = 0; i < 24; ++i) {
    groups.count.push_back(std::pow(10.0, (i * 7) % 13));
    groups.probability.push_back(std::pow(10.0, -1.5 * i - 14));
  }
  const auto doubles = residual_singular_values<double>(groups);
  const auto exact = residual_singular_values<Real50>(groups);
  for (std::size_t i = 0; i < exact.values.size(); ++i)
    CHECK(static_cast<double>(abs(Real50(doubles.values[i]) / exact.values[i] - 1)) < 1e-15);
}

TEST_CASE("the update of coupled SignGD has the known bulk, and one value that grows as K") {
  const Matrix answers = answer_block<double>(), queries = query_block<double>();
  for (const double classes : {30.0, 90.0, 1e6, 3e15, 3e100}) {
    const auto spectrum = sign_update_spectrum<double>(answers, queries, classes);
    CAPTURE(classes);
    double total = 1;
    std::vector<double> bulk;
    for (std::size_t i = 0; i < spectrum.bulk.values.size(); ++i) {
      total += spectrum.bulk.multiplicities[i];
      if (spectrum.bulk.multiplicities[i] > 1) bulk.push_back(spectrum.bulk.values[i]);
    }
    CHECK(total == Approx(classes).epsilon(1e-15));
    REQUIRE(bulk.size() == 3);
    CHECK(bulk[0] == Approx(4.4940).margin(5e-5).epsilon(0));
    CHECK(bulk[1] == Approx(1.6039).margin(5e-5).epsilon(0));
    CHECK(bulk[2] == Approx(1.1099).margin(5e-5).epsilon(0));
    CHECK(bulk[2] / bulk[0] == Approx(0.24698).margin(5e-6).epsilon(0));
    // Two more values occur once each. At K = 30 one of them is the least of all.
    CHECK(spectrum.bulk.values.size() == 5);
    CHECK(spectrum.ratio() == Approx(classes == 30 ? 0.234822 : bulk[2] / bulk[0]).margin(5e-7).epsilon(0));
    CHECK(spectrum.all_ones == Approx(classes - 4).margin(10 / classes + 1e-15 * classes).epsilon(0));
  }
}

TEST_CASE("the spectrum of the sign update is that of the dense matrix at K = 30") {
  const Matrix answers = answer_block<double>(), queries = query_block<double>();
  const Matrix ambient =
      repeated(answers, 30) * dense_residual(two_level(30)) * repeated(queries, 30).transpose();
  const Vector dense = dense_values(ambient.cwiseSign());
  const auto spectrum = sign_update_spectrum<double>(answers, queries, 30);
  std::vector<double> values = written_out(spectrum.bulk);
  values.insert(values.begin(), spectrum.all_ones);
  REQUIRE(values.size() == 30);
  check_equal(values, dense, 1e-14);
}

TEST_CASE("the small values of the sign update keep 15 digits beside one of 1e100") {
  const auto doubles = sign_update_spectrum<double>(answer_block<double>(), query_block<double>(), 3e100);
  const auto exact = sign_update_spectrum<Real50>(answer_block<Real50>(), query_block<Real50>(), 3e100);
  REQUIRE(doubles.bulk.values.size() == exact.bulk.values.size());
  for (std::size_t i = 0; i < exact.bulk.values.size(); ++i) {
    CHECK(doubles.bulk.values[i] == Approx(double(exact.bulk.values[i])).epsilon(2e-15));
    CHECK(doubles.bulk.multiplicities[i] == exact.bulk.multiplicities[i]);
  }
  CHECK_THROWS_AS(sign_update_spectrum<double>(answer_block<double>(), Matrix::Identity(2, 2), 30),
                  std::invalid_argument);
  CHECK_THROWS_AS(sign_update_spectrum<double>(answer_block<double>(), query_block<double>(), INFINITY),
                  std::invalid_argument);
}
