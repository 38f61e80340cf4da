// Numbers of tables as text, and texts that no file of a test has; each format in full: tests/cli/transcripts/formats.txt.

#include <catch2/catch.hpp>

#include "tables/table.hpp"

using namespace rarefact;

using Catch::Contains;

namespace {

/// A table of one cell, after its two lines of comment.
std::string one_cell(const TableCell& cell, TableFormat format, int digits = 3) {
  Table table{.description = "d", .value = "v"};
  table.row_heads = {{}};
  table.column_heads = {{}};
  table.cells = {{cell}};
  const std::string text = format_table(table, format, digits, "f.h5", "c");
  return text.substr(text.find('\n', text.find('\n') + 1) + 1);
}

/// How LaTeX and Markdown show a number or an interval.
std::string shown(double mean, double half_width, int digits, TableFormat format, int runs = 2) {
  const std::string text =
      one_cell({.kind = TableCell::Kind::number, .runs = runs, .mean = mean, .half_width = half_width},
               format, digits);
  const std::string start = format == TableFormat::latex ? "\\midrule\n" : ": |\n| ";
  const std::size_t from = text.find(start) + start.size();
  const std::string line =
      text.substr(from, text.find(format == TableFormat::latex ? " \\\\" : " |", from) - from);
  return line.substr(line.find_first_not_of(' '));
}

std::string number(double x, int digits = 3) {
  return shown(x, 0, digits, TableFormat::markdown, 1);
}
std::string interval(double x, double h, int digits = 3) {
  return shown(x, h, digits, TableFormat::markdown);
}

}  // namespace

TEST_CASE("a number is written with the digits that are there, in every format") {
  const TableCell cell{.kind = TableCell::Kind::number, .runs = 1, .mean = 0.123456789012345, .digits = 5};
  CHECK(cell_text(cell, 3) == "0.123");
  CHECK(cell_text(cell, 9) == "0.12346");
  CHECK(one_cell(cell, TableFormat::csv) == "v\n0.12346\n");
  const TableCell all{.kind = TableCell::Kind::number, .runs = 1, .mean = 0.123456789012345};
  CHECK(one_cell(all, TableFormat::csv) == "v\n0.123456789012345\n");
  const TableCell mean{
      .kind = TableCell::Kind::number, .runs = 2, .mean = 1.23456, .half_width = 0.01, .digits = 2};
  CHECK(cell_text(mean, 4) == "1.2 ± 0.01");
}

TEST_CASE("numbers have the digits asked for; whole ones below a million are as they are") {
  CHECK(number(0.012345) == "0.0123");
  CHECK(number(0.9996) == "1.00");
  CHECK(number(0.9, 2) == "0.90");
  CHECK(number(1234.5) == "1234");
  CHECK(number(1234.5, 6) == "1234.50");
  CHECK(number(9.9996e-6) == "1.00e-05");
  CHECK(number(0.0001) == "0.000100");
  CHECK(number(1.2e-5, 2) == "1.2e-05");
  CHECK(number(5e-324, 1) == "5e-324");
  CHECK(number(-0.0) == "0");
  CHECK(number(2000) == "2000");
  CHECK(number(123456789) == "1.23e+08");
  CHECK(number(1.7e308, 2) == "1.7e+308");
}

TEST_CASE("an end of an interval that overflows is infinite, in every format") {
  const TableCell cell{.kind = TableCell::Kind::number, .runs = 2, .mean = 1e5, .low = 0, .high = INFINITY};
  CHECK(cell_text(cell, 3) == "100000 [0, inf]");
  CHECK_THAT(one_cell(cell, TableFormat::latex), Contains("$100000 [0, \\infty]$"));
  CHECK(interval(1e-5, INFINITY) == "(1.00 ± inf)e-05");
  CHECK(interval(0, INFINITY) == "0.00 ± inf");
  CHECK(interval(1e308, INFINITY) == "(1.00 ± inf)e+308");
}

