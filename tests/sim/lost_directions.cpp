// Digits where decompositions decide a rank: a direction of the gradient below the rounding of a larger one is lost by
// every repetition alike.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "laws/zoo.hpp"
#include "random_run.hpp"
#include "reference/precise_run.hpp"
#include "reference/random_cases.hpp"
#include "sim/comparison.hpp"

using namespace laws;

namespace {

/// A run that has lost a direction is far off, and its errors differ by hundreds of orders of magnitude.
using Truth = std::vector<reference::PreciseState<400>>;

struct MixedRun {
  Matrix query, answer;
  std::vector<double> count;
  double noise = 0, step_size = 1, momentum = 0;
  int steps = 4;
  std::string direction = {};  ///< empty: muon
  std::string state = {};      ///< of B, if not empty
  bool spectra = false;
};

Experiment experiment_of(const MixedRun& run, const std::string& digits) {
  Experiment e = identity_run(power_law(2.0), "muon", run.noise);
  e.engine = "dense";
  e.digits = digits;
  e.spectral_metrics = run.spectra || digits == "off" ? "on" : "off";
  e.steps = run.steps;
  e.record = {RecordRule::Kind::every, 1, {}};
  e.spectrum = {"file", {{"path", std::string("counts")}, {"column", std::string()}}};
  e.query_embedding = {"file", {{"path", std::string("query")}}};
  e.answer_embedding = {"file", {{"path", std::string("answer")}}};
  OptimizerChoice& choice = e.optimizers[0];
  choice.step_size = run.step_size;
  if (!run.direction.empty()) {
    choice.rule = "formula";
    choice.parameters = {{"direction", run.direction}};
    if (!run.state.empty()) choice.parameters.set("state.B", run.state);
  } else if (run.momentum > 0) {
    choice.parameters.set("momentum", run.momentum);
  }
  return e;
}

Result result_of(const MixedRun& run, const std::string& digits = "on") {
  const FileReaders readers{
      [&](const std::string&, const std::string&) { return CountTable{run.count}; },
      [&](const std::string& path) { return path == "query" ? run.query : run.answer; }};
  return simulate(experiment_of(run, digits), readers, 1);
}

/// Until 400 digits do not show the smallest singular value.
Truth truth_of(const MixedRun& run, const std::string& rule = "muon") {
  Truth truth =
      reference::precise_run<400>({run.query, run.answer, reference::own_answers(run.count), run.noise}, rule,
                                  run.step_size, run.momentum, run.steps);
  const auto rank =
      static_cast<int>(std::min({std::ssize(run.count) - 1, run.query.rows(), run.answer.rows()}));
  for (std::size_t t = 0; t < truth.size(); ++t)
    if (truth[t].rank < rank) truth.resize(t + 1);
  return truth;
}

/// Claims beside the truth.
struct Judgement {
  int values = 0, over = 0, alarms = 0,
      lost = 0;                    ///< in all, more than a digit too high, false alarms, without a digit
  double worst = 0, cautious = 0;  ///< the largest claim less the truth; the sum of truth less claim

  void add(double claimed, double there) {
    if (std::isnan(claimed)) return;
    if (std::isnan(there)) there = 0;
    const double beyond = claimed - std::clamp(there, 0.0, 15.0);
    ++values;
    over += beyond > 1;
    alarms += there >= 8 && claimed < min_digits;
    lost += there < 1;
    worst = std::max(worst, beyond);
    cautious -= beyond;
  }

