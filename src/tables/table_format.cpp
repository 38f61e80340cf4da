#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/text.hpp"
#include "tables/latex_text.hpp"
#include "tables/table_text.hpp"

namespace rarefact {

namespace {

using Line = std::vector<std::string>;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// A text in a table of Markdown. "<" starts HTML unless a blank follows.
std::string markdown_text(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool tag = c == '<' && i + 1 < text.size() && text[i + 1] != ' ';
    if (c == '|' || c == '\\' || c == '*' || c == '`') out += '\\';
    out += tag ? "&lt;" : c == '\n' || c == '\r' ? " " : std::string(1, c);
  }
  return out;
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  return "\"" + replaced(text, "\"", "\"\"") + "\"";
}

/// Every digit of a number on an axis.
std::string exact_text(const AxisValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return fmt::format("{}", std::get<double>(value));
}

/// The keys of the rows and the heads of the columns: texts alone, numbers with their key; the value's name
/// where there is no axis.
Line heads(const Table& table, std::string (*shown)(const AxisValue&)) {
  Line line = table.row_keys;
  for (const auto& head : table.column_heads) {
    Line parts;
    for (std::size_t i = 0; i < head.size(); ++i) {
      const bool number = std::holds_alternative<double>(head[i]);
      parts.push_back((number ? table.column_keys[i] + " = " : "") + shown(head[i]));
    }
    line.push_back(parts.empty() ? table.value : joined(parts));
  }
  return line;
}

/// The rows of a table; a cell may have several entries.
std::vector<Line> body(const Table& table, const std::function<std::string(const AxisValue&)>& place,
                       const std::function<Line(const TableCell&)>& entries) {
  std::vector<Line> lines;
  for (std::size_t r = 0; r < table.cells.size(); ++r) {
    Line& line = lines.emplace_back();
    for (const AxisValue& value : table.row_heads[r]) line.push_back(place(value));
    for (const TableCell& cell : table.cells[r]) {
      const Line parts = entries(cell);
      line.insert(line.end(), parts.begin(), parts.end());
    }
  }
  return lines;
}

std::string markdown(const Table& table, int digits) {
  std::vector<Line> lines = body(
      table, [](const AxisValue& value) { return markdown_text(axis_text(value)); },
      [&](const TableCell& cell) { return Line{markdown_text(cell_text(cell, digits))}; });
  lines.insert(lines.begin(), heads(table, axis_text));
  for (std::string& head : lines[0]) head = markdown_text(head);
  std::vector<std::size_t> widths(lines[0].size(), 3);
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], utf8_length(line[c]));
  }
  Line rule;
  for (std::size_t c = 0; c < widths.size(); ++c)
    rule.push_back(std::string(widths[c] - 1, '-') + (c < table.row_keys.size() ? "-" : ":"));
  lines.insert(lines.begin() + 1, rule);
  std::string text;
  for (const Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string blanks(widths[c] - utf8_length(line[c]), ' ');
      text += "| " + (c < table.row_keys.size() ? line[c] + blanks : blanks + line[c]) + " ";
    }
    text += "|\n";
  }
  return text;
}

/// Mean, half width and number of runs of a cell; what is no number stands where the mean would.
Line csv_entries(const TableCell& cell) {
  const std::string runs = std::to_string(cell.runs);
  if (cell.kind == TableCell::Kind::number)
    return {fmt::format("{}", cell.mean), cell.runs > 1 ? fmt::format("{}", cell.half_width) : "", runs};
  return {cell.kind == TableCell::Kind::missing ? "" : csv_text(cell_text(cell, 1)), "", runs};
}

std::string csv(const Table& table) {
  bool averages = false;
  for (const auto& row : table.cells) {
    for (const TableCell& cell : row) averages = averages || cell.runs > 1;
  }
  std::vector<Line> lines = body(
      table, [](const AxisValue& value) { return csv_text(exact_text(value)); },
      [&](const TableCell& cell) { return averages ? csv_entries(cell) : Line{csv_entries(cell)[0]}; });
  const Line names = heads(table, exact_text);
  Line& head = *lines.emplace(lines.begin());
  for (std::size_t c = 0; c < names.size(); ++c) {
    const bool split = averages && c >= table.row_keys.size();
    for (const char* part : split ? std::vector{" mean", " half_width", " n"} : std::vector{""})
      head.push_back(csv_text(names[c] + part));
  }
  std::string text;
  for (const Line& line : lines) text += fmt::format("{}\n", fmt::join(line, ","));
  return text;
}

std::string latex_place(const AxisValue& value) {
  return std::holds_alternative<double>(value) ? latex_number(axis_text(value))
                                               : latex_text(axis_text(value));
}

