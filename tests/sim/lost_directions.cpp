// Digits where decompositions decide a rank: a direction of the gradient below the rounding of a larger one is lost by
// every repetition alike.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "claims.hpp"
#include "laws/zoo.hpp"
#include "random_run.hpp"
#include "reference/precise_run.hpp"
#include "reference/random_cases.hpp"

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

/// K = 3 facts, whose directions differ in their singular values.
MixedRun three_facts(double step_size, const std::string& direction) {
  MixedRun run{Matrix(3, 3), Matrix(3, 3), {3, 2, 1}};
  run.query << 1, 0.5, 0, 0, 1, 0.5, 0.5, 0, 1;
  run.answer << 1, 0, 0.5, 0.5, 1, 0, 0, 0.25, 1;
  run.step_size = step_size;
  run.direction = direction;
  return run;
}

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

/// Every step beside the truth.
void judge(Judgement& judged, const MixedRun& run, const Result& result, const std::string& rule = "muon") {
  const Truth truth = truth_of(run, rule);
  for (std::size_t t = 0; t < truth.size(); ++t) judged.add(result, t, truth[t]);
}

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
    judge(judged, run, result_of(run));
    CHECK(judged.over == over);
  }
  const std::string found = judged.words();
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
    judge(judged, run, result_of(run));
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
    judge(judged, run, result);
    CAPTURE(c.step_size, judged.worst);
    CHECK(judged.over == 0);
    CHECK(only_trajectory(result).status == "digits_lost");
  }
}

TEST_CASE(
    "a run that loses a direction has no digits from the next step on, and says so, with digits or without") {
  struct Case {
    const char* direction;
    bool quotient = false;  ///< that keeps no direction of the problem, but at small steps
  };
  for (const Case& c : {Case{""}, Case{"polar(G)"}, Case{"polar(G.T@G@G.T).T"}, Case{"power(G@G.T, -0.5)@G"},
                        Case{"smooth_polar(G, 1e-20)"}, Case{"polar(G/colnorm(G))", true}}) {
    for (const bool large : {false, true}) {
      MixedRun run = three_facts(large ? 100 : 1, c.direction);
      if (c.quotient) {
        run.query << -1, 1, -2, -1, 2, 0, 2, -1, 1;
        run.answer = (Matrix(5, 3) << -2, -2, 0, 1, -2, -1, 3, 0, -1, 3, 1, 1, -1, -1, 3).finished();
        run.count = {7, 7, 7};
        run.step_size = large ? 290.3 : 0.1;
        run.steps = 2;
      }
      const Result result = result_of(run);
      CAPTURE(c.direction, large);
      for (const char* digits : {"loss_digits", "excess_loss_digits", "error_digits", "digits"}) {
        CHECK(series(result, digits)[1] > 8);
        CHECK((large ? series(result, digits)[2] == 0 : series(result, digits)[2] > 8));
        if (large) CHECK(series(result, digits).back() == 0);
      }
      if (large) {
        CHECK(only_trajectory(result).status == "digits_lost");
        CHECK(only_trajectory(result).status_step == 2);
      }
      // Points of a sweep, whose digits are not measured, say so too, by the rank of the update.
      const std::string detail = only_trajectory(result_of(run, "off")).status_detail;
      CAPTURE(detail);
      CHECK((detail.find("may hide a direction of the gradient") != std::string::npos) == large);
    }
  }
}

TEST_CASE("a sum of Gram matrices of two classes gains a direction that rounding may hide, and says so") {
  MixedRun run{Matrix(2, 2), Matrix(2, 2), {3, 1}};
  run.query << 1, -1, 0, 1;
  run.answer << 1, 0, 0, 2;
  run.direction = "G@power(B, -0.5)";
  run.state = "B + G.T@G";
  for (const double step_size : {1.0, 40.0}) {
    run.step_size = step_size;
    const Result result = result_of(run);
    CAPTURE(step_size);
    CHECK(series(result, "digits")[1] > 8);
    CHECK((series(result, "digits")[2] > 8) == (step_size < 40));
    if (step_size == 40)
      CHECK(series(result, "loss")[2] != Approx(3.59418e-20).epsilon(0.5));  // in 900 digits
  }
}

