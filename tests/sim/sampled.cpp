#include <catch2/catch.hpp>
#include <numeric>

#include "laws/experiments.hpp"
#include "sim/training.hpp"

using namespace laws;

namespace {

OptimizerChoice rule(const std::string& name, double step_size) {
  return {name, name, step_size, with_defaults(optimizer_row(name).parameters, {})};
}

Experiment experiment(const ChosenRow& spectrum, const std::string& mode, double draws,
                      std::vector<OptimizerChoice> optimizers) {
  Experiment e = identity_run(spectrum, "gd");
  e.data_mode = mode;
  if (mode != "population") e.data_parameters = {{mode == "minibatch" ? "batch" : "size", draws}};
  e.steps = 12;
  e.optimizers = std::move(optimizers);
  return e;
}

const ChosenRow eight_classes = power_law(8.0, 1.0);

const std::vector<double>& series_of(const Result& result, const std::string& name,
                                     std::size_t optimizer = 0) {
  return result.runs.at(0).trajectories.at(optimizer).series.at(name);
}

/// A run that draws its embeddings, answers and samples.
Experiment drawn_run(std::int64_t seed) {
  Experiment e = identity_run(power_law(9.0, 1.0), "gd");
  e.seed = seed;
  e.answers = law_of("hash", {{"count", 6.0}});
  e.query_embedding = e.answer_embedding = embedding("gaussian", {{"dimension", 7.0}});
  e.data_mode = "minibatch";
  e.data_parameters = {{"batch", 12.0}};
  e.steps = 4;
  return e;
}

const std::vector<double>& losses(const Result& result) {
  return series(result, "loss");
}

}  // namespace

TEST_CASE("training on a dataset is training on the population of its counts") {
  Experiment e = experiment(eight_classes, "dataset", 500, {rule("gd", 4), rule("adam", 0.1)});
  const Result sampled = simulate(e, {}, 1);
  const Sample drawn =
      Sampler({*spectrum_of("power_law", e.spectrum.parameters, {}).groups, 0}, RandomStream(1, "dataset"))
          .sample(0, 500, Workers::serial());
  REQUIRE(drawn.query.size() == 8);  // so that no class is missing from the file
  const std::vector<double> counts = drawn.weight;
  e.spectrum = {"file", {{"path", std::string("counts")}, {"column", std::string("count")}}};
  e.data_mode = "population";
  e.data_parameters = {};
  const FileReaders readers{[&](const std::string&, const std::string&) { return CountTable{counts}; }, {}};
  const Result population = simulate(e, readers, 1);
  // Files come most frequent first; a larger count is a smaller error.
  for (std::size_t o = 0; o < 2; ++o) {
    auto x = series_of(sampled, "error", o), y = series_of(population, "error", o);
    for (std::size_t step = 0; step < 13; ++step) {
      const auto at = static_cast<std::ptrdiff_t>(8 * step);
      std::sort(x.begin() + at, x.begin() + at + 8);
      std::sort(y.begin() + at, y.begin() + at + 8);
    }
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == Approx(y[i]).epsilon(1e-12));
  }
}

TEST_CASE("rows of groups are means over their classes, which samples tell apart") {
  const ChosenRow grouped = {"two_level", {{"count", 10.0}, {"head_fraction", 0.2}, {"head_mass", 0.6}}};
  Experiment e = experiment(grouped, "minibatch", 3, {rule("gd", 4)});
  const Result classes = simulate(e, {}, 1);
  e.classes.kind = ClassRule::Kind::groups;
  const Result groups = simulate(e, {}, 1);
  for (const char* name : {"error", "class_loss"}) {
    const auto &single = series_of(classes, name), &rows = series_of(groups, name);
    REQUIRE(rows.size() == 13 * 2);
    for (std::size_t step = 0; step < 13; ++step) {
      double head = 0, tail = 0;
      for (std::size_t l = 0; l < 10; ++l) (l < 2 ? head : tail) += single[10 * step + l];
      CHECK(rows[2 * step] == Approx(head / 2).epsilon(1e-14));
      CHECK(rows[2 * step + 1] == Approx(tail / 8).epsilon(1e-14));
    }
    CHECK(single[12 * 10] != single[12 * 10 + 1]);
  }
}

TEST_CASE("samples depend on the seed and the step, and are the same for every optimizer") {
  OptimizerChoice copy = rule("gd", 4);
  copy.name = "twin";
  Experiment e = experiment(eight_classes, "minibatch", 3, {rule("gd", 4), copy});
  const Result result = simulate(e, {}, 1);
  CHECK(series_of(result, "error", 0) == series_of(result, "error", 1));
  e.seed = 2;
  CHECK(distance(result, simulate(e, {}, 1)) > 1e-3);
  // Were every step to draw the same batch, three draws could move three classes at most.
  std::size_t moved = 0;
  for (std::size_t l = 0; l < 8; ++l)
    moved += series_of(result, "error")[12 * 8 + l] != series_of(result, "error")[l];
  CHECK(moved > 3);
}

