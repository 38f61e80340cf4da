#include "verify/report.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

CheckReport sample() {
  CheckReport report{.id = "wang2025/one-step-gd", .runs = 3};
  report.hypotheses = {{"two levels", true, "M = 2"}};
  Finding fit{.quantity = "exponent of |x|",
              .measured = -0.3557,
              .low = -0.3558,
              .high = -0.3556,
              .published = "<= -0.3",
              .sharp = -0.35567,
              .rule = "near",
              .verdict = Verdict::sharp,
              .headline = true};
  report.findings = {fit, {.quantity = "not shown", .verdict = Verdict::holds}};
  report.curves = {{.title = "c", .x_label = "K", .series = {{"a", {{1, 3}, {2, 4}}}}}};
  return report;
}

}  // namespace

TEST_CASE("the table shows headlines, and failures whether or not they are headlines") {
  CheckReport report = sample();
  CHECK(report_table({report}).cells.size() == 1);
  report.findings.push_back({.quantity = "broken", .measured = 3, .verdict = Verdict::fails});
  const Table table = report_table({report});
  REQUIRE(table.cells.size() == 2);
  CHECK(table.row_heads[0][0] == AxisValue("wang2025/one-step-gd"));
  CHECK(table.row_heads[0][3] == AxisValue("fails"));
  CHECK(table.row_heads[1] == std::vector<AxisValue>{"", "", "", "", "broken"});
  CHECK(table.column_heads.size() == 3);
  report.findings[0].right_digits = 12;
  CHECK(report_table({report}).cells[0][3].words == "12.0");
  report.findings.clear();
  CHECK(report_table({report}).cells[0][0].kind == TableCell::Kind::missing);
}

TEST_CASE("numbers have four digits, and half an interval after ± where they were fitted") {
  const auto agreement = [](double apart) {
    return Finding{.measured = apart, .sharp = 0, .agrees_to = 1e-12};
  };
  CHECK(sharp_text(agreement(5e-16)) == "exact");
  for (const auto& [finding, text] : std::vector<std::pair<Finding, std::string>>{
           {sample().findings[0], "-0.3557 ± 0.0001"},
           {{.measured = 2, .low = 1.25, .high = 3.2}, "2 [1.25, 3.2]"},
           // Digits that the interval leaves open are not shown.
           {{.measured = 0.42441, .low = 0.40425, .high = 0.44779}, "0.424 [0.404, 0.448]"},
           {{.measured = 1.2345678, .low = 1.0345678, .high = 1.4345678}, "1.23 ± 0.2"},
           {{.measured = 1.2345678, .low = 1.2345578, .high = 1.2345778}, "1.235 ± 1e-05"},
           {{.measured = 12345, .low = 11345, .high = 13345}, "1.23e+04 ± 1e+03"},
           {agreement(5e-16), "equal to 1e-12"},
           {agreement(1 / 3.0), "0.3333"},
           {{.measured = 6.5105e-12}, "6.51e-12"},
           {{.measured = 0}, "0"},
           {{.measured = 123456}, "1.235e+05"}})
    CHECK(measured_text(finding) == text);
}

TEST_CASE("for a page the table escapes a bar, for a paper numbers are mathematics, whatever they say") {
  const auto text = [](TableFormat format) {
    return format_table(report_table({sample()}), format, 4, "rarefact verify", "rarefact verify x");
  };
  const std::string page = text(TableFormat::markdown), paper = text(TableFormat::latex);
  CHECK(page.starts_with("<!-- from rarefact verify by: rarefact verify x -->\n"));
  CHECK_THAT(page, Contains("| holds sharply | exponent of \\|x\\| | -0.3557 ± 0.0001 | &lt;= -0.3 |") &&
                       !Contains("not shown"));
  CHECK(paper.starts_with("% from rarefact verify"));
  CHECK_THAT(paper, Contains("\\toprule") && Contains("\\textbar{}x\\textbar{}") &&
                        Contains("$-0.3557 \\pm 0.0001$ & $\\leq -0.3$ & $-0.3557$ \\\\"));
}

TEST_CASE("a report file has equal bytes for equal reports, and other contents are never overwritten") {
  const ScratchFolder folder;
  const auto path = folder / "report.h5";
  write_report({sample()}, path);
  CHECK(std::filesystem::exists(path.string() + ".sha256"));
  write_report({sample()}, path);  // the same once more
  CheckReport other = sample();
  other.findings[0].measured = 1;
  CHECK_THROWS_AS(write_report({other}, path), InputError);
}

TEST_CASE(
    "one failure decides a check, an unmet hypothesis leaves it open, and nothing measured is nothing held") {
  CheckReport report{.id = "x"};
  CHECK(report.verdict() == Verdict::inconclusive);
  const auto with = [&](Verdict verdict) {
    report.findings.push_back({.verdict = verdict});
    return report.verdict();
  };
  CHECK(with(Verdict::holds) == Verdict::holds);
  CHECK(with(Verdict::sharp) == Verdict::sharp);
  CHECK(with(Verdict::evidence) == Verdict::evidence);
  CHECK(with(Verdict::against) == Verdict::against);
  report.hypotheses = {{"h", false, ""}};
  CHECK(report.verdict() == Verdict::inconclusive);
  CHECK(with(Verdict::fails) == Verdict::fails);
}

TEST_CASE("a known number of the tables that an interval is without leaves a check that holds") {
  CheckReport report{.findings = {{.sharp = 1, .verdict = Verdict::sharp, .headline = true},
                                  {.sharp = 1, .verdict = Verdict::holds}}};
  CHECK(report.verdict() == Verdict::sharp);
  report.findings[1].headline = true;
  CHECK(report.verdict() == Verdict::holds);
}

TEST_CASE("right digits are minus the decimal logarithm of the relative difference") {
  CHECK(right_digits(1 + 1e-10, 1) == Approx(10).margin(0.01));
  CHECK(right_digits(2, 2) == 17);
  CHECK(right_digits(1, 5) == Approx(0.097).margin(0.001));
  CHECK(right_digits(-1, 1) == 0);
  CHECK(right_digits(NAN, 1) == 0);
  CHECK(right_digits(1e-300, 0) == 0);
}
