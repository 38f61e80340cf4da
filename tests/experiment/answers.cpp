#include <catch2/catch.hpp>

#include "experiment/plan.hpp"
#include "experiment/read.hpp"
#include "experiment/samples.hpp"
#include "experiment/write.hpp"
#include "model/answer_law.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;
using Catch::Matchers::Contains;

namespace {

/// With [answers] in line 5.
std::string text_of(const std::string& answers,
                    const std::string& classes = "spectrum = \"uniform\"\ncount = 100\n") {
  return "name = \"t\"\n[classes]\n" + classes + "[answers]\n" + answers +
         "\n[[optimizer]]\nrule = \"gd\"\nstep_size = 1\n";
}

std::vector<std::string> problems_of(const std::string& text,
                                     const std::vector<std::string>& overrides = {}) {
  std::vector<std::string> lines;
  try {
    parse_plan(text, "f.toml", overrides);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) lines.push_back(to_string(problem));
  }
  return lines;
}

std::string problem_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const auto lines = problems_of(text, overrides);
  return lines.size() == 1 ? lines.front() : std::to_string(lines.size()) + " problems";
}

}  // namespace

TEST_CASE("without [answers], or with the law identity, the canonical text says nothing of answers") {
  const std::string plain = to_toml(parse_experiment(good_text(), "f.toml"));
  CHECK_THAT(plain, !Contains("answers"));
  const std::string said = to_toml(parse_experiment(good_text() + "[answers]\nlaw = \"identity\"\n", "f.toml",
                                                    {"data.noise_answers=uniform"}));
  CHECK(said == plain);
}

TEST_CASE("every law in every form is read, written and read again") {
  for (const std::string answers :
       {"law = \"modulo\"\ncount = 5\npower = 2", "law = \"hash\"\ncount = 7", "law = \"fan_in\"\nfan_in = 3",
        "law = \"fan_in\"\nfan_in = \"proportional\"\nwithin = 1.5",
        "law = \"fan_in\"\nfan_in = {exponent = 0.5, largest = 16}",
        "law = \"fan_in\"\npath = \"f.csv\"\ncolumn = \"r\"",
        "law = \"fan_in\"\npath = \"f.csv\"\ncolumn = 2", "law = \"right_set\"\nsize = 4"}) {
    INFO(answers);
    const Experiment experiment = parse_experiment(text_of(answers), "f.toml");
    const std::string text = to_toml(experiment);
    CHECK_THAT(text, Contains("\n[answers]\nlaw = "));
    CHECK(parse_experiment(text, "f.toml") == experiment);
  }
  CHECK_THAT(
      to_toml(
          parse_experiment(text_of("law = \"fan_in\"\nfan_in = {largest = 16, exponent = 0.5}"), "f.toml")),
      Contains(
          "[answers]\nlaw = \"fan_in\"\nfan_in = {exponent = 0.5, largest = 16.0}\nrounded = true\nwithin = 0.0\n"));
}

TEST_CASE("counts has no [classes], neither in the file nor in the canonical text") {
  const std::string name = "name = \"t\"\n";
  const std::string text =
      "[answers]\nlaw = \"counts\"\npath = \"p.tsv\"\nreduce = \"top\"\ntop = 3\nkeep = 100\n"
      "[[optimizer]]\nrule = \"gd\"\nstep_size = 1\n";
  const Experiment experiment = parse_experiment(name + text, "f.toml");
  CHECK(experiment.spectrum == Component());
  CHECK_THAT(to_toml(experiment), !Contains("[classes]"));
  CHECK(parse_experiment(to_toml(experiment), "f.toml") == experiment);
  CHECK_THAT(problem_of(name + "[classes]\nspectrum = \"uniform\"\ncount = 5\n" + text),
             Contains("f.toml:2:1: error: [classes]: the law counts reads from a table of its own"));
  CHECK_THAT(problem_of(name + text, {"classes.count=5"}),
             Contains("--set classes.count=5: error: [classes]"));
  CHECK_THAT(
      problem_of(name +
                 "[answers]\nlaw = \"modulo\"\ncount = 3\n[[optimizer]]\nrule = \"gd\"\nstep_size = 1\n"),
      Contains("classes.spectrum is missing"));
}

