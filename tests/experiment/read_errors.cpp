#include <catch2/catch.hpp>

#include "experiment/samples.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;

namespace {

std::vector<Problem> problems_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_experiment(text, "t.toml", overrides);
  } catch (const InputError& error) {
    return error.problems();
  }
  return {};
}

/// The line of the good file that is replaced, by what; where the one problem that this makes is, and parts of its message.
const std::string cases = R"(
* unknown keys and tables
2 | sed = 1 | 2:1 | unknown key "sed" | did you mean "seed"?
14 | label_niose = 0.1 | 14:1 | unknown key "label_niose" in [data] | did you mean "label_noise"?
7 | exponent = 1↵exponnet = 2 | 8:1 | unknown key "exponnet" in [classes] | "exponent"
12 | [dat] | 12:2 | unknown key "dat" | did you mean "data"?
13 | steps = 3 | 13:1 | unknown key "steps" in [data] | it belongs in [run]
18 | seed = 3 | 18:1 | unknown key "seed" in [run] | top of the file
2 | steps = 3 | 2:1 | unknown key "steps" | it belongs in [run]
18 | batch_size = 3 | 18:1 | "batch" belongs in [data]
14 | batch_size = 3 | 14:1 | unknown key "batch_size" in [data] | did you mean "batch"?
26 | step_size = 1↵wd = 0.1 | 27:1 | unknown key "wd" in [optimizer] | did you mean "weight_decay"?
27 | beta3 = 0.9 | 27:1 | unknown key "beta3" in [optimizer] | did you mean "beta1"?
11 | [embedding.qery] | 11:12 | unknown key "qery" in [embedding] | did you mean "query"?
13 | zzzzzzzzzz = 1 | 13:1 | the keys here are mode, label_noise
3 | [sweep]↵seed = [1, 2]↵ | 3:1 | [sweep] makes a grid of experiments, and one experiment belongs here
* keys of another row
5 | spectrum = "uniform" | 7:1 | classes.exponent is a parameter of spectrum power_law, zipf_mandelbrot and grouped_power_law, not of uniform | uniform takes count
27 | momentum = 0.9 | 27:1 | optimizer.momentum is a parameter of rule momentum and muon, not of adam | adam takes beta1, beta2 and epsilon
10 | kind = "identity"↵rho = 0.5 | 11:1 | embedding.rho is a parameter of embedding equicorrelated and toeplitz | identity takes no parameters
* missing keys
6 |  | 4:1 | classes.count is missing: number of classes K | power_law takes count and exponent
5 |  | 4:1 | classes.spectrum is missing | one of uniform, two_level, power_law
26 |  | 23:1 | optimizer.step_size is missing
26 | lr = 0.1 | 26:1 | unknown key "lr" in [optimizer]; did you mean "step_size"?
26 | step_size = 1/p_max | 26:14 | so does an expression, as in "1/p_max"
25 |  | 23:1 | optimizer.rule is missing | one of gd, ngd, momentum
1 |  | 1:1 | name is missing
10 | kind = "noisy" | 9:1 | embedding.sigma is missing | noisy takes sigma
* names of rows
5 | spectrum = "powerlaw" | 5:12 | classes.spectrum: got the string "powerlaw" | did you mean "power_law"?
10 | kind = "ortogonal" | 10:8 | embedding.kind | did you mean "orthogonal"?
30 | rule = "AdamW" | 30:8 | experiments/rules/adamw.toml has it as a formula
30 | rule = "SGD" | 30:8 | did you mean "gd"?
13 | mode = "online" | 13:8 | data.mode | did you mean "minibatch"?
30 | rule = adam | 30:8 | a string needs quotes
30 | rule = "moun" | 30:8 | optimizer.rule | did you mean "muon"?
18 | engine = "gpu" | 18:10 | run.engine | one of auto, symmetric, quadrature, columns, modes, dense
18 | nodes = 1 | 18:9 | run.nodes | [2, 1024]
18 | nodes = "many" | 18:9 | run.nodes | "auto" or an integer from 2 to 1024
18 | quadrature_tolerance = 0.5 | 18:24 | run.quadrature_tolerance | (0, 0.01]
20 | classes = [1, "lst"] | 20:15 | run.classes | "last" | "99%"
20 | classes = [0] | 20:12 | run.classes | in [1, 1e+300]
20 | classes = [] | 20:11 | run.classes | empty list
20 | classes = "every" | 20:11 | run.classes | one of groups, all
21 | spectral_metrics = true | 21:20 | run.spectral_metrics: got true | one of auto, cheap, on, off
* types
14 | label_noise = "5%" | 14:15 | got the string "5%" | ; write 0.05
14 | label_noise = "5 percent" | 14:15 | in [0, 1); write 0.05
14 | label_noise = "1/10" | 14:15 | in [0, 1); write 0.1
6 | count = "20k" | 6:9 | classes.count: got the string "20k" | write 20000
21 | precision = "50" | 21:13 | expected one of 16, 50; write it without quotes
17 | steps = "20" | 17:9 | run.steps: got the string "20"; expected an integer | write it without quotes
17 | steps = 2.5 | 17:9 | run.steps: got 2.5; expected an integer
6 | count = 2.5 | 6:9 | classes.count: got 2.5; expected an integer
6 | count = true | 6:9 | classes.count: got true
7 | exponent = 1979-05-27 | 7:12 | classes.exponent: got a date or time
7 | exponent = [1.1, 1.5] | 7:12 | got a list, but one value belongs here | write the list in [sweep]
26 | step_size = [0.1, 0.2] | 26:13 | optimizer.step_size: got a list, but one value belongs here
26 | step_size = {a = 1} | 26:14 | unknown key "a" in optimizer.step_size; expected search and minimise
31 | step_size = 1↵nesterov = 1 | 32:12 | optimizer.nesterov: got 1; expected true or false
21 | precision = 17 | 21:13 | run.precision: got 17; expected one of 16, 50
30 | rule = "newton"↵damping = -1 | 31:11 | damping: got -1; expected a number >= 0
1 | name = 3 | 1:8 | name: got 3; expected a string
1 | name = "" | 1:8 | name | not empty
1 | name = "a\u0000b" | 1:8 | name | control characters
1 | name = "a/b" | 1:8 | name: got the string "a/b", but it names the result file; expected a string of at most 200 bytes without "/" that does not begin with a dot
1 | name = ".." | 1:8 | does not begin with a dot
24 | name = "a\nb" | 24:8 | optimizer.name | control characters
12 | [[data]] | 12:1 | data: got a list; expected a table [data], with single brackets
* intervals
14 | label_noise = 1 | 14:15 | data.label_noise: got 1; expected a number in [0, 1)
14 | label_noise = -0.1 | 14:15 | got -0.1 | in [0, 1)
26 | step_size = 0 | 26:13 | optimizer.step_size: got 0; expected a number > 0
26 | step_size = inf | 26:13 | optimizer.step_size: got inf
7 | exponent = nan | 7:12 | classes.exponent: got nan; expected a number >= 0
6 | count = 1 | 6:9 | classes.count: got 1 | in [2, 1e+300]
6 | count = 1e301 | 6:9 | classes.count: got 1e+301
2 | seed = -1 | 2:8 | seed: got -1; expected an integer >= 0
2 | seed = 1e19 | 2:8 | seed: got 1e+19 | at most 2^63 - 1
17 | steps = 1e17 | 17:9 | run.steps: got 1e+17 | above 2^53 in digits, without an exponent
17 | steps = 0 | 17:9 | run.steps: got 0 | in [1, 9e+18]
6 | count = 100000000000000000000 | 6:30 | not representable in 64 bits | write large numbers as 1e20
* record
19 | record = [0, 5, 21] | 19:17 | run.record: got 21; expected an integer in [0, 20]
19 | record = [1.5] | 19:11 | run.record: got 1.5
19 | record = "logs" | 19:10 | run.record | one of all, log | {every = 10} | did you mean "log"?
19 | record = 5 | 19:10 | run.record: got 5; expected one of all, log, {every = 10}
19 | record = {every = 0} | 19:19 | run.record.every: got 0; expected an integer in [1, 20]
19 | record = {evry = 2} | 19:11 | unknown key "evry" in run.record
19 | record = {} | 19:10 | empty table
17 | steps = 1e12 | 19:10 | 1e+12 steps would be recorded | "log"
* optimizers
24 | name = "muon" | 29:1 | two optimizers are named "muon"
30 | rule = "muon"↵name = "a" | 31:8 | two optimizers are named "a"
* searches, schedules and expressions of step sizes
26 | step_size = {search = [0, 1, 3]} | 26:24 | low: got 0; expected a number > 0
26 | step_size = {search = [2, 1, 3]} | 26:27 | high: got 1; expected a number > low, 2
26 | step_size = {search = [1, nan, 3]} | 26:27 | high: got nan
26 | step_size = {search = [1, 2, 1]} | 26:30 | n: got 1; expected an integer in [2, 1000]
26 | step_size = {search = [1, 2, 1001]} | 26:30 | n: got 1001
26 | step_size = {search = [1, 2]} | 26:23 | got a list of 2; expected [low, high, n]
26 | step_size = {search = 3} | 26:23 | search: got 3; expected [low, high, n]
26 | step_size = {search = [1, 2, 3], minimise = "los"} | 26:45 | optimizer.step_size.minimise: got the string "los"; expected one of loss, excess_loss, error; did you mean "loss"?
26 | step_size = {search = [1, 2, 3], minimize = "loss"} | 26:34 | did you mean "minimise"?
26 | step_size = {minimise = "loss"} | 26:13 | got a table without search; expected {search =
26 | step_size = "2/pmax" | 26:13 | unknown name "pmax"; there are K, alpha, p_max, p_min, steps, sqrt()
26 | step_size = "2/" | 26:13 | the string "2/": got the end after "2/"; expected a number
26 | step_size = "0,05" | 26:13 | expected a number > 0; write 0.05
26 | step_size = "K > 3" | 26:13 | got the condition "K > 3"; expected a number, such as where(K > 3, 1, 0)
26 | step_size = 1↵schedule = "step > 3" | 27:12 | got the condition "step > 3"; expected a number, such as where(step > 3, 1, 0)
26 | step_size = "5%" | 26:13 | expected a number > 0; write 0.05
26 | step_size = "0.5" | 26:13 | write it without quotes
26 | step_size = "" | 26:13 | expected a number > 0
26 | step_size = {search = ["1/p_mx", 2, 3]} | 26:24 | low: the string "1/p_mx": unknown name "p_mx"
26 | step_size = {search = [1, "2", 3]} | 26:27 | high: got the string "2"
26 | step_size = 1↵schedule = "cosin" | 27:12 | did you mean "cosine"?
26 | step_size = 1↵schedule = "1/sqrt(stp+1)*2" | 27:12 | unknown name "stp"; there are step, steps, pi; did you mean "step"?
26 | step_size = 1↵schedule = "csin(step)/2" | 27:12 | no function is called "csin"
26 | step_size = 1↵schedule = "cos(step, 2)/2" | 27:12 | cos takes one number, and got 2
26 | step_size = 1↵schedule = "1 - " | 27:12 | got the end after "1 - "
26 | step_size = 1↵schedule = 0.5 | 27:12 | got 0.5; expected one of constant, inverse_sqrt, linear, cosine, or
26 | step_size = 1↵weight_decay = -0.1 | 27:16 | weight_decay: got -0.1; expected a number >= 0
26 | step_size = 1↵weight_decay = "0.1*p_mx" | 27:16 | did you mean "p_max"?
26 | step_size = 1↵weight_decay_kind = "l2" | 27:21 | one of decoupled, coupled
26 | step_size = 1↵warmup = -1 | 27:10 | warmup: got -1
26 | step_size = 1↵schedule_offset = 0 | 27:19 | schedule_offset: got 0; expected a number > 0
26 | step_size = 1↵schedule_offset = 2 | 27:19 | got 2, but the schedule constant has no offset; it belongs to inverse_sqrt
* parameters of muon
31 | step_size = 1↵polar = "newton_shulz" | 32:9 | optimizer.polar: got the string "newton_shulz" | one of exact, newton_schulz, polar_express | did you mean "newton_schulz"?
31 | step_size = 1↵polar = [[1, 2]] | 32:9 | one value belongs here: one of exact
31 | step_size = 1↵smoothing = -0.1 | 32:13 | optimizer.smoothing: got -0.1
31 | step_size = 1↵polar = "newton_schulz"↵polar_steps = 0 | 33:15 | optimizer.polar_steps: got 0
31 | step_size = 1↵polar_steps = 5 | 29:1 | the exact polar factor has no steps
31 | step_size = 1↵polar = "polar_express"↵smoothing = 0.1 | 29:1 | [[optimizer]]: smoothing
31 | step_size = 1↵momentum_kind = "mean" | 32:17 | one of sum, average
31 | step_size = 1↵lr_scale = "orignal" | 32:12 | did you mean "original"?
* samples and noise
13 | mode = "minibatch"↵batch = 0 | 14:9 | data.batch: got 0; expected an integer in [1, 1e+09]
13 | mode = "dataset"↵size = 0.5 | 14:8 | data.size: got 0.5; expected an integer in [1, 1e+09]
13 | mode = "dataset"↵size = -3 | 14:8 | data.size: got -3
13 | mode = "minibatch"↵batch = 2e9 | 14:9 | data.batch: got 2000000000
13 | mode = "minibatch" | 12:1 | data.batch is missing
13 | batch = 5 | 13:1 | data.batch is a parameter of mode minibatch, not of population
13 | mode = "mini_batch"↵batch = 5 | 13:8 | did you mean "minibatch"?
* laws of answers
8 | [answers]↵law = "modul"↵count = 5 | 9:7 | answers.law: got the string "modul"; expected one of identity, modulo, hash, fan_in, right_set, zipf, counts; did you mean "modulo"?
8 | [answers]↵law = "modulo"↵count = 1 | 10:9 | answers.count: got 1; expected an integer in [2, 1e+300]
8 | [answers]↵law = "modulo"↵count = 5↵fan_in = 3 | 11:1 | answers.fan_in is a parameter of law fan_in, not of modulo; modulo takes count and power
8 | [answers]↵law = "fan_in"↵fan_in = 0 | 10:10 | answers.fan_in: got 0; expected an integer in [1, 1e+300], "proportional", or {exponent = s, largest = r} with s >= 0 and an integer r >= 1
8 | [answers]↵law = "fan_in"↵fan_in = 2.5 | 10:10 | got 2.5; expected an integer
8 | [answers]↵law = "fan_in"↵fan_in = {exponent = 0.5, larges = 3} | 10:10 | an unknown "larges"; did you mean "largest"?
8 | [answers]↵law = "fan_in"↵fan_in = {exponent = 0.5} | 10:10 | answers.fan_in: got a table; expected | r >= 1; largest is missing
8 | [answers]↵law = "fan_in"↵fan_in = {exponent = -1, largest = 3} | 10:10 | r >= 1; exponent is none of these
8 | [answers]↵law = "fan_in"↵fan_in = {exponent = 0.5, largest = 0} | 10:10 | r >= 1; largest is none of these
8 | [answers]↵law = "fan_in"↵fan_in = "proportionl" | 10:10 | did you mean "proportional"?
8 | [answers]↵law = "fan_in"↵fan_in = "proportional"↵rounded = false↵within = 1 | 11:11 | answers.rounded: got false, but queries that differ
8 | [answers]↵law = "fan_in"↵path = "f.csv"↵rounded = false | 11:11 | answers.rounded: got false, but fan-ins in a file are whole numbers; expected true
8 | [answers]↵law = "fan_in"↵fan_in = 3↵rounded = 1 | 11:11 | answers.rounded: got 1; expected true or false
8 | [answers]↵law = "right_set"↵size = 0 | 10:8 | answers.size: got 0; expected an integer
* TOML itself
6 | count = | 6:8 | key-value pair
6 | count = 1 000 | 6:11 | expected a comment or whitespace | ; write 1000
6 | count = 1,000,000 # a million | 6:10 | ; write 1000000
7 | exponent = -1,000,000 | 7:14 | ; write -1000000
6 | count = "1 000" | 6:9 | expected an integer in [2, 1e+300]; write 1000
7 | exponent = 0,1 | 7:13 | ; write 0.1
7 | exponent = "0,1" | 7:12 | ; write 0.1
6 | count = 10^3 | 6:11 | expected digit, saw '^'; write 1000
14 | label_noise = 5% # five | 14:16 | write 0.05, or "99%" in run.classes
14 | label_noise = .5 | 14:15 | write 0.5
14 | label_noise = 0. | 14:17 | write 0
6 | count = 1 2 | 6:11 | expected a comment or whitespace
6 | spectrum = "uniform" | 6:12 | cannot redefine
5 | spectrum = "power_law | 5:22 | string
9 | [embedding | 9:11 | table header
)";

void check_says(const Problem& problem, const std::vector<std::string>& says) {
  for (const std::string& part : says) CHECK_THAT(problem.message, Catch::Contains(part));
}

void check_only(const std::vector<Problem>& problems, const std::string& place,
                const std::vector<std::string>& says) {
  REQUIRE(problems.size() == 1);
  INFO(to_string(problems[0]));
  CHECK(problems[0].file == "t.toml");
  CHECK(std::to_string(problems[0].line) + ":" + std::to_string(problems[0].column) == place);
  check_says(problems[0], says);
}

}  // namespace