TEST_CASE("a direction of two rows that one repetition rounds as the run does has no digits") {
  MixedRun run{Matrix(3, 3), Matrix(2, 3), {1, 0.17387017986872524, 0.062486367672790269}};
  run.query << 0.42401627442398421, -0.98564986607386573, 0.56646622238084965, -0.79164195649751967,
      -0.99884535222651716, -1.2423168536057678, 0.060217824372578124, 0.7862207306119362,
      0.89652642074172895;
  run.answer << -0.063530053331809846, -1.2576614052211357, -0.41287971080043923, -0.026124512734965542,
      -0.7443982949010306, 1.9135322500189176;
  run.step_size = 61.573081824482855;
  run.direction = "polar(G)";
  run.steps = 2;
  const Result result = result_of(run);
  CHECK(series(result, "error")[7] == Approx(5.0412724106303835e-54).epsilon(0.1));  // in 400 digits
  CHECK(series(result, "error")[7] != Approx(5.0412724106303835e-54).epsilon(1e-4));
  CHECK(series(result, "error_digits")[2] < 3);
}

TEST_CASE("an average of gradients keeps a direction that the last gradient has lost, also in a quotient") {
  MixedRun run = three_facts(100, "polar(B/colnorm(B))");
  run.momentum = 0.9;
  run.state = "0.9*B + G";
  const Result result = result_of(run);
  Judgement judged;
  judge(judged, run, result, "muon on unit columns");
  CHECK(judged.over == 0);
  CHECK(judged.alarms == 0);
  CHECK(only_trajectory(result).status == "complete");
}

