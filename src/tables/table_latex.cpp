#include "tables/table_latex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tables/latex_text.hpp"
#include "tables/table_parts.hpp"

namespace rarefact {

namespace {

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
std::string line_of(const std::vector<std::string>& parts) {
  const bool taken = !parts.empty() && (parts[0].starts_with('[') || parts[0].starts_with('*'));
  return fmt::format("{}{} \\\\\n", taken ? "{}" : "", fmt::join(parts, " & "));
}

bool same_start(const std::vector<AxisValue>& a, const std::vector<AxisValue>& b, std::size_t length) {
  return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(length), b.begin());
}

/// The line of one level of column heads; heads of outer levels span what they share, with a rule below.
std::string head_line(const Table& table, std::size_t level) {
  const bool innermost = level + 1 == table.column_keys.size();
  std::vector<std::string> parts;
  for (const std::string& key : table.row_keys) parts.push_back(innermost ? latex_text(key) : "");
  std::string rules;
  const std::size_t columns = table.column_heads.size();
  for (std::size_t c = 0, span = 1; c < columns; c += span) {
    const auto& head = table.column_heads[c];
    span = 1;
    while (!innermost && c + span < columns && same_start(head, table.column_heads[c + span], level + 1))
      ++span;
    const bool number = std::holds_alternative<double>(head[level]);
    const std::string text =
        (number ? latex_text(table.column_keys[level]) + " $=$ " : "") + latex_place(head[level]);
    parts.push_back(innermost ? text : fmt::format("\\multicolumn{{{}}}{{c}}{{{}}}", span, text));
    const std::size_t first = table.row_keys.size() + c + 1;
    if (!innermost) rules += fmt::format("\\cmidrule(lr){{{}-{}}}", first, first + span - 1);
  }
  return line_of(parts) + (innermost ? "" : rules + "\n");
}

std::string heads(const Table& table) {
  if (table.column_keys.empty()) {
    std::vector<std::string> parts;
    for (const std::string& key : table.row_keys) parts.push_back(latex_text(key));
    parts.push_back(latex_text(table.value));
    return line_of(parts);
  }
  std::string text;
  for (std::size_t level = 0; level < table.column_keys.size(); ++level) text += head_line(table, level);
  return text;
}

}  // namespace

std::string latex_table(const Table& table, int digits) {
  std::string text = fmt::format("\\begin{{tabular}}{{{}{}}}\n\\toprule\n{}\\midrule\n",
                                 std::string(table.row_keys.size(), 'l'),
                                 std::string(table.column_heads.size(), 'r'), heads(table));
  for (std::size_t r = 0; r < table.cells.size(); ++r) {
    const auto& head = table.row_heads[r];
    const bool grouped = r > 0 && head.size() > 1;
    if (grouped && !same_start(head, table.row_heads[r - 1], 1)) text += "\\addlinespace\n";
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < head.size(); ++i) {
      const bool repeated = grouped && i + 1 < head.size() && same_start(head, table.row_heads[r - 1], i + 1);
      parts.push_back(repeated ? "" : latex_place(head[i]));
    }
    for (const TableCell& cell : table.cells[r]) parts.push_back(latex_cell(cell, digits));
    text += line_of(parts);
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace rarefact
