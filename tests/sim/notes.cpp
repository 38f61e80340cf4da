// The notes of a complete run on Adam's ε; others: tests/cli/transcripts/points.txt.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "laws/experiments.hpp"
#include "reference/random_cases.hpp"
#include "sim/outcome.hpp"

using namespace laws;

namespace {

/// Adam on 20 groups of classes.
Result adam(double epsilon, double exponent, int steps, double noise, double step_size,
            const std::string& more = "") {
  const auto text = [](double x) { return fmt::format("{:e}", x); };
  return run_of_text("[classes]\nspectrum = 'grouped_power_law'\ngroups = 20\ngroup_size = 50\nexponent = " +
                     text(exponent) + "\n[data]\nlabel_noise = " + text(noise) +
                     "\n[run]\nsteps = " + std::to_string(steps) + more +
                     "\n[[optimizer]]\nname = 'adam'\nrule = 'adam'\nstep_size = " + text(step_size) +
                     "\nepsilon = " + text(epsilon));
}

/// The largest relative difference of errors, losses of classes and, where they differ by more than 1e-6, gaps.
double difference(const Result& a, const Result& b) {
  double largest = 0;
  for (const std::string name : {"error", "class_loss", "gap"}) {
    const std::vector<double>&x = only_trajectory(a).series.at(name), &y = only_trajectory(b).series.at(name);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (const double size = std::max(x[i], y[i]); name != "gap" || std::abs(x[i] - y[i]) > 1e-6)
        largest = std::max(largest, std::abs(x[i] - y[i]) / size);
  }
  return largest;
}

bool noted(const Result& result) {
  return only_trajectory(result).status_detail.find("ε = ") != std::string::npos;
}

/// What the run of a text says of itself.
std::string detail_of(const std::string& text) {
  return only_trajectory(run_of_text(text)).status_detail;
}

}  // namespace

TEST_CASE("Adam's default ε is noted where it makes the gap, though every class's gradient is far above it") {
  const Result result = adam(1e-8, 1.8, 150, 0, 0.05);
  CHECK_THAT(
      only_trajectory(result).status_detail,
      Catch::Contains("ε = 1e-08 changes the loss of a class by up to 30 %; the largest gap is 0.12, and"));
  CHECK(!noted(adam(1e-16, 1.8, 150, 0, 0.05)));
  // No class changes by 1 %, but what should be zero is not.
  CHECK_THAT(only_trajectory(adam(1e-11, 1.8, 150, 0, 0.05)).status_detail,
             Catch::Contains("ε = 1e-11 changes the gap: at step 71 it is 0.00014, and"));
  // Most points of a long sweep leave the comparison to others, and say so where it may show something.
  for (const double epsilon : {1e-8, 1e-11, 1e-16})
    CHECK(noted(adam(epsilon, 1.8, 150, 0, 0.05, "\ndigits = 'noted'")) == (epsilon > 1e-13));
  CHECK_THAT(only_trajectory(adam(1e-8, 1.8, 150, 0, 0.05, "\ndigits = 'noted'")).status_detail,
             Catch::Contains("was not measured (run.digits"));
}

TEST_CASE("ε is noted of a run that loses its digits later, and where without it the run diverges") {
  CHECK_THAT(
      detail_of("[classes]\nspectrum = 'grouped_power_law'\ngroups = 3\ngroup_size = 3\nexponent = 1.8\n"
                "[answers]\nlaw = 'zipf'\norder = 'shift'\n[run]\nsteps = 150\n[[optimizer]]\nrule = 'adam'\n"
                "beta1 = 0\nbeta2 = 0.9\nepsilon = 1.56e-9\nstep_size = 0.0657\nschedule = 'inverse_sqrt'\n"),
      Catch::Contains("rounding in excess_loss") &&
          Catch::Contains("ε = 1.56e-09 changes the gap: at step 59"));
  CHECK_THAT(
      detail_of(
          "[classes]\nspectrum = 'grouped_power_law'\ngroups = 5\ngroup_size = 50\nexponent = 1.8\n"
          "[data]\nmode = 'dataset'\nsize = 50\nsampling_exponent = 0.0\n[init]\nkind = 'aligned'\n"
          "scale = 0.1\n[model]\nfactors = 2\n[run]\nsteps = 30\n[[optimizer]]\nrule = 'adam'\nbeta1 = 0.9\n"
          "beta2 = 0.0\nepsilon = 7.8e-4\nstep_size = 0.01086\n"),
      Catch::Contains("with epsilon = 0 the run diverges at step"));
}