TEST_CASE("every kind of bad input is reported where it is, with what is legal and the nearest name") {
  auto rows = rows_of(cases);
  rows.push_back({"2", "seed = 1 # \u00e9 \xe9", "2:14", "not UTF-8"});
  for (const auto& row : rows) {
    INFO("line " << row[0] << " replaced by: " << row[1]);
    check_only(problems_of(text_with(std::stoul(row[0]), row[1])), row[2], {row.begin() + 3, row.end()});
  }
}

TEST_CASE("a number is only proposed to a key that takes it") {
  for (const std::string typed : {"100%", "150 %", "2,5", "-1/2"}) {
    INFO(typed);
    for (const auto& problems : {problems_of(text_with(14, "label_noise = " + typed)),
                                 problems_of(text_with(14, "label_noise = '" + typed + "'")),
                                 problems_of(text_with(14, ""), {"data.label_noise=" + typed})}) {
      REQUIRE(problems.size() == 1);
      INFO(problems[0].message);
      CHECK(problems[0].message.find("write") == std::string::npos);
    }
  }
  check_only(problems_of(text_with(20, "classes = [1, 50%]")), "20:17", {"write 0.5, or \"99%\""});
}

TEST_CASE("what is wrong with whole tables is reported where they are") {
  struct Whole {
    std::string text, place;
    std::vector<std::string> says;
  };
  const std::string name = "name = 'x'\n", classes = "[classes]\nspectrum = 'uniform'\ncount = 4\n",
                    optimizer = "[[optimizer]]\nrule = 'gd'\nstep_size = 1\n";
  const std::vector<Whole> wholes = {
      {name + classes, "1:1", {"no [[optimizer]] is there", "rule and step_size"}},
      {name + "optimizer = []\n" + classes, "2:13", {"optimizer: the list is empty"}},
      {name + "optimizer = 3\n" + classes, "2:13", {"optimizer: got 3"}},
      {name + "optimizer = [3]\n" + classes, "2:14", {"optimizer: got 3; expected a table [[optimizer]]"}},
      {name + classes + "[optimizer]\nrule = 'gd'\nstep_size = 1\n",
       "5:1",
       {"double brackets, [[optimizer]]"}},
      {name + optimizer, "1:1", {"classes.spectrum is missing"}},
      {name + "classes = 3\n" + optimizer, "2:11", {"classes: got 3; expected a table [classes]"}},
      {name + "run = 3\n" + classes + optimizer, "2:7", {"run: got 3; expected a table [run]"}},
      {name + "embedding.query = 3\n" + classes + optimizer,
       "2:19",
       {"embedding.query: got 3; expected a table"}},
      {name + "[classes]\nspectrum = 'two_level'\ncount = 10\nhead_fraction = 0.33\nhead_mass = 0.5\n" +
           optimizer,
       "2:1",
       {"[classes]: head_fraction 0.33 of 10 classes", "an integer"}},
      {name + "[classes]\nspectrum = 'product'\ncounts = [2.5, 3]\n" + optimizer,
       "4:10",
       {"classes.counts: 2.5 is not an integer"}},
      {name + "[classes]\nspectrum = 'product'\ncounts = [2, 3]\nexponents = [1]\n" + optimizer,
       "5:13",
       {"classes.exponents: expected 2 numbers", "got 1"}},
      {name + "[classes]\nspectrum = 'uniform'\ncount = 1e9\n[answers]\nlaw = 'hash'\ncount = 5\n" +
           optimizer,
       "6:7",
       {"answers.law: the answers of 1e+09 queries are written out one by one"}},
      {name + classes + optimizer + std::string(300, '.') + "\n", "8:1", {"more than 256 dots"}},
      {"", "1:1", {"name is missing"}},
  };
  for (const Whole& whole : wholes) {
    INFO(whole.text);
    auto problems = problems_of(whole.text);
    // The empty file lacks everything that is required; its first problem is looked at.
    if (whole.text.empty() && !problems.empty()) problems.resize(1);
    check_only(problems, whole.place, whole.says);
  }
}

