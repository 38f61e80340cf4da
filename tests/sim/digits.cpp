#include <catch2/catch.hpp>
#include <map>

#include "claims.hpp"
#include "random_run.hpp"
#include "reference/precise_run.hpp"
#include "reference/random_cases.hpp"
#include "sim/cost.hpp"

using namespace laws;

namespace {

/// So many claims at least, and no more than one in a hundred is off by a digit.
void check(const Judgement& judged, int values_at_least) {
  INFO(judged.words());
  CHECK(judged.values > values_at_least);
  CHECK(judged.over < 0.01 * judged.values);
  CHECK(judged.cautious / judged.values < 3);
}

const std::vector<std::string> rules = {"gd", "momentum", "ngd", "signgd", "adam", "muon"};

Experiment with_digits(Dice& dice, const std::vector<ChosenRow>& sides) {
  Experiment e = random_run(dice,
                            {power_law(8.0, 1 + dice()),
                             {"dyadic", {{"levels", std::int64_t{3}}}},
                             {"two_level", {{"count", 12.0}, {"head_fraction", 0.25}, {"head_mass", 0.7}}},
                             power_law(3.0, 0.5)},
                            rules, sides);
  e.digits = "on";
  e.record = {RecordRule::Kind::every, 10, {}};
  return e;
}

/// Every claim of an experiment beside the same run in 50 digits.
void judge_by_50_digits(Judgement& judged, Experiment e) {
  const Result claimed = simulate(e, {}, 1);
  e.precision = 50;
  e.digits = "off";
  const Result truth = simulate(e, {}, 1);
  const std::size_t records = claimed.steps.size();
  for (const std::string name : {"loss", "excess_loss", "error"}) {
    const std::vector<double>&x = series(claimed, name), &y = series(truth, name);
    std::map<std::size_t, double> least;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double there = digits_in(x[i], y[i]);
      const auto at = least.emplace(i / (x.size() / records), there).first;
      at->second = std::min(at->second, there);
    }
    for (const auto& [record, there] : least) {
      CAPTURE(e.optimizers[0].rule, name, record, x.size());
      judged.add(series(claimed, name + "_digits")[record], there);
    }
  }
}

}  // namespace

TEST_CASE("digits claimed of random runs are there in 50 digits", "[numbers]") {
  Judgement judged;
  const reference::RandomCases cases(200);
  const ChosenRow correlated = embedding("equicorrelated", {{"rho", 0.3}});
  for (int n = 0; n < cases.count; ++n) {
    Dice dice{{7, "digits"}, cases[n]};
    Experiment e = with_digits(dice, {embedding("identity")});
    e.engine = "symmetric";
    if (optimizer_row(e.optimizers[0].rule).symmetries_of(e.optimizers[0].parameters).answers_rotate &&
        dice() < 0.3)
      e.query_embedding = e.answer_embedding = correlated;
    if (OptimizerChoice& choice = e.optimizers[0]; dice() < 0.3) {
      choice.schedule = "cosine";
      choice.weight_decay = 0.05;
      choice.weight_decay_kind = dice() < 0.5 ? "coupled" : "decoupled";
    }
    CAPTURE(n);
    judge_by_50_digits(judged, e);
  }
  check(judged, 15 * cases.count);
  if (cases.whole) CHECK(judged.lost > cases.count / 40);  // few cases have most of them
}

TEST_CASE("digits claimed of frequencies as far apart as 1e30, and of formulas with large values, are there",
          "[numbers]") {
  Judgement judged;
  const reference::RandomCases cases(40, 1000);
  for (int n = 0; n < cases.count; ++n) {
    Dice dice{{7, "digits"}, 2000 + cases[n]};
    const double count = dice.among<double>({3, 4, 6, 8});
    const ChosenRow spectrum = power_law(count, 30 * dice() / std::log10(count));
    const bool formula = dice() < 0.4;
    const ChosenRow side =
        !formula && dice() < 0.3 ? embedding("equicorrelated", {{"rho", 0.3}}) : embedding("identity");
    Experiment e = experiment(spectrum, side, side, 0, optimizer_row(formula ? "gd" : "muon"));
    e.engine = "symmetric";
    e.digits = "on";
    e.steps = 5 + static_cast<std::int64_t>(15 * dice());
    OptimizerChoice& choice = e.optimizers[0];
    choice.step_size = std::pow(10, 1.5 * dice() - 1);
    if (formula) {
      choice.rule = "formula";
      choice.parameters = {
          {"param.c", std::pow(10, 12 * dice())},
          {"direction",
           dice.among<std::string>({"(G + c) - c", "(c*G + norm(G)) - norm(G)", "polar(G + 1/c)",
                                    "(G@(G.T@G) + c) - c + G", "sqrt(G**2 + c*G**2) - sqrt(c)*abs(G) + G",
                                    "G + (c*mean(G) - c*sum(G)/(d_out*d_in))", "polar(sqrt(G**2 + 1/c))",
                                    "polar(exp(G))", "polar(G@(G.T@G))"})}};
    } else if (dice() < 0.3) {
      choice.parameters = with_defaults(optimizer_row("muon").parameters, {{"momentum", 0.9}});
    }
    CAPTURE(n, formula ? choice.parameters.text("direction") : "muon", choice.step_size);
    judge_by_50_digits(judged, e);
  }
  check(judged, 10 * cases.count);
  CHECK(judged.over == 0);
}

