#include "experiment/read.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <random>

#include "core/digest.hpp"
#include "experiment/plan.hpp"
#include "experiment/samples.hpp"
#include "experiment/write.hpp"
#include "io/scratch_folder.hpp"
#include "model/embedding.hpp"
#include "model/spectrum.hpp"
#include "optim/update_rule.hpp"
#include "rarefact/error.hpp"
#include "reference/random_cases.hpp"

using namespace rarefact;

namespace {

Experiment parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_experiment(text, "folder/t.toml", overrides);
}

/// Two gains.
ChosenRow chosen_embedding(const EmbeddingRow& row, int variant) {
  ChosenRow chosen{row.name, some_parameters(row.parameters, variant)};
  if (row.attributes) chosen.parameters.set("gains", std::vector<double>{0.5, 2});
  return chosen;
}

/// two_level's parameters fit together only where βK is whole, log_normal's where no class is too rare.
void make_fit(ChosenRow& spectrum) {
  if (spectrum.kind == "two_level") {
    spectrum.parameters.set("count", 1e6);
    spectrum.parameters.set("head_fraction", 0.25);
  }
  if (spectrum.kind == "product")
    spectrum.parameters = {{"counts", std::vector<double>{8, 4}}, {"exponents", std::vector<double>{1, 0}}};
  if (spectrum.kind == "log_normal")
    spectrum.parameters = {{"count", 1e6}, {"location", 1.5}, {"width", 7.25}};
}

/// Steps are for polynomials, which take no smoothing.
void make_fit(ParameterValues& of_rule) {
  if (!of_rule.has("polar_steps")) return;
  of_rule.set("polar", "newton_schulz");
  of_rule.set("smoothing", 0.0);
}

/// Experiments in which every row of every catalogue occurs, with several values of its parameters.
std::vector<Experiment> many_experiments() {
  const std::vector<RecordRule> records = {{},
                                           {.kind = RecordRule::Kind::log, .every = 1, .steps = {}},
                                           {.kind = RecordRule::Kind::every, .every = 7, .steps = {}},
                                           {.kind = RecordRule::Kind::list, .every = 1, .steps = {0, 3, 10}},
                                           {.kind = RecordRule::Kind::list, .every = 1, .steps = {}}};
  const auto& spectra = spectrum_catalogue();
  const auto& embeddings = embedding_catalogue();
  const auto& rules = optimizer_catalogue();
  std::vector<Experiment> experiments;
  for (int variant = 0; variant < 90; ++variant) {
    const auto v = static_cast<std::size_t>(variant);
    const auto& spectrum = spectra[v % spectra.size()];
    const auto& query = embeddings[v % embeddings.size()];
    const auto& answer = embeddings[(v / 2 + 3) % embeddings.size()];
    Experiment experiment;
    experiment.name = "experiment " + std::to_string(variant);
    experiment.seed = variant == 0 ? std::numeric_limits<std::int64_t>::max() : variant;
    experiment.spectrum = {spectrum.name, some_parameters(spectrum.parameters, variant)};
    make_fit(experiment.spectrum);
    experiment.query_embedding = chosen_embedding(query, variant);
    experiment.answer_embedding = chosen_embedding(answer, variant + 1);
    experiment.tied = variant % 5 == 4;
    if (experiment.tied) experiment.answer_embedding = experiment.query_embedding;
    experiment.label_noise = variant / 100.0;
    experiment.steps = 10 + variant;
    experiment.engine = std::vector{"auto", "symmetric", "columns", "dense"}[v % 4];
    experiment.record = records[v % records.size()];
    if (variant % 3 == 1) experiment.classes.kind = ClassRule::Kind::all;
    if (variant % 3 == 2) {
      experiment.classes = {
          ClassRule::Kind::list,
          {{ClassAt::Kind::rank, 1e300}, {ClassAt::Kind::percent, 99.9}, {ClassAt::Kind::last}}};
      experiment.nodes = 48;
    }
    experiment.spectral_metrics = std::vector{"auto", "cheap", "on", "off"}[v % 4];
    experiment.base_directory = "folder";
    for (std::size_t o = 0; o <= v % 3; ++o) {
      const auto& rule = rules[(v + o) % rules.size()];
      experiment.optimizers.push_back({"label " + std::to_string(o), rule.name, 0.1 / (1 + variant),
                                       some_parameters(rule.parameters, variant)});
      make_fit(experiment.optimizers.back().parameters);
    }
    experiments.push_back(std::move(experiment));
  }
  return experiments;
}

}  // namespace

