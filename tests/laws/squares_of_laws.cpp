// Least squares under answer laws against a program of its own, which writes every pair out.

#include <catch2/catch.hpp>
#include <map>

#include "core/random.hpp"
#include "experiment/read.hpp"
#include "laws/overridden.hpp"
#include "model/embedding.hpp"
#include "reference/decompositions.hpp"
#include "reference/random_cases.hpp"
#include "reference/with_defaults.hpp"
#include "sim/resolve.hpp"
#include "sim/simulate.hpp"

using namespace rarefact;
using laws::Overrides, laws::operator+, laws::unless_refused;

namespace {

const char* const text = R"(
name = "squares"
[model]
loss = "least_squares"
[classes]
spectrum = "power_law"
count = 9
exponent = 1
[run]
steps = 12
digits = "off"
spectral_metrics = "off"
[[optimizer]]
name = "it"
rule = "gd"
step_size = 0.0713
)";

FileReaders readers() {
  FileReaders all;
  all.pairs = [](const std::string&) {
    return PairCounts{
        {0, 0, 0, 1, 1, 2, 2, 3, 4, 4}, {0, 1, 2, 1, 3, 0, 4, 4, 5, 2}, {7, 4, 1, 5, 5, 3, 2, 2, 6, 1}, 5, 6};
  };
  return all;
}

/// Under `counts` the table has the queries and their frequencies.
Experiment experiment_of(const Overrides& overrides) {
  std::string all = text;
  if (std::ranges::count(overrides, "answers.law=counts") > 0) {
    const std::size_t begin = all.find("[classes]");
    all.erase(begin, all.find("[run]") - begin);
  }
  return parse_experiment(all, "squares.toml", overrides);
}

Trajectory run_of(const Overrides& overrides) {
  return simulate(experiment_of(overrides), readers(), 1).runs[0].trajectories[0];
}

/// What an engine makes of a run; nothing where it refuses.
std::optional<Trajectory> on(const std::string& engine, const Overrides& overrides) {
  return unless_refused([&] { return run_of(overrides + Overrides{"run.engine=" + engine}); });
}

/// Least squares with every query and answer written out: columns of embeddings, π and p.
struct Plain {
  Matrix query, answer, pi;
  Vector p;
  double scale, noise;

  double loss(const Matrix& w) const {
    double sum = 0;
    for (Index l = 0; l < p.size(); ++l) {
      const Vector seen = scale * w * query.col(l);
      for (Index k = 0; k < pi.rows(); ++k) sum += p(l) * pi(k, l) * (answer.col(k) - seen).squaredNorm() / 2;
    }
    return sum + noise * noise * w.squaredNorm() / 2;
  }
  Matrix gradient(const Matrix& w) const {
    Matrix g = noise * noise * w;
    for (Index l = 0; l < p.size(); ++l)
      g += p(l) * scale * (scale * w * query.col(l) - answer * pi.col(l)) * query.col(l).transpose();
    return g;
  }
  Matrix minimiser() const {
    Matrix second = noise * noise * Matrix::Identity(query.rows(), query.rows()),
           both = Matrix::Zero(answer.rows(), query.rows());
    for (Index l = 0; l < p.size(); ++l) {
      second += p(l) * scale * scale * query.col(l) * query.col(l).transpose();
      both += p(l) * scale * (answer * pi.col(l)) * query.col(l).transpose();
    }
    return reference::least_squares(second, both.transpose()).transpose();
  }
};

Matrix direction(const std::string& rule, const Matrix& g) {
  if (rule == "gd") return g;
  if (rule == "ngd") return g / g.norm();
  if (rule == "signgd") return g.cwiseSign();
  return reference::polar(g);
}

