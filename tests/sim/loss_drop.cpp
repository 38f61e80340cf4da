// The relative drop of the loss has its digits from the first small step on.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "reference/high_precision.hpp"

using namespace laws;

namespace {

using Big = reference::Wide;

/// (ln K - L)/ln K after one step of gradient descent from W = 0 in identity embeddings, by its definition.
double plain_drop(const Pairs& pairs, const Big& noise, const Big& step_size) {
  const std::size_t answers = static_cast<std::size_t>(pairs.answers);
  Big drop = 0;
  for (Index l = 0; l < pairs.queries(); ++l) {
    const Big p = pairs.probability[l];
    std::vector<Big> pi(answers, noise / answers);
    for (std::size_t i = pairs.begin[l]; i < pairs.begin[l + 1]; ++i)
      pi[pairs.answer[i]] += (1 - noise) / (pairs.begin[l + 1] - pairs.begin[l]);
    Big sum = 0, mean = 0;
    for (const Big& target : pi) {
      const Big logit = step_size * p * (target - 1 / Big(answers));
      sum += exp(logit);
      mean += target * logit;
    }
    drop += p * (mean - log(Big(sum / answers)));
  }
  return static_cast<double>(Big(drop / log(Big(answers))));
}

}  // namespace

TEST_CASE("the drop of the loss after one step has all digits, however small the step, on every engine") {
  for (const double step_size : {1e-150, 1e-9, 1e-3, 0.4, 3.0, 80.0}) {
    for (const double noise : {0.0, 1e-12, 0.3}) {
      for (const char* law : {"identity", "fan_in", "right_set"}) {
        Experiment e = identity_run(power_law(8.0), "gd", noise);
        if (law == std::string("fan_in")) e.answers = law_of(law, {{"fan_in", std::vector<double>{1, 4}}});
        if (law == std::string("right_set")) e.answers = law_of(law, {{"size", 2.0}});
        e.optimizers[0].step_size = step_size;
        e.steps = 1;
        const Spectrum spectrum = load_problem(e, {});
        const AnswerLaw own = own_answers(spectrum);
        const Pairs pairs = written_out(spectrum.answers ? *spectrum.answers : own).pairs;
        const double right = plain_drop(pairs, noise, step_size);
        for (const char* engine : {"columns", "symmetric", "dense"}) {
          e.engine = engine;
          CAPTURE(step_size, noise, law, engine);
          const std::vector<double> drop = series(simulate(e, {}, 1), "loss_drop");
          CHECK(drop.at(0) == 0);
          CHECK(drop.at(1) == Approx(right).epsilon(2e-13).margin(0));
        }
      }
    }
  }
}

TEST_CASE("of a thousand classes the drop of the loss is known where it is 4e-12, in both precisions") {
  Experiment e = identity_run(power_law(1000.0), "gd");
  e.optimizers[0].step_size = 1e-9;
  e.steps = 1;
  e.classes.kind = ClassRule::Kind::groups;
  CHECK(series(simulate(e, {}, 1), "loss_drop").at(1) == Approx(4.24301751021e-12).epsilon(2e-12).margin(0));
  e.spectrum = power_law(20.0);
  const double drop = series(simulate(e, {}, 1), "loss_drop").at(1);
  e.engine = "symmetric";
  e.precision = 50;
  CHECK(series(simulate(e, {}, 1), "loss_drop").at(1) == Approx(drop).epsilon(1e-14).margin(0));
}