  /// Loss, excess loss and the least right error at every step.
  void add(const Result& claimed, const Truth& truth) {
    for (std::size_t t = 0; t < truth.size(); ++t) {
      const auto& state = truth[t];
      add(series(claimed, "loss_digits")[t], digits_in(series(claimed, "loss")[t], state.loss));
      add(series(claimed, "excess_loss_digits")[t],
          digits_in(series(claimed, "excess_loss")[t], state.excess_loss));
      const std::size_t width = state.error.size();
      double least = 17;
      for (std::size_t l = 0; l < width; ++l)
        least = std::min(least, digits_in(series(claimed, "error")[t * width + l], state.error[l]));
      add(series(claimed, "error_digits")[t], least);
    }
  }
};

const std::vector<std::string> polar_factors = {
    "",  // muon
    "polar(G)", "polar(G/norm(G))", "power(G@G.T, -0.25)@G@power(G.T@G, -0.25)", "power(G@G.T, -0.5)@G"};

MixedRun random_mixed_run(Dice& dice) {
  const auto classes = static_cast<Index>(2 + 5 * dice());
  const auto gaussian = [&] {
    Matrix x(classes + static_cast<Index>(3 * dice()) - (classes > 2 && dice() < 0.2 ? 1 : 0), classes);
    for (double& entry : x.reshaped()) entry = std::sqrt(-2 * std::log(dice())) * std::cos(2 * M_PI * dice());
    return x;
  };
  MixedRun run{gaussian(), gaussian(), {}};
  const double exponent = 3 * dice();
  for (Index l = 0; l < classes; ++l) run.count.push_back(std::pow(static_cast<double>(l + 1), -exponent));
  run.step_size = std::pow(10, 1 + std::log10(30) * dice());
  run.direction = dice.among(polar_factors);
  if (run.direction.empty() && dice() < 0.3) run.momentum = 0.5;
  if (dice() < 0.2) run.noise = 0.1;
  run.steps = static_cast<int>(2 + 5 * dice());
  return run;
}

/// The same with at most as many dimensions as classes, often fewer: gradients have full rank, so rounding hides no
/// direction, but may choose the sign of one.
MixedRun random_thin_run(Dice& dice) {
  MixedRun run = random_mixed_run(dice);
  for (Matrix* side : {&run.query, &run.answer}) {
    const auto rows = 1 + static_cast<Index>(static_cast<double>(side->cols()) * dice());
    side->conservativeResize(std::min(rows, side->rows()), side->cols());
  }
  return run;
}

}  // namespace

TEST_CASE("random runs with mixing embeddings at large steps claim no digits that they have lost",
          "[numbers]") {
  const bool thin = GENERATE(false, true);
  Judgement judged;
  const reference::RandomCases cases(50, 2000);
  for (int n = 0; n < cases.count; ++n) {
    Dice dice{{11, thin ? "few dimensions" : "lost directions"}, cases[n]};
    const MixedRun run = thin ? random_thin_run(dice) : random_mixed_run(dice);
    CAPTURE(n, thin, run.count.size(), run.query.rows(), run.answer.rows(), run.step_size, run.direction,
            run.noise, run.momentum, run.steps);
    const int over = judged.over;
    judged.add(result_of(run), truth_of(run));
    CHECK(judged.over == over);
  }
  const std::string found = fmt::format(
      "{} values, {} over, at most by {:.2f}; {} have no digit, {} false alarms; {:.2f} digits too few",
      judged.values, judged.over, judged.worst, judged.lost, judged.alarms, judged.cautious / judged.values);
  INFO(found);
  if (cases.whole) WARN(found);
  CHECK(judged.values > 10 * cases.count);
  CHECK(judged.lost > judged.values / 20);
  CHECK(judged.alarms < judged.values / 10);
  CHECK(judged.cautious / judged.values < 4);
}

TEST_CASE(
    "no digits are claimed where decisions on ranks, null vectors or few repetitions could hide an error") {
  // Fourth roots whose Gram matrices lose a direction on one side; columns whose rounding is larger than what is kept of
  // others; a null vector whose own rounding tilts the update; logits of which three repetitions moved no margin; a
  // direction that one repetition adds as the run does; p̂ that round to 1 whatever the logits; logits that tie, and still
  // turn the gradient.
  for (const std::uint64_t n : {227, 705, 968, 1057, 1363, 1468, 1576, 1871, 6'000'106}) {
    Dice dice{{11, "lost directions"}, n};
    const MixedRun run = random_mixed_run(dice);
    Judgement judged;
    judged.add(result_of(run), truth_of(run));
    CAPTURE(n, judged.worst);
    CHECK(judged.over == 0);
  }
}