TEST_CASE(
    "a rank that hangs on what an operation has rounded away leaves no digits, and one that is known leaves them") {
  struct Case {
    const char* direction;
    double exponent;  ///< the rarest class has the probability 4^-exponent
    bool known;
  };
  for (const Case& c : {Case{"polar(G + 1/30)", 48, false}, Case{"polar(G + 1/30)", 8, true},
                        Case{"polar(sqrt(G**2 + 1/30))", 40, false}, Case{"polar(exp(G))", 40, false},
                        Case{"polar(G@(G.T@G))", 40, false}, Case{"polar((G@G.T)@G)", 40, false},
                        Case{"polar(G**12)", 48, false}, Case{"polar(G**12)", 8, true},
                        Case{"polar(abs(G) + 1e-30)", 40, true}, Case{"polar(G@(G.T@G))", 1, true},
                        Case{"polar((G + 30) - 30)", 48, false}, Case{"sign((G + 30) - 30)", 48, false},
                        Case{"polar(G + 0.1*W)", 1, true}, Case{"polar(W@(G.T@G) + G)", 1, true},
                        Case{"polar(2*G)", 48, true}, Case{"polar(G/colnorm(G))", 48, true}}) {
    Experiment e = identity_run(power_law(4.0, c.exponent), "gd");
    e.engine = "symmetric";
    e.digits = "on";
    e.steps = 3;
    e.optimizers[0] = {"it", "formula", 1, {{"direction", std::string(c.direction)}}};
    const Result result = simulate(e, {}, 1);
    const double digits = series(result, "error_digits").back();
    CAPTURE(c.direction, c.exponent, digits);
    CHECK((c.known ? digits > 10 : digits < 1));
  }
}

TEST_CASE("zeros of least squares between rotated sides are rounding, whose signs leave no digits") {
  const std::vector<ChosenRow> spectra = {
      {"uniform", {{"count", 12.0}}},
      {"two_level", {{"count", 12.0}, {"head_fraction", 0.25}, {"head_mass", 0.7}}},
      {"grouped_power_law", {{"groups", 3.0}, {"group_size", 6.0}, {"exponent", 1.0}}}};
  for (const char* rule : {"signgd", "adam"}) {
    for (const ChosenRow& spectrum : spectra) {
      Experiment e = identity_run(spectrum, rule);
      e.loss = &loss_row("least_squares");
      e.digits = "on";
      e.steps = 6;
      e.record = {RecordRule::Kind::every, 1, {}};
      e.optimizers[0].step_size = 0.05;
      // The same W - W°, multiples of 1, without rounding beside them.
      const Result truth = simulate(e, {}, 1);
      CHECK(series(truth, "loss_digits").back() > 12);
      e.query_embedding = e.answer_embedding =
          embedding("block_rotation", {{"angles", std::vector<double>{3.638, 2.949, 5.218}}});
      for (const std::string engine : {"symmetric", "dense"}) {
        const Result rotated = on_engine(e, engine);
        for (std::size_t t = 0; t < rotated.steps.size(); ++t) {
          CAPTURE(rule, spectrum.kind, engine, t);
          CHECK(series(rotated, "loss_digits")[t] <=
                std::max(0.0, digits_in(series(rotated, "loss")[t], series(truth, "loss")[t])) + 1);
        }
      }
    }
  }
}