/// The problem of an experiment; embeddings are the identity or Gaussian.
Plain plain_of(const Experiment& e) {
  const Spectrum spectrum = load_problem(e, readers());
  const Pairs pairs = written_out(*spectrum.answers).pairs;
  Plain plain;
  plain.p = Eigen::Map<const Vector>(pairs.probability.data(), pairs.queries());
  plain.pi =
      Matrix::Constant(pairs.answers, pairs.queries(), e.label_noise / static_cast<double>(pairs.answers));
  for (Index l = 0; l < pairs.queries(); ++l) {
    for (std::size_t i = pairs.begin[l]; i < pairs.begin[l + 1]; ++i)
      plain.pi(pairs.answer[i], l) += (1 - e.label_noise) * pairs.share[i];
  }
  const auto embedded = [](const ChosenRow& side, Index classes, const char* stream) -> Matrix {
    const EmbeddingRow& row = embedding_row(side.kind);
    if (row.identity) return Matrix::Identity(classes, classes);
    return row.make(side.parameters, {.classes = classes, .seed = 1, .stream = stream});
  };
  plain.query = embedded(e.query_embedding, pairs.queries(), "query");
  plain.answer = embedded(e.answer_embedding, pairs.answers, "answer");
  plain.scale = e.squares.query_scale;
  plain.noise = e.squares.query_noise;
  return plain;
}

const std::vector<std::pair<std::string, Overrides>> every_law = {
    {"modulo", {"answers.law=modulo", "answers.count=4"}},
    {"hash", {"answers.law=hash", "answers.count=6"}},
    {"fan_in", {"answers.law=fan_in", "answers.fan_in=2", "answers.within=1"}},
    {"right_set", {"answers.law=right_set", "answers.size=3"}},
    {"counts", {"answers.law=counts", "answers.path=pairs"}},
    {"zipf same", {"answers.law=zipf", "answers.order=same"}},
    {"zipf shift", {"answers.law=zipf", "answers.exponent=0.7"}},
    {"zipf random", {"answers.law=zipf", "answers.order=random", "classes.exponent=0.5"}}};

}  // namespace

TEST_CASE("least squares under every answer law and engine is that of all pairs written out") {
  const std::vector<Overrides> data = {{},
                                       {"data.label_noise=0.2"},
                                       {"data.query_scale=1.5", "data.query_noise=0.3"},
                                       {"data.label_noise=0.1", "data.query_noise=0.4"}},
                               embeddings = {
                                   {},
                                   {"embedding.query.kind=gaussian", "embedding.query.dimension=12"},
                                   {"embedding.query.kind=gaussian", "embedding.query.dimension=30",
                                    "embedding.answer.kind=gaussian", "embedding.answer.dimension=7"}};
  const reference::RandomCases draws(60, 400);
  const RandomStream random(68, "squares of laws");
  std::map<std::string, int> compared;
  for (int i = 0; i < draws.count; ++i) {
    std::uint64_t next = 0;
    const auto pick = [&](const auto& list) {
      return list[static_cast<std::size_t>(random.uniform(draws[i], next++) *
                                           static_cast<double>(list.size()))];
    };
    const auto& [name, law] = every_law[static_cast<std::size_t>(i) % every_law.size()];
    const std::string rule = pick(std::vector<std::string>{"gd", "ngd", "signgd", "muon"});
    const Overrides all = law + pick(data) + pick(embeddings) + Overrides{"optimizer.it.rule=" + rule};
    CAPTURE(i, name, rule, all);
    const Experiment e = experiment_of(all);
    const Plain plain = plain_of(e);
    const double least = plain.loss(plain.minimiser());
    std::vector<double> loss, excess;
    Matrix w = Matrix::Zero(plain.answer.rows(), plain.query.rows());
    for (int t = 0; t <= 12; ++t) {
      loss.push_back(plain.loss(w));
      excess.push_back(loss.back() - least);
      w -= 0.0713 * direction(rule, plain.gradient(w));
    }
    for (const std::string engine : {"modes", "columns", "symmetric", "quadrature", "dense"}) {
      const std::optional<Trajectory> run = on(engine, all);
      if (!run) continue;
      CAPTURE(engine);
      ++compared[engine];
      for (std::size_t t = 0; t < loss.size(); ++t) {
        CAPTURE(t);
        CHECK(run->series.at("loss")[t] == Approx(loss[t]).epsilon(1e-12));
        CHECK(run->series.at("excess_loss")[t] == Approx(excess[t]).epsilon(1e-12).margin(1e-13));
      }
    }
  }
  CHECK(compared["dense"] == draws.count);
  CHECK(compared["columns"] > draws.count / 8);
  CHECK(compared["symmetric"] > draws.count / 8);
  CHECK(compared["modes"] > 0);
  CHECK(compared["quadrature"] > 0);
}