TEST_CASE(
    "where the sign of rounding would choose a direction, a refined polar factor loses it and says so") {
  // K = 3 facts in 2 dimensions. At some step σ₂/σ₁ is 1e-22, 1e-22 and 1e-385, so that UᵀXV keeps rounding of σ₂ alone.
  struct Case {
    std::vector<double> query, answer, count;
    double step_size;
  };
  for (const Case& c : {Case{{-1.022, -0.121, -1.425, -0.397, -0.051, 1.487},
                             {1.486, 0.566, 0.555, 0.303, 0.43, -0.282},
                             {147, 32, 13},
                             46.8},
                        Case{{-1.33, 0.938, -0.577, 0.215, -0.945, 2.22},
                             {-0.968, 0.175, -0.325, 2.175, 0.301, -1.014, -0.402, -0.84, -0.927},
                             {100, 73, 28},
                             112},
                        Case{{-0.301, -0.578, -1.111, -1.185, 0.811, 0.608},
                             {-1.028, 1.084, -0.498, 1.119, -1.221, 0.24, -1.917, 0.072, 1.003},
                             {763, 45, 4},
                             281}}) {
    const auto rows_of_three = [](const std::vector<double>& entries) {
      return Matrix(Eigen::Map<const Matrix>(entries.data(), 3, std::ssize(entries) / 3).transpose());
    };
    const MixedRun run{rows_of_three(c.query), rows_of_three(c.answer), c.count, 0, c.step_size};
    const Result result = result_of(run);
    Judgement judged;
    judged.add(result, truth_of(run));
    CAPTURE(c.step_size, judged.worst);
    CHECK(judged.over == 0);
    CHECK(only_trajectory(result).status == "digits_lost");
  }
}

TEST_CASE("a run that loses a direction has no digits from the next step on, and says so") {
  MixedRun run{Matrix(3, 3), Matrix(3, 3), {3, 2, 1}};
  run.query << 1, 0.5, 0, 0, 1, 0.5, 0.5, 0, 1;
  run.answer << 1, 0, 0.5, 0.5, 1, 0, 0, 0.25, 1;
  run.step_size = 100;
  for (const char* direction :
       {"", "polar(G)", "polar(G.T@G@G.T).T", "power(G@G.T, -0.5)@G", "smooth_polar(G, 1e-20)"}) {
    run.direction = direction;
    const Result result = result_of(run);
    CAPTURE(direction);
    for (const char* digits : {"loss_digits", "excess_loss_digits", "error_digits", "digits"}) {
      CHECK(series(result, digits)[1] > 8);
      CHECK(series(result, digits)[2] == 0);
      CHECK(series(result, digits)[4] == 0);
    }
    CHECK(only_trajectory(result).status == "digits_lost");
    CHECK(only_trajectory(result).status_step == 2);
  }
}

TEST_CASE("a direction of the gradient is lost also where the rule decomposes a quotient of it") {
  MixedRun run{Matrix(3, 3), Matrix(5, 3), {7, 7, 7}};
  run.query << -1, 1, -2, -1, 2, 0, 2, -1, 1;
  run.answer << -2, -2, 0, 1, -2, -1, 3, 0, -1, 3, 1, 1, -1, -1, 3;
  run.steps = 2;
  run.direction = "polar(G/colnorm(G))";
  for (const double step_size : {0.1, 290.3}) {
    run.step_size = step_size;
    const double digits = series(result_of(run), "digits").back();
    CAPTURE(step_size, digits);
    CHECK((step_size < 1 ? digits > 10 : digits == 0));
    // Points of a sweep, whose digits are not measured, say so too, by the rank of the update.
    const std::string detail = only_trajectory(result_of(run, "off")).status_detail;
    CHECK((detail.find("may hide a direction of the gradient") != std::string::npos) == (step_size > 1));
  }
}

TEST_CASE("an average of gradients keeps a direction that the last gradient has lost, also in a quotient") {
  MixedRun run{Matrix(3, 3), Matrix(3, 3), {3, 2, 1}};
  run.query << 1, 0.5, 0, 0, 1, 0.5, 0.5, 0, 1;
  run.answer << 1, 0, 0.5, 0.5, 1, 0, 0, 0.25, 1;
  run.step_size = 100;
  run.momentum = 0.9;
  run.state = "0.9*B + G";
  run.direction = "polar(B/colnorm(B))";
  const Result result = result_of(run);
  Judgement judged;
  judged.add(result, truth_of(run, "muon on unit columns"));
  CHECK(judged.over == 0);
  CHECK(judged.alarms == 0);
  CHECK(only_trajectory(result).status == "complete");
}

