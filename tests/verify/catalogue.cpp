#include <filesystem>
#include <set>

#include "experiment/plan.hpp"
#include "io/scratch_folder.hpp"
#include "reference/cells.hpp"
#include "reference/project_file.hpp"
#include "sim/resolve.hpp"
#include "verify/quick_evidence.hpp"
#include "verify/report.hpp"

using namespace tampered;

TEST_CASE("every check says what it claims, predicts, measures and how it judges, and has its experiment") {
  std::set<std::string> ids;
  for (const CheckRow& row : check_catalogue()) {
    CAPTURE(row.id);
    CHECK(ids.insert(row.id).second);
    const std::string source = row.id.substr(0, row.id.find('/'));
    CHECK(row.word("source").find(source) == 0);
    for (const std::string& text : {row.word("title"), row.word("statement"), row.word("predicted"),
                                    row.word("method"), row.word("rule")}) {
      CHECK(text.size() > 10);
    }
    CHECK(!row.assumptions.empty());
    for (const Assumption& one : row.assumptions) CHECK(one.text().size() > 5);
    CHECK(row.experiments.front().file == "experiments/theorems/" + row.id + ".toml");
  }
}

TEST_CASE("every experiment of a paper says which check runs it, and that check has it, and no others") {
  const std::string folder = "experiments/theorems/";
  const std::filesystem::path experiments = project_file(folder);
  std::map<std::string, std::set<std::string>> said, had;
  std::set<std::string> own;  // the experiment that a check is named after may be of others, too
  for (const CheckRow& row : check_catalogue()) own.insert(folder + row.id + ".toml");
  for (const CheckRow& row : check_catalogue()) {
    for (const CheckExperiment& experiment : row.experiments) {
      if (experiment.file == folder + row.id + ".toml" || !own.contains(experiment.file))
        had[row.id].insert(experiment.file);
    }
  }
  const std::string words = "Checked by: rarefact verify ";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(experiments)) {
    if (entry.path().extension() != ".toml") continue;
    const std::string text = slurp(entry.path());
    const std::size_t found = text.find(words);
    if (found == std::string::npos) continue;
    const std::size_t begin = found + words.size();
    said[text.substr(begin, text.find_first_of(" \n", begin) - begin)].insert(
        folder + std::filesystem::relative(entry.path(), experiments).generic_string());
  }
  CHECK(said.size() >= 28);
  CHECK(said == had);
}

TEST_CASE(
    "experiments are plans, also with --quick and --precision, for which there is an engine or a reason") {
  for (const CheckRow& row : check_catalogue()) {
    for (const CheckExperiment& experiment : row.experiments) {
      CAPTURE(experiment.file);
      const auto plan = [&](const Words& over) { return parse_plan(experiment.text, experiment.file, over); };
      CHECK(experiment.text.starts_with("# "));
      CHECK(plan(experiment.quick).size() <= plan({}).size());
      Words precise = experiment.quick;
      precise.insert(precise.end(), experiment.precise.begin(), experiment.precise.end());
      const ExperimentPlan points = plan(precise);
      // A few of each sweep, the first among them.
      for (std::size_t i = 0; i < points.size(); i += 1 + points.size() / 4) {
        Experiment point = points.point(i).experiment;
        point.precision = 50;
        if (row.word("only_doubles").empty()) CHECK_NOTHROW(resolve(point, {}));
      }
    }
  }
}

TEST_CASE("an unknown check is refused with the nearest one") {
  CHECK_THROWS_WITH(check_row("wang2025/one-step-moun"),
                    Catch::Contains("did you mean wang2025/one-step-muon?"));
  CHECK_THROWS_WITH(check_row("wang2025"),
                    Catch::Contains("wang2025 has several checks; name one or more of wang2025/"));
}

TEST_CASE("every statement has its verdict on the quick grids, no finding fails, and all are reported") {
  // The exponents of kim2026 hold up to powers of logarithms, boundaries between phases in the limit of many modes; where
  // fast answers stop, and of updates at equal losses, no form is known. Others know a form that an interval is without, or
  // that finite sizes miss by a few percent; or one of their findings allows more than a twentieth.
  const std::vector<std::string> asymptotic = cells_of(R"(
    barnfield2026/capacity | wang2026/matched-loss | paquette2026/phases | rarefact2026/late-lock
    rarefact2026/seeded-tail | rarefact2026/attributes-power-law | rhee2026/conservation
    rarefact2026/noisy-queries)"),
                                 without_sharp = cells_of(R"(
    chen2025/decay | li2026b/training | li2026b/rate | formula/effective-exponent | vasudeva2025/minority
    li2026b/window-is-batch | paquette2026/isotropic | paquette2026/square-root | li2026/gd-noiseless
    li2026/muon-noisy | li2026b/coverage | li2026b/low-snr | li2026b/spiked | paquette2026/dynamics
    paquette2026/signsgd | paquette2026/small-batch | wang2026/embeddings | rarefact2026/muon-dimension-free
    rhee2026/one-rate | rhee2026/small-modes-first | rhee2026/annealing | li2026c/ratio-spectral
    rarefact2026/noise-threshold | rarefact2026/schedules)");
  std::vector<CheckReport> reports;
  for (const CheckRow& row : check_catalogue()) {
    CAPTURE(row.id);
    const CheckReport& report = reports.emplace_back(quick_report(row.id));
    Verdict expected = std::ranges::count(without_sharp, row.id) > 0 ? Verdict::holds : Verdict::sharp;
    if (std::ranges::count(asymptotic, row.id) > 0 || row.id.starts_with("kim2026/"))
      expected = Verdict::evidence;
    CHECK(report.verdict() == expected);
    for (const Finding& finding : report.findings) {
      CAPTURE(finding.id, finding.quantity, finding.rule, finding.measured);
      CHECK(finding.verdict <= std::max(report.verdict(), Verdict::holds));
      // What stands beside an asymptotic claim is never a pass.
      if (row.id.starts_with("kim2026/") && !finding.published.empty())
        CHECK(finding.verdict >= Verdict::evidence);
    }
  }
  const Table table = report_table(reports);
  for (const CheckRow& row : check_catalogue()) {
    const auto names_it = [&](const auto& head) { return head[1] == AxisValue(row.word("title")); };
    CHECK(std::ranges::any_of(table.row_heads, names_it));
  }
  const ScratchFolder folder;
  write_report(reports, folder / "report.h5");
}

TEST_CASE("a statement reads from a long grid what it reads from a short one") {
  const CheckRow& row = check_row("wang2025/one-step-muon");
  CHECK(judge_check(row, gather_evidence(row, {.threads = 2})).verdict() == Verdict::sharp);
}
