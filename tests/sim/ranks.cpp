#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "laws/experiments.hpp"
#include "reference/with_defaults.hpp"

using namespace laws;

namespace {

/// check(value of a variable at a step), for every recorded step from `first` on and every engine.
template <class Check>
void check_steps(Experiment e, const std::vector<std::string>& engines, std::size_t first,
                 const Check& check) {
  e.spectral_metrics = "on";
  for (const std::string& engine : engines) {
    const Result result = on_engine(e, engine);
    const auto& series = only_trajectory(result).series;
    for (std::size_t t = first; t < series.at("update_rank").size(); ++t) {
      CAPTURE(e.optimizers[0].rule, engine, t);
      check([&](const char* name) { return series.at(name)[t]; });
    }
  }
}

const std::vector<std::string> matrices = {"dense", "symmetric"};

const ChosenRow two_level = {"two_level", {{"count", 30.0}, {"head_fraction", 0.2}, {"head_mass", 0.8}}};

Experiment run_of(const OptimizerChoice& optimizer, const char* kind, const char* engine) {
  const bool correlated = embedding_row(kind).equicorrelated;
  const ChosenRow side = correlated ? embedding(kind, {{"rho", 0.3}}) : embedding(kind);
  Experiment e = experiment(two_level, side, side, 0, optimizer_row(optimizer.rule));
  e.optimizers = {optimizer};
  e.steps = 3;
  e.spectral_metrics = "on";
  e.engine = engine;
  return e;
}

OptimizerChoice muon_with(ParameterValues given) {
  return {"muon", "muon", 0.5, with_defaults(optimizer_row("muon").parameters, std::move(given))};
}

}  // namespace

TEST_CASE(
    "what polynomials and smoothing lift out of rounding counts as no singular value of updates or of W") {
  // Columns of every gradient, and so of W, sum to zero.
  struct Case {
    ParameterValues given;
    double count;
  };
  for (const Case& c : {Case{{{"polar", "polar_express"}}, 37},
                        Case{{{"polar", "newton_schulz"}, {"polar_steps", std::int64_t{12}}}, 37},
                        Case{{{"smoothing", 1e-14}}, 37}, Case{{{"polar", "polar_express"}}, 3},
                        Case{{{"smoothing", 1e-9}}, 3}, Case{{{"polar", "newton_schulz"}}, 3}}) {
    const bool large = c.count > 3;
    Experiment e = identity_run(large ? ChosenRow{"uniform", {{"count", c.count}}} : power_law(3.0), "muon");
    e.optimizers[0].parameters = with_defaults(optimizer_row("muon").parameters, c.given);
    if (!large) e.optimizers[0].step_size = 0.3;
    e.steps = large ? 40 : 5;
    CAPTURE(c.count, c.given.all().begin()->first);
    check_steps(e, matrices, large ? 0 : 1, [&](const auto& value) {
      CHECK(value(large ? "update_rank" : "weight_rank") == c.count - 1);
      CHECK(value(large ? "update_condition_ratio" : "weight_condition_ratio") > (large ? 0.5 : 0.1));
      CHECK((large ? value("update_orthogonality_residual") < 0.6 : value("weight_entropy") > 0.8));
    });
  }
}

