#include "verify/report.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;

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
  report.curves = {{.title = "c", .x_label = "K", .x = {1, 2}, .series = {{"a", {3, 4}}}}};
  return report;
}

}  // namespace

TEST_CASE("the table shows headlines, and failures whether or not they are headlines") {
  CheckReport report = sample();
  CHECK(report_lines({report}).size() == 1);
  report.findings.push_back({.quantity = "broken", .measured = 3, .verdict = Verdict::fails});
  const auto lines = report_lines({report});
  REQUIRE(lines.size() == 2);
  CHECK(!lines[0].id.empty());
  CHECK(lines[1].id.empty());
  CHECK(lines[1].finding.quantity == "broken");
  CHECK(lines[0].verdict == "fails");
}

TEST_CASE("numbers have four digits, and half an interval after ± where they were fitted") {
  CHECK(measured_text(sample().findings[0]) == "-0.3557 ± 0.0001");
  CHECK(measured_text({.measured = 2, .low = 1.25, .high = 3.2}) == "2 [1.25, 3.2]");
  // Digits that the interval leaves open are not shown.
  CHECK(measured_text({.measured = 0.42441, .low = 0.40425, .high = 0.44779}) == "0.424 [0.404, 0.448]");
  CHECK(measured_text({.measured = 1.2345678, .low = 1.0345678, .high = 1.4345678}) == "1.23 ± 0.2");
  CHECK(measured_text({.measured = 1.2345678, .low = 1.2345578, .high = 1.2345778}) == "1.235 ± 1e-05");
  CHECK(measured_text({.measured = 12345, .low = 11345, .high = 13345}) == "1.23e+04 ± 1e+03");
  const auto agreement_to = [](double apart) {
    return Finding{.measured = apart,
                   .sharp = 0,
                   .verdict = apart < 1e-12 ? Verdict::sharp : Verdict::fails,
                   .agrees_to = 1e-12};
  };
  const Finding agreement = agreement_to(5e-16);
  CHECK(measured_text(agreement) == "equal to 1e-12");
  CHECK(sharp_text(agreement) == "exact");
  CHECK(measured_text(agreement_to(1 / 3.0)) == "0.3333");
  CHECK(short_number(6.5105e-12) == "6.51e-12");
  CHECK(short_number(0) == "0");
  CHECK(short_number(123456) == "1.235e+05");
}

TEST_CASE("Markdown: one line a headline, a bar inside a cell is escaped") {
  const std::string text = markdown_report({sample()}, "rarefact verify");
  CHECK(text.rfind("<!-- rarefact verify, by: rarefact verify -->\n", 0) == 0);
  CHECK(text.find("| holds sharply | exponent of \\|x\\| | -0.3557 ± 0.0001 | <= -0.3 | -0.3557 |") !=
        std::string::npos);
  CHECK(text.find("not shown") == std::string::npos);
}

TEST_CASE("LaTeX: booktabs, and every number a \\num") {
  const std::string text = latex_report({sample()}, "rarefact verify");
  CHECK(text.rfind("% rarefact verify", 0) == 0);
  CHECK(text.find("\\toprule") != std::string::npos);
  CHECK(text.find(
            "\\num{-0.3557} $\\pm$ \\num{0.0001} & $\\leq$ \\num{-0.3} & \\num{-0.3557} & holds sharply") !=
        std::string::npos);
  CHECK(text.find("\\textbar{}x\\textbar{}") != std::string::npos);
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
