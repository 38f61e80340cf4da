// Floors and losses under answer laws, and the drop of the loss, have all digits that they claim, however small the label
// noise or the step: compared with their definition in 400 digits.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "reference/high_precision.hpp"
#include "reference/plain_law.hpp"

using namespace laws;

namespace {

/// 1 - 1e-100 has 100 digits after the first.
using Big = reference::Wide;

/// p and π₀ of every query by the law itself: weights of answers in rows, of queries in columns.
struct Definition {
  std::vector<Big> p;
  std::vector<std::vector<Big>> share;  ///< [l][k]

  /// The floors of the loss and of the top-1 error.
  std::pair<double, double> floors(const Big& noise, bool by_frequency) const {
    const std::size_t answers = share[0].size();
    std::vector<Big> b(answers, 1 / Big(answers));
    for (std::size_t k = 0; by_frequency && k < answers; ++k) {
      b[k] = 0;
      for (std::size_t l = 0; l < p.size(); ++l) b[k] += p[l] * share[l][k];
    }
    Big loss = 0, top1 = 0;
    for (std::size_t l = 0; l < p.size(); ++l) {
      for (std::size_t k = 0; k < answers; ++k) {
        const Big pi = (1 - noise) * share[l][k] + noise * b[k];
        if (pi > 0) loss -= p[l] * pi * log(pi);
      }
      top1 += p[l] * (1 - *std::max_element(share[l].begin(), share[l].end()));
    }
    return {static_cast<double>(loss), static_cast<double>(top1)};
  }
};

Definition of_table(const Matrix& table) {
  Definition law;
  Big all = 0;
  for (const double n : table.reshaped()) all += n;
  for (Index l = 0; l < table.cols(); ++l) {
    Big sum = 0;
    for (const double n : table.col(l)) sum += n;
    law.p.push_back(sum / all);
    law.share.emplace_back();
    for (const double n : table.col(l)) law.share.back().push_back(n / sum);
  }
  return law;
}

/// Each query has one answer, or some that are equally likely.
Definition of_pairs(const Pairs& pairs) {
  Definition law;
  for (Index l = 0; l < pairs.queries(); ++l) {
    const std::size_t begin = pairs.begin[l], end = pairs.begin[l + 1];
    law.p.push_back(pairs.probability[l]);
    law.share.emplace_back(pairs.answers, Big(0));
    for (std::size_t i = begin; i < end; ++i) law.share.back()[pairs.answer[i]] = 1 / Big(end - begin);
  }
  return law;
}

void check(const Experiment& e, const FileReaders& readers, const Definition& law) {
  const auto [loss, top1] = law.floors(e.label_noise, e.noise_answers == "frequency");
  CAPTURE(e.answers.kind, e.label_noise, e.noise_answers, e.engine);
  const Result result = simulate(e, readers, 1);
  const double nothing = e.label_noise > 0 ? 0 : 1e-99;  // the logarithm of a number beside 1
  CHECK(result.runs[0].answers->loss_floor == Approx(loss).epsilon(2e-14).margin(nothing));
  CHECK(result.runs[0].answers->top1_floor == Approx(top1).epsilon(1e-14).margin(0));
}

Experiment noisy(const ChosenRow& answers, double noise, const std::string& noise_answers) {
  Experiment e = identity_run(power_law(6, 1.5), "gd", noise);
  e.answers = answers;
  e.noise_answers = noise_answers;
  e.steps = 1;
  e.classes.kind = ClassRule::Kind::groups;
  return e;
}

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

TEST_CASE("floors of every answer law are those of its definition, however small the noise or a share") {
  for (const double noise : {0.3, 1e-12, 1e-100, 0.0}) {
    for (const std::string answers : {"uniform", "frequency"}) {
      for (const ChosenRow& row :
           {law_of("fan_in", {{"fan_in", 1.0}}), law_of("fan_in", {{"fan_in", std::vector<double>{1, 4}}}),
            law_of("right_set", {{"size", 3.0}}), law_of("hash", {{"count", 5.0}}),
            law_of("modulo", {{"count", 2.0}})}) {
        const Experiment e = noisy(row, noise, answers);
        check(e, {}, of_pairs(written_out(*load_problem(e, {}).answers).pairs));
      }
      Matrix table = Matrix::Zero(4, 3);
      table << 1e15, 1, 0, 1, 1e12, 0, 0, 1, 3, 0, 0, 2;
      Experiment e = noisy(law_of("counts", {{"path", std::string("pairs")}}), noise, answers);
      e.spectrum = {};
      check(e, reference::readers_of(table), of_table(table));
      // One answer has nearly all of the mass, so nearly all of the noise by frequency, too.
      table << 1e15, 1e15, 1e15, 1, 0, 0, 0, 0, 0, 0, 0, 3;
      check(e, reference::readers_of(table), of_table(table));
    }
  }
}

TEST_CASE("a loss just above a tiny floor has its digits on every engine, and so has the top-1 error") {
  Experiment e = identity_run({"uniform", {{"count", 4.0}}}, "signgd", 1e-12);
  e.answers = law_of("fan_in", {{"fan_in", 1.0}});
  e.steps = 30;
  e.optimizers[0].step_size = 1;
  for (const char* engine : {"columns", "symmetric", "dense"}) {
    for (const std::int64_t precision : {16, 50}) {
      if (precision == 50 && engine != std::string("symmetric")) continue;
      e.engine = engine;
      e.precision = precision;
      CAPTURE(engine, precision);
      CHECK(series(simulate(e, {}, 1), "loss").back() ==
            Approx(2.30743200320799e-11).epsilon(1e-13).margin(0));
    }
  }

  Matrix table(3, 2);
  table << 1e12, 0, 1, 2, 0, 1e12;
  Experiment c = noisy(law_of("counts", {{"path", std::string("pairs")}}), 0, "uniform");
  c.spectrum = {};
  c.steps = 9;
  for (const char* engine : {"columns", "symmetric", "dense"}) {
    c.engine = engine;
    CAPTURE(engine);
    const double right = of_table(table).floors(0, false).second;
    CHECK(series(simulate(c, reference::readers_of(table), 1), "top1_error").back() ==
          Approx(right).epsilon(1e-13).margin(0));
  }
}

TEST_CASE("at a minimum whose answers are equally likely the excess loss is 0, and no digits are lost") {
  for (const double noise : {0.0, 0.1}) {
    for (const double count : {3.0, 4.0, 7.0, 50.0}) {
      for (const char* rule : {"gd", "muon"}) {
        Experiment e = identity_run(power_law(count), rule, noise);
        e.answers = law_of("zipf", {{"exponent", 0.0}});
        e.digits = "on";
        const Trajectory run = only_trajectory(simulate(e, {}, 1));
        CAPTURE(noise, count, rule);
        CHECK(run.status == "complete");
        for (const double excess : run.series.at("excess_loss")) CHECK(excess == 0);
      }
    }
  }
}

TEST_CASE("the drop of the loss after one step has all digits, however small the step, on every engine") {
  for (const double step_size : {1e-150, 1e-9, 0.4, 80.0}) {
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
        for (const char* engine : {"columns", "symmetric", "dense", "50 digits"}) {
          CAPTURE(step_size, noise, law, engine);
          const std::vector<double> drop = series(on_engine(e, engine), "loss_drop");
          CHECK(drop.at(0) == 0);
          CHECK(drop.at(1) == Approx(right).epsilon(2e-13).margin(0));
        }
      }
    }
  }
}