TEST_CASE("a rank that falls because rounding hides a direction is noted under every rule") {
  MixedRun run{Matrix(3, 3), Matrix(3, 3), {3, 2, 1}};
  run.query << 1, 0.5, 0, 0, 1, 0.5, 0.5, 0, 1;
  run.answer << 1, 0, 0.5, 0.5, 1, 0, 0, 0.25, 1;
  run.spectra = true;
  for (const double step_size : {1.0, 300.0}) {
    run.step_size = step_size;
    for (const char* direction : {"G", "G/norm(G)"}) {
      run.direction = direction;
      const Result result = result_of(run);
      CAPTURE(step_size, direction, only_trajectory(result).status_detail);
      CHECK((series(result, "update_rank")[1] < 2) == (step_size > 1));
      CHECK((only_trajectory(result).status_detail.find("from step 1 on rounding may decide update_rank") !=
             std::string::npos) == (step_size > 1));
    }
  }
}

TEST_CASE("without digits a note names the step at which a direction may be lost") {
  MixedRun run{Matrix(3, 3), Matrix(3, 3), {3, 2, 1}};
  run.query << 1, 0.5, 0, 0, 1, 0.5, 0.5, 0, 1;
  run.answer << 1, 0, 0.5, 0.5, 1, 0, 0, 0.25, 1;
  for (const double step_size : {1.0, 100.0}) {
    run.step_size = step_size;
    const std::string detail = only_trajectory(result_of(run, "off")).status_detail;
    CAPTURE(step_size, detail);
    CHECK((detail.find("may hide a direction of the gradient") != std::string::npos) == (step_size > 1));
  }
}

TEST_CASE(
    "a direction is lost where a rank falls below that of a run that loses none, or below earlier ranks") {
  using Ranks = std::vector<RankFrom>;
  struct Case {
    Ranks run, tame;
    bool steady;
    std::optional<std::int64_t> lost;
  };
  for (const Case& c :
       {Case{{{0, 2}}, {{0, 2}}, true, {}}, Case{{{0, 2}}, {{0, 3}}, true, 0},
        Case{{{0, 2}, {5, 1}}, {{0, 2}}, true, 5}, Case{{{0, 1}, {3, 2}, {7, 1}}, {{0, 1}}, true, 7},
        Case{{{0, 1}, {3, 2}, {7, 1}}, {{0, 1}, {4, 2}, {6, 1}}, false, {}},
        Case{{{0, 1}, {3, 2}, {7, 1}}, {{0, 1}, {3, 2}, {8, 1}}, false, 7},
        Case{{{0, HUGE_VAL}, {1, 8}}, {{0, HUGE_VAL}, {1, 8}}, true, {}},
        Case{{{0, 2}, {4, 2, 1}}, {{0, 2}}, true, 4},
        Case{{{0, 2}, {4, 2, 1}}, {{0, 2, HUGE_VAL}}, true, {}}}) {
    CAPTURE(c.run.size(), c.tame.size(), c.steady);
    CHECK(lost_direction(c.run, c.tame, c.steady) == c.lost);
  }
}

namespace {

/// The least digits of a step in which two runs of the same experiment agree.
std::vector<double> agreement(const Result& a, const Result& b) {
  std::vector<double> digits(a.steps.size(), 17);
  for (const std::string name : {"loss", "excess_loss", "error"}) {
    const std::vector<double>&x = series(a, name), &y = series(b, name);
    const std::size_t width = x.size() / a.steps.size();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == y[i] || std::isnan(x[i])) continue;
      const double here = -std::log10(std::abs(x[i] - y[i]) / std::max(std::abs(x[i]), std::abs(y[i])));
      digits[i / width] = std::min(digits[i / width], here);
    }
  }
  return digits;
}

