// Nothing false is believed: what cannot be evaluated holds nowhere, every point counts, and numbers of the problem are
// not those of the rows.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <map>

#include "core/text.hpp"
#include "rarefact/error.hpp"
#include "reference/cells.hpp"
#include "verify/sweep_by_hand.hpp"

using Catch::Contains;

namespace {

Finding finding_of(const std::string& text) {
  return judged("[[claim.finding]]\nid = \"a\"\n" + text).findings.at(0);
}

/// Runs an experiment of 100 classes on gd with a claim.
CheckReport of_run(const std::string& claim, const std::string& run = "", const std::string& classes = "") {
  const std::string text =
      "name = \"e\"\n[classes]\n" +
      (classes.empty() ? "spectrum = \"power_law\"\ncount = 100\nexponent = 1.5\n" : classes) +
      "[run]\nsteps = 10\n" + run + "[[optimizer]]\nrule = \"gd\"\nstep_size = 1.0\n[claim]\n" + claim;
  const CheckRow row = read_claim("x", "x.toml", [&](const auto&) { return text; });
  return judge_check(row, gather_evidence(row, {}));
}

std::string finding_text(const std::string& measured, const std::string& relation) {
  return "[[claim.finding]]\nid = \"a\"\nmeasured = \"" + measured + "\"\n" + relation + "\n";
}

}  // namespace

TEST_CASE("a value that is the same at several points counts at each of them") {
  for (const auto& [text, number] : std::vector<std::pair<std::string, double>>{
           {"sum(1, seed)", 3},
           {"sum(K, point)", 4},
           {"sum(K, point, seed)", 12},
           {"sum(1, step)", 3},
           {"sum(1, step, step > 0)", 2},
           {"sum(1, class)", 2},
           {"sum(1, optimizer)", 2},
           {"sum(1, optimizer)@gd", 1},
           {"at(sum(1, step), 10)", 1},
           {"max(sum(loss, optimizer)@gd - loss@gd, step, point, seed)", 0},
           {"last(prev(K, 'classes.exponent'), 'classes.exponent')", 2},
           {"max(abs(sum(loss@gd, seed)/sum(1, seed) - mean(loss@gd, seed)), step, point)", 0},
           {"only(K, point)", 2},
           {"sum(loss@gd - loss@gd + 1)", 3}}) {
    CAPTURE(text);
    CHECK(values(text).at(0) == Approx(number).margin(1e-12));
  }
  const Finding some = finding_of(
      "where = \"seed > 0\"\nmeasured = \"sum(loss@gd, seed)/sum(1, seed)\"\nequals = \"mean(loss@gd, seed)\"\nwithin = 1e-12\n");
  CHECK(some.verdict == Verdict::sharp);
}

TEST_CASE("what is computed from a number that is none, or infinite, is none or infinite") {
  for (const std::string& text : cells_of(R"(
         (0/0)**0 | 1**(0/0) | max(1, 0/0) | min(0/0, 1) | 0/0 < 1 | 0/0 == 0/0 | 1/0 == 1/0 | 1/0 <= 1/0
         1/0 != 1/0 | 0/0 and 1 | 0 or 0/0 | not (0/0) | 0 and 0/0 | 0/0 or 1 | 1 or 0/0 > 1
         not (0/0 and 0) | 1 or 1/0 | 0 and 1/0 | 1 < 1/0 | -1/0 < 1 | 1/0 >= 2 | 1/0 == 1 | 1/0 != 1
         exp(1000) > 5 | min(1/0, 3) | max(log(0), 3) | minimum(1/0, 3) | maximum(3, log(0))
         min(where(step == 1, 1/0, 1), step) | last(max_so_far(where(step == 0, log(0), 1)))
         distinct(where(step == 0, 1/0, 1), step) | sum(where(step == 1, 1/0, 1) > 2, step)
         mean(where(step == 1, 1/0, 1) > 2, step) | sum(1, step, 1/step > 0) | first_where(1/step > 2)
         reaches(1/step, step, 5) | reaches(log(step), step, 1) | where(1/0 > 2, 1, 0)
         error_of_margin(1/0, 2) | sign_walk(0.1, 1/0, 3) | where(0/0, 1, 1) | where(1/0, 1, 1) | only(0/0)
         distinct(0/0) | error_of_margin(0/0, 2) | first(muon_gain()**0*(0/0), class) | rho_muon(0/0)
         spectral("rank", 1, 0/0) | mean(where(step == 1, 0/0, 1), step)
         first_where(where(step == 1, 1/0, 0)) | 1/(1/0) | exp(log(0)) | 0*(1/0) | (1/0)**(-1) | 0.5**(1/0)
         expm1(log(0)) | 1/0 - 1/0)")) {
    CAPTURE(text);
    CHECK(std::isnan(values(text).at(0)));
  }
  for (const std::string text :
       {"1/0", "max(1, 1/0)", "min(log(0), 1)", "max_so_far(1/step)", "where(1, 1/0, 0)"}) {
    CAPTURE(text);
    CHECK(std::isinf(values(text).at(0)));
  }
  CHECK(values("first(where(step == 1, 1/0, 1), step)").at(0) == 1);
  for (const std::string text :
       {"first_where(1/step > 2)\"\nequals = 0\nwithin = 1e-9", "log(-loss) > 0 or loss > 0\"\nat_least = 1",
        "where(1/step > 2, loss, 0/0)\"\nat = 0\nat_most = 30"})
    CHECK(finding_of("measured = \"" + text + "\n").verdict == Verdict::inconclusive);
  CHECK(finding_of("measured = \"loss/(1/0)\"\nequals = 0\nplus_minus = 0\n").verdict ==
        Verdict::inconclusive);
}

