#include <boost/algorithm/string/replace.hpp>
#include <cctype>

#include "core/text.hpp"
#include "tables/table.hpp"

namespace rarefact {

namespace {

using Line = std::vector<std::string>;

/// The power of ten of the first digit, after rounding to `digits` significant digits; 0 if x is 0 or infinite.
int exponent_of(double x, int digits) {
  if (x == 0 || !std::isfinite(x)) return 0;
  const std::string text = fmt::format("{:.{}e}", x, digits - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

/// True if a number with this power of ten is written without an exponent.
bool plain(int exponent) {
  return exponent >= -4 && exponent < 6;
}

/// "1.23", "0.900", "1.20e-05": `digits` significant digits; counts below a million in full.
std::string number_text(double x, int digits, bool counts) {
  const bool whole = x == std::floor(x) && std::abs(x) < 1e6;
  if (x == 0 || (counts && whole)) return fmt::format("{:.0f}", x + 0.0);
  const int exponent = exponent_of(x, digits);
  if (plain(exponent)) return fmt::format("{:.{}f}", x, std::max(0, digits - 1 - exponent));
  return fmt::format("{:.{}e}", x, digits - 1);
}

/// "1.23 ± 0.04", "(1.23 ± 0.04)e-05": the mean with `digits` significant digits, the half width with as many
/// decimals, or with its first digit if that is finer.
std::string interval_text(double mean, double half_width, int digits) {
  if (half_width == 0) return number_text(mean, digits, true) + " ± 0";
  int exponent = exponent_of(mean == 0 ? half_width : mean, digits);
  std::string power;
  if (!plain(exponent)) {
    power = fmt::format("e{:+03d}", exponent);
    // A long double, because 1e-310 has few digits as a double.
    const long double unit = std::pow(10.0L, exponent);
    mean = static_cast<double>(mean / unit);
    half_width = static_cast<double>(half_width / unit);
    exponent = 0;
  }
  const int decimals = std::max(0, digits - 1 - exponent);
  const bool finer = -exponent_of(half_width, 1) > decimals;
  const std::string half =
      finer ? number_text(half_width, 1, true) : fmt::format("{:.{}f}", half_width, decimals);
  const std::string text = fmt::format("{:.{}f} ± {}", mean, decimals, half);
  return power.empty() ? text : fmt::format("({}){}", text, power);
}

/// Escapes a text for a Markdown table, so that nothing is read as HTML, a link or emphasis.
std::string markdown_text(const std::string& text) {
  const auto at = [&](std::size_t i) { return i < text.size() ? text[i] : ' '; };
  const auto is_word = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(at(i))) != 0; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool edge = c == '_' && !(is_word(i - 1) && is_word(i + 1));
    const bool entity = c == '&' && (is_word(i + 1) || at(i + 1) == '#'),
               address = text.compare(i, 3, "://") == 0;
    if (edge || entity || address || std::string_view("|\\*`[]~").find(c) != std::string_view::npos)
      out += '\\';
    const bool tag = c == '<' && at(i + 1) != ' ';
    out += tag ? "&lt;" : c == '\n' || c == '\r' ? " " : std::string(1, c);
  }
  return out;
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  return "\"" + boost::replace_all_copy(text, "\"", "\"\"") + "\"";
}

std::string exact_text(const AxisValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return fmt::format("{}", std::get<double>(value));
}

/// The lines of a table, heads first. A cell has an entry for each of `parts`, which are appended to the head
/// of the column: "KEY = NUMBER" or a text for each axis, or the name of the value without axes.
std::vector<Line> lines_of(const Table& table, std::string (*place)(const AxisValue&),
                           const std::function<Line(const TableCell&)>& entries, const Line& parts = {""}) {
  std::vector<Line> lines = {table.row_keys};
  for (const auto& head : table.column_heads) {
    Line names;
    for (std::size_t i = 0; i < head.size(); ++i) {
      const bool number = std::holds_alternative<double>(head[i]);
      names.push_back((number ? table.column_keys[i] + " = " : "") + place(head[i]));
    }
    for (const std::string& part : parts)
      lines[0].push_back((names.empty() ? table.value : joined(names)) + part);
  }
  for (std::size_t r = 0; r < table.cells.size(); ++r) {
    Line& line = lines.emplace_back();
    for (const AxisValue& value : table.row_heads[r]) line.push_back(place(value));
    for (const TableCell& cell : table.cells[r]) {
      const Line shown = entries(cell);
      line.insert(line.end(), shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(parts.size()));
    }
  }
  return lines;
}

std::string markdown(const Table& table, int digits) {
  std::vector<Line> lines =
      lines_of(table, axis_text, [&](const TableCell& cell) { return Line{cell_text(cell, digits)}; });
  std::vector<std::size_t> widths(lines[0].size(), 3);
  for (Line& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) {
      line[c] = markdown_text(line[c]);
      widths[c] = std::max(widths[c], utf8_length(line[c]));
    }
  }
  Line rule;
  for (const std::size_t width : widths)
    rule.push_back(std::string(width - 1, '-') + (rule.size() < table.row_keys.size() ? "-" : ":"));
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

/// Average (or a word), half width or both ends of its interval, and number of runs of a cell.
Line csv_entries(const TableCell& cell, bool ends) {
  const bool number = cell.kind == TableCell::Kind::number;
  const auto bound = [&](double x) { return number && cell.runs > 1 ? fmt::format("{}", x) : ""; };
  Line entries = {number                                  ? fmt::format("{}", claimed(cell))
                  : cell.kind == TableCell::Kind::missing ? ""
                                                          : cell_text(cell, 1)};
  entries.push_back(bound(ends ? cell.low.value_or(cell.mean) : cell.half_width));
  if (ends) entries.push_back(bound(cell.high.value_or(cell.mean)));
  entries.push_back(std::to_string(cell.runs));
  return entries;
}

std::string csv(const Table& table) {
  bool averages = false;
  for (const auto& row : table.cells)
    for (const TableCell& cell : row) averages = averages || cell.runs > 1;
  const bool ends = table.average != "mean";
  Line parts = {""};
  if (averages && ends) parts = {" " + table.average, " low", " high", " n"};
  if (averages && !ends) parts = {" mean", " half_width", " n"};
  std::string text;
  for (Line& line : lines_of(
           table, exact_text, [&](const TableCell& cell) { return csv_entries(cell, ends); }, parts)) {
    for (std::string& entry : line) entry = csv_text(entry);
    text += fmt::format("{}\n", fmt::join(line, ","));
  }
  return text;
}

/// ">2000", ">10^6"
std::string beyond_text(std::int64_t last) {
  const std::string step = std::to_string(last);
  const bool power = step.size() > 2 && step[0] == '1' && step.find_first_not_of('0', 1) == std::string::npos;
  return power ? fmt::format(">10^{}", step.size() - 1) : ">" + step;
}

}  // namespace

double claimed(const TableCell& cell) {
  const double x = cell.mean;
  const bool all = cell.digits >= std::numeric_limits<double>::digits10 || x == std::floor(x);
  return all ? x : *parse_number<double>(fmt::format("{:.{}g}", x, cell.digits));
}

std::string cell_text(const TableCell& cell, int digits) {
  if (cell.kind == TableCell::Kind::words) return cell.words;
  if (cell.kind == TableCell::Kind::missing) return "-";
  digits = std::min(digits, cell.digits);
  if (cell.kind == TableCell::Kind::number) {
    const auto number = [&](double x) {
      return cell.beyond > 0 && std::isinf(x) ? beyond_text(cell.beyond)
                                              : number_text(x, digits, cell.counts);
    };
    return (cell.approximate ? "≈" : "") +
           (cell.runs == 1 ? number(cell.mean)
            : cell.low ? fmt::format("{} [{}, {}]", number(cell.mean), number(*cell.low), number(*cell.high))
                       : interval_text(cell.mean, cell.half_width, digits));
  }
  return beyond_text(cell.beyond);
}

std::string format_table(const Table& table, TableFormat format, int digits, std::string_view file,
                         std::string_view command, const LatexFloat& around) {
  // Text from the file must not end the comment line.
  const std::string about =
      boost::replace_all_copy(boost::replace_all_copy(table.description, "\n", " "), "\r", " ");
  const std::string origin = fmt::format("from {} by: {}", file, command);
  if (format == TableFormat::csv) return fmt::format("# {}\n# {}\n{}", origin, about, csv(table));
  if (format == TableFormat::markdown) {
    // An HTML comment ends at the first "-->".
    const std::string comments =
        fmt::format("<!-- {} -->\n<!-- {} -->\n", boost::replace_all_copy(origin, "-->", "--&gt;"),
                    boost::replace_all_copy(about, "-->", "--&gt;"));
    return comments + "\n" + markdown(table, digits);
  }
  return fmt::format("% {}\n% {}\n{}", origin, about, latex_table(table, digits, around));
}

}  // namespace rarefact
