#include <catch2/catch.hpp>

#include "optim/update_rule.hpp"
#include "reference/with_defaults.hpp"

using namespace rarefact;

namespace {

using M = SymmetricMatrix<Real50>;

/// Two groups, of 3 and 5 classes; entries whose digits no double has. Odd steps come in another unit.
Gradient<M> gradient(const SharedStructure& structure, int step) {
  Gradient<M> g;
  g.task = M(structure);
  g.exponent = step % 2 == 1 ? -200 : 0;
  Real50 entry = Real50("3.14159265358979323846264338327950288419716939937510582097494459") + step;
  const auto next = [&](Real50& x) {
    entry = 1 / (entry - ceil(entry) + 1) - 3;
    x = ldexp(entry, -g.exponent);
  };
  for (Index i = 0; i < 2; ++i) {
    next(g.task.diagonal_block(i)(0, 0));
    for (Index j = 0; j < 2; ++j) next(g.task.off_block(i, j)(0, 0));
  }
  return g;
}

/// The numbers of a matrix times its scale.
std::vector<Real50> numbers(const M& x, const Real50& scale = 1, int exponent = 0) {
  std::vector<Real50> all;
  const auto add = [&](const MatrixOf<Real50>& part) {
    for (Index i = 0; i < part.size(); ++i) all.push_back(ldexp(Real50(scale * part.data()[i]), exponent));
  };
  add(x.diagonal_entries());
  add(x.off_entries());
  return all;
}

/// The directions of a rule for three gradients, beside `expected(gradients so far)`: largest relative
/// difference of any entry.
template <class Expected>
Real50 distance(const std::string& name, ParameterValues given, Expected expected) {
  const OptimizerRow& row = optimizer_row(name);
  const auto rule = row.make<SymmetricMatrix<Real50>>(with_defaults(row.parameters, std::move(given)));
  const auto structure = std::make_shared<const GroupStructure>(GroupStructure::blocks(1, {3, 5}));
  const RuleContext<M> context{[](const M& x) { return x; }, Workers::serial()};
  std::vector<std::vector<Real50>> gradients;
  Real50 worst = 0;
  for (int step = 0; step < 3; ++step) {
    const Gradient<M> g = gradient(structure, step);
    gradients.push_back(numbers(g.task, 1, g.exponent));
    const Direction<M> d = rule->direction(g, context);
    const auto seen = numbers(*d.matrix, d.scale, d.exponent);
    const std::vector<Real50> wanted = expected(gradients);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const Real50 difference = abs(Real50(seen[i] / wanted[i] - 1));
      worst = std::max(worst, difference);
    }
  }
  return worst;
}

/// A few roundings of 168 bits.
const Real50 rounding("1e-48");

}  // namespace

TEST_CASE("in 50 digits no scalar of a rule is rounded to a double on the way") {
  using Steps = std::vector<std::vector<Real50>>;
  CHECK(distance("gd", {}, [](const Steps& g) { return g.back(); }) == 0);
  CHECK(distance("ngd", {}, [](const Steps& g) {
          // own of 3 and 5 classes; others: 6 and 20 within the groups, 15 each way between them.
          const std::vector<Real50> times{3, 5, 6, 15, 15, 20};
          std::vector<Real50> d = g.back();
          Real50 sum = 0;
          for (std::size_t i = 0; i < d.size(); ++i) sum += times[i] * d[i] * d[i];
          for (Real50& x : d) x /= sqrt(sum);
          return d;
        }) < rounding);
  for (const bool nesterov : {false, true}) {
    CHECK(distance("momentum", {{"momentum", 0.9}, {"nesterov", nesterov}}, [&](const Steps& g) {
            std::vector<Real50> d(6, Real50(0));
            for (std::size_t i = 0; i < 6; ++i) {
              for (const auto& one : g) d[i] = Real50(0.9) * d[i] + one[i];
              if (nesterov) d[i] = Real50(0.9) * d[i] + g.back()[i];
            }
            return d;
          }) < rounding);
  }
  CHECK(distance("adam", {{"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-3}}, [](const Steps& g) {
          const Real50 beta1(0.9), beta2(0.999), epsilon(1e-3);
          const int t = static_cast<int>(g.size());
          std::vector<Real50> d(6);
          for (std::size_t i = 0; i < 6; ++i) {
            Real50 m = 0, v = 0;
            for (const auto& one : g) {
              m = beta1 * m + (1 - beta1) * one[i];
              v = beta2 * v + (1 - beta2) * one[i] * one[i];
            }
            d[i] = m / (1 - pow(beta1, t)) / (sqrt(Real50(v / (1 - pow(beta2, t)))) + epsilon);
          }
          return d;
        }) < rounding);
  for (const char* rule : {"signgd", "tra_signgd"}) {
    CHECK(distance(rule, {}, [](const Steps& g) {
            std::vector<Real50> d;
            for (const Real50& x : g.back()) d.push_back(x > 0 ? Real50(1) : Real50(-1));
            return d;
          }) == 0);
  }
}