TEST_CASE(
    "ε is noted where it changes the error or loss of a class, or the gap, by more than 1 %, and nowhere else") {
  const reference::RandomCases cases(20, 600);
  int noted_cases = 0;
  for (int c = 0; c < cases.count; ++c) {
    std::mt19937_64 random(cases[c]);
    const auto between = [&](double low, double high) {
      return std::uniform_real_distribution<>(low, high)(random);
    };
    const double epsilon = std::pow(10, between(-16, -4)), exponent = between(0, 2.5),
                 noise = c % 3 == 0 ? between(0, 0.5) : 0, step_size = std::pow(10, between(-2.5, -0.5));
    const int steps = static_cast<int>(between(1, 150));
    const Result with = adam(epsilon, exponent, steps, noise, step_size),
                 without = adam(0, exponent, steps, noise, step_size);
    const double change = difference(with, without);
    CAPTURE(c, epsilon, exponent, noise, step_size, steps, change);
    // Between 0.3 % and 3 % both are right.
    if (change > 0.03) CHECK(noted(with));
    if (change < 0.003) CHECK(!noted(with));
    noted_cases += noted(with);
  }
  CHECK(noted_cases > cases.count / 5);
  CHECK(noted_cases < cases.count * 9 / 10);
}

TEST_CASE("a rank that grows by rounding is noted, whichever way its gradient vanishes") {
  const auto detail = [](const std::string& problem, const std::string& rule) {
    return detail_of(problem + "[[optimizer]]\n" + rule);
  };
  const std::string product =
      "[classes]\nspectrum = 'product'\ncounts = [2, 2]\n[embedding.query]\nkind = 'attributes'\n"
      "[data]\nlabel_noise = 0.3\n[run]\nsteps = 30\nspectral_metrics = 'on'\n";
  const std::string noted = "rounding may decide update_rank and the measures of singular values with it";
  CHECK_THAT(detail(product + "engine = 'dense'\n", "rule = 'gd'\nstep_size = 3.0"), Catch::Contains(noted));
  CHECK_THAT(detail(product, "rule = 'gd'\nstep_size = 3.0"), !Catch::Contains("rank"));
  // Polynomials magnify the rounding of a gradient of few samples, from the first update on.
  const std::string samples =
      "[classes]\nspectrum = 'power_law'\ncount = 8\nexponent = 1.0\n[data]\nmode = 'minibatch'\nbatch = 2\n"
      "[embedding]\nkind = 'gaussian'\ndimension = 12\n[run]\nsteps = 2\nspectral_metrics = 'on'\n";
  for (const auto& [rule, note] : std::vector<std::pair<std::string, std::string>>{
           {"rule = 'muon'\npolar = 'polar_express'\nmomentum = 0.5\nmomentum_order = 'after'\n",
            "from step 0 on rounding may decide update_rank"},
           {"rule = 'muon'\npolar = 'polar_express'\n", "from step 1 on rounding may decide weight_rank"},
           {"rule = 'formula'\ndirection = 'polar_express(polar_express(G))'\n",
            "from step 0 on rounding may decide update_rank"}})
    CHECK_THAT(detail(samples, rule + "step_size = 0.3\n"), Catch::Contains(note));
  // Graded columns keep their digits, so small singular values are right.
  CHECK_THAT(detail("[classes]\nspectrum = 'power_law'\ncount = 8\nexponent = 20.0\n[run]\nsteps = 20\n"
                    "spectral_metrics = 'on'\n",
                    "rule = 'muon'\npolar = 'newton_schulz'\nstep_size = 0.3\n"),
             !Catch::Contains("rank"));
  CHECK_THAT(detail(samples, "rule = 'muon'\nmomentum = 0.5\nmomentum_order = 'after'\nstep_size = 0.3\n"),
             !Catch::Contains("rank"));
  // A graded spectrum has tiny singular values from the first step on.
  CHECK_THAT(detail("[classes]\nspectrum = 'power_law'\ncount = 8\nexponent = 14.0\n[run]\nsteps = 20\n",
                    "rule = 'gd'\nstep_size = 1"),
             !Catch::Contains("rank"));
}

TEST_CASE("a dense run says from which step on its rounding separates identical queries") {
  for (const double step_size : {0.1, 1.0}) {
    const auto detail = [&](const std::string& of_run, const std::string& law) {
      return detail_of("[classes]\nspectrum = 'uniform'\ncount = 10\n" + law +
                       "[run]\nsteps = 20\ndigits = 'off'\n" + of_run +
                       fmt::format("[[optimizer]]\nrule = 'muon'\nstep_size = {}\n", step_size));
    };
    const std::string two = "[answers]\nlaw = 'right_set'\nsize = 2\n";
    const auto parts = Catch::Contains("rounding breaks the symmetry of identical queries or answers");
    for (const char* of_run : {"weights = true\n", "engine = 'dense'\n", "engine = 'symmetric'\n"}) {
      CAPTURE(step_size, of_run);
      if (step_size < 1)
        CHECK_THAT(detail(of_run, two), !parts);
      else
        CHECK_THAT(detail(of_run, two), parts);
    }
    // All queries differ.
    CHECK_THAT(detail("weights = true\n", "[answers]\nlaw = 'zipf'\nexponent = 1.0\norder = 'shift'\n"),
               !parts);
  }
}