TEST_CASE("what is wrong with a law is said where its key stands") {
  const std::string cases = R"(
law = "modul"↵count = 5 | f.toml:6:7: error: answers.law: got the text "modul"; expected one of identity, modulo, hash, fan_in, right_set, counts; did you mean "modulo"?
law = "modulo"↵count = 1 | f.toml:7:9: error: answers.count: got 1; expected a whole number in [2, 1e+300]
law = "modulo"↵count = 101 | f.toml:7:9: error: answers.count: got 101, more answers than the 100 queries have; expected at most 100
law = "modulo"↵count = 5↵fan_in = 3 | f.toml:8:1: error: answers.fan_in is a parameter of law fan_in, not of modulo; modulo takes count and power
law = "fan_in"↵fan_in = 0 | f.toml:7:10: error: answers.fan_in: got 0; expected a whole number in [1, 1e+300], "proportional", or {exponent = s, largest = r} with s >= 0 and a whole number r >= 1
law = "fan_in"↵fan_in = 2.5 | got 2.5; expected a whole number
law = "fan_in"↵fan_in = {exponent = 0.5, most = 3} | with s >= 0 and a whole number r >= 1; it has an unknown "most"
law = "fan_in"↵fan_in = {exponent = 0.5, larges = 3} | an unknown "larges"; did you mean "largest"?
law = "fan_in"↵fan_in = {exponent = 0.5} | f.toml:7:10: error: answers.fan_in: got a table; expected
law = "fan_in"↵fan_in = {exponent = 0.5} | r >= 1; largest is missing
law = "fan_in"↵fan_in = {exponent = -1, largest = 3} | r >= 1; exponent is none of these
law = "fan_in"↵fan_in = {exponent = 0.5, largest = 0} | r >= 1; largest is none of these
law = "fan_in"↵fan_in = "proportionl" | did you mean "proportional"?
law = "fan_in" | f.toml:5:1: error: [answers]: answers.fan_in is missing
law = "fan_in"↵fan_in = 3↵path = "x" | f.toml:8:8: error: answers.path: the fan-ins stand in
law = "fan_in"↵fan_in = {exponent = 0.5, largest = 3}↵rounded = false | f.toml:7:10: error: answers.fan_in: not rounded, answer 100 has 0.3 queries, fewer than one; expected largest >= 10, or rounded = true
law = "fan_in"↵fan_in = "proportional"↵rounded = false↵within = 1 | f.toml:8:11: error: answers.rounded: got false, but queries that differ
law = "fan_in"↵path = "f.csv"↵rounded = false | f.toml:8:11: error: answers.rounded: got false, but fan-ins of a file are whole; expected true
law = "fan_in"↵fan_in = 3↵rounded = 1 | f.toml:8:11: error: answers.rounded: got 1; expected true or false
law = "right_set"↵size = 0 | f.toml:7:8: error: answers.size: got 0; expected a whole number
)";
  for (const auto& row : rows_of(cases)) {
    INFO(row[0]);
    CHECK_THAT(problem_of(text_of(row[0])), Contains(row[1]));
  }
  CHECK_THAT(
      problem_of(text_of("law = \"hash\"\ncount = 5", "spectrum = \"uniform\"\ncount = 1e9\n")),
      Contains("f.toml:6:7: error: answers.law: the answers of 1e+09 queries are written out one by one"));
}

TEST_CASE("noise of frequent answers is read and written, and refused where there is no noise") {
  const std::string law = "law = \"modulo\"\ncount = 5\n";
  const Experiment experiment =
      parse_experiment(text_of(law + "[data]\nlabel_noise = 0.1\nnoise_answers = \"frequency\""), "f.toml");
  CHECK(experiment.noise_answers == NoiseAnswers::frequency);
  CHECK_THAT(to_toml(experiment), Contains("noise_answers = \"frequency\"\n"));
  CHECK(parse_experiment(to_toml(experiment), "f.toml") == experiment);
  CHECK_THAT(
      problem_of(text_of(law + "[data]\nnoise_answers = \"frequency\"")),
      Contains("f.toml:9:17: error: data.noise_answers: got \"frequency\", but data.label_noise is 0"));
}

TEST_CASE("keys of laws are set from the command line and swept, kinds of laws too") {
  const std::string modulo = text_of("law = \"modulo\"\ncount = 5");
  CHECK(parse_experiment(modulo, "f.toml", {"answers.count=7"}).answers.parameters.number("count") == 7);
  const ExperimentPlan counts = parse_plan(modulo + "[sweep]\n\"answers.count\" = [2, 3, 5]\n", "f.toml");
  CHECK(counts.size() == 3);
  CHECK(counts.point(1).experiment.answers.parameters.number("count") == 3);
  const ExperimentPlan fan_ins =
      parse_plan(text_of("law = \"fan_in\"") +
                     "[sweep]\n\"answers.fan_in\" = [2, \"proportional\", {exponent = 1, largest = 8}]\n",
                 "f.toml");
  CHECK(fan_ins.size() == 3);
  CHECK(fan_ins.point(2).experiment.answers.parameters.numbers("fan_in") == std::vector<double>{1, 8});
  CHECK_THAT(resolved_text(fan_ins),
             Contains("\"answers.fan_in\" = [2.0, \"proportional\", {\"exponent\" = 1.0, "
                      "\"largest\" = 8.0}]"));
  // The first point is of the identity, whose table is not written elsewhere.
  const ExperimentPlan laws = parse_plan(
      text_of("law = \"identity\"\nsize = 3") + "[sweep]\n\"answers.law\" = [\"identity\", \"right_set\"]\n",
      "f.toml");
  CHECK(laws.point(0).experiment.answers == Component{"identity", {}});
  CHECK(laws.point(1).experiment.answers.parameters.number("size") == 3);
  const std::string text = resolved_text(laws);
  CHECK_THAT(text, Contains("\n[answers]\nsize = 3.0\n"));
  CHECK(resolved_text(parse_plan(text, "f.toml")) == text);
}