TEST_CASE("at W = 0 least squares has the digits that it claims, however far apart the frequencies are") {
  for (const char* kind : {"orthogonal", "equicorrelated", "gaussian"}) {
    for (const double exponent : {1.0, 8.0, 16.0}) {
      Experiment e = identity_run(power_law(64.0, exponent), "signgd");
      e.loss = &loss_row("least_squares");
      e.engine = "dense";
      e.digits = "on";
      e.steps = 1;
      e.query_embedding = e.answer_embedding =
          kind == std::string("gaussian")         ? embedding(kind, {{"dimension", std::int64_t{64}}})
          : kind == std::string("equicorrelated") ? embedding(kind, {{"rho", 0.3}})
                                                  : embedding(kind);
      // Every answer is met: L = L - L* = Σ p ‖Ẽ‖²/2.
      const Matrix answer = array_of(e.answer_embedding, 64, "answer");
      const ClassGroups groups = *classes_of(e).groups;
      double truth = 0;
      for (Index l = 0; l < 64; ++l)
        truth += groups.probability[static_cast<std::size_t>(l)] * answer.col(l).squaredNorm() / 2;
      const Result result = simulate(e, {}, 1);
      CAPTURE(kind, exponent, truth, series(result, "loss")[0]);
      CHECK(series(result, "loss_digits")[0] <= digits_in(series(result, "loss")[0], truth) + 1);
      CHECK(series(result, "loss_digits")[0] > 10);
    }
  }
}

TEST_CASE("of right answers that share an entry no rounding remains in the excess loss") {
  for (const double size : {3.0, 7.0, 49.0}) {
    Experiment e = identity_run({"uniform", {{"count", 4.0}}}, "muon");
    e.answers = {"right_set", {{"size", size}}};
    e.engine = "symmetric";
    e.steps = size < 49 ? 240 : 1000;
    e.optimizers[0].step_size = 1;
    const Result result = simulate(e, {}, 1);
    CAPTURE(size);
    CHECK(series(result, "excess_loss").back() < 1e-33);
    CHECK(series(result, "excess_loss").back() == Approx(series(result, "error").back()));
  }
}

TEST_CASE("digits claimed of dense runs are there in 80 digits", "[numbers]") {
  Judgement judged;
  const reference::RandomCases cases(25);
  for (int n = 0; n < cases.count; ++n) {
    Dice dice{{7, "digits"}, 1000 + cases[n]};
    Experiment e =
        with_digits(dice, {embedding("gaussian", {{"dimension", std::int64_t{6}}}),
                           embedding("sphere", {{"dimension", std::int64_t{10}}}), embedding("orthogonal")});
    const Result claimed = on_engine(e, "dense");
    const auto classes = static_cast<Index>(classes_of(e).classes);
    const ClassGroups groups = *classes_of(e).groups;
    std::vector<double> probability;
    for (std::size_t g = 0; g < groups.size(); ++g)
      probability.insert(probability.end(), static_cast<std::size_t>(groups.count[g]), groups.probability[g]);
    const OptimizerChoice& choice = e.optimizers[0];
    const auto momentum =
        choice.parameters.all().count("momentum") ? choice.parameters.number("momentum") : 0;
    const auto truth = reference::precise_run<80>(
        {array_of(e.query_embedding, classes, "query"), array_of(e.answer_embedding, classes, "answer"),
         reference::own_answers(probability), e.label_noise},
        choice.rule, choice.step_size.number, momentum, static_cast<int>(e.steps));
    for (std::size_t record = 0; record < claimed.steps.size(); ++record) {
      const auto& state = truth[claimed.steps[record]];
      CAPTURE(n, choice.rule, e.query_embedding.kind, claimed.steps[record]);
      judged.add(claimed, record, state);
    }
  }
  check(judged, 16 * cases.count);
}

TEST_CASE("one repetition is enough where it leaves ten digits, away from a minimum") {
  struct Case {
    std::string name;
    double off;           ///< relative difference of the errors
    double excess = 0.5;  ///< part of the loss
    double repeated = 1;  ///< factor of the repetition's excess loss
    bool enough = false;
    double digits = 13;  ///< claimed of the errors by one repetition
  };
  const std::vector<Case> cases = {{"twelve digits agree", 0.9e-12, 0.5, 1, true, 10.05},
                                   {"fewer", 1.1e-12, 0.5, 1, false, 9.96},
                                   {"all agree", 0, 0.5, 1, true},
                                   {"near a minimum", 0, 0.9e-6},
                                   {"not so near", 0, 1.1e-6, 1, true},
                                   {"no number in one of them", 0, 0.5, NAN}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Trajectory run, repetition;
    run.series = {{"loss", {1, 2}}, {"excess_loss", {1, 2 * c.excess}}, {"error", {0.5, 0.5, 0.25, 0.1}}};
    repetition.series = run.series;
    repetition.series["error"][3] *= 1 + c.off;
    repetition.series["excess_loss"][1] *= c.repeated;
    CHECK(one_is_enough(repetition, {0, 1}, run) == c.enough);
    fill_digits({repetition}, {0, 1}, {}, 0, 0, run);
    CHECK(run.series["error_digits"][1] == Approx(c.digits).margin(0.01));
    fill_digits({repetition}, {0, 1}, {}, 0, 0.25, run);
    CHECK(run.series["error_digits"][1] == Approx(c.digits - 0.25).margin(0.01));
  }
  CHECK(one_may_be_enough({}, false));
  CHECK_FALSE(one_may_be_enough({}, true));
  for (const auto& [precision, arithmetic] : {std::pair(50, "double"), std::pair(16, "single")}) {
    Experiment e;
    e.precision = precision;
    e.arithmetic = arithmetic;
    CHECK_FALSE(one_may_be_enough(e, false));
  }
}

