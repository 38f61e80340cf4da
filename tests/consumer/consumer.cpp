// A program of somebody else: an update rule of its own, run beside a rule of ours, the result written and read back.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <rarefact/rule.hpp>
#include <rarefact/run.hpp>

namespace {

/// Momentum of length 1, D = B/‖B‖_F with B <- μB + ∇L.
class UnitMomentum : public rarefact::Rule {
 public:
  explicit UnitMomentum(const rarefact::ParameterValues& values) : mu_(values.number("mu")) {}
  rarefact::RuleMatrix direction(const rarefact::RuleMatrix& gradient, const rarefact::RuleTools&) override {
    buffer_ = mu_ * buffer_ + gradient;
    return normalised(buffer_);
  }
  std::vector<rarefact::RuleMatrix*> memory() override { return {&buffer_}; }

 private:
  double mu_;
  rarefact::RuleMatrix buffer_;
};

}  // namespace

int main() {
  rarefact::add_rule({.name = "unit_momentum",
                      .summary = "momentum of length 1",
                      .formula = "D = B/‖B‖_F, B ← μB + ∇L",
                      .parameters = {{.name = "mu", .meaning = "μ", .default_value = 0.0, .legal = {0, 1}}},
                      .answers_rotate = true,
                      .queries_rotate = true,
                      .keeps_columns = true,
                      .make = [](const auto& values) { return std::make_unique<UnitMomentum>(values); }});
  std::ofstream("mine.toml")
      << "name = 'mine'\n[classes]\nspectrum = 'grouped_power_law'\ngroups = 64\ngroup_size = 1e12\nexponent = 1.5\n"
         "[[optimizer]]\nrule = 'unit_momentum'\nstep_size = 1e7\n[[optimizer]]\nrule = 'ngd'\nstep_size = 1e7\n";
  rarefact::write_result(rarefact::run("mine.toml"), "mine.h5");
  const rarefact::Result result = rarefact::read_result("mine.h5");
  const auto& mine = result.runs.at(0).trajectories.at(0).series.at("loss");
  const auto& theirs = result.runs.at(0).trajectories.at(1).series.at("loss");
  std::printf("loss after %zu records: %.15g, ngd %.15g\n", mine.size(), mine.back(), theirs.back());
  return mine.back() < 1e-9 && std::abs(mine.back() / theirs.back() - 1) < 1e-9 ? 0 : 1;
}
