#include "rarefact/rule.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "io/scratch_folder.hpp"
#include "optim/gradients.hpp"
#include "rarefact/error.hpp"
#include "rarefact/run.hpp"

using namespace rarefact;
using Catch::Matchers::Contains;

namespace {

/// Rules of the program written anew with what other programs have: each must go the way of the program's own.
struct Signs : Rule {
  RuleMatrix direction(const RuleMatrix& gradient, const RuleTools&) override { return sign(gradient); }
};

struct Orthogonal : Rule {
  RuleMatrix direction(const RuleMatrix& gradient, const RuleTools& tools) override {
    return tools.polar(gradient);
  }
};

struct Heavy : Rule {
  explicit Heavy(const ParameterValues& values) : mu(values.number("mu")) {}
  RuleMatrix direction(const RuleMatrix& gradient, const RuleTools&) override {
    buffer = mu * buffer + gradient;
    return buffer;
  }
  std::vector<RuleMatrix*> memory() override { return {&buffer}; }

  double mu;
  RuleMatrix buffer;
};

/// Adam with the parameters it has by default here, ε = 1e-8.
struct Moments : Rule {
  RuleMatrix direction(const RuleMatrix& gradient, const RuleTools&) override {
    const RuleMatrix squares = map(gradient, [](double g) { return g * g; });
    first = combined(0.9, first, 0.1, gradient);
    second = combined(0.999, second, 0.001, squares);
    power1 *= 0.9;
    power2 *= 0.999;
    return map(first, second, [this](double m, double v) {
      return m / (1 - power1) / (std::sqrt(v / (1 - power2)) + 1e-8);
    });
  }
  std::vector<RuleMatrix*> memory() override { return {&first, &second}; }

  RuleMatrix first, second;
  double power1 = 1, power2 = 1;
};

template <class R>
std::unique_ptr<Rule> made(const ParameterValues& values) {
  if constexpr (std::is_constructible_v<R, const ParameterValues&>) {
    return std::make_unique<R>(values);
  } else {
    return std::make_unique<R>();
  }
}

/// Rules are added before anything reads the catalogue, so before the first test.
const bool added = [] {
  add_rule({.name = "my_signs",
            .summary = "signs",
            .formula = "D = sign(∇L)",
            .keeps_columns = true,
            .scale_invariant = true,
            .equalises = true,
            .make = made<Signs>});
  add_rule({.name = "my_muon",
            .summary = "the polar factor",
            .formula = "D = msgn(∇L)",
            .answers_rotate = true,
            .queries_rotate = true,
            .scale_invariant = true,
            .equalises = true,
            .make = made<Orthogonal>});
  add_rule({.name = "my_momentum",
            .summary = "momentum",
            .formula = "D = B",
            .parameters = {{.name = "mu", .meaning = "μ", .default_value = 0.9, .legal = {0, 1}}},
            .answers_rotate = true,
            .queries_rotate = true,
            .keeps_columns = true,
            .make = made<Heavy>});
  add_rule({.name = "my_adam",
            .summary = "moments",
            .formula = "D = m̂/(√v̂ + ε)",
            .keeps_columns = true,
            .make = made<Moments>});
  return true;
}();

const std::string start = R"(name = "rules"
[classes]
spectrum = "grouped_power_law"
groups = 4
group_size = 3
exponent = 1.5
[run]
steps = 40
)";

/// Losses of two optimizers of one run; gives the last.
double check_same_losses(const std::string& text, double tolerance) {
  REQUIRE(added);
  const ScratchFolder folder;
  std::ofstream(folder / "e.toml") << start + text;
  const Result result = run(folder / "e.toml");
  const auto& both = result.runs.at(0).trajectories;
  REQUIRE(both.size() == 2);
  CHECK(both[0].engine == both[1].engine);
  CHECK(both[0].status == "complete");
  const auto &mine = both[0].series.at("loss"), &own = both[1].series.at("loss");
  REQUIRE(mine.size() == 41);
  CHECK(own.back() < own.front());
  for (std::size_t t = 0; t < mine.size(); ++t)
    CHECK(mine[t] == Approx(own[t]).epsilon(tolerance).margin(1e-300));
  return own.back();
}

/// Two optimizers, each with a step size and what is left of its table.
std::string pair_of(const std::string& mine, const std::string& own) {
  return "[[optimizer]]\nname = \"mine\"\nrule = " + mine + "[[optimizer]]\nrule = " + own;
}

}  // namespace

