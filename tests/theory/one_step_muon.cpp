/// msgn of the first residual against a dense singular value decomposition and against its closed form.

#include <catch2/catch.hpp>

#include "reference/decompositions.hpp"
#include "reference/expand.hpp"
#include "reference/one_step.hpp"
#include "reference/one_step_cases.hpp"
#include "theory/one_step.hpp"

using namespace rarefact;
using namespace one_step_cases;

namespace {

template <class Real>
double distance(const SymmetricMatrix<Real>& a, const SymmetricMatrix<Real>& b) {
  return static_cast<double>(
      std::max(Real((a.diagonal_entries() - b.diagonal_entries()).cwiseAbs().maxCoeff()),
               Real((a.off_entries() - b.off_entries()).cwiseAbs().maxCoeff())));
}

SymmetricMatrix<double> rounded(const SymmetricMatrix<Real50>& x) {
  SymmetricMatrix<double> y(x.shared_structure());
  y.diagonal_entries() = x.diagonal_entries().cast<double>();
  y.off_entries() = x.off_entries().cast<double>();
  return y;
}

ClassGroups normalised_groups(std::vector<double> count, std::vector<double> weight) {
  double sum = 0;
  for (std::size_t i = 0; i < count.size(); ++i) sum += count[i] * weight[i];
  for (double& w : weight) w /= sum;
  return {std::move(count), std::move(weight)};
}

}  // namespace

TEST_CASE("the directions of GD and Muon written out are X and its dense polar factor") {
  for (const ClassGroups& groups :
       {two_level(30), normalised_groups({1, 5, 1, 12}, {90, 7, 3, 0.1}), normalised_groups({7}, {1}),
        normalised_groups({1, 1, 1, 1, 1, 1}, {32, 16, 8, 4, 2, 1})}) {
    const Matrix x = dense_residual(groups);
    const Matrix polar = reference::svd(x).polar(x.rows() - 1);
    CAPTURE(groups.count);
    CHECK((reference::expand(gd_direction<double>(groups)) - x).cwiseAbs().maxCoeff() < 1e-16);
    // The dense decomposition is off by eps σ_max/σ_min, up to 2e-13.
    CHECK((reference::expand(muon_direction<double>(groups)) - polar).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("a group of one block has no entry for a different block of its own") {
  const auto groups = normalised_groups({1, 5}, {3, 1});
  for (const auto& direction : {gd_direction<double>(groups), muon_direction<double>(groups)}) {
    CHECK(direction.off_block(0, 0)(0, 0) == 0);
    CHECK(direction.off_block(1, 1)(0, 0) != 0);
  }
}

TEST_CASE("for two groups the general polar factor is the closed form of rank one") {
  for (const double classes : {5.0, 30.0, 1e4, 1e15, 1e100}) {
    for (const double mass : {0.3, 0.8, 0.999}) {
      const ClassGroups groups = two_level(classes, 0.2, mass);
      CAPTURE(classes, mass);
      CHECK(distance(muon_direction<double>(groups), muon_direction_of_two_groups<double>(groups)) < 1e-15);
      CHECK(distance(muon_direction<Real50>(groups), muon_direction_of_two_groups<Real50>(groups)) < 1e-49);
    }
  }
  CHECK_THROWS_AS(muon_direction_of_two_groups<double>({{1, 2, 3}, {0.5, 0.1, 0.1}}), std::invalid_argument);
}

TEST_CASE("msgn in doubles has 14 digits of msgn in 50, also where one group holds nearly all classes") {
  for (const ClassGroups& groups :
       {normalised_groups({1, 1e15}, {1e15, 1}), normalised_groups({1, 3, 1e6, 1e15}, {1e9, 1e3, 1e2, 1}),
        normalised_groups({1e15, 1e6, 1, 1}, {1e12, 1e7, 1e3, 1}),
        normalised_groups({1, 1, 1e100}, {4, 2, 1})}) {
    CAPTURE(groups.count);
    CHECK(distance(muon_direction<double>(groups), rounded(muon_direction<Real50>(groups))) < 1e-14);
  }
}