TEST_CASE("a finding on what cannot be evaluated is inconclusive, unless other numbers contradict it") {
  const std::string never = "measured = \"first_where(mean(loss@gd, seed) < 0.01*s)\"\n";
  for (const std::string relation :
       {"at_most = 100\n", "at_least = 0\n", "between = [0, 100]\n", "equals = 1\nwithin = 1\n",
        "evidence = true\n", "mean_equals = 1\n", "bounded = \"s\"\n"})
    CHECK(finding_of(never + relation).verdict == Verdict::inconclusive);
  CHECK_THAT(finding_of(never + "at_most = 100\n").rule,
             Contains("2 of 2 numbers cannot be evaluated, such as nan at s = 1"));
  const std::string one = "measured = \"where(seed == 1, 1/0, loss@gd)\"\nat = 0\n";
  CHECK(finding_of(one + "at_most = 100\n").verdict == Verdict::inconclusive);
  CHECK(finding_of(one + "at_least = 0\n").verdict == Verdict::inconclusive);
  CHECK(finding_of(one + "at_most = 1\n").verdict == Verdict::fails);
  CHECK(finding_of("measured = \"1/0*loss\"\nequals = \"1/0*loss\"\nwithin = 1\n").verdict ==
        Verdict::inconclusive);
}

TEST_CASE("a point of which a condition leaves nothing is named") {
  const std::string early = "measured = \"first(loss@gd, seed, step, loss@gd < 1.5)\"\n";
  const Finding some = finding_of(early + "at_most = 9\n");
  CHECK(some.verdict == Verdict::holds);
  const Finding none = finding_of("measured = \"first(loss@gd, seed, step, s == 1)\"\nat_most = 9\n");
  CHECK_THAT(none.rule, Contains("; 3 of 6 points have nothing measured"));
  CHECK(finding_of("measured = \"first(loss@gd, seed, step, s == 1)\"\nwhere = \"s == 1\"\nat_most = 9\n")
            .verdict == Verdict::holds);
}

TEST_CASE("an interval over seeds is of one problem") {
  const std::string sweep = "[sweep]\n\"classes.exponent, seed\" = [[1.1, 1], [1.4, 2], [1.8, 3]]\n";
  CHECK_THROWS_WITH(of_run(finding_text("loss@gd", "at = \"last\"\ninterval_below = 9"), sweep),
                    Contains("the axis \"classes.exponent, seed\" varies more than seeds"));
}

TEST_CASE("an interval over seeds is of independent runs") {
  const auto rule = [](const std::string& seeds) {
    const std::string sweep =
        "[data]\nmode = \"minibatch\"\nbatch = 8\n[embedding]\nkind = \"gaussian\"\ndimension = 20\n"
        "[sweep]\n\"data.seed, embedding.seed\" = [" +
        seeds + "]\n";
    const std::string text =
        "name = \"e\"\n[classes]\nspectrum = \"power_law\"\ncount = 10\nexponent = 1.5\n[run]\nsteps = 2\n"
        "[[optimizer]]\nrule = \"gd\"\nstep_size = 1.0\n" +
        sweep + "[claim]\n" + finding_text("last(loss@gd)", "interval_below = 9");
    const CheckRow row = read_claim("x", "x.toml", [&](const auto&) { return text; });
    return judge_check(row, gather_evidence(row, {})).findings.at(0).rule;
  };
  CHECK_THAT(rule("[1, 1], [1, 2], [2, 1], [2, 2]"), Contains("runs of crossed seeds are not independent"));
  CHECK_THAT(rule("[1, 1], [2, 2], [3, 2]"), Contains("runs of crossed seeds are not independent"));
  CHECK_THAT(rule("[1, 1], [2, 2], [3, 3]"), Contains("mean of 3 seeds"));
  CHECK_THAT(rule("[1, 1], [1, 2], [1, 3]"), Contains("mean of 3 seeds"));
}

TEST_CASE("a user's statement reads no numbers that rounding has destroyed") {
  const auto verdict = [](const std::string& run, bool of_user) {
    const std::string text =
        "name = \"thrown\"\n[classes]\nspectrum = \"power_law\"\ncount = 8\nexponent = 1.5\n"
        "[data]\nlabel_noise = 0.1\n[run]\nsteps = 160\n" +
        run + "[[optimizer]]\nrule = \"muon\"\nmomentum = 0.9\nstep_size = 0.3\n[claim]\n" +
        finding_text("excess_loss@muon", "at = 154\nat_most = 1");
    CheckRow row = read_claim("x", "x.toml", [&](const auto&) { return text; });
    row.of_user = of_user;
    return judge_check(row, gather_evidence(row, {})).findings.at(0).verdict;
  };
  CHECK(verdict("", true) == Verdict::inconclusive);
  CHECK(verdict("digits = \"off\"\n", true) != Verdict::inconclusive);
  CHECK(verdict("", false) != Verdict::inconclusive);
}