TEST_CASE(
    "rules of other programs give the directions of the program's own, in whatever unit gradients come") {
  const std::vector<std::tuple<std::string, std::string, ParameterValues>> pairs = {
      {"my_signs", "signgd", {}},
      {"my_muon", "muon", {{"momentum", 0.0}}},
      {"my_momentum", "momentum", {{"momentum", 0.9}}},
      {"my_adam", "adam", {}}};
  for (const auto& [mine, own, parameters] : pairs) {
    INFO(mine);
    const auto a = gradients::directions(mine, {}, 5), b = gradients::directions(own, parameters, 5);
    for (std::size_t t = 0; t < a.size(); ++t) CHECK(gradients::largest(a[t] - b[t]) < 1e-13);
  }
}

TEST_CASE("rules of other programs run on columns, groups and all entries, down to losses of 1e-250") {
  const std::string rotated = "[embedding]\nkind = \"orthogonal\"\n";
  const std::string signs = pair_of("\"my_signs\"\nstep_size = 8\n", "\"signgd\"\nstep_size = 8\n");
  const std::string muon =
      pair_of("\"my_muon\"\nstep_size = 15\n", "\"muon\"\nmomentum = 0\nstep_size = 15\n");
  const std::string momentum = pair_of("\"my_momentum\"\nstep_size = 4\n", "\"momentum\"\nstep_size = 4\n");
  const std::string adam = pair_of("\"my_adam\"\nstep_size = 0.1\n", "\"adam\"\nstep_size = 0.1\n");
  CHECK(check_same_losses(signs, 1e-12) < 1e-250);
  check_same_losses(muon, 1e-9);
  check_same_losses(rotated + muon, 1e-9);
  check_same_losses(momentum, 1e-12);
  check_same_losses(rotated + momentum, 1e-10);
  check_same_losses(adam, 1e-12);
  check_same_losses("[embedding]\nkind = \"gaussian\"\ndimension = 20\n" + adam, 1e-10);
}

TEST_CASE("a sum keeps what is small beside a memory of zeros in another unit") {
  const DenseMatrix one = [] {
    DenseMatrix x;
    x.entries = Matrix::Constant(2, 2, 1.0);
    return x;
  }();
  // What a rule sees of gradients of 1, 1e-300 and 1e-600: 0 times the last sum and the next one.
  const auto update = optimizer_row("my_momentum").dense({{"mu", 0.0}});
  const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
  for (const int exponent : {0, -1000, -2000}) {
    Gradient<DenseMatrix> g;
    g.exponent = exponent;
    g.task = one;
    const Direction<DenseMatrix> d = update->direction(g, context);
    CHECK(std::ldexp(d.matrix->entries(0, 0), d.exponent - exponent) == 1);
  }
}

TEST_CASE("what a rule of another program remembers is saved and loaded") {
  const OptimizerRow& row = optimizer_row("my_momentum");
  const ParameterValues values{{"mu", 0.9}};
  const RuleContext<DenseMatrix> context{[](const DenseMatrix& x) { return x; }, Workers::serial()};
  const auto step = [&](UpdateRule<DenseMatrix>& rule, std::uint64_t t) {
    Gradient<DenseMatrix> g;
    g.exponent = t % 2 == 1 ? -700 : 0;
    g.task.entries = std::ldexp(1.0, -g.exponent) * gradients::gradient(t);
    const Direction<DenseMatrix> d = rule.direction(g, context);
    return Matrix(std::ldexp(d.scale, d.exponent) * d.matrix->entries);
  };
  const auto first = row.dense(values), resumed = row.dense(values);
  for (std::uint64_t t = 0; t < 3; ++t) step(*first, t);
  Archive saving;
  first->exchange(saving);
  const auto bytes = saving.take();
  Archive loading(bytes);
  resumed->exchange(loading);
  loading.finish();
  CHECK(step(*resumed, 3) == step(*first, 3));
}

TEST_CASE("rules come before the first experiment, under names of their own, and in doubles") {
  CHECK_THROWS_WITH(add_rule({.name = "late", .summary = "", .formula = "", .make = made<Signs>}),
                    Contains("before the first experiment"));
  const ScratchFolder folder;
  std::ofstream(folder / "e.toml")
      << start + "precision = 50\n[[optimizer]]\nrule = \"my_momentum\"\nstep_size = 1\n";
  CHECK_THROWS_WITH(run(folder / "e.toml"), Contains("computes in doubles"));
}
