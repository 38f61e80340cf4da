#include "tables/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "cli/command.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "io/atomic_file.hpp"
#include "results/result_file.hpp"

namespace rarefact::commands {

namespace {

// In the order of TableFormat.
const std::vector<std::string> formats = {"markdown", "latex", "csv"};

/// The command, its options in the order of the help page.
std::string command_line(const Command& command, const Arguments& arguments) {
  std::string text = "rarefact " + command.name + " " + shell_quoted(arguments.operands().front());
  for (const Option& option : command.options) {
    for (const std::string& value : arguments.all(option.name)) {
      text += option.letter == '\0' ? " --" + option.name : fmt::format(" -{}", option.letter);
      text += " " + shell_quoted(value);
    }
  }
  return text;
}

struct Style {
  TableFormat format = TableFormat::markdown;
  int digits = 3;
};

Style style_of(const Arguments& arguments, std::vector<Problem>& problems) {
  Style style;
  const std::string format = arguments.text("format", "markdown");
  const auto found = std::find(formats.begin(), formats.end(), format);
  if (found == formats.end()) {
    problems.push_back({"", 0, 0,
                        fmt::format("--format: got \"{}\"; expected markdown, latex or csv{}", format,
                                    did_you_mean(nearest_name(format, formats), ""))});
  } else {
    style.format = static_cast<TableFormat>(found - formats.begin());
  }
  if (!arguments.has("digits")) return style;
  const std::string text = arguments.text("digits");
  style.digits = parse_number<int>(text).value_or(0);
  if (style.digits < 1 || style.digits > 17) {
    problems.push_back(
        {"", 0, 0, fmt::format("--digits: got \"{}\"; expected a whole number from 1 to 17", text)});
  } else if (format == "csv") {
    problems.push_back({"", 0, 0, "--digits: csv has every digit; leave it away"});
  }
  return style;
}

/// A table must not take the place of a result.
void check_output(const Arguments& arguments, std::vector<Problem>& problems) {
  if (!arguments.has("output")) return;
  const std::filesystem::path path = arguments.text("output");
  if (const std::string objection = name_objection(path); !objection.empty()) {
    problems.push_back({"", 0, 0, "--output: " + objection});
    return;
  }
  std::string start(4, '\0');
  std::ifstream(path, std::ios::binary).read(start.data(), 4);
  if (start == "\x89HDF") {
    problems.push_back(
        {"", 0, 0,
         fmt::format("--output: {} holds an HDF5 file, which a table does not overwrite", path.string())});
  }
}

std::vector<std::string> axes(const std::string& text) {
  const auto parts = split_text(text, ',');
  return {parts.begin(), parts.end()};
}

TableRequest request_of(const Arguments& arguments) {
  TableRequest request;
  if (arguments.has("columns")) request.columns = axes(arguments.text("columns"));
  const auto& columns = request.columns;
  if (arguments.has("rows")) {
    request.rows = axes(arguments.text("rows"));
  } else if (std::find(columns.begin(), columns.end(), "optimizer") == columns.end()) {
    request.rows = {"optimizer"};
  }
  request.value = arguments.text("value", request.value);
  request.at = arguments.text("at");
  request.below = arguments.text("below");
  request.above = arguments.text("above");
  request.class_row = arguments.text("class");
  request.where = arguments.all("where");
  return request;
}

ExitCode run_table(const Arguments& arguments, const Streams& streams) {
  std::vector<Problem> problems;
  const Style style = style_of(arguments, problems);
  check_output(arguments, problems);
  for (const char* option : {"at", "below", "above", "class", "value"}) {
    if (arguments.has(option) && arguments.text(option).empty())
      problems.push_back({"", 0, 0, fmt::format("--{}: its value is empty", option)});
  }
  const std::string& file = arguments.operands().front();
  const Result result = read_result(file);
  const auto pivot = [&]() -> Table {
    try {
      return pivot_table(result, request_of(arguments));
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.problems().begin(), error.problems().end());
      return {};
    }
  };
  const Table table = pivot();
  if (!problems.empty()) throw InputError(std::move(problems));
  const auto& rows = command_list();
  const auto row = std::find_if(rows.begin(), rows.end(), [](const Command& c) { return c.name == "table"; });
  const std::string text =
      format_table(table, style.format, style.digits, shell_quoted(file), command_line(*row, arguments));
  if (arguments.has("output")) {
    write_file(arguments.text("output"), text);
  } else {
    streams.out << text;
  }
  return ExitCode::done;
}

}  // namespace

Command table() {
  return {
      .name = "table",
      .summary = "a table for a paper from a result file",
      .description =
          "Lays out a value of a result file by swept keys and optimizers: LaTeX, Markdown or CSV. An axis "
          "is a "
          "swept key (classes.exponent), optimizer, class (the rows of the per-class results) or step; "
          "several "
          "with commas make a hierarchy, outermost first. A cell is the value at the last step, at another "
          "one, "
          "or the number of steps until it passes a threshold. Runs that differ in the seed alone share a "
          "cell: "
          "mean and 95 % confidence interval. Every other swept key must be on an axis, move only with keys "
          "that are, or be fixed by --where.",
      .operands = {.name = "FILE.h5", .meaning = "a result file"},
      .options =
          {{.name = "rows", .value = "AXES", .meaning = "axes of the rows; default: optimizer"},
           {.name = "columns", .value = "AXES", .meaning = "axes of the columns; default: one column"},
           {.name = "value",
            .value = "NAME",
            .meaning = "a variable of the file (rarefact info FILE.h5 lists them), or a ratio such as "
                       "loss_predicted/loss; default: loss"},
           {.name = "at",
            .value = "STEP",
            .meaning = "a recorded step, or last (the default); with the axis step also several, 0,10,100"},
           {.name = "below",
            .value = "X",
            .meaning =
                "the first recorded step with a value below X; >10^6 if there is none up to step 10^6"},
           {.name = "above", .value = "X", .meaning = "the first recorded step with a value above X"},
           {.name = "class",
            .value = "CLASS",
            .meaning = "of a per-class value: tail (the rarest class row; the default), head, an index of "
                       "class_group from 0, or min or max over all of them"},
           {.name = "where",
            .value = "KEY=VALUE",
            .meaning =
                "only runs with this value of a swept key, or optimizer=LABEL; several values of a key "
                "mean any of them",
            .repeatable = true},
           {.name = "format", .value = "FORMAT", .meaning = "markdown (the default), latex (booktabs), csv"},
           {.name = "digits", .value = "N", .meaning = "significant digits, 3 by default; csv has all"},
           {.name = "output", .letter = 'o', .value = "FILE", .meaning = "write to a file, not to stdout"}},
      .examples =
          {"rarefact table results/starter.h5 --value error --columns class --at 20",
           "rarefact table results/sweep.h5 --rows classes.exponent --columns optimizer --value error "
           "--below 0.1",
           "rarefact table results/sweep.h5 --rows classes.exponent --columns optimizer "
           "--value loss_predicted/loss --format latex -o ratio.tex"},
      .run = run_table};
}

}  // namespace rarefact::commands