/// A rule of experiments/rules over its first 40 steps.
Experiment rule_run(Experiment e) {
  e.steps = 40;
  e.digits = "on";
  e.spectral_metrics = "off";
  e.record = {RecordRule::Kind::every, 1, {}};
  e.classes.kind = ClassRule::Kind::all;
  return e;
}

/// No claim is more than a digit too high, and none is below 3 where 8 are there.
void check_claims(const std::vector<double>& claimed, const std::vector<double>& there) {
  for (std::size_t t = 0; t < there.size(); ++t) {
    CAPTURE(t, claimed[t], there[t]);
    CHECK(claimed[t] < there[t] + 1);
    CHECK((there[t] < 8 || claimed[t] >= min_digits));
  }
}

}  // namespace

TEST_CASE("rules with identity embeddings keep the digits that 50 digits confirm", "[numbers]") {
  for (const auto& [name, given] : zoo()) {
    Experiment e = rule_run(given);
    CAPTURE(name);
    const double left = series(simulate(e, {}, 1), "digits").back();
    CHECK(left > (name == "soap" ? 3 : 8));
    e.spectrum = power_law(8.0, 1.5);
    const Result result = simulate(e, {}, 1);
    const std::vector<double> claimed = series(result, "digits");
    e.digits = "off";
    e.engine = "symmetric";
    e.precision = 50;
    // Rules of eigenvectors and leading parts are dense, in double precision.
    if (takes(e, "symmetric")) check_claims(claimed, agreement(result, simulate(e, {}, 1)));
  }
}

TEST_CASE(
    "rules with Gaussian embeddings keep the digits that the same run in another order of coordinates confirms",
    "[numbers]") {
  const auto gaussian = [](const char* stream) {
    return embedding_row("gaussian")
        .make(embedding("gaussian", {{"dimension", std::int64_t{40}}}).parameters,
              {.classes = 40, .seed = 1, .stream = stream});
  };
  const Matrix query = gaussian("query"), answer = gaussian("answer");
  for (const auto& [name, given] : zoo()) {
    Experiment e = rule_run(given);
    e.engine = "dense";
    e.query_embedding = {"file", {{"path", std::string("query")}}};
    e.answer_embedding = {"file", {{"path", std::string("answer")}}};
    const auto run = [&](const Matrix& q, const Matrix& a) {
      return simulate(e, {{}, [&](const std::string& path) { return path == "query" ? q : a; }}, 1);
    };
    const Result result = run(query, answer);
    e.digits = "off";
    CAPTURE(name);
    const std::vector<double> claimed = series(result, "digits");
    check_claims(claimed, agreement(result, run(query.colwise().reverse(), answer.colwise().reverse())));
    if (name == "dion" || name == "adamuon") CHECK(claimed.back() >= 8);
  }
}

namespace {

/// Muon on queries that rank the answers alike or at random.
Result zipf_run(int classes, double exponent, double law, const std::string& order, double step_size,
                const std::string& more) {
  return simulate(
      parse_experiment(
          fmt::format("name = 'n'\n[classes]\nspectrum = 'power_law'\ncount = {}\nexponent = {:f}\n"
                      "[answers]\nlaw = 'zipf'\nexponent = {:f}\norder = '{}'\n[run]\nsteps = 6\n{}\n"
                      "[[optimizer]]\nrule = 'muon'\nstep_size = {:f}\n",
                      classes, exponent, law, order, more, step_size),
          "n.toml"),
      {}, 1);
}

}  // namespace

TEST_CASE("directions that several answers of a query hide are noted, and their digits are lost") {
  const auto run = [](int classes, double law, double step_size, const std::string& digits) {
    return zipf_run(classes, 0.36, law, "same", step_size, "digits = '" + digits + "'");
  };
  // At step 1 singular values fall to 3e-25 of the largest: the loss is 0.5 % off.
  const Result off = run(7, 1.74, 0.933, "off"), measured = run(7, 1.74, 0.933, "on");
  CHECK_THAT(only_trajectory(off).status_detail, Catch::Contains("at step 1 rounding may hide a direction"));
  CHECK(only_trajectory(measured).status == "digits_lost");
  CHECK(only_trajectory(measured).series.at("digits")[2] == 0);
  // The gradient gains its directions at once, and 50 digits give the same numbers.
  for (const double law : {0.5, 1.0, 2.0}) {
    CAPTURE(law);
    CHECK(only_trajectory(run(3, law, 0.3, "off")).status_detail == "");
    CHECK(only_trajectory(run(3, law, 0.3, "on")).series.at("digits").back() > 10);
  }
}

