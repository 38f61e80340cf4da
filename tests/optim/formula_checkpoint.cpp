// A formula that goes on from what it saved makes the same directions, bit for bit.

#include <catch2/catch.hpp>

#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/symmetric_layout.hpp"
#include "optim/update_rule.hpp"

using namespace rarefact;

namespace {

const std::vector<ParameterValues> remembering = {
    {{"state.m", std::string("0.95*m + G")}, {"direction", std::string("polar(m)")}},
    {{"state.m", std::string("0.99*m + 0.01*G")}, {"direction", std::string("sign(0.9*prev(m) + 0.1*G)")}},
    {{"state.n", std::string("n + 1")}, {"direction", std::string("G/n + 0.1*W")}},
    {{"direction", std::string("ema(G, 0.9)/(1 - 0.9**t)/(sqrt(ema(G**2, 0.99)) + 1e-8)")}},
    {{"state.v", std::string("0.9*v + colnorm(G)")}, {"direction", std::string("G/v")}},
    {{"state.L", std::string("0.9*L + G@G.T")}, {"direction", std::string("power(L, -0.5)@G")}}};

template <class Memory>
void check(const Memory& memory, std::size_t first, std::size_t last) {
  using M = typename Memory::State;
  const OptimizerRow& row = optimizer_row("formula");
  for (std::size_t i = first; i < last; ++i) {
    CAPTURE(remembering[i].text("direction"));
    auto rule = row.make<M>(remembering[i]), other = row.make<M>(remembering[i]);
    M w = memory.zero();
    RuleContext<M> context{[&](const M& x) { return memory.to_ambient(x); }, Workers::serial(), {6, 6}};
    context.weights = &w;
    std::vector<std::byte> saved;
    for (int step = 0; step < 7; ++step) {
      Gradient<M> gradient;
      memory.evaluate(w, &gradient, nullptr, Workers::serial());
      if (step == 3) {
        Archive out;
        out(*rule);
        saved = out.take();
        Archive in(saved);
        in(*other);
        in.finish();
      }
      const Direction<M> d = rule->direction(gradient, context);
      REQUIRE(d.failure.empty());
      if (step >= 3) {
        const Direction<M> again = other->direction(gradient, context);
        CHECK(again.scale == d.scale);
        CHECK(again.exponent == d.exponent);
        M difference = *again.matrix;
        combine(difference, 1, -1, *d.matrix);
        CHECK(frobenius_norm(difference) == 0);
      }
      combine(w, 1, std::ldexp(-0.3 * d.scale, d.exponent), *d.matrix);
    }
  }
}

}  // namespace

TEST_CASE("a formula that goes on from what it saved makes the same directions, bit for bit") {
  const ClassGroups groups{{1, 2, 3}, {0.4, 0.15, 0.1}};
  check(DenseMemory({groups, 0}, nullptr, nullptr), 0, remembering.size());
  check(SymmetricMemory<double>({groups, 0}, 1, {}, {}), 0, remembering.size());
  check(ColumnMemory({groups, 0}), 1, 5);
}