TEST_CASE("closed forms name their range") {
  for (const auto& [call, range] :
       std::map<std::string, std::string>{{"error_of_margin(1, 0)", "K >= 1"},
                                          {"optimal_margin(2, -0.1)", "0 <= alpha <= 1"},
                                          {"flow_margin(0.5, 1, 0, 2)", "K >= 2"},
                                          {"sign_walk(0.1, 1, 1e300)", "n <= 1e15"},
                                          {"rho_muon(0.7)", "rho_muon: ε must lie in"}})
    CHECK_THROWS_WITH(values(call), Contains(range));
  // Of a sweep that leaves the range only the points outside have no value.
  const std::vector<double> some = values("rho_gd(30, s, 0.1)");
  REQUIRE(some.size() == 2);
  CHECK(some[0] > 0);
  CHECK(std::isnan(some[1]));
}

TEST_CASE("between holds at its ends") {
  CHECK(finding_of("measured = \"K\"\nbetween = [2, 3]\n").verdict == Verdict::holds);
  CHECK(finding_of("measured = \"K\"\nbetween = [1, 2]\n").verdict == Verdict::holds);
  CHECK(finding_of("measured = \"K\"\nbetween = [2, 2]\n").verdict == Verdict::holds);
  CHECK(finding_of("measured = \"K\"\nbetween = [2.000001, 3]\n").verdict == Verdict::fails);
}

TEST_CASE("bounds are met up to rounding, as comparisons in conditions are") {
  for (const std::string bound :
       {"at_most = \"3*0.1\"\n", "at_least = \"0.3\"\n", "between = [0.3, 0.3]\n"}) {
    CHECK(finding_of("measured = \"K*0.1/K + 0.2\"\n" + bound).verdict == Verdict::holds);
    CHECK(finding_of("measured = \"0.3 + where(K > 0, 1, 0)*1e-9*(" +
                     std::string(bound[3] == 'l' ? "-1" : "1") + ")\"\n" + bound)
              .verdict == Verdict::fails);
  }
}

TEST_CASE("names of a grid are no variables or numbers of the problem") {
  for (const std::string name : {"K", "loss", "step"})
    CHECK_THROWS_WITH(
        finding_of("grid." + name + " = [1e6]\nmeasured = \"loss@gd/" + name + "\"\nat_most = 0.001\n"),
        Contains(name + " is a variable or a number of the problem"));
  for (const std::string name : {"pi", "class", "point"}) {
    CHECK_THROWS_WITH(finding_of("grid." + name + " = [3]\nmeasured = \"loss@gd\"\nat_most = 100\n"),
                      Contains(name + " is a word of the language"));
    CHECK_THROWS_WITH(judged("[claim.define]\n" + name +
                             " = \"3\"\n[[claim.finding]]\nid = \"a\"\nmeasured = \"loss@gd\"\n"
                             "at_most = 100\n"),
                      Contains(name + " is a word of the language"));
  }
  CHECK_THROWS_WITH(
      judged(
          "[claim.define]\nx = \"3\"\n[[claim.finding]]\nid = \"a\"\ngrid.x = [3]\nmeasured = \"x*loss@gd\"\n"
          "at_most = 100\n"),
      Contains("x is a definition"));
}

TEST_CASE("a run that did not complete is named, and no finding that reads it holds") {
  const std::string text =
      finding_text("loss@gd", "at_most = 100") +
      "[[claim.finding]]\nid = \"b\"\nmeasured = \"loss@muon\"\nat_most = 100\n[[claim.finding]]\nid = \"c\"\n"
      "measured = \"loss@gd\"\nevidence = true\nwhere = \"s == 2\"\n[[claim.finding]]\nid = \"d\"\n"
      "measured = \"loss@gd\"\nat_most = 100\nwhere = \"s == 1\"\n";
  for (const std::string status : {"diverged", "uncertified", "digits_lost", "failed"}) {
    Evidence evidence = two_sweeps();
    Trajectory& gd = evidence.experiments[0][4].result.runs[0].trajectories[0];
    gd.status = status;
    gd.status_step = 7;
    const CheckReport report = report_of(text, evidence);
    CHECK(report.unfinished == std::vector<std::string>{"gd at s = 2, seed = 1: " + status + " (step 7)"});
    CHECK(report.findings.at(0).verdict == Verdict::inconclusive);
    CHECK_THAT(report.findings[0].rule, Contains("it reads runs that did not complete"));
    CHECK(report.findings.at(1).verdict == Verdict::holds);
    CHECK(report.findings.at(2).verdict == Verdict::inconclusive);
    CHECK(report.findings.at(3).verdict == Verdict::holds);
  }
}

