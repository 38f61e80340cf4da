/// The figures the program is held to, each with its goal in the label. One iteration is one step of the
/// training loop: evaluate, direction, update. Run on two quiet cores:  build/release/bench
/// --benchmark_repetitions=5
///                                                           --benchmark_report_aggregates_only=true

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/machine.hpp"
#include "io/array_file.hpp"
#include "model/column_layout.hpp"
#include "model/make_spectrum.hpp"
#include "model/quadrature_rule.hpp"
#include "model/symmetric_layout.hpp"
#include "optim/update_rule.hpp"
#include "reference/with_defaults.hpp"
#include "sim/simulate.hpp"
#include "steps.hpp"

namespace {

using namespace rarefact;

void time_muon(benchmark::State& state, const ClassGroups& groups, double step_size, double noise) {
  pin_blocking();
  const Workers workers(threads);
  const OptimizerRow& row = optimizer_row("muon");
  const auto rule = row.make<SymmetricMatrix<double>>(with_defaults(row.parameters, {}));
  time_steps(state, SymmetricMemory<double>({groups, noise}, 1, {}, {}), *rule, step_size, 3, workers);
}

void muon_64_groups(benchmark::State& state) {
  const double classes = state.range(0) == 0 ? 1e6 : 1e15;
  const ParameterValues spectrum{{"groups", 64.0}, {"group_size", classes / 64}, {"exponent", 1.5}};
  time_muon(state, make_spectrum("grouped_power_law", spectrum, {}), 0.37, 0.1);
  state.SetLabel(state.range(0) == 0 ? "K = 1e6; goal: at most 0.4 ms" : "K = 1e15; goal: at most 0.4 ms");
}
BENCHMARK(muon_64_groups)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(1);

/// K = 1e12 distinct classes on 64 nodes.
void muon_quadrature(benchmark::State& state) {
  const SmoothLaw law = *spectrum_of("power_law", {{"count", 1e12}, {"exponent", 1.2}}, {}).law;
  const double total = weight_of_ranks(law, law.classes);
  const QuadratureRule rule = gauss_rule(law.classes, 64);
  ClassGroups groups{rule.count, {}};
  for (const double rank : rule.rank) groups.probability.push_back(law.weight(rank) / total);
  time_muon(state, groups, 0.37, 0.1);
  state.SetLabel("K = 1e12 distinct, 64 nodes; goal: at most 0.4 ms");
}
BENCHMARK(muon_quadrature)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(1);

void muon_kjv(benchmark::State& state) {
  const FileReaders readers = file_readers(RAREFACT_SOURCE_DIR "/data");
  const ParameterValues spectrum{{"path", std::string("kjv_words.tsv")}, {"column", std::string("count")}};
  time_muon(state, make_spectrum("file", spectrum, readers.counts), 1.0, 0);
  state.SetLabel("M = 526; goal: at most 0.4 of tests/bench/compare_numpy.py");
}
BENCHMARK(muon_kjv)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(40);

void gd_million_classes(benchmark::State& state) {
  pin_blocking();
  const Workers workers(threads);
  const ClassGroups groups = make_spectrum("power_law", {{"count", 1e6}, {"exponent", 1.1}}, {});
  const OptimizerRow& row = optimizer_row("gd");
  const auto rule = row.make<ColumnMatrix>({});
  time_steps(state, ColumnMemory({groups, 0}), *rule, 1.0, 2, workers);
  // Counts, probabilities, and W and G of two numbers each.
  state.counters["state_MB"] = 1e6 * 6 * sizeof(double) / 1e6;
  state.SetLabel("K = 1e6 distinct; goal: at most 8 ms, 50 MB");
}
BENCHMARK(gd_million_classes)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(1);

/// 1,000 steps on minibatches of 4096 pairs, whole runs of one thread: drawing, training, about 50 recorded
/// steps. Uniform classes are the hardest: hardly a query is drawn twice.
void minibatch_million_classes(benchmark::State& state) {
  const char* rules[] = {"gd", "signgd", "momentum", "adam"};
  const std::string rule = rules[state.range(0)];
  Experiment e;
  e.name = "minibatch";
  e.spectrum = {"uniform", {{"count", 1e6}}};
  e.query_embedding = e.answer_embedding = {"identity", {}};
  e.data_mode = "minibatch";
  e.data_parameters = {{"batch", 4096.0}};
  e.steps = 1000;
  e.record.kind = RecordRule::Kind::log;
  e.optimizers = {{rule, rule, 0.1, with_defaults(optimizer_row(rule).parameters, {})}};
  for (auto _ : state) {
    const Result result = simulate(e, {}, 1);
    if (result.runs[0].trajectories[0].engine != "columns") state.SkipWithError("not on columns");
  }
  state.SetLabel(rule + ", K = 1e6, B = 4096, 1,000 steps on columns; goal: at most 10 s");
}
BENCHMARK(minibatch_million_classes)
    ->DenseRange(0, 3)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(1);

/// A whole sweep: simulation, a synced file for each point, and the merge. 0: totals and errors at about 16
/// steps for every factor of ten; 1: with the singular values there, as by default; 2: at every step.
void thousand_points(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / "rarefact-bench-sweep";
  std::filesystem::create_directories(folder);
  std::ofstream file(folder / "thousand.toml");
  file << "name = 'thousand'\n[classes]\nspectrum = 'grouped_power_law'\ngroups = 16\ngroup_size = 1000\n"
       << "[run]\nsteps = 200\nrecord = '" << (state.range(0) == 2 ? "all" : "log")
       << "'\nspectral_metrics = '" << (state.range(0) == 1 ? "auto" : "off") << "'\n";
  for (const char* rule : {"gd", "signgd", "adam", "muon"})
    file << "[[optimizer]]\nrule = '" << rule << "'\nstep_size = 0.1\n";
  file << "[sweep]\nclasses.exponent = {linspace = [1.1, 2, 20]}\n"
       << "optimizer.muon.step_size = {linspace = [0.1, 0.5, 50]}\n";
  file.close();
  const std::string command = "cd '" + folder.string() +
                              "' && rm -rf results && '" RAREFACT_PROGRAM
                              "' run thousand.toml --jobs 2 --progress none > log 2>&1";
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) state.SkipWithError("the program failed");
  }
  std::filesystem::remove_all(folder);
  state.SetLabel(state.range(0) == 0   ? "M = 16, 200 steps, 4 optimizers, record log; goal: at most 4 s"
                 : state.range(0) == 1 ? "the same with spectral metrics"
                                       : "the same recording every step");
}
BENCHMARK(thousand_points)->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

void start_to_first_step(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path() / "rarefact-bench";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "tiny.toml")
      << "name = 'tiny'\n[classes]\nspectrum = 'uniform'\ncount = 8\n[run]\nsteps = 1\n"
         "[[optimizer]]\nrule = 'muon'\nstep_size = 1.0\n";
  const std::string command = "cd '" + folder.string() +
                              "' && rm -rf results && '" RAREFACT_PROGRAM
                              "' run tiny.toml --progress none > log 2>&1";
  for (auto _ : state) {
    if (std::system(command.c_str()) != 0) state.SkipWithError("the program failed");
  }
  std::filesystem::remove_all(folder);
  state.SetLabel("process start, one step, verified result file; goal for the start alone: at most 50 ms");
}
BENCHMARK(start_to_first_step)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(20);

}  // namespace

BENCHMARK_MAIN();
