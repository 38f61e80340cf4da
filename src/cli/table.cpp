#include "tables/table.hpp"

#include <sstream>

#include "cli/command.hpp"
#include "experiment/keys.hpp"
#include "results/result_file.hpp"

namespace rarefact {

namespace {

// The formats, in the order of TableFormat.
const std::vector<std::string> formats = {"markdown", "latex", "csv"};

/// The reason that LaTeX could not read a caption, or an empty text.
std::string caption_objection(const std::string& caption) {
  if (caption.empty()) return "its value is empty";
  int depth = 0, dollars = 0;
  for (std::size_t i = 0; i < caption.size(); ++i) {
    const char c = caption[i];
    if (c == '\\' && ++i == caption.size()) return "it ends in half a command";
    if (c == '%') return "\"%\" begins a comment; write \\%";
    if (c == '$') ++dollars;
    depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    if (depth < 0) break;
  }
  if (depth != 0) return "its braces do not match";
  return dollars % 2 == 0 ? "" : "a $ has no second one";
}

std::string label_objection(const std::string& label) {
  if (!label.empty() && label.find_first_of("{}\\%#$~^& \t\n") == std::string::npos) return "";
  return "expected letters, digits and signs such as : - _ without blanks";
}

const std::vector<Option> table_options = {
    {"rows", "AXES", "axes of the rows; default: optimizer"},
    {"columns", "AXES", "axes of the columns; default: one column"},
    {"value", "NAME",
     "a variable of the file (rarefact info FILE.h5 lists them), or an expression as in claims such as loss_predicted/loss; "
     "default: loss; with several, each is a column under every column head",
     nullptr, true},
    {"at", "STEP",
     "a recorded step, or last (the default); with the axis step several recorded ones, 0,10,100"},
    {"below", "X", "the first recorded step with a value below X; >10^6 if there is none up to step 10^6"},
    {"above", "X", "the first recorded step with a value above X"},
    {"when", "CONDITION",
     "the value at the first recorded step where it holds: \"loss < 1\" compares runs at matched loss"},
    {"sustained", "",
     "with --below, --above or --when: the first recorded step from which on it stays so to the end"},
    {"over", "WHICH",
     "max or min: the largest or least value along each run; mean (the default), geometric-mean or median over "
     "runs that differ only in the seed, the last two with intervals that stay positive; or one of each",
     nullptr, true},
    {"class", "CLASS",
     "for a per-class or per-answer value: tail (the rarest row; the default), head, an index of class_group or "
     "answer_group from 0, min or max over all of them, or rank:1-100, the mean over the classes of these ranks"},
    {"where", "KEY=VALUE",
     "only runs with this value of a swept key, or optimizer=LABEL; several values of a key mean any of them",
     nullptr, true},
    {"format", "FORMAT", "markdown (the default), latex (booktabs), csv", one_of(formats)},
    {"names", "NAMES",
     "how heads name swept keys: keys (the default), or symbols, such as s for classes.exponent",
     one_of({"keys", "symbols"})},
    {"caption", "TEXT", "a LaTeX table environment with this caption (LaTeX code)", caption_objection},
    {"label", "LABEL", "the label of that environment, such as tab:steps", label_objection},
    {"digits", "N", "significant digits, 3 by default; csv and numbers of JSON have all that are claimed",
     whole_number(1, 17)},
    json_option,
    {"output", "FILE", "write to a file, not to stdout", earlier_output("", "by: rarefact table"), false,
     'o'},
};

void refuse_unfit(const Arguments& arguments) {
  const std::string format = arguments.text("format", formats[0]);
  std::vector<Problem> problems;
  if (format == "csv" && arguments.has("digits"))
    problems.push_back({.message = "--digits: csv has every digit; omit it"});
  if (arguments.has("json") && arguments.has("format"))
    problems.push_back({.message = "--json: it is a format of its own; omit --format"});
  for (const std::string option : {"caption", "label"}) {
    if (arguments.has(option) && format != "latex")
      problems.push_back(problem_of("--{}: it is for --format latex, and the format is {}", option, format));
  }
  raise(std::move(problems));
}

std::vector<std::string> axes(const std::string& text) {
  const auto parts = split_text(text, ',');
  return {parts.begin(), parts.end()};
}

TableRequest request_of(const Arguments& arguments) {
  TableRequest request{.at = arguments.text("at"),
                       .below = arguments.text("below"),
                       .above = arguments.text("above"),
                       .when = arguments.text("when"),
                       .sustained = arguments.has("sustained"),
                       .over = arguments.all("over"),
                       .class_row = arguments.text("class"),
                       .where = arguments.all("where")};
  if (arguments.has("value")) request.values = arguments.all("value");
  if (arguments.has("columns")) request.columns = axes(arguments.text("columns"));
  if (arguments.has("rows")) {
    request.rows = axes(arguments.text("rows"));
  } else if (!contains(request.columns, std::string("optimizer"))) {
    request.rows = {"optimizer"};
  }
  return request;
}

/// A number as JSON; a whole one, such as a step, without a point.
Json json_of_number(double x) {
  return x == std::floor(x) && std::abs(x) < 1e15 ? Json(static_cast<std::int64_t>(x)) : Json(x);
}

Json json_of_heads(const std::vector<std::vector<AxisValue>>& heads) {
  return mapped(heads, [](const auto& head) {
    return mapped(head, [](const AxisValue& value) {
      const auto* text = std::get_if<std::string>(&value);
      return text != nullptr ? Json(*text) : json_of_number(std::get<double>(value));
    });
  });
}

/// The table with a matrix for each kind of number: rows x columns, null where a cell has none.
Json table_json(const Table& table, int digits, const std::string& origin) {
  Json json = {{"origin", origin},
               {"description", table.description},
               {"value", table.value},
               {"average", table.average},
               {"row_keys", table.row_keys},
               {"column_keys", table.column_keys},
               {"row_heads", json_of_heads(table.row_heads)},
               {"column_heads", json_of_heads(table.column_heads)}};
  const auto add = [&](const char* name, const auto& of) {
    json[name] = mapped(table.cells, [&](const auto& row) { return mapped(row, of); });
  };
  using Kind = TableCell::Kind;
  const auto bound = [](const TableCell& cell, double x) {
    return cell.kind == Kind::number && cell.runs > 1 ? json_of_number(x) : Json();
  };
  add("number", [](const TableCell& cell) {
    return cell.kind == Kind::number ? json_of_number(claimed(cell)) : Json();
  });
  add("text", [&](const TableCell& cell) {
    return cell.kind == Kind::missing ? std::string() : cell_text(cell, digits);
  });
  add("runs", [](const TableCell& cell) { return cell.runs; });
  const bool averages = std::ranges::any_of(table.cells, [&](const auto& row) {
    return std::ranges::any_of(row, [](const TableCell& cell) { return cell.runs > 1; });
  });
  if (averages && table.average == "mean") {
    add("half_width", [&](const TableCell& cell) { return bound(cell, cell.half_width); });
  } else if (averages) {
    add("low", [&](const TableCell& cell) { return bound(cell, cell.low.value_or(cell.mean)); });
    add("high", [&](const TableCell& cell) { return bound(cell, cell.high.value_or(cell.mean)); });
  }
  return json;
}

ExitCode run_table(const Arguments& arguments, const Streams& streams) {
  refuse_unfit(arguments);
  const std::string& file = arguments.operands.front();
  const TableRequest request = request_of(arguments);
  // Reads only variables named by options, all digits, and the loss, which has a number for every step.
  const std::string named = joined(request.values) + " " + arguments.text("when");
  const StoredResult stored = read_stored_result(file, [&](const Variable& variable) {
    const std::string& name = variable.name;
    return name == "loss" || name.find("digits") != std::string::npos ||
           named.find(name) != std::string::npos;
  });
  Table table = pivot_table(stored.result, request);
  const auto format = std::ranges::find(formats, arguments.text("format", formats[0])) - formats.begin();
  const int digits = *parse_number<int>(arguments.text("digits", "3"));
  if (arguments.text("names") == "symbols") name_by_symbols(table);
  std::ostringstream json;
  if (arguments.has("json"))
    print_event(json, table_json(table, digits, "from " + shell_quoted(file) + " by: " + arguments.command));
  const std::string text =
      arguments.has("json")
          ? json.str()
          : format_table(table, static_cast<TableFormat>(format), digits, shell_quoted(file),
                         arguments.command, {arguments.text("caption"), arguments.text("label")});
  if (arguments.has("output")) {
    write_file(arguments.text("output"), sanitize_text(text));
  } else {
    streams.out << text;
  }
  return ExitCode::done;
}

}  // namespace

Command table_command() {
  return {.name = "table",
          .operands = {.name = "FILE.h5", .meaning = "a result file"},
          .options = table_options,
          .run = run_table};
}

}  // namespace rarefact
