#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/catalogue.hpp"
#include "tables/latex_text.hpp"
#include "tables/summary.hpp"
#include "tables/table_latex.hpp"
#include "tables/table_parts.hpp"

namespace rarefact {

namespace {

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
    if (c == '<' && i + 1 < text.size() && text[i + 1] != ' ') {
      out += "&lt;";
      continue;
    }
    if (c == '|' || c == '\\' || c == '*' || c == '`') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  return "\"" + replaced(text, "\"", "\"\"") + "\"";
}

/// Every digit of a number on an axis or in a cell.
std::string exact_text(const AxisValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return fmt::format("{}", std::get<double>(value));
}

/// The head of a column: texts alone, numbers with their key; the value's name where there is no axis.
std::string column_head(const Table& table, std::size_t column, std::string (*shown)(const AxisValue&)) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < table.column_keys.size(); ++i) {
    const AxisValue& value = table.column_heads[column][i];
    const bool number = std::holds_alternative<double>(value);
    parts.push_back((number ? table.column_keys[i] + " = " : "") + shown(value));
  }
  return parts.empty() ? table.value : joined(parts);
}

/// Cells of Markdown in columns of equal width.
std::string padded_rows(const std::vector<std::vector<std::string>>& rows, std::size_t flush_left) {
  const auto length = [](const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
  };
  std::vector<std::size_t> widths(rows.front().size(), 3);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], length(row[c]));
  }
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string space(widths[c] - length(rows[r][c]), ' ');
      text += "| " + (c < flush_left ? rows[r][c] + space : space + rows[r][c]) + " ";
    }
    text += "|\n";
    if (r > 0) continue;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      text += "| " + std::string(widths[c] - 1, '-') + (c < flush_left ? "- " : ": ");
    }
    text += "|\n";
  }
  return text;
}

std::string markdown(const Table& table, int digits) {
  std::vector<std::vector<std::string>> lines(1);
  for (const std::string& key : table.row_keys) lines[0].push_back(markdown_text(key));
  for (std::size_t c = 0; c < table.column_heads.size(); ++c)
    lines[0].push_back(markdown_text(column_head(table, c, axis_text)));
  for (std::size_t r = 0; r < table.cells.size(); ++r) {
    auto& line = lines.emplace_back();
    for (const AxisValue& value : table.row_heads[r]) line.push_back(markdown_text(axis_text(value)));
    for (const TableCell& cell : table.cells[r]) line.push_back(markdown_text(cell_text(cell, digits)));
  }
  return padded_rows(lines, table.row_keys.size());
}

bool has_averages(const Table& table) {
  for (const auto& row : table.cells) {
    if (std::any_of(row.begin(), row.end(), [](const TableCell& cell) { return cell.runs > 1; })) return true;
  }
  return false;
}

/// Mean, half width and number of runs of a cell; what is no number stands in the place of the mean.
std::vector<std::string> csv_cell(const TableCell& cell) {
  if (cell.kind == TableCell::Kind::number) {
    return {fmt::format("{}", cell.mean), cell.runs > 1 ? fmt::format("{}", cell.half_width) : "",
            fmt::format("{}", cell.runs)};
  }
  const bool missing = cell.kind == TableCell::Kind::missing;
  return {missing ? "" : csv_text(cell_text(cell, 1)), "", fmt::format("{}", cell.runs)};
}

std::string csv(const Table& table) {
  const bool averages = has_averages(table);
  std::vector<std::string> heads;
  for (const std::string& key : table.row_keys) heads.push_back(csv_text(key));
  for (std::size_t c = 0; c < table.column_heads.size(); ++c) {
    const std::string head = column_head(table, c, exact_text);
    if (!averages) {
      heads.push_back(csv_text(head));
      continue;
    }
    for (const char* part : {" mean", " half_width", " n"}) heads.push_back(csv_text(head + part));
  }
  std::string text = fmt::format("{}\n", fmt::join(heads, ","));
  for (std::size_t r = 0; r < table.cells.size(); ++r) {
    std::vector<std::string> line;
    for (const AxisValue& value : table.row_heads[r]) line.push_back(csv_text(exact_text(value)));
    for (const TableCell& cell : table.cells[r]) {
      const auto parts = csv_cell(cell);
      line.insert(line.end(), parts.begin(), averages ? parts.end() : parts.begin() + 1);
    }
    text += fmt::format("{}\n", fmt::join(line, ","));
  }
  return text;
}

}  // namespace

std::string cell_text(const TableCell& cell, int digits) {
  switch (cell.kind) {
    case TableCell::Kind::number:
      return (cell.approximate ? "≈" : "") + (cell.runs > 1
                                                  ? interval_text(cell.mean, cell.half_width, digits)
                                                  : number_text(cell.mean, digits, cell.counts));
    case TableCell::Kind::beyond: {
      const std::string step = fmt::format("{}", cell.beyond);
      const bool power =
          step.size() > 2 && step.find_first_not_of('0', 1) == std::string::npos && step[0] == '1';
      return power ? fmt::format(">10^{}", step.size() - 1) : ">" + step;
    }
    case TableCell::Kind::words:
      return cell.words;
    case TableCell::Kind::missing:
      break;
  }
  return "-";
}

std::string format_table(const Table& table, TableFormat format, int digits, std::string_view file,
                         std::string_view command) {
  // What comes from the file must not end the line of a comment.
  std::string about = table.description;
  std::replace_if(
      about.begin(), about.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  const std::string origin = fmt::format("from {} by: {}", file, command);
  if (format == TableFormat::latex) {
    const std::string body = latex_table(table, digits);
    const std::vector<std::string> unknown = unknown_to_latex(body);
    const std::string note =
        unknown.empty() ? ""
                        : fmt::format("% pdflatex does not know {}: use lualatex with a font that does\n",
                                      joined(unknown, " "));
    return fmt::format("% {}\n% {}\n{}{}", origin, about, note, body);
  }
  if (format == TableFormat::csv) return fmt::format("# {}\n# {}\n{}", origin, about, csv(table));
  // A comment of HTML ends at the first "-->".
  const auto comment = [](const std::string& text) {
    return fmt::format("<!-- {} -->\n", replaced(text, "-->", "--&gt;"));
  };
  return comment(origin) + comment(about) + "\n" + markdown(table, digits);
}

}  // namespace rarefact