TEST_CASE(
    "updates have at most the rank of gradients: columns sum to zero and lie in the span of embeddings") {
  const ParameterValues express{{"polar", "polar_express"}, {"momentum_order", "after"}, {"momentum", 0.5}},
      schulz{{"polar", "newton_schulz"}, {"momentum_order", "after"}, {"momentum", 0.9}},
      smooth{{"smoothing", 1e-12}, {"momentum_order", "after"}, {"momentum", 0.5}};
  struct Case {
    const char* rule;
    ParameterValues given;
    double step_size;
  };
  for (const Case& c : {Case{"muon", express, 0.3}, Case{"muon", express, 20}, Case{"muon", schulz, 0.3},
                        Case{"muon", smooth, 0.3}, Case{"newton", {{"damping", 0.001}}, 0.3},
                        Case{"momentum", {{"momentum", 0.99}, {"nesterov", true}}, 5}}) {
    CAPTURE(c.rule, c.step_size, c.given.all().begin()->second);
    const auto run_on = [&](double count, const ChosenRow& query, const ChosenRow& answer) {
      Experiment e = experiment({"uniform", {{"count", count}}}, query, answer, 0, optimizer_row(c.rule));
      e.optimizers[0].parameters = with_defaults(optimizer_row(c.rule).parameters, c.given);
      e.optimizers[0].step_size = c.step_size;
      e.steps = 10;
      return e;
    };
    // All K - 1 singular values of a first step are equal.
    const ChosenRow identity = embedding("identity"), blocks = embedding("block_rotation");
    for (const ChosenRow& side : {identity, blocks}) {
      if (c.rule == std::string("newton") && side.kind != "identity") continue;
      const Experiment e = run_on(6, side, side);
      bool first = true;
      for (const char* engine : {"dense", "symmetric"}) {
        if (!takes(e, engine)) continue;
        first = true;
        check_steps(e, {engine}, 0, [&](const auto& value) {
          CHECK(value("update_rank") <= 5);
          CHECK(value("weight_rank") <= 5);
          if (std::exchange(first, false)) {
            CHECK(value("update_rank") == 5);
            CHECK(value("update_entropy") == Approx(1).epsilon(1e-12));
            CHECK(value("update_quartile_ratio") == Approx(1).epsilon(1e-9));
            CHECK(value("update_condition_ratio") == Approx(1).epsilon(1e-9));
          }
        });
      }
    }
    const auto at_most = [&](const Experiment& e, double rank) {
      check_steps(e, {"dense"}, 0, [&](const auto& value) { CHECK(value("update_rank") <= rank); });
    };
    const auto drawn = [](double dimension) { return embedding("gaussian", {{"dimension", dimension}}); };
    at_most(run_on(8, drawn(12), drawn(14)), 7);
    at_most(run_on(8, drawn(12), drawn(4)), 4);
    at_most(run_on(8, drawn(3), identity), 3);
  }
}

TEST_CASE("updates by polynomials of gradients of rank one have the rank that follows from it") {
  const auto update_rank = [](const std::string& text, const std::string& of) {
    return run_of_text(
        "seed = 3\n[classes]\nspectrum = 'power_law'\ncount = 4\nexponent = 1\n" + text +
        "[run]\nsteps = 6\nspectral_metrics = 'on'\ndigits = 'off'\n[[optimizer]]\nrule = 'muon'\n"
        "step_size = 0.05\npolar = 'newton_schulz'\n" +
        of);
  };
  // D_U V + U D_V - η D_U D_V, with D_U and D_V of rank one.
  const Result product = update_rank(
      "[data]\nmode = 'minibatch'\nbatch = 1\n[init]\nkind = 'gaussian'\nscale = 0.5\n[model]\nfactors = 2\n",
      "");
  for (const double rank : series(product, "update_rank")) CHECK(rank == 2);
  for (const double ratio : series(product, "update_condition_ratio")) CHECK(ratio > 1e-3);
  // From any start columns of D sum to zero, unless it depends on W.
  const Result started =
      update_rank("[init]\nkind = 'aligned'\nscale = 0.1\n", "momentum = 0.5\nmomentum_order = 'after'\n");
  for (const double rank : series(started, "update_rank")) CHECK(rank == 3);
  CHECK(series(started, "weight_rank").back() == 4);
  // At W = 0 all queries have the same gradient; later rounding may count, which is noted.
  const std::string law = "[answers]\nlaw = 'zipf'\nexponent = 1\norder = 'same'\n";
  const Result decaying = update_rank(law, "weight_decay = 1.0\n");
  CHECK(series(decaying, "update_rank").front() == 1);
  CHECK_THAT(only_trajectory(decaying).status_detail, Catch::Contains("from step 1 on"));
}