TEST_CASE("coefficients tend to the probabilities of right answers, and class losses to their spread") {
  const Trajectory run = run_of({"answers.law=zipf", "classes.exponent=0", "run.steps=60",
                                 "optimizer.it.step_size=8", "run.record=[60]"});
  double harmonic = 0, squares = 0;
  for (int k = 1; k <= 9; ++k) harmonic += 1.0 / k, squares += 1.0 / k / k;
  CHECK(run.series.at("coefficient").back() == Approx(1 / harmonic).epsilon(1e-12));
  CHECK(run.series.at("class_loss").back() == Approx((1 - squares / harmonic / harmonic) / 2).epsilon(1e-12));
}

TEST_CASE("in one order Muon is normalised gradient descent") {
  for (const std::string engine : {"dense", "modes"}) {
    const Overrides all = {"answers.law=zipf", "answers.order=same", "run.engine=" + engine,
                           "classes.count=40", "run.steps=30"};
    const Trajectory muon = run_of(all + Overrides{"optimizer.it.rule=muon"}),
                     ngd = run_of(all + Overrides{"optimizer.it.rule=ngd"});
    CAPTURE(engine);
    const double first = ngd.series.at("excess_loss")[0];
    for (std::size_t t = 0; t <= 30; ++t)
      CHECK(std::abs(muon.series.at("excess_loss")[t] - ngd.series.at("excess_loss")[t]) < 1e-12 * first);
  }
}

namespace {

double relative_loss(const Overrides& overrides) {
  const Trajectory run = run_of(overrides + Overrides{"answers.law=zipf", "run.record=[0]"});
  CAPTURE(run.status, run.status_detail);
  CHECK(run.status == "complete");
  return run.series.at("excess_loss").back() / run.series.at("excess_loss").front();
}

}  // namespace

TEST_CASE("relative losses of the Zipf bigram are those of an independent program") {
  // /usr/bin/python3: Σ p (1 - p/p_1)^2t in long double, at d = 1e15 by Euler-Maclaurin and tanh-sinh of 30 digits; the
  // sign walk entry by entry.
  for (const std::string order : {"same", "shift", "random"})
    CHECK(relative_loss({"answers.order=" + order, "classes.count=1000", "run.steps=100",
                         "optimizer.it.step_size='1/p_max'"}) == Approx(.163063319052185).epsilon(1e-12));
  CHECK(relative_loss({"classes.count=1e15", "run.steps=1000000", "optimizer.it.step_size='1/p_max'"}) ==
        Approx(.553961360691485).epsilon(1e-12));
  const Overrides signs = {"optimizer.it.rule=signgd", "classes.count=1000", "run.steps=61",
                           "optimizer.it.step_size=0.002"};
  for (const std::string engine : {"columns", "quadrature", "dense"})
    CHECK(relative_loss(signs + Overrides{"run.engine=" + engine}) ==
          Approx(.0935379466080508).epsilon(1e-12));
}

TEST_CASE("uniform label noise mixes 1/K into the shares of the Zipf bigram, at any size") {
  // Σ p (1 - p/p_1)^2t does not depend on the shares.
  for (const std::string engine : {"modes", "quadrature"})
    CHECK(relative_loss({"classes.count=1e5", "run.steps=1000", "optimizer.it.step_size='1/p_max'",
                         "data.label_noise=0.3", "run.engine=" + engine}) ==
          Approx(relative_loss({"classes.count=1e5", "run.steps=1000", "optimizer.it.step_size='1/p_max'",
                                "run.engine=modes"}))
              .epsilon(1e-11));
  CHECK(relative_loss({"classes.count=1e15", "run.steps=1000000", "optimizer.it.step_size='1/p_max'",
                       "data.label_noise=0.3"}) == Approx(.553961360691485).epsilon(1e-12));
}

