// Every form of a value: read, written in one form, read again, and swept.

#include <catch2/catch.hpp>

#include "experiment/plan_samples.hpp"
#include "experiment/write.hpp"
#include "model/answer_law.hpp"
#include "model/schedule.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

Experiment parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_experiment(text, "t.toml", overrides);
}

/// The line of the good file that is replaced, by what; parts of the canonical text.
const std::string forms = R"(
6 | count = 1e200 | count = 1e+200
9 | [embedding.query] | [embedding.query]↵kind = "orthogonal" | [embedding.answer]↵kind = "identity"
10 | query = {kind = "equicorrelated", rho = 0}↵answer = {kind = "block_rotation", block = [[0, 1], [-1, 0]]} | rho = 0.0 | block = [[0.0, 1.0], [-1.0, 0.0]]
8 | [answers]↵law = "modulo"↵count = 5↵power = 2 | [answers]↵law = "modulo"↵count = 5.0↵power = 2
8 | [answers]↵law = "hash"↵count = 7 | law = "hash"
8 | [answers]↵law = "hash"↵count = 7↵seed = 9 | law = "hash"↵seed = 9
10 | kind = "orthogonal"↵seed = 8 | [embedding.query]↵kind = "orthogonal"↵seed = 8 | [embedding.answer]↵kind = "orthogonal"↵seed = 8
14 | label_noise = 0.1↵seed = 7 | label_noise = 0.1↵seed = 7
8 | [answers]↵law = "fan_in"↵fan_in = 3 | fan_in = 3.0
8 | [answers]↵law = "fan_in"↵fan_in = "proportional"↵within = 1.5 | fan_in = "proportional"↵rounded = true↵within = 1.5
8 | [answers]↵law = "fan_in"↵fan_in = {largest = 16, exponent = 0.5} | fan_in = {exponent = 0.5, largest = 16.0}↵rounded = true↵within = 0.0
8 | [answers]↵law = "fan_in"↵path = "f.csv"↵column = "r" | column = "r"
8 | [answers]↵law = "fan_in"↵path = "f.csv"↵column = 2 | column = "2"
8 | [answers]↵law = "right_set"↵size = 4 | [answers]↵law = "right_set"
13 | mode = "minibatch"↵batch = 1e3 | mode = "minibatch" | batch = 1000
13 | mode = "dataset"↵size = 1e3 | mode = "dataset" | size = 1000
14 | label_noise = 0.1↵noise_answers = "frequency" | noise_answers = "frequency"
26 | step_size = 2 | step_size = 2.0↵schedule = "constant"
26 | step_size = {search = [1e-2, 100, 9]} | step_size = {search = [0.01, 100.0, 9], minimise = "loss"}↵schedule = "constant"
26 | step_size = {minimise = "error", search = [1e-2, 100.0, 9.0]}↵schedule = "cosine" | {search = [0.01, 100.0, 9], minimise = "error"} | schedule = "cosine"
26 | step_size = {search = ["1 / p_max", 'K', 9]} | {search = ["1/p_max", "K", 9], minimise = "loss"}
26 | step_size = 0.5↵schedule = " ( 1 - step/steps)**2 "↵warmup = 3 | schedule = "(1-step/steps)**2"↵warmup = 3
26 | step_size = 0.5↵weight_decay = "p_max / 2"↵weight_decay_kind = "coupled" | weight_decay = "p_max/2"↵weight_decay_kind = "coupled"
26 | step_size = 0.5↵weight_decay = 1 | weight_decay = 1.0
26 | step_size = 0.5↵schedule = 'inverse_sqrt'↵schedule_offset = 10 | schedule = "inverse_sqrt"↵schedule_offset = 10.0
26 | step_size = " 2 / p_max" | step_size = "2/p_max"
31 | step_size = 1 | polar = "exact"
31 | step_size = 1↵polar = "newton_schulz"↵polar_steps = 7 | polar_steps = 7
)";

