#include <fnmatch.h>

#include <exception>
#include <ostream>

#include "cli/job.hpp"
#include "cli/signals_and_limits.hpp"
#include "io/regular_file.hpp"
#include "verify/report.hpp"

namespace rarefact {

namespace {

std::string section(const std::string& head, const std::string& body) {
  return body.empty() ? "" : fmt::format("{}\n  {}\n\n", head, wrapped(body, 2));
}

std::string few(const std::vector<std::string>& all) {
  constexpr std::size_t most = 10;
  if (all.size() <= most) return joined(all, "\n");
  return joined({all.begin(), all.begin() + most}, "\n") + fmt::format("\nand {} more", all.size() - most);
}

std::string findings_text(const CheckReport& report) {
  std::string text = "findings\n";
  for (const Finding& finding : report.findings) {
    const bool agrees = finding.agrees_to && finding.measured <= *finding.agrees_to;
    std::string numbers = finding.agrees_to && !agrees ? "" : measured_text(finding);
    if (finding.agrees_to)
      numbers += (agrees ? ": largest difference " : "largest difference ") + short_number(finding.measured);
    if (!finding.published.empty()) numbers += ", published " + finding.published;
    if (finding.sharp && !finding.agrees_to) numbers += ", sharp " + sharp_text(finding);
    if (finding.right_digits) numbers += fmt::format(", {:.1f} digits right", *finding.right_digits);
    text += fmt::format("  {}: {}\n      {}\n      {}\n", verdict_text(finding.verdict), finding.quantity,
                        numbers, wrapped(finding.rule, 6));
  }
  return text + "\n";
}

/// Verdict and headline numbers of every check, without titles and sources.
std::string checks_table(const Table& table) {
  std::vector<std::vector<std::string>> rows = {{"check", "verdict", "quantity"}};
  for (const auto& head : table.column_heads) rows[0].push_back(axis_text(head[0]));
  for (std::size_t r = 0; r < table.cells.size(); ++r) {
    const auto& head = table.row_heads[r];
    rows.push_back({axis_text(head[0]), axis_text(head[3]), axis_text(head[4])});
    for (const TableCell& cell : table.cells[r]) rows.back().push_back(cell_text(cell, 4));
  }
  return aligned_table(rows, 3);
}

/// Statement, source, hypotheses, runs, every finding with its rule, the verdict.
std::string explained_check(const CheckRow& row, const CheckReport& report) {
  std::string text = fmt::format("{}: {}\n{}{}\n", row.id, row.word("title"), row.word("source"),
                                 row.word("source").empty() ? "" : "\n");
  text += section("statement", row.word("statement"));
  text += section("predicted", row.word("predicted"));
  text += section("measured, on the full grid", row.word("method"));
  text += section("rule of the verdict", row.word("rule"));
  std::vector<std::string> assumed, files;
  for (const Assumption& assumption : row.assumptions)
    if (!assumption.tested()) assumed.push_back(assumption.text());
  text += section("also assumed", joined(assumed, "; "));
  for (const CheckExperiment& experiment : row.experiments) files.push_back(experiment.file);
  text += section(
      fmt::format("what was run ({} {}{}{})", report.runs, report.runs == 1 ? "trajectory" : "trajectories",
                  report.options.empty() ? "" : "; ", report.options),
      joined(files, "\n"));
  if (!report.hypotheses.empty()) {
    text += "assumptions\n";
    for (const Hypothesis& hypothesis : report.hypotheses) {
      const bool plain = hypothesis.detail.empty() || hypothesis.detail == "on all runs";
      const std::string line = hypothesis.text + (plain ? "" : " (" + hypothesis.detail + ")");
      text += fmt::format("  {}: {}\n", hypothesis.met ? "met" : "NOT MET", wrapped(line, 7));
    }
    text += "\n";
  }
  if (!report.findings.empty()) text += findings_text(report);
  text += section("note", report.note);
  text += section("runs that did not complete; no finding that reads one holds", few(report.unfinished));
  text += fmt::format("verdict: {}\n", report.verdict_words());
  for (const std::string& change : report.unseen) text += fmt::format("  {}\n", wrapped(change, 4));
  return text;
}

/// Finds everything that would prevent writing the outputs before anything runs.
void require_outputs(const Arguments& arguments) {
  std::set<std::filesystem::path> seen;
  for (const std::string option : {"output", "markdown", "latex"}) {
    if (!arguments.has(option)) continue;
    const std::string path = arguments.text(option);
    require_writable(path);
    // One that does not exist yet has a canonical name only from the root on.
    if (!seen.insert(std::filesystem::weakly_canonical(std::filesystem::absolute(path))).second)
      throw bad_input("--{}: {} is named for two outputs", option, path);
    if (option == "output" && std::filesystem::exists(path) && !is_report(path))
      throw bad_input("--output: {} exists and is not an earlier report, so it is not overwritten", path);
  }
}

std::vector<const CheckRow*> chosen(const Arguments& arguments) {
  const auto& ids = arguments.operands.empty() ? std::vector<std::string>{"*"} : arguments.operands;
  std::vector<const CheckRow*> rows;
  std::vector<Problem> problems;
  for (const std::string& id : ids) {
    bool known = false;
    const auto take = [&](const CheckRow& row) {
      known = true;
      if (std::ranges::find(rows, &row) == rows.end()) rows.push_back(&row);
    };
    if (id.ends_with(".toml")) take(claim_of_file(id));
    for (const CheckRow& row : check_catalogue())
      if (::fnmatch(id.c_str(), row.id.c_str(), 0) == 0) take(row);
    try {
      if (!known) check_row(id);
    } catch (const InputError& error) {
      problems.push_back(error.problems().front());
    }
  }
  raise(std::move(problems));
  return rows;
}

/// Throws InputError with every problem of the experiments of all checks; they may share one of --set.
void require_experiments(const std::vector<const CheckRow*>& rows, const CheckOptions& options) {
  std::vector<Problem> problems;
  std::set<std::string> seen;
  for (const CheckRow* row : rows) {
    try {
      require_plans(*row, options);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems())
        if (seen.insert(to_string(problem)).second) problems.push_back(problem);
    }
  }
  raise(std::move(problems));
}

/// Prints the wrong values, rules and claims that statements would not notice on their quick grids.
ExitCode run_sabotage(const std::vector<const CheckRow*>& rows, CheckOptions options, bool json,
                      const Streams& streams) {
  options.quick = true;
  Json checks = Json::array();
  bool all_seen = true;
  for (const CheckRow* row : rows) {
    const Evidence evidence = gather_evidence(*row, options);
    std::vector<std::string> unseen = unseen_changes(*row, evidence);
    for (std::string& text : unseen_rules(*row, options, evidence)) unseen.push_back(std::move(text));
    Json copies = Json::array();
    std::vector<std::string> excused;
    for (const FalseCopy& copy : false_copies(*row, evidence)) {
      const std::string text =
          fmt::format("finding {}: {} with {}{}", copy.finding, verdict_text(copy.verdict), copy.change,
                      copy.tolerance.empty() ? "" : ", " + copy.tolerance);
      if (copy.inexcusable())
        unseen.push_back(text);
      else
        excused.push_back(fmt::format("{}: {}", text, copy.reason));
      copies.push_back({{"finding", copy.finding},
                        {"change", copy.change},
                        {"tolerance", copy.tolerance},
                        {"verdict", verdict_text(copy.verdict)},
                        {"reason", copy.reason}});
    }
    all_seen = all_seen && unseen.empty();
    checks.push_back({{"id", row->id}, {"unseen", unseen}, {"copies", copies}});
    if (!json)
      streams.out << fmt::format(
          "{}: {}\n", row->id,
          unseen.empty() ? "every change is noticed" : "unseen: " + joined(unseen, "; "));
    for (const std::string& text : json ? std::vector<std::string>() : excused)
      streams.out << "  " << text << '\n';
  }
  if (json) print_json(streams.out, checks);
  return all_seen ? ExitCode::done : ExitCode::check_failed;
}

/// A line "* holds sharply: holds, and ..." for every verdict.
std::string verdicts_text() {
  std::string text;
  for (const VerdictRow& row : verdict_rows) text += fmt::format("\n* {}: {}", row.text, row.meaning);
  return text;
}

ExitCode run_verify(const Arguments& arguments, const Streams& streams) {
  const std::vector<const CheckRow*> rows = chosen(arguments);
  const bool json = arguments.has("json");
  Json checks = Json::array();
  if (arguments.has("list")) {
    for (const CheckRow* row : rows) {
      checks.push_back({{"id", row->id},
                        {"title", row->word("title")},
                        {"source", row->word("source")},
                        {"statement", row->word("statement")}});
      if (json) continue;
      streams.out << fmt::format("{}: {} ({})\n  {}\n", row->id, row->word("title"), row->word("source"),
                                 wrapped(row->word("statement"), 2));
    }
    if (json) print_json(streams.out, checks);
    return ExitCode::done;
  }
  const CheckOptions options{.quick = arguments.has("quick"),
                             .precise = arguments.text("precision") == "50",
                             .threads = thread_count(arguments),
                             .overrides = arguments.all("set"),
                             .memory_limit = memory_limit_bytes()};
  if (!options.overrides.empty() && arguments.operands.empty())
    throw InputError("--set: changes the experiments of the checks that are named; name at least one ID");
  require_outputs(arguments);
  require_experiments(rows, options);
  if (arguments.has("sabotage")) return run_sabotage(rows, options, json, streams);

  std::vector<CheckReport> reports;
  Evidence evidence;          // neighbouring checks in the catalogue share points
  std::exception_ptr broken;  // by a check: what the checks before it found is told first
  for (const CheckRow* row : rows) {
    const auto start = std::chrono::steady_clock::now();
    try {
      reports.push_back(run_check(*row, options, evidence));
    } catch (const std::exception& error) {
      if (reports.empty()) throw;
      broken = std::current_exception();
      reports.push_back({.id = row->id, .hypotheses = {{"it can be judged", false, error.what()}}});
      break;
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    streams.err << fmt::format("{}: {} ({} trajectories, {:.2f} s)\n", row->id,
                               reports.back().verdict_words(), reports.back().runs, taken.count());
    if (const std::size_t runs = reports.back().unfinished.size(); runs > 0)
      streams.err << fmt::format("  {} did not complete, such as {}\n",
                                 runs == 1 ? "a run" : fmt::format("{} runs", runs),
                                 reports.back().unfinished.front());
    if (options.precise && !row->word("only_doubles").empty())
      streams.err << fmt::format("  not recomputed in 50 digits: {}\n", row->word("only_doubles"));
  }
  if (json) {
    for (std::size_t i = 0; i < reports.size(); ++i) checks.push_back(json_of(*rows[i], reports[i]));
    print_json(streams.out, checks);
  } else if (arguments.operands.empty()) {
    streams.out << checks_table(report_table(reports));
  } else {
    for (std::size_t i = 0; i < reports.size(); ++i)
      streams.out << (i > 0 ? "\n" : "") << explained_check(*rows[i], reports[i]);
  }
  if (arguments.has("output")) write_report(reports, arguments.text("output"));
  for (const auto& [option, format] :
       {std::pair("markdown", TableFormat::markdown), std::pair("latex", TableFormat::latex)}) {
    if (arguments.has(option))
      write_file(arguments.text(option),
                 format_table(report_table(reports), format, 4, "rarefact verify", arguments.command));
  }
  if (broken) std::rethrow_exception(broken);
  for (const CheckReport& report : reports)
    if (report.verdict() == Verdict::fails) return ExitCode::check_failed;
  return ExitCode::done;
}

}  // namespace

Command verify_command() {
  return {
      .name = "verify",
      .description = verdicts_text(),
      .operands =
          {.name = "ID",
           .meaning =
               "a check, such as li2026/muon-noisy, or several, such as 'li2026/*', or an experiment file "
               "with [claim]",
           .required = false,
           .repeatable = true},
      .options =
          {{"list", "", "print the statements and run nothing"},
           {"quick", "", "fewer points: seconds instead of minutes"},
           {"precision", "DIGITS",
            "50: compute everything again in 50 significant digits, on grids that allow it, and say "
            "how many digits of each number are right",
            one_of({"16", "50"})},
           {"set", "KEY=VALUE",
            "override a value in the experiments of the named checks, to see what a "
            "check notices",
            nullptr, true},
           {"sabotage", "",
            "list changes that a statement does not notice on its quick grid: recorded numbers off by ten "
            "tolerances; gd, muon and signgd under its labels; expected numbers off by a tenth (exponents: "
            "0.05). Changes with a stated reason are listed below. Exit code 1 if the first list is not empty"},
           job_options("verify").front(),
           {"output", "REPORT.h5", "write all rows and curves", name_objection, false, 'o'},
           {"markdown", "FILE", "write the table as Markdown",
            earlier_output("<!-- ", "from rarefact verify")},
           {"latex", "FILE", "write the table for a paper (booktabs)",
            earlier_output("% ", "from rarefact verify")},
           json_option},
      .run = run_verify};
}

}  // namespace rarefact