TEST_CASE("a dense run says from which step on its rounding separates values of an attribute") {
  for (const double step_size : {1.0, 4.0}) {
    const Trajectory run = only_trajectory(simulate(
        parse_experiment(
            fmt::format("name = 'n'\n[classes]\nspectrum = 'product'\ncounts = [2, 2]\n[embedding.query]\n"
                        "kind = 'attributes'\n[run]\nsteps = 24\ndigits = 'off'\nengine = 'dense'\n"
                        "[[optimizer]]\nrule = 'ngd'\nstep_size = {}\n",
                        step_size),
            "n.toml"),
        {}, 1));
    CAPTURE(step_size, run.status_detail);
    const auto parts =
        Catch::Matches("from step 1[67] on rounding breaks the symmetry of values of an attribute.*");
    if (step_size < 4) CHECK_THAT(run.status_detail, !Catch::Contains("breaks the symmetry"));
    if (step_size < 4) continue;
    CHECK_THAT(run.status_detail, parts);
    // With 50 digits.
    CHECK(run.series.at("loss")[12] == Approx(7.550269088416e-11).epsilon(1e-9));
    CHECK(run.series.at("loss")[24] != Approx(2.850328165e-21).epsilon(0.1));
  }
}

TEST_CASE("rare values of an attribute whose errors part are noted, though the loss keeps its digits") {
  const auto run = [](const std::string& more) {
    return only_trajectory(
        simulate(parse_experiment("name = 'n'\n[classes]\nspectrum = 'product'\ncounts = [3, 4]\n"
                                  "exponents = [0.0, 14.0]\n[embedding.query]\nkind = 'attributes'\n[data]\n"
                                  "label_noise = 0.1\n[run]\nsteps = 30\ndigits = 'off'\n" +
                                      more + "[[optimizer]]\nrule = 'muon'\nstep_size = 0.5\n",
                                  "n.toml"),
                 {}, 1));
  };
  const Trajectory dense = run("engine = 'dense'\n"), exact = run("engine = 'symmetric'\n");
  CHECK(dense.series.at("loss").back() == Approx(exact.series.at("loss").back()).epsilon(1e-4));
  CHECK_THAT(dense.status_detail, Catch::Contains("rounding breaks the symmetry of values of an attribute"));
}

TEST_CASE("a rank of W that decay lowers to the rounding of other directions is noted") {
  const auto run = [](const std::string& decay, const std::string& precision) {
    return only_trajectory(simulate(
        parse_experiment("name = 'd'\n[classes]\nspectrum = 'power_law'\ncount = 4\nexponent = 0.5\n"
                         "[init]\nkind = 'aligned'\nscale = 0.1\n[run]\nsteps = 18\n"
                         "engine = 'symmetric'\nspectral_metrics = 'on'\n" +
                             precision +
                             "[[optimizer]]\nrule = 'muon'\nstep_size = 0.5\nweight_decay = " + decay,
                         "d.toml"),
        {}, 1));
  };
  const auto noted = Catch::Contains("on rounding may decide weight_rank");
  const Trajectory fast = run("1.8", "");
  CHECK(fast.series.at("weight_rank").back() == 3);
  CHECK(run("1.8", "precision = 50\n").series.at("weight_rank").back() == 4);
  CHECK_THAT(fast.status_detail, noted);
  const Trajectory slow = run("0.2", "");
  CHECK(slow.series.at("weight_rank").back() == 4);
  CHECK_THAT(slow.status_detail, !noted);
  // 1 - ηλ = 0: the start goes at once, and W is the last update.
  const Trajectory gone = run("2.0", "");
  CHECK(gone.series.at("weight_rank").back() == 3);
  CHECK_THAT(gone.status_detail, !noted);
}

TEST_CASE("a singular value of W below the rounding of its sums is noted") {
  const Matrix query =
      (Matrix(3, 3) << -.1296, -.1314, -.3414, -.4614, .6871, -.7886, .4162, -.7653, 1.0721).finished();
  const Trajectory run = only_trajectory(run_of_text(
      "[classes]\nspectrum = 'zipf_mandelbrot'\ncount = 3\nexponent = 1.98\nshift = 1.5\n"
      "[answers]\nlaw = 'zipf'\nexponent = 1\norder = 'shift'\n[embedding.query]\nkind = 'file'\n"
      "path = 'q.npy'\n[embedding.answer]\nkind = 'identity'\n[data]\nlabel_noise = 0.1\n"
      "sampling_exponent = 2\nnoise_answers = 'frequency'\nrecovered = 'removed'\n[run]\nsteps = 4\n"
      "spectral_metrics = 'on'\n[[optimizer]]\nrule = 'signgd'\nstep_size = '0.3/p_max'\n"
      "weight_decay = 0.1\nweight_decay_kind = 'coupled'\nschedule = 'linear'\n",
      {{}, [&](const std::string&) { return query; }}));
  // Rank 1 in exact arithmetic.
  CHECK(run.series.at("weight_rank")[3] == 2);
  CHECK(run.series.at("weight_rank")[4] == 2);
  CHECK_THAT(run.status_detail, Catch::Contains("from step 4 on rounding may decide weight_rank"));
}