TEST_CASE("all problems of a file come at once, sorted by position, those of --set last") {
  std::string text = text_with(26, "step_sise = 0.5");
  text.replace(text.find("label_noise = 0.1"), 17, "label_noise = 7");
  text.replace(text.find("seed = 1"), 8, "seed = x");
  CHECK(problems_of(text).size() == 1);  // not TOML: nothing more can be said

  text.replace(text.find("seed = x"), 8, "seed = -1");
  const auto problems = problems_of(text, {"run.steps=0", "nonsense"});
  REQUIRE(problems.size() == 5);
  const std::vector<std::pair<int, int>> expected = {{2, 8}, {14, 15}, {26, 1}, {0, 0}, {0, 0}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO(to_string(problems[i]));
    CHECK(std::pair(problems[i].line, problems[i].column) == expected[i]);
  }
  CHECK_THAT(to_string(problems[0]), Catch::StartsWith("t.toml:2:8: error: seed: got -1"));
}

TEST_CASE("no hint proposes what is not legal either") {
  for (const char* change :
       {"run.steps=\".5\"", "run.steps=\"50%\"", "data.label_noise=\"-5%\"", "data.label_noise=\"inf%\"",
        "run.steps=\"ten\"", "run.steps=\"0,5\"", "run.steps=\"10 00\"", "data.label_noise=\"-.1\"",
        "data.label_noise=\"1,5\"", "run.steps=1e-1.5", "optimizer.a.step_size=\"-1\""}) {
    const std::vector<Problem> problems = problems_of(text_with(2, "seed = 1"), {change});
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].message.find("write") == std::string::npos);
    CHECK(problems[0].message.find("quotes") == std::string::npos);
  }
}