TEST_CASE("runs that end in the same doubles near a minimum are repeated three times") {
  Experiment e = identity_run({"uniform", {{"count", 4.0}}}, "gd", 0.2);
  e.digits = "auto";
  e.record = {RecordRule::Kind::list, 0, {0}};
  e.steps = 20;
  e.optimizers[0].step_size = 17;  // the excess loss 5.5e-23 has three digits
  CHECK(series(simulate(e, {}, 1), "excess_loss_digits").back() < 4);
}

namespace {

/// Label noise makes muon go to and fro between classes, and every turn multiplies what rounding did.
Experiment chaotic() {
  Experiment e = identity_run(power_law(8.0, 1.5), "muon", 0.1);
  e.optimizers[0].step_size = 0.3;
  e.optimizers[0].parameters = with_defaults(optimizer_row("muon").parameters, {{"momentum", 0.9}});
  e.steps = 160;
  e.digits = "auto";
  return e;
}

}  // namespace

TEST_CASE("a run that loses its digits says so, from its first step without three of them on") {
  const Result result = simulate(chaotic(), {}, 1);
  const Trajectory& t = only_trajectory(result);
  const std::vector<double>& digits = series(result, "digits");
  CHECK(t.status == "digits_lost");
  CHECK(
      t.status_detail ==
      "rounding in loss, excess_loss, error; shorten the run, or set run.precision = 50 if engine symmetric can run it");
  for (std::size_t step = 0; step < digits.size(); ++step) {
    CAPTURE(step, digits[step]);
    CHECK((digits[step] < 3) == (static_cast<std::int64_t>(step) >= t.status_step));
    CHECK(digits[step] ==
          std::min({series(result, "loss_digits")[step], series(result, "excess_loss_digits")[step],
                    series(result, "error_digits")[step]}));
    if (step > 0) CHECK(digits[step] <= digits[step - 1]);
  }
}

TEST_CASE("equal updates are rounded alike, and cost digits that are not claimed") {
  // Both margins are 2 η t, so that the error is 1/(1 + e^(2ηt)).
  Experiment e = identity_run(power_law(2.0, 0), "tra_signgd");
  e.digits = "on";
  e.optimizers[0].step_size = 3e-4;
  e.steps = 50'000;
  e.record = {RecordRule::Kind::list, 1, {0, 50'000}};
  const Result result = simulate(e, {}, 1);
  const double truth = 9.3576229688393235e-14, error = series(result, "error").back();
  CHECK(series(result, "error_digits").back() < digits_in(error, truth));
  CHECK(series(result, "error_digits").back() > 7);
}

TEST_CASE("a chaotic prediction loses its digits as the run does, and a smooth one beside it keeps them") {
  Experiment e = identity_run(power_law(12.0, 1.5), "gd", 0.1);
  e.digits = "auto";
  e.optimizers[0].step_size = 80;  // three times the edge of stability
  e.steps = 200;
  const Result result = simulate(e, {}, 1);
  CHECK(only_trajectory(result).status == "digits_lost");
  CHECK(series(result, "digits_predicted_flow").back() > 11);
  CHECK(series(result, "digits_predicted").back() < 3);
}

TEST_CASE("auto measures digits where that is cheap, of quadratures and searches as well") {
  Experiment e = identity_run(power_law(1e6, 1.2), "muon");
  e.classes = {};
  e.digits = "auto";
  e.optimizers[0].step_size = 0.5;
  e.steps = 30;
  CHECK(series(simulate(e, {}, 1), "digits").back() > 9);
  Experiment search = chaotic();
  search.steps = 40;
  search.optimizers[0].search = StepSearch{0.1, 1, 3, "loss"};
  CHECK(series(simulate(search, {}, 1), "digits").size() == 41);
  Experiment costly = chaotic();
  costly.steps = 10'000'000;
  const Spectrum spectrum = classes_of(costly);
  const Reduction reduction = form_of({costly, spectrum, costly.optimizers.front()}, Way::symmetric);
  CHECK_FALSE(training_cost({costly, spectrum, costly.optimizers.front()}, reduction, 0).digits);
  costly.digits = "on";
  CHECK(training_cost({costly, spectrum, costly.optimizers.front()}, reduction, 0).digits);
}
