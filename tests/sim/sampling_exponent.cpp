// Training by a power of the probabilities by which a run is measured.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

/// Probabilities ∝ k^-s, and their powers, each of sum 1.
std::vector<double> power_of(double classes, double exponent) {
  std::vector<double> p;
  double sum = 0;
  for (double k = 1; k <= classes; ++k) sum += p.emplace_back(std::pow(k, -exponent));
  for (double& x : p) x /= sum;
  return p;
}

Experiment trained(const std::string& rule, double exponent, double noise = 0) {
  Experiment e = identity_run(power_law(6.0, 1.5), rule, noise);
  e.sampling_exponent = exponent;
  return e;
}

}  // namespace

TEST_CASE("training by p^τ is training on the spectrum p^τ, and its losses are weighted by p") {
  for (const std::string rule : {"gd", "signgd", "muon", "momentum"}) {
    for (const double exponent : {0.0, 0.5, 2.0, -1.5}) {
      CAPTURE(rule, exponent);
      const Experiment apart = trained(rule, exponent, 0.1);
      Experiment plain = apart;
      plain.sampling_exponent = 1;
      plain.spectrum = power_law(6.0, 1.5 * exponent);
      const Result a = simulate(apart, {}, 1), b = simulate(plain, {}, 1);
      check_close(series(a, "error"), series(b, "error"), 1e-11);
      const std::vector<double> p = power_of(6, 1.5), &losses = series(a, "class_loss");
      std::vector<double> mean(losses.size() / 6);
      for (std::size_t i = 0; i < losses.size(); ++i) mean[i / 6] += p[i % 6] * losses[i];
      check_close(series(a, "loss"), mean, 1e-13);
    }
  }
}

TEST_CASE("predictions move by the law of training and weigh by that of measures") {
  for (const std::string rule : {"gd", "signgd"}) {
    for (const double noise : {0.0, 0.1}) {
      CAPTURE(rule, noise);
      Experiment e = trained(rule, 0.5, noise);
      e.curvature = true;
      check_predicted(simulate(e, {}, 1), {"loss", "excess_loss", "gap", "error", "class_loss", "nds"}, 1e-9);
    }
  }
}

TEST_CASE("the least loss of least squares is that of measures, whatever training minimises") {
  Experiment e = trained("gd", 0);
  e.loss = &loss_row("least_squares");
  e.squares.query_noise = 0.5;
  e.optimizers.front().step_size = 1;
  e.steps = 400;
  for (const std::string engine : {"modes", "dense"}) {
    CAPTURE(engine);
    const Result result = on_engine(e, engine);
    // Class-balanced training ends at w = 1/(1 + Kσ²); the loss is ½ Σ_l p_l (1 - w)² + ½ σ² K w², least at w_l = p_l/(p_l + σ²).
    const double w = 1 / (1 + 6 * 0.25);
    double loss = 0.5 * (1 - w) * (1 - w) + 0.5 * 0.25 * 6 * w * w, least = 0;
    for (const double p : power_of(6, 1.5)) least += 0.5 * p * 0.25 / (p + 0.25);
    CHECK(series(result, "coefficient").back() == Approx(w).epsilon(1e-12));
    CHECK(series(result, "loss").back() == Approx(loss).epsilon(1e-12));
    CHECK(series(result, "excess_loss").back() == Approx(loss - least).epsilon(1e-11));
    check_predicted(result, {"excess_loss", "class_loss"}, 1e-11);
  }
}

TEST_CASE(
    "a quadrature trains by p^τ, too, and samples of it are drawn whether classes are written out or not") {
  for (const double exponent : {0.0, 0.5, -0.5}) {
    CAPTURE(exponent);
    Experiment e = identity_run(power_law(3000.0, 1.2), "gd", 0.1);
    e.sampling_exponent = exponent;
    e.classes = {ClassRule::Kind::list, {{ClassAt::Kind::rank, 1}, {ClassAt::Kind::last, 0}}};
    e.optimizers.front().step_size = 500;
    const Result exact = on_engine(e, "columns");
    const Result nodes = on_engine(e, "quadrature");
    check_close(series(nodes, "error"), series(exact, "error"), 1e-9);
    check_close(series(nodes, "loss"), series(exact, "loss"), 1e-9);
  }
  Spectrum written{.groups = power_of(40, 1).empty()
                                 ? ClassGroups()
                                 : ClassGroups{std::vector<double>(40, 1), power_of(40, 1)},
                   .law = SmoothLaw{40, [](double rank) { return 1 / rank; }},
                   .classes = 40};
  Spectrum smooth = written;
  smooth.groups.reset();
  for (const double exponent : {0.0, 0.5, -1.0}) {
    written.sample_by(exponent);
    smooth.sample_by(exponent);
    CHECK(written.sampling(0.01) == Approx(smooth.sampling(0.01)).epsilon(1e-13));
  }
}