std::string latex_cell(const TableCell& cell, int digits) {
  const std::string text = cell_text(cell, digits);
  if (cell.kind == TableCell::Kind::number) return latex_number(text);
  if (cell.kind != TableCell::Kind::beyond) return latex_text(text);
  const std::size_t power = text.find('^');
  if (power == std::string::npos) return "$" + text + "$";
  return fmt::format("${}{{{}}}$", text.substr(0, power + 1), text.substr(power + 1));
}

/// A row. The command before it (\\, \midrule, \addlinespace) would take a star or a bracket at its beginning
/// for its own.
std::string latex_line(const Line& parts) {
  const bool taken = !parts.empty() && (parts[0].starts_with('[') || parts[0].starts_with('*'));
  return fmt::format("{}{} \\\\\n", taken ? "{}" : "", fmt::join(parts, " & "));
}

bool same_start(const std::vector<AxisValue>& a, const std::vector<AxisValue>& b, std::size_t length) {
  return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(length), b.begin());
}

std::string latex_head(const Table& table, std::size_t column, std::size_t level) {
  const AxisValue& value = table.column_heads[column][level];
  const bool number = std::holds_alternative<double>(value);
  return (number ? latex_text(table.column_keys[level]) + " $=$ " : "") + latex_place(value);
}

/// The heads of the columns, a line for each axis; those of outer ones span what they share, with a rule
/// below.
std::string latex_heads(const Table& table) {
  Line keys;
  for (const std::string& key : table.row_keys) keys.push_back(latex_text(key));
  const std::size_t levels = table.column_keys.size(), columns = table.column_heads.size();
  if (levels == 0) keys.push_back(latex_text(table.value));
  std::string text;
  for (std::size_t level = 0; level + 1 < levels; ++level) {
    Line parts(keys.size());
    std::string rules;
    for (std::size_t c = 0, span = 1; c < columns; c += span) {
      const auto& head = table.column_heads[c];
      for (span = 1; c + span < columns && same_start(head, table.column_heads[c + span], level + 1);) ++span;
      parts.push_back(fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", span, latex_head(table, c, level)));
      rules += fmt::format("\\cmidrule(lr){{{}-{}}}", keys.size() + c + 1, keys.size() + c + span);
    }
    text += latex_line(parts) + rules + "\n";
  }
  for (std::size_t c = 0; levels > 0 && c < columns; ++c) keys.push_back(latex_head(table, c, levels - 1));
  return text + latex_line(keys);
}

/// A tabular with the rules of booktabs. Numbers are plain mathematics, texts are escaped; outer heads that a
/// row shares with the one above are said once.
std::string latex(const Table& table, int digits) {
  std::vector<Line> lines =
      body(table, latex_place, [&](const TableCell& cell) { return Line{latex_cell(cell, digits)}; });
  std::string text = fmt::format("\\begin{{tabular}}{{{}{}}}\n\\toprule\n{}\\midrule\n",
                                 std::string(table.row_keys.size(), 'l'),
                                 std::string(table.column_heads.size(), 'r'), latex_heads(table));
  for (std::size_t r = 0; r < lines.size(); ++r) {
    const auto& head = table.row_heads[r];
    if (r > 0 && head.size() > 1) {
      const auto& above = table.row_heads[r - 1];
      if (!same_start(head, above, 1)) text += "\\addlinespace\n";
      for (std::size_t i = 0; i + 1 < head.size() && same_start(head, above, i + 1); ++i) lines[r][i].clear();
    }
    text += latex_line(lines[r]);
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace

std::string format_table(const Table& table, TableFormat format, int digits, std::string_view file,
                         std::string_view command) {
  // What comes from the file must not end the line of a comment.
  const std::string about = replaced(replaced(table.description, "\n", " "), "\r", " ");
  const std::string origin = fmt::format("from {} by: {}", file, command);
  if (format == TableFormat::csv) return fmt::format("# {}\n# {}\n{}", origin, about, csv(table));
  if (format == TableFormat::markdown) {
    // A comment of HTML ends at the first "-->".
    const std::string comments = fmt::format("<!-- {} -->\n<!-- {} -->\n", replaced(origin, "-->", "--&gt;"),
                                             replaced(about, "-->", "--&gt;"));
    return comments + "\n" + markdown(table, digits);
  }
  const std::string text = latex(table, digits);
  const Line unknown = unknown_to_latex(text);
  const std::string note =
      unknown.empty() ? ""
                      : fmt::format("% pdflatex does not know {}: use lualatex with a font that does\n",
                                    joined(unknown, " "));
  return fmt::format("% {}\n% {}\n{}{}", origin, about, note, text);
}

}  // namespace rarefact
