#include <boost/algorithm/string/replace.hpp>
#include <catch2/catch.hpp>

#include "cli/command.hpp"
#include "cli/in_process.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "io/build_info.hpp"

using namespace rarefact;
using Catch::Contains;

TEST_CASE("the program's help names every command, with its summary") {
  const Outcome help = rarefact_program({"--help"});
  CHECK(help.code == 0);
  CHECK(help.err.empty());
  for (const Command& command : command_list()) {
    CHECK_THAT(help.out, Contains("  " + command.name + " ") && Contains(command.summary));
  }
  CHECK(rarefact_program({"-h"}).out == help.out);
}

TEST_CASE("without a command the help goes to stderr and the exit code is 2") {
  const Outcome bare = rarefact_program({});
  CHECK(bare.code == 2);
  CHECK(bare.out.empty());
  CHECK(bare.err == rarefact_program({"--help"}).out);
}

TEST_CASE("every command's help shows its usage, every option with its meaning, and an example of it") {
  for (const Command& command : command_list()) {
    const Outcome help = rarefact_program({command.name, "--help"});
    INFO(help.out);
    CHECK(help.code == 0);
    CHECK_THAT(help.out, Contains("usage: rarefact " + command.name));
    for (const Option& option : command.options) {
      CHECK_THAT(help.out, Contains("--" + option.name));
      CHECK_THAT(help.out, Contains(option.meaning.substr(0, option.meaning.find(' '))));
    }
    REQUIRE_FALSE(command.examples.empty());
    for (const std::string& example : command.examples) {
      CHECK_THAT(example, Catch::StartsWith("rarefact " + command.name));
      CHECK_THAT(boost::replace_all_copy(help.out, " \\\n      ", " "), Contains("  " + example + "\n"));
    }
  }
}

TEST_CASE("help pages, lists and explanations fit 80 columns where words do") {
  std::vector<std::vector<std::string>> pages = {
      {"--help"}, {"explain"}, {"explain", "optimizer.step_size"}, {"list", "metrics"}};
  for (const Command& command : command_list()) pages.push_back({command.name, "--help"});
  for (const auto& words : pages) {
    const std::string page = rarefact_program(words).out;
    for (const std::string_view line : split_text(page, '\n')) {
      CAPTURE(words, line);
      CHECK((utf8_length(line) <= 80 || line.find(' ', line.find_first_not_of(' ')) == std::string::npos));
    }
  }
}

TEST_CASE("the option --version names version, commit and compiler") {
  const Outcome version = rarefact_program({"--version"});
  CHECK(version.code == 0);
  CHECK_THAT(version.out, Catch::StartsWith(std::string("rarefact ") + build_info::version) &&
                              Contains(build_info::git_commit) && Contains(build_info::compiler));
}

TEST_CASE("wrong commands, options and operands end with 2, the nearest name, and nothing on stdout") {
  struct Case {
    std::vector<std::string> words;
    std::vector<std::string> says;
  };
  const std::vector<Case> cases = {
      {{"rum"}, {"unknown command \"rum\"", "did you mean \"run\"?"}},
      {{"xyzxyz"}, {"unknown command", "init, run, merge, status, info, table"}},
      {{"a.toml"}, {"did you mean \"run a.toml\"?"}},
      {{"-v"}, {"did you mean \"--version\"?"}},
      {{"--verson"}, {"unknown option \"--verson\"", "\"--version\""}},
      {{"run"}, {"rarefact run needs EXPERIMENT.toml", "usage: rarefact run"}},
      {{"run", "a.toml", "b.toml"}, {"unexpected \"b.toml\""}},
      {{"run", "a.toml", "--stirct"}, {"unknown option --stirct", "did you mean --strict?"}},
      {{"run", "a.toml", "--dry"}, {"unknown option --dry", "did you mean --dry-run?"}},
      {{"run", "a.toml", "-x"}, {"unknown option"}},
      {{"run", "a.toml", "--jobs"}, {"jobs"}},
      {{"run", "a.toml", "--jobs="}, {"--jobs: its value is empty"}},
      {{"run", "a.toml", "--jobs", "1", "--jobs", "2"}, {"--jobs is given more than once"}},
      {{"run", "a.toml", "--jobs", "0"}, {"--jobs: got \"0\"; expected a whole number >= 1"}},
      {{"run", "a.toml", "--jobs", "2x"}, {"--jobs: got \"2x\""}},
      {{"run", "a.toml", "--progress", "much", "--max-time", "5", "--set", "", "-o", "/"},
       {"--progress: got \"much\"; expected auto, plain, json or none",
        "--max-time: got \"5\"; expected a time", "--set: its value is empty", "--output: "}},
      {{"verify", "--precision", "7"}, {"--precision: got \"7\"; expected 16 or 50"}},
      {{"run", "a.toml", "--strict=yes"}, {"strict"}},
      {{"check"}, {"rarefact check needs FILE.h5"}},
      {{"info"}, {"rarefact info needs FILE.h5"}},
      {{"info", "a.h5", "b.h5"}, {"unexpected \"b.h5\""}},
      {{"list", "optimizer"}, {"there is no list \"optimizer\"", "\"optimizers\"", "theorems"}},
      {{"explain", ""}, {"nothing is called \"\""}},
      {{"explain", "run.stepz"}, {"nothing is called \"run.stepz\"", "did you mean run.steps?"}},
      {{"explain", "run.step_size"}, {"did you mean optimizer.step_size?"}},
      {{"explain", "path"}, {"classes.path or answers.path or embedding.path"}},
      {{"explain", "run.steps", "--schema"}, {"--schema is for all keys"}},
  };
  for (const Case& c : cases) {
    const Outcome outcome = rarefact_program(c.words);
    INFO(c.words.front() << ": " << outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Catch::StartsWith("error: "));
    for (const std::string& part : c.says) CHECK_THAT(outcome.err, Contains(part));
  }
}

TEST_CASE("text is wrapped between words, indented, and counts characters, not bytes") {
  CHECK(wrapped("aa bb cc", 2, 5) == "aa bb\n  cc");
  CHECK(wrapped("ααα β γ", 0, 5) == "ααα β\nγ");
  CHECK(wrapped("toolong a", 0, 3) == "toolong\na");
  CHECK(wrapped("a\nb", 1, 80) == "a\n b");
  CHECK(two_columns({{"a", "one"}, {"ββ", "two"}, {"alone", ""}}, 1) == " a   one\n ββ  two\n alone\n");
  CHECK(two_columns({{"long name", "x"}, {"b", "y"}}, 0, 3) == "long name\n   x\nb  y\n");
}