/// The line that is replaced, by what; a sweep, and a point of it with what stands in its place there.
const std::string sweeps = R"(
8 | [answers]↵law = "modulo"↵count = 5 | answers.count = [2, 3, 5] | 1 | [answers]↵law = "modulo"↵count = 3
8 | [answers]↵law = "fan_in" | answers.fan_in = [2, "proportional", {exponent = 1, largest = 8}] | 2 | [answers]↵law = "fan_in"↵fan_in = {exponent = 1, largest = 8}
8 | [answers]↵law = "identity"↵size = 3 | answers.law = ["identity", "right_set"] | 0 | [answers]↵law = "identity"
8 | [answers]↵law = "identity"↵size = 3 | answers.law = ["identity", "right_set"] | 1 | [answers]↵law = "right_set"↵size = 3
13 | mode = "minibatch" | data.batch = [1, 10, 100] | 2 | mode = "minibatch"↵batch = 100
13 | batch = 32 | data.mode = ["population", "minibatch"] | 0 | mode = "population"
13 | batch = 32 | data.mode = ["population", "minibatch"] | 1 | mode = "minibatch"↵batch = 32
26 | step_size = 1 | optimizer.a.step_size = [0.1, {search = [1, 2, 3]}]↵optimizer.a.schedule = ['constant', 'cosine'] | 0 | step_size = 0.1
26 | step_size = 1 | optimizer.a.step_size = [0.1, {search = [1, 2, 3]}]↵optimizer.a.schedule = ['constant', 'cosine'] | 3 | step_size = {search = [1, 2, 3]}↵schedule = "cosine"
30 | rule = "gd" | optimizer.gd.rule = ["momentum", "gd", "muon"] | 0 | rule = "momentum"↵name = "gd"
30 | rule = "gd" | optimizer.gd.rule = ["momentum", "gd", "muon"] | 2 | rule = "muon"↵name = "gd"
6 |  | classes.count = [50, 100] | 1 | count = 100
10 | kind = "identity"↵rho = 0.3↵sigma = 0.2 | embedding.kind = ["identity", "equicorrelated", "noisy"] | 0 | kind = "identity"
10 | kind = "identity"↵rho = 0.3↵sigma = 0.2 | embedding.kind = ["identity", "equicorrelated", "noisy"] | 1 | kind = "equicorrelated"↵rho = 0.3
10 | kind = "identity"↵rho = 0.3↵sigma = 0.2 | embedding.kind = ["identity", "equicorrelated", "noisy"] | 2 | kind = "noisy"↵sigma = 0.2
10 | query.kind = "identity" | embedding.query.rho = [0.1, 0.2]↵embedding.query.kind = ["equicorrelated"] | 1 | query.kind = "equicorrelated"↵query.rho = 0.2
18 | engine = "auto" | run.nodes = ["auto", 64]↵run.engine = ["auto", "dense"] | 2 | nodes = 64
19 | record = "all" | run.record = ["log", [0, 2], {every = 2}]↵run.curvature = [true, false] | 2 | record = [0, 2]↵curvature = true
19 | record = "all" | run.record = ["log", [0, 2], {every = 2}]↵run.curvature = [true, false] | 5 | record = {every = 2}
)";

}  // namespace

TEST_CASE("every form of a value is read, written in one form, and read back the same") {
  for (const auto& row : rows_of(forms)) {
    INFO("line " << row[0] << " replaced by: " << row[1]);
    const Experiment read = parse(text_with(std::stoul(row[0]), row[1]));
    const std::string text = to_toml(read);
    for (std::size_t i = 2; i < row.size(); ++i) CHECK_THAT(text, Contains(row[i]));
    CHECK(parse(text) == read);
    CHECK(to_toml(parse(text)) == text);
  }
}