TEST_CASE("what reads a run that did not complete is told from what reads others of its file") {
  Evidence evidence = two_sweeps();
  for (EvidencePoint& point : evidence.experiments[0])
    point.result.runs[0].trajectories[0].status = "diverged";
  const auto finding = [&](const std::string& text) {
    return report_of(finding_text(text, "at_most = 100"), evidence).findings.at(0);
  };
  for (const std::string text : {"where(step >= 0, loss@muon, loss@gd)", "max(loss, optimizer == 'muon')",
                                 "sum(loss@gd > 1 and 0)", "where(step >= 0, 1, loss)"}) {
    CAPTURE(text);
    CHECK(finding(text).verdict == Verdict::inconclusive);
    CHECK_THAT(finding(text).rule, Contains("it reads runs that did not complete"));
  }
  CHECK(finding("loss@muon").verdict == Verdict::holds);
  const Finding none = finding("log(-1*loss@muon)");
  CHECK(none.verdict == Verdict::inconclusive);
  CHECK(none.rule.find("did not complete") == std::string::npos);
}

namespace {

/// What is said of a finding once its numbers have been changed.
CheckReport changed(const std::string& finding) {
  const Evidence evidence = two_sweeps();
  const CheckRow row = row_of("[[claim.finding]]\nid = \"v\"\n" + finding);
  CheckReport report = judge_check(row, evidence);
  note_unseen(row, evidence, report);
  return report;
}

/// Two sweeps; three points of the first have the steps 0 and 1 alone.
Evidence evidence_with_short_runs() {
  Evidence evidence = two_sweeps();
  for (std::size_t i = 0; i < 3; ++i) {
    Result& result = evidence.experiments[0][i].result;
    result.steps = {0, 1};
    for (Trajectory& trajectory : result.runs[0].trajectories) {
      trajectory.series["loss"].resize(2);
      trajectory.series["error"].resize(4);
    }
  }
  return evidence;
}

}  // namespace

TEST_CASE("a finding says how many points have a record at its step, and needs all") {
  const Evidence evidence = evidence_with_short_runs();
  for (const auto& [text, words] : std::vector<std::pair<std::string, std::string>>{
           {"at = 10\n", "3 of 6 points have a record at step 10"},
           {"at = 10\nwhere = \"s == 1 or seed == 0\"\n", "1 of 4 points has a record at step 10"},
           {"at = 10\nwhere = \"s == 2\"\n", ""},
           {"at = 1\n", ""}}) {
    for (const std::string measured : {"loss@gd", "mean(loss@gd, point, seed)", "sum(loss@gd > 50, point)"}) {
      const CheckReport report = report_of(finding_text(measured, "at_most = 100\n" + text), evidence);
      CAPTURE(text, measured, report.findings.at(0).rule);
      CHECK((report.findings[0].rule.find("a record at step") != std::string::npos) == !words.empty());
      CHECK_THAT(report.findings[0].rule, Contains(words));
      CHECK((report.findings[0].verdict == Verdict::holds) == words.empty());
    }
  }
  for (const std::string measured :
       {"at(loss@gd, 10)", "max(at(loss@gd, 10), point)", "at(loss@gd/loss@gd, 10)"}) {
    for (const std::string where : {"", "where = \"s == 2\"\n"}) {
      const CheckReport report = report_of(finding_text(measured, "at_most = 100\n" + where), evidence);
      CAPTURE(measured, where);
      CHECK((report.findings.at(0).verdict == Verdict::holds) == !where.empty());
    }
  }
}

TEST_CASE("steps that conditions name must be there at every point, which the finding names") {
  const Evidence evidence = evidence_with_short_runs();
  const auto found = [&](const std::string& text) {
    return report_of(
               "[claim.define]\nlate = \"s < 9 and step == 10\"\n[[claim.finding]]\nid = \"a\"\n" + text,
               evidence)
        .findings.at(0);
  };
  const std::string bound = "\"\nat_most = 100\n";
  for (const std::string what :
       {"max(loss@gd, step == 10, point, seed)", "max(loss@gd, step == 10, step)",
        "min(loss@gd, step > 1, step)", "sum(loss@gd, step == 10, step)",
        "mean(loss@gd, step == 10, step, point)", "first(loss@gd, step == 10, step, point, seed)",
        "only(loss@gd, step == 10)", "max(loss@gd, late, step)",
        "last(loss@gd, step == steps and s > 0, step)", "distinct(loss@gd, step == 10, step)",
        "max(slope(loss@gd, seed, seed, step == 10), step)", "at(loss@gd, 10)",
        "max(at(loss@gd, 10), point)"}) {
    CAPTURE(what);
    const Finding all = found("measured = \"" + what + bound);
    CHECK(all.verdict == Verdict::inconclusive);
    CHECK_THAT(all.rule, Contains("no record has step ") && Contains(" at s = 1"));
    CHECK(found("measured = \"" + what + bound + "where = \"s == 2\"\n").verdict == Verdict::holds);
  }
  for (const std::string what :
       {"max(loss@gd, t@gd == 5, step)", "max(loss@gd, t@gd > 3, step, point, seed)"})
    CHECK_THAT(found("measured = \"" + what + bound).rule,
               Contains("no record has t@gd ") && Contains(" at s = 1"));
  CHECK_THAT(found("measured = \"at(loss@gd, 10)" + bound).rule,
             Contains("3 of 6 numbers cannot be evaluated: no record has step 10 at s = 1"));
  CHECK(found("where = \"step == 10\"\nmeasured = \"loss@gd" + bound).verdict == Verdict::inconclusive);
  // Of the values of s only the one whose points lack the step is left open.
  const CheckReport report = report_of(
      "[[claim.finding]]\nid = \"a\"\nwhere = \"step == 10\"\nper = \"s\"\nmeasured = \"loss@gd" + bound,
      evidence);
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].id == "a/s = 2");
  CHECK(report.findings[0].verdict == Verdict::holds);
  CHECK(report.findings[1].id == "a/s = 1");
  CHECK(report.findings[1].verdict == Verdict::inconclusive);
  CHECK_THAT(report.findings[1].rule, Contains("no record has step == 10 at s = 1"));
  // What a run measures, or another number of the problem, may leave nothing of a point.
  for (const std::string what :
       {"max(error@gd, row == 2 and step == 1)", "max(loss@gd, loss@gd < 0.3, step)",
        "max(loss@gd, step > 0 and loss@gd < 0.3, step)", "max(loss@gd, s == 2, step == 10)",
        "max(loss@gd, s == 2 and step == 10, step)", "max(loss@gd, step == 1)",
        "max(loss@gd, s == 1 or step == 10, step)"}) {
    CAPTURE(what);
    CHECK(found("measured = \"" + what + bound).verdict == Verdict::holds);
  }
}