TEST_CASE("intervals have as many decimals as the mean, and one digit where they are finer") {
  CHECK(interval(1.234, 0.0412) == "1.23 ± 0.04");
  CHECK(interval(34.5, 1.24) == "34.5 ± 1.2");
  CHECK(interval(1.234, 0.00042) == "1.23 ± 0.0004");
  CHECK(interval(1.234, 2e-9) == "1.23 ± 2e-09");
  CHECK(interval(1.234e-5, 4e-7) == "(1.23 ± 0.04)e-05");
  CHECK(interval(9.9996e-7, 1e-8) == "(1.00 ± 0.01)e-06");
  CHECK(interval(1.234e-310, 4e-312) == "(1.23 ± 0.04)e-310");
  // Where a power of ten as a double has two digits.
  CHECK(interval(3.21e-322, 1e-322) == "(3.21 ± 0.99)e-322");
  CHECK(interval(0, 0.5) == "0.000 ± 0.500");
  CHECK(interval(12, 0) == "12 ± 0");
  CHECK(shown(1.234e-5, 4e-7, 3, TableFormat::latex) == "$(1.23 \\pm 0.04)\\times10^{-5}$");
  CHECK(shown(1.234, 2e-9, 3, TableFormat::latex) == "$1.23 \\pm 2\\times10^{-9}$");
  CHECK(shown(1.2e-5, 0, 2, TableFormat::latex, 1) == "$1.2\\times10^{-5}$");
  CHECK(shown(1e-5, 0, 1, TableFormat::latex, 1) == "$10^{-5}$");
}

TEST_CASE("a threshold not reached is a bound, a power of ten where it is one") {
  const auto beyond = [](std::int64_t step, TableFormat format) {
    return one_cell({.kind = TableCell::Kind::beyond, .runs = 1, .beyond = step}, format);
  };
  CHECK_THAT(beyond(1000000, TableFormat::latex), Contains("\n$>10^{6}$ \\\\"));
  CHECK_THAT(beyond(1000000, TableFormat::markdown), Contains(" >10^6 |"));
  CHECK(beyond(1000000, TableFormat::csv) == "v\n>10^6\n");
  CHECK(beyond(2000, TableFormat::csv) == "v\n>2000\n");
  CHECK_THAT(beyond(2000, TableFormat::latex), Contains("\n$>2000$ \\\\"));
  CHECK(beyond(10, TableFormat::csv) == "v\n>10\n");
  CHECK(one_cell({}, TableFormat::csv) == "v\n\n");
  CHECK_THAT(one_cell({}, TableFormat::markdown), Contains("|   - |"));
}

TEST_CASE("LaTeX takes no head for an argument of the command before it") {
  Table table{.description = "d", .value = "[v]"};
  table.row_keys = {"k", "l"};
  table.row_heads = {{std::string("[a]"), std::string("[b]")},
                     {std::string("*"), std::string("c")},
                     {std::string("x"), std::string("[y]")}};
  table.column_heads = {{}};
  table.cells = {{{}}, {{}}, {{}}};
  const auto text = [&] { return format_table(table, TableFormat::latex, 3, "f", "c"); };
  CHECK_THAT(
      text(),
      Contains("\\midrule\n{}[a] & [b] & - \\\\\n\\addlinespace\n{}* & c & - \\\\\n\\addlinespace\nx & [y]"));
  CHECK_THAT(text(), Catch::StartsWith("% from f by: c\n% d\n\\begin{tabular}"));
  table.row_heads[0][0] = "∇f é 漢 p̂";
  CHECK_THAT(text(), Contains("$\\nabla$f é 漢 $\\hat{p}$"));
  table.row_keys = {};
  table.row_heads = {{}, {}, {}};
  CHECK_THAT(text(), Contains("\\toprule\n{}[v] \\\\\n"));
}

TEST_CASE("texts are escaped for each format, and none ends a comment") {
  Table table{.description = "a\nb --> c", .value = "v"};
  table.row_keys = {"k"};
  table.row_heads = {{std::string("a|b_c,\"d\" 50% <e>\\")}};
  table.column_heads = {{}};
  table.cells = {{{}}};
  const auto text = [&](TableFormat format) { return format_table(table, format, 3, "f", "x --> y"); };
  CHECK_THAT(text(TableFormat::markdown),
             Catch::StartsWith("<!-- from f by: x --&gt; y -->\n<!-- a b --&gt; c -->\n\n") &&
                 Contains("| a\\|b_c,\"d\" 50% &lt;e>\\\\ |"));
  table.row_heads[0][0] = "[x](http://y) _z_ ~~c~~ &lt; a & b";
  CHECK_THAT(text(TableFormat::markdown),
             Contains("| \\[x\\](http\\://y) \\_z\\_ \\~\\~c\\~\\~ \\&lt; a & b |"));
  table.row_heads[0][0] = "a|b_c,\"d\" 50% <e>\\";
  CHECK_THAT(text(TableFormat::csv),
             Contains("# a b --> c\n") && Contains("\n\"a|b_c,\"\"d\"\" 50% <e>\\\",\n"));
  CHECK_THAT(text(TableFormat::latex),
             Contains("\na\\textbar{}b\\_c,\"d\" 50\\% $<$e$>$\\textbackslash{} & - \\\\"));
}