TEST_CASE("every form of a value is swept, and a point is the file with the value in its place") {
  for (const auto& row : rows_of(sweeps)) {
    INFO(row[1] << ", swept: " << row[2]);
    const std::size_t line = std::stoul(row[0]);
    const ExperimentPlan plan = parse_plan(text_with(line, row[1]) + "[sweep]\n" + row[2] + "\n", "t.toml");
    CHECK(plan.point(std::stoul(row[3])).experiment == parse(text_with(line, row[4])));
    check_round_trip(plan);
  }
}

TEST_CASE("the option --set takes every form, and the one that is there before gives way") {
  const std::string search = text_with(26, "step_size = {search = [1, 2, 3], minimise = \"error\"}");
  CHECK(parse(good_text(), {"optimizer.a.step_size={search = [1, 2, 3], minimise = \"error\"}"}) ==
        parse(search));
  CHECK(parse(search, {"optimizer.a.step_size=0.5"}) == parse(good_text()));
  CHECK(parse(good_text(), {"optimizer.a.schedule=linear"}).optimizers[0].schedule == "linear");
  CHECK(parse(good_text(), {"data.mode=minibatch", "data.batch=7"}).data_parameters.number("batch") == 7);
}

TEST_CASE("the canonical text has what the experiment is about, and nothing else") {
  const auto text = [](const std::vector<std::string>& overrides) {
    return to_toml(parse(good_text(), overrides));
  };
  const std::string plain = text({}), of_facts = text({"model.loss=least_squares"}),
                    gaussian = text({"model.loss=least_squares", "data.queries=gaussian",
                                     "data.label_noise=0", "target.exponent=0.5"});
  for (const char* part :
       {"answers", "batch", "model", "query_noise", "[target]", "schedule_offset", "warmup", "weight_decay"})
    CHECK_THAT(plain, !Contains(part));
  CHECK(plain.find("seed") == plain.rfind("seed"));
  CHECK(text({"answers.law=identity", "data.noise_answers=uniform"}) == plain);
  CHECK_THAT(of_facts, Contains("query_noise") && !Contains("[target]"));
  CHECK_THAT(gaussian, Contains("[target]"));
  CHECK(to_toml(parse(gaussian)) == gaussian);
}

TEST_CASE("counts has no [classes], neither in the file nor in the canonical text") {
  const std::string
      name = "name = \"t\"\n",
      classes = "[classes]\nspectrum = \"uniform\"\ncount = 5\n",
      text =
          "[answers]\nlaw = \"counts\"\npath = \"p.tsv\"\nreduce = \"top\"\ntop = 3\nkeep = 100\n"
          "[[optimizer]]\nrule = \"gd\"\nstep_size = 1\n";
  const Experiment experiment = parse(name + text);
  CHECK(experiment.spectrum == ChosenRow());
  CHECK_THAT(to_toml(experiment), !Contains("[classes]"));
  CHECK(parse(to_toml(experiment)) == experiment);
  const std::vector<Problem> both = problems_of(name + classes + text),
                             set = problems_of(name + text, {"classes.count=5"});
  REQUIRE(both.size() == 1);
  CHECK_THAT(to_string(both[0]),
             Contains("t.toml:2:1: error: [classes]: the law counts reads the queries and their "
                      "frequencies from its own table"));
  REQUIRE(set.size() == 1);
  CHECK_THAT(to_string(set[0]), Contains("--set classes.count=5: error: [classes]"));
}

TEST_CASE("every schedule of the catalogue can be written, and an offset belongs to the one that has it") {
  for (const ScheduleRow& row : schedule_catalogue()) {
    const std::string lines = "step_size = 1\nschedule = \"" + row.name + "\"";
    CHECK(parse(text_with(26, lines)).optimizers[0].schedule == row.name);
    CHECK(problems_of(text_with(26, lines + "\nschedule_offset = 5")).size() ==
          (row.name == "inverse_sqrt" ? 0 : 1));
  }
}