TEST_CASE("a finding that no change of its numbers turns is vacuous") {
  const auto unseen = [](const std::string& finding) {
    const CheckReport report = changed(finding);
    CHECK(report.vacuous == (report.verdict_words() == "holds, but vacuous"));
    CHECK(report.reads_no_run == (report.verdict_words() == "holds, but reads no run"));
    CHECK(!(report.vacuous && report.findings.at(0).verdict == Verdict::sharp));
    return report.unseen;
  };
  using Lines = std::vector<std::string>;
  const Lines vacuous = {"finding v is vacuous: it passes for any values of loss"};
  CHECK(unseen("measured = \"loss\"\nequals = \"loss\"\nwithin = 1e-9\n") == vacuous);
  CHECK(unseen("measured = \"loss\"\nat_most = 1e300\n") == vacuous);
  CHECK(unseen("measured = \"loss\"\nequals = \"loss\"\nwithin = 1e-9\nblind = \"a reason\"\n") == vacuous);
  for (const std::string anything : {"between = [-1e9, 1e9]", "equals = 77\nwithin = 1e6",
                                     "equals = 77\nplus_minus = 1e9", "at_least = -1e6"})
    CHECK(unseen("measured = \"loss\"\n" + anything + "\n") == vacuous);
  // A tolerance or bound that grows by what it judges changes with it, so that no change is noticed.
  for (const std::string growing :
       {"equals = 50\nplus_minus = \"100 + loss\"", "equals = 77\nwithin = \"100 + loss\"",
        "equals = \"2*loss\"\nplus_minus = \"loss\"", "at_most = \"100 + loss\""})
    CHECK(unseen("measured = \"loss\"\n" + growing + "\n") == vacuous);
  CHECK(unseen("measured = \"loss\"\nat_most = 150\n").empty());
  for (const std::string share : {"at_most = 1", "at_least = 0", "between = [0, 1]"})
    CHECK(unseen("measured = \"error\"\nat = 10\n" + share + "\n") ==
          Lines{"finding v is vacuous: it passes for any values of error"});
  CHECK(unseen("measured = \"error\"\nat = 10\nat_most = 0.99\n").empty());
  CHECK(unseen("measured = \"K\"\nbetween = [1, 3]\n") == Lines{"finding v reads no run"});
  CHECK(unseen("measured = \"loss@muon + 0*error\"\nequals = \"loss@gd/2\"\nwithin = 1e-9\n") ==
        Lines{"finding v notices no change of error"});
  CHECK(unseen("measured = \"loss@muon/loss@gd\"\nequals = 0.5\nwithin = 1e-9\n").empty());
}

TEST_CASE("a finding is not sharp whose tolerance is wide for what is measured, or that chooses by it") {
  const auto unseen = [](const std::string& finding) {
    const CheckReport report = changed(finding);
    CHECK((report.findings.at(0).verdict == Verdict::sharp) == report.unseen.empty());
    return joined(report.unseen, "; ");
  };
  const std::string blunt = "finding v is not sharp: it passes if what it reads changes by half";
  CHECK(unseen("measured = \"30 + loss@muon\"\nat = 10\nequals = 30\nwithin = 0.05\n") == blunt);
  CHECK(unseen("measured = \"log(3) + 0.01*loss@gd\"\nat = 10\nequals = \"log(3)\"\nwithin = 0.05\n") ==
        blunt);
  CHECK(unseen("measured = \"loss@gd/loss@muon\"\nequals = 2\nwithin = 0.05\n").empty());
  CHECK(unseen("measured = \"slope(log(loss@gd), log(1 + step), step)\"\nequals = -1\nplus_minus = 0.02\n")
            .empty());
  CHECK(unseen("measured = \"loss@muon/loss@gd\"\nwhere = \"loss > 0.01\"\nequals = 0.5\nwithin = 1e-9\n") ==
        "finding v is not sharp: `where` chooses by what is measured, loss");
}