TEST_CASE("a rank that falls because rounding hides a direction is noted under every rule") {
  for (const double step_size : {1.0, 300.0}) {
    for (const char* direction : {"G", "G/norm(G)"}) {
      MixedRun run = three_facts(step_size, direction);
      run.spectra = true;
      const Result result = result_of(run);
      CAPTURE(step_size, direction, only_trajectory(result).status_detail);
      CHECK((series(result, "update_rank")[1] < 2) == (step_size > 1));
      CHECK((only_trajectory(result).status_detail.find("from step 1 on rounding may decide update_rank") !=
             std::string::npos) == (step_size > 1));
    }
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

/// A rule of experiments/rules over its first 20 steps.
Experiment rule_run(Experiment e) {
  e.steps = 20;
  e.digits = "on";
  e.spectral_metrics = "off";
  e.record = {RecordRule::Kind::every, 1, {}};
  e.classes.kind = ClassRule::Kind::all;
  return e;
}

void check_claims(const Result& result, const Result& other) {
  const std::vector<double> there = agreement(result, other);
  for (std::size_t t = 0; t < there.size(); ++t) {
    CAPTURE(t);
    check_claim(series(result, "digits")[t], there[t], true);
  }
}

}  // namespace

TEST_CASE("rules keep the digits that 50 digits, or another order of the coordinates, confirm", "[numbers]") {
  const auto gaussian = [](const char* stream) {
    return array_of(embedding("gaussian", {{"dimension", std::int64_t{40}}}), 40, stream);
  };
  const Matrix query = gaussian("query"), answer = gaussian("answer");
  for (const auto& [name, given] : zoo()) {
    CAPTURE(name);
    Experiment e = rule_run(given);
    const double left = series(simulate(e, {}, 1), "digits").back();
    CHECK(left > (name == "soap" ? 3 : 8));
    e.spectrum = power_law(8.0, 1.5);
    const Result result = simulate(e, {}, 1);
    e.digits = "off";
    // Rules of eigenvectors and leading parts are dense, in double precision.
    e.precision = 50;
    if (takes(e, "symmetric")) check_claims(result, on_engine(e, "symmetric"));

    Experiment mixed = rule_run(given);
    const Result one = of_arrays(mixed, query, answer);
    mixed.digits = "off";
    check_claims(one, of_arrays(mixed, query.colwise().reverse(), answer.colwise().reverse()));
    if (name == "dion" || name == "adamuon") CHECK(series(one, "digits").back() >= 8);
  }
}

namespace {

/// Muon on queries that rank the answers alike or at random.
Result zipf_run(int classes, double exponent, double law, const std::string& order, double step_size,
                const std::string& more) {
  return run_of_text(fmt::format(
      "[classes]\nspectrum = 'power_law'\ncount = {}\nexponent = {:f}\n[answers]\nlaw = 'zipf'\n"
      "exponent = {:f}\norder = '{}'\n[run]\nsteps = 6\n{}\n[[optimizer]]\nrule = 'muon'\nstep_size = {:f}\n",
      classes, exponent, law, order, more, step_size));
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
    return series(run_of_text(fmt::format(
                      "[classes]\nspectrum = 'power_law'\ncount = 6\nexponent = 1\n{}[run]\nsteps = 4\n"
                      "digits = 'on'\nalignment = true\nengine = 'dense'\n[[optimizer]]\nrule = '{}'\n"
                      "step_size = 0.1\n",
                      answers, rule)),
                  "alignment_digits")
        .front();
  };
  const std::string zipf = "[answers]\nlaw = 'zipf'\nexponent = 0.5\norder = 'same'\n";
  CHECK(digits("gd", "") > 9);
  CHECK(digits("muon", zipf) > 9);
  CHECK(digits("gd", zipf) == 0);
}

TEST_CASE("where a direction is lost, measures of the update of that step have no digits") {
  const Result result = run_of_text(
      "[classes]\nspectrum = 'power_law'\ncount = 5\nexponent = 1\n[answers]\nlaw = 'zipf'\nexponent = 0.8\n"
      "order = 'same'\n[data]\nlabel_noise = 0.3\n[run]\nsteps = 3\ndigits = 'on'\npush = true\ncurvature = true\n"
      "[[optimizer]]\nrule = 'muon'\nstep_size = 1e-10\n");
  // In exact arithmetic the sharpness of the second step is 0.04467; the run sees one of four directions.
  CHECK(series(result, "nds")[1] == Approx(0.07096).epsilon(1e-3));
  for (const std::string name : {"update_digits", "push_digits"}) {
    CHECK(series(result, name)[0] > 10);
    CHECK(series(result, name)[1] == 0);
  }
  CHECK(series(result, "digits")[1] > 10);
}

TEST_CASE("there is no alignment where the rounding of a dependent column may turn a direction") {
  const auto rows = [](std::vector<double> entries) {
    return Matrix(Eigen::Map<const Matrix>(entries.data(), 3, 3).transpose());
  };
  const Matrix query = rows({-.5, .5, 0, -.5, 0, -2, -1, -1, -.5}),
               answer = rows({-.47374837, -.20059454, .35519677, .68951772, .41058968, -.56497844, .59939069,
                              -.16293631, 1.6002145});
  const Result result = run_of_text(
      "[classes]\nspectrum = 'uniform'\ncount = 3\n[embedding.query]\nkind = 'file'\npath = 'q.npy'\n"
      "[embedding.answer]\nkind = 'file'\npath = 'a.npy'\n[run]\nsteps = 15\nalignment = true\n[[optimizer]]\n"
      "rule = 'signgd'\nstep_size = 10.6\n",
      {{}, [&](const std::string& path) { return path == "q.npy" ? query : answer; }});
  // Singular values of the gradient are 8e-16 and 1e-30; in 120 digits the alignment is 1.4586.
  CHECK(std::isfinite(series(result, "alignment").front()));
  CHECK(std::isnan(series(result, "alignment").back()));
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
    const Result result = run_of_text(
        "[answers]\nlaw = 'counts'\npath = 'p'\n[data]\nlabel_noise = 0.3\nsampling_exponent = 3.5\n[run]\n"
        "steps = 25\nspectral_metrics = 'on'\nengine = '" +
            engine +
            "'\nalignment = true\n[[optimizer]]\nrule = 'muon'\nstep_size = 0.05\nweight_decay = 0.02\n",
        readers);
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
    return series(run_of_text(problem +
                              "[run]\nsteps = 4\nalignment = true\nengine = 'dense'\n"
                              "[[optimizer]]\nrule = '" +
                              rule + "'\nstep_size = 0.1\n"),
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

TEST_CASE("class losses of least squares, and their predictions, have digits of their own") {
  const auto run = [](const std::string& classes, const std::string& of_run, const std::string& step_size) {
    return only_trajectory(run_of_text(
        "[model]\nloss = 'least_squares'\n[classes]\nspectrum = 'power_law'\nexponent = 1.0\n" + classes +
        "[run]\ndigits = 'on'\n" + of_run + "[[optimizer]]\nrule = 'gd'\nstep_size = " + step_size + "\n"));
  };
  // The head's is 2.25e-43 at the end, where rounding of its output leaves about 1e-33.
  const Trajectory noisy =
      run("count = 16\n[data]\nqueries = 'gaussian'\nquery_noise = 0.3\n[init]\n"
          "kind = 'aligned'\nscale = 0.01\n",
          "steps = 100\n", "1.0");
  CHECK(noisy.series.at("digits").back() > 9);
  CHECK(noisy.series.at("class_loss_digits").back() < 3);
  CHECK(noisy.series.at("class_loss_digits").front() > 9);
  CHECK(noisy.series.at("class_loss_digits_predicted").back() > 11);
  CHECK(noisy.series.at("class_loss_predicted")[1600] == Approx(2.25436485e-43).epsilon(1e-8));
  // A step of 1/p_max leaves only the rounding of the first class.
  const Trajectory ordinary = run("count = 5\n", "steps = 3\n", "'0.3/p_max'"),
                   whole = run("count = 5\n", "steps = 3\n", "'1/p_max'");
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