TEST_CASE("W leaves an aligned start only along gradients, however much the rule amplifies rounding") {
  for (const bool correlated : {false, true}) {
    for (const std::string& engine : matrices) {
      Experiment e =
          run_of({"formula", "formula", 0.5, {{"direction", std::string("polar(polar_express(G))")}}},
                 correlated ? "equicorrelated" : "identity", engine.c_str());
      e.spectrum = {"uniform", {{"count", 4.0}}};
      e.init = {"aligned", {{"scale", 0.1}}};
      const Result result = simulate(e, {}, 1);
      // W = 0.1 Ẽ Eᵀ + 0.5 t (I - 11ᵀ/4), of which the first term alone has the direction 1.
      const double null = correlated ? 0.19 : 0.1;
      for (std::size_t t = 0; t <= 3; ++t) {
        const double grown = (correlated ? 0.07 : 0.1) + 0.5 * static_cast<double>(t);
        CAPTURE(correlated, engine, t);
        CHECK(series(result, "weight_condition_ratio")[t] ==
              Approx(std::min(null, grown) / std::max(null, grown)).epsilon(1e-10));
        CHECK(series(result, "weight_frobenius_norm")[t] ==
              Approx(std::sqrt(3 * grown * grown + null * null)).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("with noise by frequency queries are the answers still, and have a deviation from the identity") {
  Experiment e = identity_run(power_law(6.0, 1.0), "muon", 0.1);
  e.noise_answers = "frequency";
  check_steps(e, matrices, 0, [](const auto& value) { CHECK(value("update_identity_deviation") < 2); });
}

TEST_CASE("directions whose gradient is 1e-162 long have a spectrum") {
  Experiment e = identity_run(power_law(3.0, 1.0), "ngd");
  e.optimizers[0].step_size = 710;
  e.steps = 3;
  check_steps(e, {"columns", "symmetric"}, 0, [](const auto& value) {
    CHECK(value("update_frobenius_norm") == Approx(1).epsilon(1e-14));
    CHECK(value("update_rank") == 2);
  });
}

TEST_CASE("a push below the least normal number, whose digits are gone, reads 0") {
  Experiment e = identity_run({"uniform", {{"count", 3.0}}}, "gd");
  e.optimizers[0].step_size = 2140;  // margins of 713 after a step
  e.push = true;
  e.steps = 1;
  for (const std::string engine : {"columns", "symmetric", "dense"}) {
    e.engine = engine;
    CHECK(only_trajectory(simulate(e, {}, 1)).series.at("push").back() == 0);
  }
}

TEST_CASE(
    "orthogonality and leakage: rounding for the exact factor, and in the size that lr_scale gives it") {
  for (const char* kind : {"identity", "orthogonal", "block_rotation", "equicorrelated"}) {
    for (const char* engine : {"symmetric", "dense"}) {
      const auto measured = [&](const OptimizerChoice& optimizer, const std::string& name) {
        return series(simulate(run_of(optimizer, kind, engine), {}, 1), "update_" + name)[1];
      };
      CAPTURE(kind, engine);
      const OptimizerChoice exact = muon_with({{"lr_scale", "match_rms_adamw"}});
      CHECK(measured(exact, "orthogonality_residual") < 1e-13);
      CHECK(measured(exact, "null_space_leakage") < 1e-14);
      // An average of the first two polar factors, which are nearly the same one.
      const OptimizerChoice average =
          muon_with({{"lr_scale", "match_rms_adamw"}, {"momentum", 0.8}, {"momentum_order", "after"}});
      CHECK(measured(average, "orthogonality_residual") == Approx(1 - 0.36 * 0.36).epsilon(0.01));
      const OptimizerChoice practical = muon_with({{"polar", "newton_schulz"}});
      CHECK(measured(practical, "orthogonality_residual") > 0.2);
      CHECK(measured(practical, "null_space_leakage") < 1e-12);
      // Rounding noise of 1e-17 times 3.4445^40: where a polynomial is iterated "to convergence".
      const OptimizerChoice long_run =
          muon_with({{"polar", "newton_schulz"}, {"polar_steps", std::int64_t{45}}});
      CHECK(measured(long_run, "null_space_leakage") > 0.01);
    }
  }
}

TEST_CASE(
    "leakage of correlated embeddings is along their own null direction, and unknown where there is none") {
  const auto leakage = [](double dimension) {
    Experiment e = run_of(muon_with({}), "identity", "dense");
    e.query_embedding = embedding("gaussian", {{"dimension", dimension}});
    e.answer_embedding = e.query_embedding;
    return series(simulate(e, {}, 1), "update_null_space_leakage")[1];
  };
  CHECK(leakage(40) < 1e-13);
  CHECK(std::isnan(leakage(20)));
}

TEST_CASE(
    "with more dimensions than answers, polynomials and their polar factors keep the null vectors of gradients") {
  const std::string text =
      "[classes]\nspectrum = 'power_law'\ncount = 3\nexponent = 2\n[data]\nlabel_noise = 0.2\n"
      "[embedding.query]\nkind = 'gaussian'\ndimension = 5\n[embedding.answer]\nkind = 'gaussian'\ndimension = 4\n"
      "[[optimizer]]\nrule = 'formula'\nstep_size = 1\ndirection = 'polar(polar_express(G))'\n"
      "[run]\nsteps = 4\nspectral_metrics = 'on'\nweights = ";
  std::vector<double> norms;
  for (const char* weights : {"true", "false"}) {
    const Result result = run_of_text(text + weights);
    for (const double rank : series(result, "update_rank")) CHECK(rank == 2);
    norms.push_back(series(result, "weight_frobenius_norm").back());
  }
  CHECK(norms[0] == Approx(norms[1]).epsilon(1e-12));
}