TEST_CASE("a direction of W that its past cancels, up to rounding, is noted") {
  const auto run = [](const std::string& step_size) {
    return only_trajectory(
        run_of_text("[classes]\nspectrum = 'dyadic'\nlevels = 3\n[run]\nsteps = 6\nengine = 'dense'\n"
                    "spectral_metrics = 'on'\n[[optimizer]]\nrule = 'formula'\n"
                    "direction = 'power(ema(G@G.T, 0), -0.5)@G'\nweight_decay = 0.01\n"
                    "weight_decay_kind = 'coupled'\nstep_size = " +
                    step_size));
  };
  // 3 in exact arithmetic.
  const Trajectory oscillating = run("3.0");
  CHECK(oscillating.series.at("weight_rank")[4] == 4);
  CHECK_THAT(oscillating.status_detail, Catch::Contains("from step 4 on rounding may decide weight_rank"));
  CHECK_THAT(run("0.3").status_detail, !Catch::Contains("rank"));
}

TEST_CASE("that columns of a file are orthogonal up to rounding only, and taken as orthogonal, is noted") {
  const Matrix drawn = haar_columns(
      Matrix::NullaryExpr(6, 4, [](Index i, Index j) { return std::sin(double(3 * i + 7 * j * j) + 1); }));
  const auto note = [](const Matrix& answers, const char* rule) {
    Experiment e = identity_run(power_law(4.0), rule);
    e.answer_embedding = {"file",
                          with_defaults(embedding_row("file").parameters, {{"path", std::string("a.npy")}})};
    e.steps = 3;
    return only_trajectory(simulate(e, {{}, [&](const std::string&) { return answers; }}, 1)).status_detail;
  };
  const std::string words = "the columns of a.npy, which are orthogonal up to ";
  for (const char* rule : {"muon", "gd", "ngd"}) {
    CHECK_THAT(note(drawn, rule), Catch::Contains(words));
    CHECK_THAT(note(Matrix(2 * Matrix::Identity(6, 4)), rule), !Catch::Contains(words));
    CHECK_THAT(note(Matrix(drawn + Matrix::Constant(6, 4, 1e-9)), rule), !Catch::Contains(words));
  }
  CHECK_THAT(note(drawn, "signgd"), !Catch::Contains(words));
}

TEST_CASE("an update that is the rounding of its parts has no digits, and its run says so") {
  const auto run = [](const std::string& digits, const std::string& more) {
    return only_trajectory(run_of_text(
        "[classes]\nspectrum = 'power_law'\ncount = 5\nexponent = 1.0\n[data]\nlabel_noise = 0.1\n"
        "[run]\nsteps = 120\ncurvature = true\nrecord = {every = 20}\ndigits = '" +
        digits + "'\n[[optimizer]]\nrule = 'gd'\nstep_size = 1.0\n" + more));
  };
  const Trajectory found = run("on", "weight_decay = 0.5");
  const auto right_digits = [&](const char* name, std::size_t record, double right) {
    return std::max(0.0, -std::log10(std::abs(found.series.at(name)[record] - right) / right));
  };
  const std::vector<double>& digits = found.series.at("update_digits");
  CHECK(found.status == "complete");
  CHECK_THAT(found.status_detail,
             Catch::Contains("from step 40 on rounding leaves no digits of measures of the update"));
  CHECK(digits[0] > 12);
  CHECK(digits[1] > 6);
  CHECK(digits[2] <= right_digits("nds", 2, .0230930066));
  CHECK(digits[3] <= right_digits("update_frobenius_norm", 3, 7.2414812842e-21));
  CHECK(digits[5] == 0);
  CHECK(found.series.at("digits")[5] > 10);
  CHECK(found.series.at("digits_predicted")[5] > 10);
  CHECK(found.series.at("nds_predicted_digits")[0] > 12);
  CHECK(found.series.at("nds_predicted_digits")[5] < 1);
  CHECK(run("off", "weight_decay = 0.5").series.at("update_digits")[5] == 0);
  CHECK(!run("off", "weight_decay = 0.001").series.contains("update_digits"));
  CHECK(!run("on", "").series.contains("update_digits"));
}
