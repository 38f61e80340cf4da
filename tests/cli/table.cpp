#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/in_process.hpp"
#include "io/scratch_folder.hpp"
#include "results/result_file.hpp"
#include "results/swept_result.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

/// A folder with a swept result.
struct Place {
  ScratchFolder folder;
  std::string file = (folder / "s.h5").string();

  Place() { write_result(swept_result(), file); }
  Outcome table(std::vector<std::string> more) const {
    more.insert(more.begin(), {"table", file});
    return rarefact_program(more);
  }
};

}  // namespace

TEST_CASE(
    "table prints Markdown by default, and its first line is the command that made it, as a shell reads it") {
  const Place place;
  const Outcome outcome = place.table({"--where", "optimizer=sgd η=1", "--columns", "classes.exponent",
                                       "--rows", "classes.group_size", "--value", "error", "--at", "10"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(
      outcome.out,
      Catch::StartsWith("<!-- from " + place.file + " by: rarefact table " + place.file +
                        " --where 'optimizer=sgd η=1' --columns classes.exponent --rows classes.group_size "
                        "--value error --at 10 -->\n<!-- error of the tail (the rarest class row) at "
                        "step 10: "));
  CHECK_THAT(outcome.out,
             Contains("\n| classes.group_size | classes.exponent = 1.5 | classes.exponent = 2 |\n") &&
                 Contains("\n| 10                 |              0.900 ± 0 |            0.900 ± 0 |\n"));
}

TEST_CASE("without --rows a table has one row for each optimizer, without --columns one column") {
  const Place place;
  const std::vector<std::string> one = {
      "--where", "classes.exponent=2", "--where", "classes.group_size=10", "--where",
      "seed=0",  "--format",           "csv"};
  CHECK_THAT(place.table(one).out, Contains("\noptimizer,loss\ngd_1,9\nmuon,0.25\nsgd η=1,diverged\n"));
  std::vector<std::string> steps = one;
  steps.insert(steps.end(), {"--value", "loss", "--below", "1"});
  CHECK_THAT(place.table(steps).out,
             Contains("\noptimizer,steps to loss < 1\ngd_1,>10^6\nmuon,1\nsgd η=1,diverged\n"));
  std::vector<std::string> columns = one;
  columns.insert(columns.end(), {"--columns", "optimizer"});
  CHECK_THAT(place.table(columns).out, Contains("\ngd_1,muon,sgd η=1\n9,0.25,diverged\n"));
}

TEST_CASE("with -o a table is written to the file, and never over a result") {
  const Place place;
  const std::string tex = (place.folder / "t.tex").string();
  const std::vector<std::string> words = {
      "--columns", "classes.exponent", "--where", "classes.group_size=10", "--format",
      "latex",     "--digits",         "2"};
  std::vector<std::string> to_file = words;
  to_file.insert(to_file.end(), {"-o", tex});
  const Outcome outcome = place.table(to_file);
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
  const std::string text = slurp(tex), printed = place.table(words).out;
  // They differ in the command alone.
  CHECK(text.substr(text.find('\n')) == printed.substr(printed.find('\n')));
  CHECK_THAT(text, Contains("--format latex --digits 2 -o " + tex + "\n") && Contains("& $0.37 \\pm 0.08"));

  const std::string before = slurp(place.file);
  to_file.back() = place.file;
  const Outcome over = place.table(to_file);
  CHECK(over.code == 2);
  CHECK_THAT(over.err, Contains("is not an earlier output of this kind"));
  CHECK(slurp(place.file) == before);
  to_file.back() = tex;
  CHECK(place.table(to_file).code == 0);
  to_file.back() = (place.folder / "").string();
  CHECK_THAT(place.table(to_file).err, Contains("is a folder"));
}

TEST_CASE("a damaged file gives no table and exit code 4, one that is not there 3") {
  const Place place;
  std::string bytes = slurp(place.file);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  spill(place.file, bytes);
  const Outcome damaged = place.table({});
  CHECK(damaged.code == 4);
  CHECK(damaged.out.empty());
  CHECK(rarefact_program({"table", (place.folder / "none.h5").string()}).code == 3);
}

TEST_CASE("the command in a table's comment stays on its line whatever a word contains") {
  const Place place;
  const std::string file = (place.folder / "a\nb'c.h5").string();
  write_result(swept_result(), file);
  const Outcome outcome =
      rarefact_program({"table", file, "--rows", "optimizer,classes.exponent,classes.group_size"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out,
             Contains("a\\x0ab\\'c.h5' --rows optimizer,classes.exponent,classes.group_size -->\n"));
}

TEST_CASE(
    "values, symbols and a caption come from the command line, and the command is the table's comment") {
  const Place place;
  const Outcome outcome = place.table({"--rows",    "classes.exponent",
                                       "--columns", "optimizer",
                                       "--where",   "classes.group_size=10",
                                       "--where",   "seed=0",
                                       "--value",   "loss",
                                       "--value",   "error",
                                       "--names",   "symbols",
                                       "--format",  "latex",
                                       "--caption", "At $s$.",
                                       "--label",   "tab:s"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out,
             Contains(" --value loss --value error ") && Contains(" --caption 'At $s$.' --label tab:s") &&
                 Contains("\\caption{At $s$.}\n\\label{tab:s}\n") && Contains("\n$s$ & loss & error"));
  const Outcome sustained =
      place.table({"--rows", "classes.exponent", "--columns", "optimizer", "--where", "classes.group_size=10",
                   "--where", "seed=0", "--below", "1", "--sustained"});
  CHECK_THAT(sustained.out,
             Contains(" --below 1 --sustained -->") && Contains("from which on loss stays < 1"));
}

TEST_CASE("wrong options of a table are named together, and those that do not fit with what they are for") {
  const Place place;
  const std::string file = (place.folder / "t").string();
  // Those that are no values before the file is opened, and then those that do not fit it.
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--format", "latx", "--digits", "0", "--at", "", "-o", file},
       "error: --at: its value is empty\n"
       "error: --format: got \"latx\"; expected markdown, latex or csv; did you mean latex?\n"
       "error: --digits: got \"0\"; expected a whole number from 1 to 17"},
      {{"--rows", "optimizr", "--value", "los", "-o", file}, "did you mean loss?"},
      {{"--rows", "optimizr", "--value", "los", "-o", file}, "did you mean optimizer?"},
      {{"--format", "csv", "--digits", "3"}, "csv has every digit"},
      {{"--names", "symbol"}, "--names: got \"symbol\"; expected keys or symbols; did you mean symbols?"},
      {{"--caption", "a"}, "--caption: it is for --format latex, and the format is markdown"},
      {{"--label", "a", "--format", "csv"}, "--label: it is for --format latex, and the format is csv"},
      {{"--caption", "", "--format", "latex"}, "--caption: its value is empty"},
      {{"--caption", "a}b{", "--format", "latex"}, "--caption: its braces do not match"},
      {{"--caption", "{a", "--format", "latex"}, "--caption: its braces do not match"},
      {{"--caption", "5 % more", "--format", "latex"}, "--caption: \"%\" begins a comment; write \\%"},
      {{"--caption", "$s", "--format", "latex"}, "--caption: a $ has no second one"},
      {{"--caption", "a\\", "--format", "latex"}, "--caption: it ends in half a command"},
      {{"--label", "a}b", "--format", "latex"}, "--label: expected letters, digits and signs"},
      {{"--sustained"}, "--sustained: it is for --below X, --above X or --when CONDITION"},
      {{"--value", "loss", "--value", "loss"}, "--value: loss is given twice"},
      {{"--value", "loss", "--value", ""}, "--value: its value is empty"},
  };
  for (const auto& [words, says] : cases) {
    const Outcome outcome = place.table(words);
    CAPTURE(words, outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK_THAT(outcome.err, Contains(says));
  }
  CHECK_FALSE(std::filesystem::exists(file));
  for (const char* caption : {"50 \\% of {\\em all}", "\\$5, $s$"})
    CHECK(place
              .table({"--caption", caption, "--format", "latex", "--rows",
                      "optimizer,classes.exponent,classes.group_size"})
              .code == 0);
}