TEST_CASE("problems of --set name it and the value") {
  struct Override {
    std::string text;
    std::vector<std::string> says;
  };
  const std::vector<Override> overrides = {
      {"nonsense", {"expected key=value"}},
      {"run.steps=", {"expected key=value"}},
      {"=3", {"expected key=value"}},
      {"run.stepz=3", {"unknown key \"run.stepz\"", "did you mean \"run.steps\"?"}},
      {"steps=3", {"unknown key \"steps\"", "\"run.steps\""}},
      {"classes=3", {"classes is a table; set one of its keys, as classes.spectrum=VALUE"}},
      {"optimizer=3", {"optimizer is a table", "optimizer.NAME.rule=VALUE"}},
      {"run.steps=2.5", {"run.steps: got 2.5"}},
      {"run.steps=many", {"run.steps: got the string \"many\"; expected an integer"}},
      {"run.steps=[1, 2]", {"one value belongs here"}},
      {"run.steps=[1, 2", {"not TOML"}},
      {"data.label_noise=5%", {"not TOML", "write 0.05"}},
      {"optimizer.a.step_size=1/p_max", {"an expression, as in \"1/p_max\""}},
      {"run.steps=3\nseed = 4", {"run.steps: got the string"}},
      {"run.record=[99]", {"run.record: got 99"}},
      {"data.label_noise=1", {"in [0, 1)"}},
      {"classes.levels=3", {"classes.levels is a parameter of spectrum dyadic, not of power_law"}},
      {"embedding.query.kind=orthogonl", {"embedding.query.kind", "did you mean \"orthogonal\"?"}},
      {"optimizer.step_size=1", {"say which optimizer", "optimizer.NAME.step_size"}},
      {"optimizer.adam.step_size=1", {"no optimizer is named \"adam\"; there are: a, muon"}},
      {"optimizer.muno.step_size=1", {"did you mean \"muon\"?"}},
      {"optimizer.a.step_size=-1", {"optimizer.step_size: got -1"}},
      {"optimizer.a.name=muon", {"two optimizers are named"}},
      {"optimizer.a.momentum=0.5", {"not of adam"}},
      {"optimizer.a.step_size={search = [-1, 2, 3]}", {"low: got -1"}},
  };
  for (const Override& o : overrides) {
    const bool other_embedding = o.text.starts_with("embedding.query");
    const auto problems = problems_of(text_with(other_embedding ? 10 : 0, ""), {o.text});
    INFO(o.text);
    REQUIRE(problems.size() == 1);
    INFO(to_string(problems[0]));
    const bool at_the_other = o.text == "optimizer.a.name=muon";  // the second of the two is the file's
    CHECK(problems[0].file == (at_the_other ? "t.toml" : "--set " + o.text));
    if (!at_the_other) CHECK(problems[0].line == 0);
    check_says(problems[0], o.says);
  }
}

TEST_CASE("a file whose optimizers are all misspelt is not told that it has none") {
  std::string text = text_with(1, "name = \"x\"");
  for (std::size_t at = 0; (at = text.find("[[optimizer]]", at)) != std::string::npos; ++at)
    text.replace(at, 13, "[[optimizers]]");
  check_only(problems_of(text), "23:3", {"unknown key \"optimizers\"; did you mean \"optimizer\"?"});
}