TEST_CASE("the alignment has digits only where directions of the gradient are certain") {
  const auto digits = [](const std::string& rule, const std::string& answers) {
    const std::string text = fmt::format(
        "name = 'a'\n[classes]\nspectrum = 'power_law'\ncount = 6\nexponent = 1\n{}[run]\nsteps = 4\ndigits = 'on'\n"
        "alignment = true\nengine = 'dense'\n[[optimizer]]\nrule = '{}'\nstep_size = 0.1\n",
        answers, rule);
    return only_trajectory(simulate(parse_experiment(text, "a.toml"), {}, 1))
        .series.at("alignment_digits")
        .front();
  };
  const std::string zipf = "[answers]\nlaw = 'zipf'\nexponent = 0.5\norder = 'same'\n";
  CHECK(digits("gd", "") > 9);
  CHECK(digits("muon", zipf) > 9);
  CHECK(digits("gd", zipf) == 0);
}

TEST_CASE("a polar factor takes no direction along the null vector of gradients") {
  // The remainder of a long column, a pivot, has an error far above the rounding of a short column.
  FileReaders readers;
  readers.pairs = [](const std::string&) {
    return PairCounts{.query = {0, 1, 1, 1, 2, 2, 3, 3, 3, 4, 4, 4},
                      .answer = {0, 0, 1, 2, 1, 2, 0, 1, 2, 0, 1, 2},
                      .count = {30, 3, 3, 3, 3, 1, 30, 3, 3, 3, 3, 1},
                      .queries = 5,
                      .answers = 3};
  };
  for (const std::string engine : {"symmetric", "dense"}) {
    const Result result = simulate(
        parse_experiment(
            "name = 'c'\n[answers]\nlaw = 'counts'\npath = 'p'\n[data]\nlabel_noise = 0.3\n"
            "sampling_exponent = 3.5\n[run]\nsteps = 25\nspectral_metrics = 'on'\nengine = '" +
                engine +
                "'\nalignment = true\n[[optimizer]]\nrule = 'muon'\nstep_size = 0.05\nweight_decay = 0.02\n",
            "c.toml"),
        readers, 1);
    CAPTURE(engine);
    for (const double leak : series(result, "update_null_space_leakage")) CHECK(leak < 1e-12);
    // In 110 digits.
    CHECK(series(result, "update_frobenius_norm")[5] == Approx(1.4103443627101).epsilon(1e-8));
    CHECK(series(result, "weight_frobenius_norm")[9] == Approx(0.48484580172047).epsilon(1e-8));
    CHECK(series(result, "alignment")[7] == Approx(0.99630296088568).epsilon(1e-8));
  }
}

TEST_CASE("alignment divides by the rank of the gradient, and is absent where rounding hides directions") {
  const auto alignment = [](const std::string& problem, const std::string& rule) {
    return series(simulate(parse_experiment("name = 'a'\n" + problem +
                                                "[run]\nsteps = 4\nalignment = true\n"
                                                "engine = 'dense'\n[[optimizer]]\nrule = '" +
                                                rule + "'\nstep_size = 0.1\n",
                                            "a.toml"),
                           {}, 1),
                  "alignment");
  };
  // The second of two queries of each answer adds no direction; rounding did for half of the seeds.
  for (int seed = 0; seed < 8; ++seed) {
    const std::vector<double> found = alignment(
        fmt::format(
            "seed = {}\n[classes]\nspectrum = 'power_law'\ncount = 5\nexponent = 9\n[answers]\nlaw = 'fan_in'\n"
            "fan_in = 2\n[embedding.query]\nkind = 'sphere'\ndimension = 9\n",
            seed),
        "ngd");
    CAPTURE(seed, found[0], found[4]);
    for (const double x : found) CHECK(x == Approx(0.2506).epsilon(2e-3));
  }
  // Singular values of the gradient are 1, 3e-6, 7e-11, 8e-16 and 3e-21 after a step, and one at first.
  const std::string zipf = "[answers]\nlaw = 'zipf'\nexponent = 0.5\norder = 'same'\n";
  const std::vector<double> hidden =
      alignment("[classes]\nspectrum = 'power_law'\ncount = 6\nexponent = 1\n" + zipf, "gd");
  CHECK(hidden[0] == Approx(0.067343279275801).epsilon(1e-10));
  for (std::size_t t = 1; t < hidden.size(); ++t) CHECK(std::isnan(hidden[t]));
  // Equally likely queries keep parallel columns.
  for (const double x : alignment("[classes]\nspectrum = 'uniform'\ncount = 6\n" + zipf, "ngd"))
    CHECK(x == Approx(1).epsilon(1e-10));
}