TEST_CASE("a claim that reads no run holds, and never sharply") {
  const auto report = [](const std::string& measured) {
    return of_run(finding_text(measured, "equals = 1\nwithin = 1e-9"));
  };
  for (const std::string number : {"K/100", "sum(p, class)", "loss_predicted/loss_predicted"}) {
    const CheckReport none = report(number);
    CAPTURE(number);
    CHECK(none.verdict_words() == "holds, but reads no run");
    CHECK(none.verdict() == Verdict::holds);
  }
  const CheckReport some = report("at(loss, 0)/log(K)");
  CHECK(some.verdict_words() == "holds sharply");
  // Nor is such a finding beside others.
  CHECK(of_run(finding_text("K", "equals = 100\nwithin = 1e-9") +
               "[[claim.finding]]\nid = \"b\"\nmeasured = \"loss\"\nat_most = 5\n")
            .verdict() == Verdict::holds);
}

TEST_CASE("a change after which nothing can be judged is not noticed") {
  for (const std::string finding :
       {"measured = \"slope(log(loss), log(loss), step)\"\nequals = 1\nwithin = 1e-9\n",
        "measured = \"error\"\nequals = \"only(error, step)\"\nwhere = \"step == 0\"\nwithin = 1e-9\n"}) {
    CHECK(changed(finding).verdict_words() == "holds, but vacuous");
  }
}

TEST_CASE(
    "changes of a user's file compute about twice as many numbers as its judgement, and what is beyond is said") {
  for (const int size : {20, 480}) {
    std::string terms = "0";
    for (int i = 0; i < size; ++i) terms += " + loss - loss";
    const CheckReport report = changed("measured = \"" + terms + "\"\nequals = 0\nplus_minus = 1e-9\n");
    CHECK(report.vacuous == (size == 20));
    REQUIRE(report.unseen.size() == 1);
    CHECK((report.unseen[0].find("was not examined") != std::string::npos) == (size == 480));
  }
}

TEST_CASE("what allows more than a twentieth of its constant, or 0.02 of an exponent, is not sharp") {
  for (const auto& [text, verdict] : std::vector<std::pair<std::string, Verdict>>{
           {"measured = \"K\"\nequals = 2\nwithin = 0.05\n", Verdict::sharp},
           {"measured = \"K\"\nequals = 2\nwithin = 0.051\n", Verdict::holds},
           {"measured = \"K\"\nequals = 2\nplus_minus = 0.1\n", Verdict::sharp},
           {"measured = \"K\"\nequals = 2\nplus_minus = 0.11\n", Verdict::holds},
           {"measured = \"K - 2\"\nequals = 0\nplus_minus = 0.02\n", Verdict::sharp},
           {"measured = \"K - 2\"\nequals = 0\nplus_minus = 0.021\n", Verdict::holds},
           {"measured = \"log(K)/log(2)\"\nequals = 1\nplus_minus = 0.02\n", Verdict::sharp},
           {"measured = \"log(K)/log(2)\"\nequals = 1\nplus_minus = 0.021\n", Verdict::holds},
           {"measured = \"slope(log(loss@gd), log(1 + step), step)\"\nequals = -1\nplus_minus = 0.02\n",
            Verdict::sharp},
           {"measured = \"slope(0.001*loss@gd, step, step)\"\nequals = 0.01\nplus_minus = 0.02\n",
            Verdict::holds}}) {
    CAPTURE(text);
    CHECK(finding_of(text).verdict == verdict);
  }
}

TEST_CASE("a rule names the worst point with both numbers and the tolerance in words") {
  CHECK(finding_of("measured = \"loss@gd\"\nat = 1\nequals = \"s\"\nwithin = 0\n").rule ==
        "worst of 6 at s = 1, seed = 0: measured 0.5, expected 1; all must agree exactly");
  CHECK(
      finding_of("measured = \"loss\"\nat = 1\nequals = \"loss\"\nplus_minus = 0.01\n").rule ==
      "worst of 12 at s = 1, seed = 0, gd: measured 0.5, expected 0.5; all must agree up to a difference of 0.01");
  CHECK(finding_of("measured = \"loss@gd\"\nat_most = 5\n").rule ==
        "worst of 18 at s = 2, seed = 2, step 0: measured 6, which must be at most 5");
  CHECK(finding_of("measured = \"K\"\nat_most = 5\n").rule == "measured 2, which must be at most 5");
  CHECK(
      finding_of("measured = \"error@gd\"\nat = 0\nbetween = [0, 1]\n").rule ==
      "worst of 12 at s = 2, seed = 2, class row 2: measured 1.2, which must lie from 0 to 1; all lie from 0.1 to 1.2");
  const Finding mean = finding_of("where = \"s == 1\"\nat = 0\nmeasured = \"loss@gd\"\ninterval_below = 1\n");
  CHECK(mean.measured == Approx(2));
  CHECK(*mean.low < 2);
  CHECK_THAT(mean.rule, Contains("mean of 3 seeds 2 in [-0.484") && Contains("which must lie below 1"));
}

