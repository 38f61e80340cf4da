#include <catch2/catch.hpp>

#include "model/quadrature_rule.hpp"
#include "model/symmetric_layout.hpp"
#include "theory/one_step.hpp"

using namespace rarefact;

namespace {

ClassGroups normalised_groups(std::vector<double> count, std::vector<double> weight) {
  double mass = 0;
  for (std::size_t i = 0; i < count.size(); ++i) mass += count[i] * weight[i];
  for (double& p : weight) p /= mass;
  return {std::move(count), std::move(weight)};
}

/// |D + msgn(X)|, entry by entry of the trivial parts: D = msgn(∇L), and X = -∇L at W = 0.
double distance_from_closed_form(const ClassGroups& groups) {
  const SymmetricMemory<double> memory({groups, 0}, 1, {}, {});
  Gradient<SymmetricMatrix<double>> gradient;
  memory.evaluate(memory.zero(), &gradient, nullptr, Workers::serial());
  SymmetricPolar<double> polar;
  const Matrix measured = irreducible_parts(polar(gradient.task, Workers::serial())).trivial;
  return (measured + irreducible_parts(muon_direction<double>(groups)).trivial).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("Muon's first direction is the closed form, also where one group has nearly all classes") {
  CHECK(distance_from_closed_form(normalised_groups({1, 1, 1e6, 1e15}, {4, 3, 1e-3, 1e-12})) < 1e-14);
  CHECK(distance_from_closed_form(normalised_groups({1e15, 1e6, 1, 1}, {4, 3, 2, 1})) < 1e-14);
  CHECK(distance_from_closed_form(normalised_groups({5, 1e30}, {1, 1e-25})) < 1e-14);
  for (const double classes : {1e6, 1e15, 1e100}) {
    const QuadratureRule rule = gauss_rule(classes, 48);
    std::vector<double> weight;
    for (const double rank : rule.rank) weight.push_back(std::pow(rank, -1.2));
    CHECK(distance_from_closed_form(normalised_groups(rule.count, weight)) < 1e-13);
  }
}