TEST_CASE("class losses of least squares have digits of their own") {
  const std::string text =
      "name = 's'\n[model]\nloss = 'least_squares'\n[classes]\nspectrum = 'power_law'\ncount = 16\nexponent = 1.0\n[data]\n"
      "queries = 'gaussian'\nquery_noise = 0.3\n[init]\nkind = 'aligned'\nscale = 0.01\n[run]\nsteps = 100\ndigits = 'on'\n"
      "[[optimizer]]\nrule = 'gd'\nstep_size = 1.0\n";
  const Trajectory run = only_trajectory(simulate(parse_experiment(text, "s.toml"), {}, 1));
  // The head's is 2.25e-43 at the end, where rounding of its output leaves about 1e-33.
  CHECK(run.series.at("digits").back() > 9);
  CHECK(run.series.at("class_loss_digits").back() < 3);
  CHECK(run.series.at("class_loss_digits").front() > 9);
  CHECK(run.series.at("class_loss_digits_predicted").back() > 11);
  CHECK(run.series.at("class_loss_predicted")[1600] == Approx(2.25436485e-43).epsilon(1e-8));
}

TEST_CASE(
    "where a step leaves only the rounding of a class, its predicted loss has no digits, and the sum has") {
  const auto run = [](const std::string& step_size) {
    return only_trajectory(simulate(
        parse_experiment("name = 's'\n[model]\nloss = 'least_squares'\n[classes]\nspectrum = 'power_law'\n"
                         "count = 5\nexponent = 1\n[run]\nsteps = 3\ndigits = 'on'\n[[optimizer]]\n"
                         "rule = 'gd'\nstep_size = '" +
                             step_size + "'\n",
                         "s.toml"),
        {}, 1));
  };
  const Trajectory ordinary = run("0.3/p_max"), whole = run("1/p_max");
  CHECK(ordinary.series.at("class_loss_digits_predicted").back() > 12);
  CHECK(whole.series.at("digits_predicted").back() > 12);
  CHECK(whole.series.at("class_loss_digits_predicted").front() > 12);
  CHECK(whole.series.at("class_loss_digits_predicted")[1] == 0);
}

TEST_CASE("runs of queries with several answers claim no digits that they have lost") {
  const reference::RandomCases cases(12, 400);
  for (int c = 0; c < cases.count; ++c) {
    std::mt19937_64 random(cases[c]);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<>(low, high)(random);
    };
    const int classes = static_cast<int>(between(3, 9));
    const double exponent = between(0.2, 1.6), law = between(0.3, 2.5),
                 step_size = std::pow(10, between(-1.5, 0.3));
    const std::string order = c % 3 == 0 ? "random" : "same";
    const auto of = [&](const std::string& more) {
      return only_trajectory(zipf_run(classes, exponent, law, order, step_size, more));
    };
    const Trajectory run = of("digits = 'on'"), precise = of("precision = 50");
    CAPTURE(c, classes, exponent, law, step_size, order);
    const std::vector<double>&loss = run.series.at("loss"), &digits = run.series.at("loss_digits");
    for (std::size_t i = 0; i < loss.size(); ++i) {
      CAPTURE(i, digits[i]);
      const double right = precise.series.at("loss")[i];
      CHECK(std::abs(loss[i] - right) <= std::pow(10, 1 - digits[i]) * right);
    }
  }
}