TEST_CASE("the text of an experiment reads back as the same experiment, for every row of every catalogue") {
  for (const Experiment& experiment : many_experiments()) {
    const std::string text = to_toml(experiment);
    INFO(text);
    const Experiment read = parse(text);
    CHECK(read == experiment);
    CHECK(to_toml(read) == text);
  }
}

TEST_CASE("a file is read into the experiment it describes") {
  const Experiment experiment = parse(good_text());
  CHECK(experiment.name == "t");
  CHECK(experiment.seed == 1);
  CHECK(experiment.spectrum == ChosenRow{"power_law", {{"count", 100.0}, {"exponent", 1.5}}});
  CHECK(experiment.query_embedding == ChosenRow{"orthogonal", {}});
  CHECK(experiment.answer_embedding == experiment.query_embedding);
  CHECK(experiment.label_noise == 0.1);
  CHECK(experiment.steps == 20);
  CHECK(experiment.record == RecordRule{});
  CHECK(experiment.spectral_metrics == "off");
  REQUIRE(experiment.optimizers.size() == 2);
  CHECK(experiment.optimizers[0].name == "a");
  CHECK(experiment.optimizers[0].step_size == 0.5);
  CHECK(experiment.optimizers[0].parameters ==
        ParameterValues{{"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-8}});
  CHECK(experiment.optimizers[1].name == "muon");
  CHECK(experiment.base_directory == "folder");
}

TEST_CASE("what a file leaves out has its default") {
  Experiment expected;
  expected.name = "d";
  expected.spectrum = {"uniform", {{"count", 4.0}}};
  expected.optimizers = {{"gd", "gd", 1, {}}};
  expected.base_directory = "folder";
  CHECK(
      parse(
          "name = 'd'\n[classes]\nspectrum = 'uniform'\ncount = 4\n[[optimizer]]\nrule = 'gd'\nstep_size = 1\n") ==
      expected);
}

TEST_CASE("the order of keys, comments and the spelling of numbers make no difference") {
  const std::string other =
      "seed = 0x1 # a comment\nname = 't'\nrun = {spectral_metrics = 'off', steps = 2e1}\n"
      "data = {label_noise = 1e-1}\nembedding.answer.kind = 'orthogonal'\nembedding.query.kind = "
      "'orthogonal'\n"
      "[[optimizer]]\nstep_size = 5e-1\nrule = 'adam'\nname = 'a'\n"
      "[[optimizer]]\nrule = 'muon'\nmomentum = -0.0\nstep_size = 1\n"
      "[classes]\nexponent = 15e-1\ncount = 1e2\nspectrum = 'power_law'\n";
  CHECK(to_toml(parse(other)) == to_toml(parse(good_text())));
}

TEST_CASE("the option --set puts values over those of the file") {
  const Experiment experiment =
      parse(good_text(), {"run.steps=7", "data.label_noise = 0.25", "name=other", "run.record={every = 2}",
                          "optimizer.a.step_size=3", "optimizer.muon.name=m", "optimizer.muon.nesterov=true",
                          "run.engine=\"dense\"", "seed=1", "seed=2"});
  CHECK(experiment.steps == 7);
  CHECK(experiment.label_noise == 0.25);
  CHECK(experiment.name == "other");
  CHECK(experiment.record == RecordRule{.kind = RecordRule::Kind::every, .every = 2, .steps = {}});
  CHECK(experiment.optimizers[0].step_size == 3);
  CHECK(experiment.optimizers[1].name == "m");
  CHECK(experiment.optimizers[1].parameters.boolean("nesterov"));
  CHECK(experiment.engine == "dense");
  CHECK(experiment.seed == 2);
  // In any order.
  for (const char* first : {"optimizer.muon.rule=gd", "optimizer.muon.step_size=3"}) {
    const auto changed = parse(good_text(), {first, "optimizer.muon.step_size=3", "optimizer.muon.rule=gd"});
    CHECK(changed.optimizers[1].name == "muon");
    CHECK(changed.optimizers[1].rule == "gd");
    CHECK(changed.optimizers[1].step_size == 3);
  }
}

TEST_CASE("the option --set makes tables that the file lacks, and reads bare words and paths as texts") {
  const std::string text = "name = 'x'\n[[optimizer]]\nrule = 'gd'\nstep_size = 1\n";
  const Experiment experiment =
      parse(text, {"classes.spectrum=file", "classes.path=../data/words.tsv", "embedding.query.kind=gaussian",
                   "embedding.query.dimension=1e2"});
  CHECK(experiment.spectrum ==
        ChosenRow{"file", {{"path", std::string("../data/words.tsv")}, {"column", std::string("count")}}});
  CHECK(experiment.query_embedding == ChosenRow{"gaussian", {{"dimension", 100.0}}});
}

TEST_CASE("a file is read from disk, and its folder is where its paths start") {
  const ScratchFolder folder;
  std::ofstream(folder / "e.toml") << good_text();
  const Experiment experiment = read_plan(folder / "e.toml", {"seed=5"}).point(0).experiment;
  CHECK(experiment.seed == 5);
  CHECK(experiment.base_directory == (folder / "e.toml").parent_path().string());
  CHECK_THROWS_AS(read_plan(folder / "no.toml"), FileError);
  CHECK_THROWS_AS(read_plan(folder / "e.toml" / ".."), FileError);
}

TEST_CASE("the resolved text tells files of the same path but other contents apart") {
  const ScratchFolder folder;
  const std::string text =
      "name = 'f'\n[classes]\nspectrum = 'file'\npath = 'words.tsv'\n[[optimizer]]\nrule = 'gd'\nstep_size = "
      "1\n";
  const Experiment experiment = parse_experiment(text, (folder / "e.toml").string());
  CHECK(resolved_text(experiment) == to_toml(experiment));
  std::ofstream(folder / "words.tsv") << "count\n3\n2\n";
  const std::string first = resolved_text(experiment);
  CHECK(first ==
        to_toml(experiment) + "\n# sha256 " + sha256_hex(std::string_view("count\n3\n2\n")) + " words.tsv\n");
  CHECK(parse_experiment(first, (folder / "e.toml").string()) == experiment);
  std::ofstream(folder / "words.tsv") << "count\n3\n1\n";
  CHECK(resolved_text(experiment) != first);
}

TEST_CASE("a damaged file gives an experiment or an InputError, never anything else") {
  const std::string whole =
      to_toml(many_experiments()[8]) + good_text().substr(good_text().find("[[optimizer]]"));
  const reference::RandomCases cases(4000);
  std::mt19937 random(static_cast<unsigned>(cases.seed));
  const std::string alphabet = "=[]{}\"'.,#\n\t -+_0123456789eaxinft\\\x80\xff\x00";
  const auto any = [&](std::size_t below) { return static_cast<std::size_t>(random() % below); };
  int good = 0, bad = 0;
  for (int trial = 0; trial < cases.count; ++trial) {
    std::string text = trial % 2 == 0 ? whole : good_text();
    for (std::size_t change = 0; change <= any(3); ++change) {
      const std::size_t at = any(text.size());
      switch (any(4)) {
        case 0:
          text.erase(at);
          break;
        case 1:
          text.erase(at, any(30));
          break;
        case 2:
          text[at] = alphabet[any(alphabet.size())];
          break;
        default:
          text.insert(at, text.substr(any(text.size()), any(30)));
      }
      if (text.empty()) text = "\n";
    }
    INFO(text);
    try {
      const Experiment experiment = parse(text);
      CHECK(parse(to_toml(experiment)) == experiment);
      ++good;
    } catch (const InputError& error) {
      CHECK_FALSE(error.problems().empty());
      ++bad;
    }
  }
  CHECK(good > cases.count / 160);
  CHECK(bad > cases.count / 4);
}