TEST_CASE("definitions that use one twice each are evaluated once") {
  const auto start = std::chrono::steady_clock::now();
  for (const std::string twice : {"d{0}@gd + d{0}@gd", "at(d{0}, 1) + at(d{0}, 1)"}) {
    Definitions define;
    for (int i = 0; i < 30; ++i)
      define[fmt::format("d{}", i)].tree = parsed_condition(fmt::format(fmt::runtime(twice), i + 1));
    define["d30"].tree = parsed_condition("loss");
    CHECK(values("d0", define).at(0) > 1e8);
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("an expression that takes too much memory, depth or time is refused") {
  std::string more;
  for (int i = 0; i < 900; ++i) more += " + 1";
  CHECK(values("loss" + more).at(0) > 900);
  Definitions define;
  define["d"].tree = parsed_condition("loss" + more);
  CHECK_THROWS_WITH(values("d" + more, define),
                    Contains("more than 1500 operations and calls within one another"));
  CHECK_THROWS_WITH(values("drawn_recovery(1000, 1000, 1, 1, 1, 1e9)"), Contains("drawn_recovery: "));
  const EvidencePoints points = sweep();
  const ExperimentData data(points);
  const Frame::Held half(data, Frame::max_held / 2);
  CHECK_NOTHROW(Frame::Held(data, Frame::max_held / 2));
  CHECK_THROWS_WITH(Frame::Held(data, Frame::max_held), Contains("keeps more than 50000000 numbers"));
  CHECK_THROWS_WITH(values("max(5, step)"), Contains("write max(step, 5)"));
}

TEST_CASE("numbers of the problem are of all its classes, whichever of them are shown") {
  const std::string shown = "classes = [1, \"last\"]\n";
  CHECK(of_run(finding_text("at(error@gd, 0)", "equals = \"1 - 1/K\"\nwithin = 1e-12"), shown).verdict() ==
        Verdict::sharp);
  for (const std::string number :
       {"K - 100", "N - 100", "M - 100", "C - 1", "p_max/p_min - 1000", "r - 1/1000"})
    CHECK(of_run(finding_text(number, "equals = 0\nplus_minus = 1e-9"), shown).verdict() == Verdict::holds);
  const std::string groups =
      "spectrum = \"grouped_power_law\"\ngroups = 4\ngroup_size = 10\nexponent = 1.5\n";
  for (const std::string rows : {"", "classes = \"all\"\n", "classes = [1, 15, \"last\"]\n"}) {
    for (const std::string number : {"K - 40", "N - 40", "M - 4", "C - 10", "p_min/p_max - 4**-1.5",
                                     "first(muon_gain(), class)/muon_gain_known - 1"}) {
      CAPTURE(rows, number);
      const std::string define =
          fmt::format("[claim.define]\nmuon_gain_known = \"{:.17g}\"\n",
                      of_run(finding_text("first(muon_gain(), class)", "at_least = 0"), "", groups)
                          .findings.at(0)
                          .measured);
      CHECK(of_run(define + finding_text(number, "equals = 0\nplus_minus = 1e-9"), rows, groups).verdict() ==
            Verdict::holds);
    }
  }
}

TEST_CASE("a sum over classes of which some have no row is refused, and nodes need their counts") {
  const std::string all = "at_most = 1000";
  for (const std::string rows : {"classes = [\"last\"]\n", "classes = [1]\n", "classes = [1, \"last\"]\n"}) {
    for (const std::string text :
         {"sum(count, class)", "sum(1, class)", "sum(p)", "sum(p, class)", "sum(count*p, class)",
          "sum(at(error, 0))", "mean(error, class)", "distinct(error, class)", "mean(at(error, 0))",
          "max(error, step, class)", "min(error)", "sum(muon_gain(), class)", "mean(muon_gain(), class)",
          "octaves(error)", "spectral('rank', p, count)"})
      CHECK_THROWS_WITH(of_run(finding_text(text, all), rows), Contains("not all classes"));
    CHECK_THROWS_WITH(of_run(finding_text("sum(p, class)", all), rows), Contains("x.toml:"));
    CHECK(of_run(finding_text("max(p, class)", all), rows).verdict() == Verdict::holds);
    CHECK(of_run(finding_text("at(last(error, class), 0)", "equals = \"1 - 1/K\"\nwithin = 1e-12"), rows)
              .verdict() == Verdict::sharp);
  }
  CHECK(of_run(finding_text("sum(p, class)", "equals = 1\nwithin = 1e-9"), "classes = \"all\"\n").verdict() ==
        Verdict::holds);
  const std::string many = "spectrum = \"power_law\"\ncount = 1e6\nexponent = 1.5\n",
                    nodes = "engine = \"quadrature\"\n";
  CHECK(of_run(finding_text("sum(count*p, class)", "equals = 1\nwithin = 1e-9"), nodes, many).verdict() ==
        Verdict::holds);
  CHECK_THROWS_WITH(of_run(finding_text("sum(p, class)", all), nodes, many), Contains("multiply by count"));
}

TEST_CASE("a sum over groups needs their counts as a factor, and a mean over them is refused") {
  const std::string groups =
                        "spectrum = \"grouped_power_law\"\ngroups = 10\ngroup_size = 10\nexponent = 1.5\n",
                    all = "at_most = 1000";
  for (const std::string text :
       {"sum(p, class)", "sum(where(count > 0, p, p), class)", "sum(p*count/count, class)",
        "sum(count*p + p, class)", "sum(1, class)", "sum(max(count*p, class), class)"})
    CHECK_THROWS_WITH(of_run(finding_text(text, all), "", groups), Contains("multiply by count"));
  CHECK_THROWS_WITH(of_run(finding_text("K*mean(p*count, class)", all), "", groups),
                    Contains("sum(count*x, class)/sum(count, class)"));
  for (const auto& [text, number] :
       std::vector<std::pair<std::string, std::string>>{{"sum(count*p, class)", "1"},
                                                        {"sum(-p*count, class)", "-1"},
                                                        {"sum(where(rank > 0, count*p, 0), class)", "1"},
                                                        {"sum(weight/2 + weight/2, class)", "1"},
                                                        {"sum(count, class)", "K"},
                                                        {"sum(count*p, class)/sum(count, class)", "1/K"},
                                                        {"sum(mean(count*p, step), class)", "1"},
                                                        {"distinct(p, class)", "M"}}) {
    CAPTURE(text);
    CHECK(of_run("[claim.define]\nweight = \"p*count\"\n" +
                     finding_text(text, "equals = \"" + number + "\"\nwithin = 1e-9"),
                 "", groups)
              .verdict() == Verdict::holds);
  }
}

TEST_CASE("one row that stands for all classes is summed with its count") {
  const std::string uniform = "spectrum = \"uniform\"\ncount = 20\n";
  for (const std::string text : {"sum(error, class)", "sum(p, class)", "sum(1, class)"})
    CHECK_THROWS_WITH(of_run(finding_text(text, "at_most = 1000"), "", uniform),
                      Contains("multiply by count"));
  CHECK(of_run(finding_text("at(sum(count*error, class), 0)", "equals = \"K - 1\"\nwithin = 1e-12"), "",
               uniform)
            .verdict() == Verdict::sharp);
}

TEST_CASE("what is neither true nor false is no condition") {
  const std::string anything = finding_text("loss", "at_most = 1000"), expected = "expected a condition";
  for (const std::string number : {"K", "loss@gd - 2.5", "2"}) {
    CHECK_THROWS_WITH(of_run("[[claim.assumption]]\nholds = \"" + number + "\"\n" + anything),
                      Contains(expected));
    CHECK_THROWS_WITH(of_run(finding_text("loss", "at_most = 1000\nwhere = \"" + number + "\"")),
                      Contains(expected));
  }
  CHECK(of_run("[[claim.assumption]]\nholds = \"min(error <= 1)\"\n" + anything).verdict() == Verdict::holds);
}

TEST_CASE("what walks along the steps is not asked at one of them") {
  for (const std::string text : {"max_so_far(loss)", "prev(loss)", "ema(loss, 0.5)", "reaches(loss, step, 2)",
                                 "first_where(loss < 2)"})
    CHECK_THROWS_WITH(of_run(finding_text(text, "at_most = 1000\nat = \"last\"")),
                      Contains("walks along the steps"));
  CHECK(of_run(finding_text("last(max_so_far(loss))/at(loss, 0)", "equals = 1\nwithin = 1e-12")).verdict() ==
        Verdict::sharp);
}

TEST_CASE("numbers of groups that a quadrature does not have are none") {
  const std::string many = "spectrum = \"power_law\"\ncount = 1e8\nexponent = 1.5\n";
  for (const std::string rows : {"", "classes = [1, \"last\"]\n"}) {
    for (const std::string number : {"M", "C"})
      CHECK(of_run(finding_text(number, "at_least = -1e300"), "engine = \"quadrature\"\n" + rows, many)
                .verdict() == Verdict::inconclusive);
    for (const std::string number : {"K/1e8", "N/1e8", "p_min/p_max*1e12"})
      CHECK(
          of_run(finding_text(number, "equals = 1\nwithin = 1e-9"), "engine = \"quadrature\"\n" + rows, many)
              .verdict() == Verdict::holds);
  }
}

TEST_CASE("a bound of a ratio that is 0 is left open, of a negative one fails") {
  CHECK(finding_of("measured = \"0*(s + seed)\"\nbounded = \"s + seed\"\n").verdict == Verdict::inconclusive);
  CHECK(finding_of("measured = \"seed - 1 + 0*s\"\nbounded = \"s + seed\"\n").verdict == Verdict::fails);
}

TEST_CASE("a bound of a ratio is of each of its curves, and a jump at the end leaves it open") {
  const std::string over = "\"\nbounded = \"s + seed\"\n";
  CHECK(finding_of("measured = \"where(optimizer == 'gd', 100, 1) + 0*(s + seed)" + over).verdict ==
        Verdict::holds);
  CHECK(finding_of("measured = \"where(optimizer == 'gd', 100, s + seed)" + over).verdict == Verdict::fails);
  CHECK(finding_of("measured = \"where(s + seed < 4, 1, 10)" + over).verdict == Verdict::inconclusive);
}

TEST_CASE("with an assumption unmet no finding holds or fails") {
  for (const std::string bound : {"at_most = 1e9", "at_most = -1"}) {
    const CheckReport report = of_run("assumes = [\"label_noise\"]\n" + finding_text("loss", bound));
    CHECK(report.findings.at(0).verdict == Verdict::inconclusive);
  }
}