TEST_CASE("under signs a margin counts the batches with its class, and a mean over seeds is predicted") {
  Experiment e = experiment(eight_classes, "minibatch", 3, {rule("signgd", 0.25), rule("muon", 0.5)});
  std::vector<double> drawn(8, 0), mean(8, 0), square(8, 0);
  constexpr int seeds = 400;
  for (int seed = 0; seed < seeds; ++seed) {
    e.seed = seed;
    const Result result = simulate(e, {}, 1);
    const auto &error = series_of(result, "error"), &predicted = series_of(result, "error_predicted_mean");
    for (std::size_t l = 0; l < 8; ++l) {
      const double now = error[12 * 8 + l], count = std::log((1 - now) / now * 7) / 0.5;
      CHECK(std::abs(count - std::round(count)) < 1e-12);
      drawn[l] += std::round(count) / seeds;
      const double off = now - predicted[12 * 8 + l];
      mean[l] += off / seeds;
      square[l] += off * off / seeds;
    }
    // One run has no prediction, a gap of means is no mean of gaps, and Muon mixes classes.
    const auto& all = result.runs.at(0).trajectories;
    for (const char* name : {"error_predicted", "gap_predicted_mean"})
      CHECK_FALSE(all[0].series.contains(name));
    CHECK_FALSE(all[1].series.contains("error_predicted_mean"));
  }
  for (std::size_t l = 0; l < 8; ++l) {
    const double p = spectrum_of("power_law", e.spectrum.parameters, {}).groups->probability[l],
                 q = 1 - std::pow(1 - p, 3);
    CHECK(std::abs(drawn[l] - 12 * q) < 4 * std::sqrt(12 * q * (1 - q) / seeds));
    CHECK(std::abs(mean[l]) < 4 * std::sqrt(square[l] / seeds));
  }
}

TEST_CASE(
    "of a spectrum that is not written out the rows are octaves of ranks, and losses are of all classes") {
  Experiment e = experiment(power_law(1e12, 1.5), "minibatch", 8, {rule("muon", 1), rule("signgd", 1)});
  e.classes.kind = ClassRule::Kind::groups;
  e.steps = 3;
  const Result result = simulate(e, {}, 1);
  const Run& run = result.runs[0];
  CHECK(run.class_count.size() == 40);
  CHECK(std::accumulate(run.class_count.begin(), run.class_count.end(), 0.0) == 1e12);
  const auto& loss = run.trajectories[0].series.at("class_loss");
  const auto& total = run.trajectories[0].series.at("loss");
  for (std::size_t t = 0; t < total.size(); ++t) {
    double sum = 0;
    for (std::size_t row = 0; row < 40; ++row)
      sum += run.class_count[row] * run.class_probability[row] * loss[t * 40 + row];
    // Within an octave classes differ in probability, so at W = 0 alone both are the same.
    CHECK(sum == Approx(total[t]).epsilon(t == 0 ? 1e-13 : 0.2));
  }
  CHECK(total[0] == Approx(std::log(1e12)).epsilon(1e-14));
  CHECK(loss.back() == Approx(std::log(1e12)).epsilon(1e-6));  // nobody has met the last octave
}

TEST_CASE(
    "an update of some columns that makes W infinite is seen, and columns of several answers have no ϱ") {
  ColumnMatrix w(square_columns({1, 1, 1}));
  ColumnMatrix update = w;
  update.stored_groups = std::make_shared<const std::vector<Index>>(std::vector<Index>{1});
  update.right = update.wrong = Vector::Constant(1, 1e308);
  combine(w, 1, 1, update);
  CHECK(still_finite(w, update));
  combine(w, 1, 1, update);
  CHECK(!still_finite(w, update));

  ColumnMatrix several(
      std::make_shared<const ColumnStructure>(ColumnStructure{{2}, 4, {1}, {1}, {0, 1}, {2}}));
  CHECK(all_finite(several));
  CHECK_THROWS_AS(logits_for_rho(several), std::logic_error);
  several.shared(0) = std::numeric_limits<double>::infinity();
  CHECK(!all_finite(several));
  CHECK(!still_finite(several, several));
}

TEST_CASE("what has no seed of its own is drawn by that of the run, and each part by its own") {
  const std::vector<double> two = losses(simulate(drawn_run(2), {}, 1));
  Experiment all = drawn_run(1);
  all.answers.seed = all.query_embedding.seed = all.answer_embedding.seed = all.data_seed = 2;
  CHECK(losses(simulate(all, {}, 1)) == two);
  CHECK(all.seeds().target == 1);
  for (const int part : {0, 1, 2}) {
    Experiment other = all;
    (part == 0 ? other.answers.seed : part == 1 ? other.query_embedding.seed : other.data_seed).reset();
    CAPTURE(part);
    CHECK(losses(simulate(other, {}, 1)) != two);
  }
}
