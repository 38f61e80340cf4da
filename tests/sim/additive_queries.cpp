// Queries of a subject and a relation that are all equally likely, against two experiments of their own.
//
// W = (A B) with logits a(s', s) + b(r', r): the softmax of a pair is the product of one over the n_S subjects and one
// over the n_R relations, and so is the law of a pair, label noise by noise of the same part of each. Summed over the
// relations the gradient of A is 1/n_R of that of n_S subjects alone, whatever b is; summed over the subjects that of B is 1/n_S of
// that of n_R relations. Their two sets of singular values meet only in the vector of ones, where both are 0.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"

using namespace laws;

namespace {

constexpr double subjects = 7, relations = 4;

Experiment equal(const std::string& rule, double classes, double noise, double step_size) {
  Experiment e = experiment({"uniform", {{"count", classes}}}, embedding("identity"), embedding("identity"),
                            noise, optimizer_row(rule));
  e.optimizers[0].step_size = step_size;
  e.classes = {};  // all are alike
  return e;
}

Experiment of_pairs(Experiment e, std::optional<Engine> engine, double exponent = 0) {
  e.answers = {"subject_relation", {{"relations", relations}, {"relation_exponent", exponent}}};
  e.engine = engine;
  return e;
}

const std::vector<double>& errors(const Result& result) {
  REQUIRE(result.runs[0].trajectories[0].status == "complete");
  return result.runs[0].trajectories[0].series.at("error");
}

}  // namespace

TEST_CASE(
    "equally likely subjects and relations are learned each by itself: Muon by η/√n_R and η/√n_S a step") {
  for (const double noise : {0.0, 0.2}) {
    // The step size of a rule, and what becomes of it beside n others: n, √n or 1.
    for (const auto& [rule, step_size, power] :
         {std::tuple{"gd", 30.0, 1.0}, {"momentum", 6.0, 1.0}, {"signgd", 0.1, 0.0}, {"muon", 0.5, 0.5}}) {
      // Where noise holds Muon at m*, in a 2-cycle, rounding parts alike columns of a dense run.
      const Engine engine = noise > 0 && power == 0.5 ? Engine::symmetric : Engine::dense;
      const Experiment both = of_pairs(equal(rule, subjects, noise, step_size), engine);
      const auto alone = [&, rule = rule, step_size = step_size, power = power](double classes,
                                                                                double others) {
        return simulate(equal(rule, classes, noise, step_size / std::pow(others, power)), {}, 1);
      };
      const Result pairs = simulate(both, {}, 1), of_subjects = alone(subjects, relations),
                   of_relations = alone(relations, subjects);
      const std::vector<double>&seen = errors(pairs), &s = errors(of_subjects), &r = errors(of_relations);
      REQUIRE(seen.size() == 25);
      double worst = 0;
      for (std::size_t t = 0; t < seen.size(); ++t)
        worst = std::max(worst, std::abs(seen[t] / (s[t] + r[t] - s[t] * r[t]) - 1));
      CAPTURE(rule, noise, seen.back());
      CHECK(seen.back() < 0.6 * seen.front());
      CHECK(worst < 1e-12);
    }
  }
}

TEST_CASE("the first step of equally likely pairs: GD η/(n_S n_R), SignGD 2η, Muon η/√n_R and η/√n_S") {
  const auto error_after = [](const std::string& rule, double step_size) {
    Experiment e = of_pairs(equal(rule, subjects, 0, step_size), Engine::symmetric);
    e.steps = 1;
    return errors(simulate(e, {}, 1)).back();
  };
  const auto error_at = [](double a, double b) {
    const double wrong_subject = (subjects - 1) / (subjects - 1 + std::exp(a)),
                 wrong_relation = (relations - 1) / (relations - 1 + std::exp(b));
    return wrong_subject + wrong_relation - wrong_subject * wrong_relation;
  };
  const double pairs = subjects * relations;
  CHECK(error_after("gd", 30) == Approx(error_at(30 / pairs, 30 / pairs)).epsilon(1e-13));
  CHECK(error_after("signgd", 0.3) == Approx(error_at(0.6, 0.6)).epsilon(1e-13));
  CHECK(error_after("muon", 0.5) ==
        Approx(error_at(0.5 / std::sqrt(relations), 0.5 / std::sqrt(subjects))).epsilon(1e-13));
}

TEST_CASE("what is measured of pairs is the same on the symmetric engine as on the dense one") {
  for (const std::string rule : {"gd", "muon"}) {
    for (const double noise : {0.0, 0.2}) {
      Experiment e =
          experiment({"grouped_power_law", {{"groups", 2.0}, {"group_size", 3.0}, {"exponent", 1.0}}},
                     embedding("orthogonal"), embedding("orthogonal"), noise, optimizer_row(rule));
      e.noise_answers = noise > 0 ? NoiseAnswers::frequency : NoiseAnswers::uniform;
      e.optimizers[0].step_size = 0.2;
      e.steps = 6;
      e.spectral_metrics = "on";
      e.push = e.alignment = true;
      e.rho_epsilon = 0.2;
      const Result dense = simulate(of_pairs(e, Engine::dense, 1), {}, 1),
                   symmetric = simulate(of_pairs(e, Engine::symmetric, 1), {}, 1);
      CAPTURE(rule, noise);
      CHECK(dense.runs[0].trajectories[0].series.size() == symmetric.runs[0].trajectories[0].series.size());
      for (const auto& [name, values] : dense.runs[0].trajectories[0].series) {
        CAPTURE(name);
        const std::vector<double>& others = symmetric.runs[0].trajectories[0].series.at(name);
        REQUIRE(values.size() == others.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          CAPTURE(i);
          if (!std::isnan(values[i]) || !std::isnan(others[i]))
            CHECK(values[i] == Approx(others[i]).epsilon(1e-11).margin(1e-13));
        }
      }
    }
  }
}

TEST_CASE("ten million million pairs in a matrix of two columns") {
  Experiment e = of_pairs(equal("muon", 1e9, 0, 0.5), {});
  e.answers.parameters.set("relations", 1e4);
  e.steps = 4000;
  const Result result = simulate(e, {}, 1);
  CHECK(result.runs[0].trajectories[0].engine == "symmetric");
  const double a = 0.5 * 4000 / std::sqrt(1e4), b = 0.5 * 4000 / std::sqrt(1e9);
  const double wrong_subject = 1 / (1 + std::exp(a) / (1e9 - 1)),
               wrong_relation = 1 / (1 + std::exp(b) / (1e4 - 1));
  CHECK(errors(result).back() ==
        Approx(wrong_subject + wrong_relation - wrong_subject * wrong_relation).epsilon(1e-11));
}