TEST_CASE("nodes of a sign walk are those within one step, whatever the scale of queries") {
  // At a small μ entries walk to π/μ, which is beyond η where π is not: a sawtooth, no smooth function of the rank.
  for (const char* scale : {"0.001", "0.05", "5"}) {
    const Overrides all = {"answers.law=zipf",
                           "answers.exponent=0.5",
                           "classes.count=20000",
                           "run.steps=60",
                           "optimizer.it.rule=signgd",
                           "optimizer.it.step_size=5e-4",
                           std::string("data.query_scale=") + scale};
    CAPTURE(scale);
    const auto last = [&](const std::string& engine) {
      return run_of(all + Overrides{"run.engine=" + engine}).series.at("excess_loss").back();
    };
    CHECK(last("quadrature") == Approx(last("columns")).epsilon(1e-11));
  }
}

TEST_CASE(
    "a sign walk whose shares are multiples of its step fails with this reason, and not beside that step") {
  for (const auto& [step, fails] : {std::pair("p_max/10000", true), std::pair("1.0001*p_max/10000", false)}) {
    const Trajectory run =
        run_of({"answers.law=zipf", "classes.count=1e9", "run.steps=1000", "run.record=[0]",
                "optimizer.it.rule=signgd", std::string("optimizer.it.step_size='") + step + "'"});
    CAPTURE(step, run.status_detail);
    CHECK((run.status == "failed") == fails);
    CHECK((run.status_detail.find("change it slightly") != std::string::npos) == fails);
  }
}

TEST_CASE("the estimated error of a quadrature is that of the excess loss, too") {
  // At the end it is 3e-5 of the first; the estimate for the loss alone is 8.1e-7.
  const Trajectory run =
      run_of({"answers.law=zipf", "classes.count=20000", "run.steps=60000", "run.record=log",
              "run.engine=quadrature", "run.nodes=16", "optimizer.it.step_size='1/p_max'"});
  CHECK(run.quadrature_error > 3e-6);
}

TEST_CASE("leaps of least squares are single updates") {
  for (const Overrides& rule : {Overrides{"optimizer.it.step_size=9.1"},
                                Overrides{"optimizer.it.step_size=1.1", "optimizer.it.weight_decay=0.01"},
                                Overrides{"optimizer.it.rule=signgd", "optimizer.it.step_size=0.0213"}}) {
    const Overrides all = rule + Overrides{"answers.law=zipf", "classes.count=50", "run.steps=300"};
    const Trajectory leaps = run_of(all), single = run_of(all + Overrides{"run.fast_forward=off"});
    CAPTURE(rule);
    for (std::size_t i = 0; i < leaps.series.at("loss").size(); ++i)
      CHECK(leaps.series.at("loss")[i] == Approx(single.series.at("loss")[i]).epsilon(1e-13));
  }
}

TEST_CASE("a law of Zipf with another number of answers than queries, or that no engine holds, is refused") {
  const auto refused = [](const Overrides& overrides) {
    try {
      run_of(Overrides{"answers.law=zipf"} + overrides);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refused({"answers.count=8"}).find("all 9 queries rank the same answers") != std::string::npos);
  CHECK(refused({"answers.exponent=-1"}).find("answers.exponent") != std::string::npos);
  for (const std::string order : {"shift", "random"})
    CHECK(refused({"classes.count=1e6", "optimizer.it.rule=muon", "answers.order=" + order})
              .find("pairs of query and answer are too many to write out; at most 4e+06 are possible") !=
          std::string::npos);
  CHECK(refused({"classes.count=1e5", "data.label_noise=0.1", "run.steps=3"}).empty());
  CHECK(refused({"classes.count=1e6", "data.mode=minibatch", "data.batch=4"})
            .find("at most 4e+06 are possible") != std::string::npos);
  CHECK(refused({"classes.count=1e6", "model.loss=softmax"}).find("too many to write out") !=
        std::string::npos);
  // Decay of value 0 is none.
  const Overrides decayed = {"classes.count=1e5", "optimizer.it.rule=signgd", "run.steps=3",
                             "run.engine=quadrature"};
  CHECK(refused(decayed + Overrides{"optimizer.it.weight_decay='0*K'"}).empty());
  CHECK(refused(decayed + Overrides{"optimizer.it.weight_decay='1/K'"}).find("weight_decay") !=
        std::string::npos);
  CHECK(refused({"data.queries=gaussian"}).find("answers.law") != std::string::npos);
}
