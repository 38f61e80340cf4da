#include <boost/algorithm/string/replace.hpp>
#include <catch2/catch.hpp>

#include "cli/command.hpp"
#include "cli/in_process.hpp"
#include "cli/output.hpp"
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

TEST_CASE("text is wrapped between words, indented, and counts characters, not bytes") {
  CHECK(wrapped("aa bb cc", 2, 5) == "aa bb\n  cc");
  CHECK(wrapped("ααα β γ", 0, 5) == "ααα β\nγ");
  CHECK(wrapped("toolong a", 0, 3) == "toolong\na");
  CHECK(wrapped("a\nb", 1, 80) == "a\n b");
  CHECK(two_columns({{"a", "one"}, {"ββ", "two"}, {"alone", ""}}, 1) == " a   one\n ββ  two\n alone\n");
  CHECK(two_columns({{"long name", "x"}, {"b", "y"}}, 0, 3) == "long name\n   x\nb  y\n");
}
