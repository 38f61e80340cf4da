// The language of claims, on a sweep made by hand.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <chrono>

#include "rarefact/error.hpp"
#include "verify/report.hpp"
#include "verify/sweep_by_hand.hpp"

using Catch::Contains;

TEST_CASE("values have the dimensions along which they differ, and reductions take some away") {
  CHECK(values("loss@gd").size() == 18);
  CHECK(values("K") == std::vector<double>{2});
  CHECK(values("s").size() == 2);
  CHECK(values("p") == std::vector<double>{0.6, 0.4});
  CHECK(values("where(step > 0, step, prev(step))") == std::vector<double>{1, 10});
  CHECK(values("where(step > 0, 7, prev(step))") == std::vector<double>{7, 7});
  for (const auto& [text, number] : std::vector<std::pair<std::string, double>>{
           {"max(loss, step, optimizer, point, seed)", 6},
           {"min(last(loss@muon), point, seed)", 0.5 / 11},
           {"mean(at(loss@gd, 0), point, seed)", 3},
           {"sum(p, class, rank > 1)", 0.4},
           {"max(first(error@gd, class)/last(error@gd, class), step, point, seed)", 0.5},
           {"mean(eta, optimizer)", 1.25},
           {"max(t@muon, step)", 20},
           {"max(1, p_max, 3)", 3},
           {"slope(log(at(mean(loss@gd, seed), 1)), log(s))", 1},
           {"first_where(mean(loss@gd, seed, point) < 1)", 10},
           {"reaches(-mean(loss@gd, seed, point), step, -2.25)", 0.5},
           {"sum(step > prev(step), step)", 2},
           {"max(max_so_far(-loss@gd) + loss@gd, step, point, seed)", 0},
           {"last(ema(mean(loss@gd, seed, point), 0.5))", 0.5 * (0.5 * 1.5 + 0.5 * 1.5) + 0.5 * 3 / 11},
           {"only(s, \"classes.exponent\", key(\"classes.exponent\") == 2)", 2},
           {"spectral(\"stable_rank\", p, 10*row, 0.6, 0, 0.3, 1)", 10 + 20 / 2.25 + 0.25},
           {"spectral(\"rank\", 1, K - 1)", 1},
           // A branch that is not taken may have no value.
           {"where(K < 3, 7, key(\"optimizer.gd.beta1\"))", 7},
           {"where(K < 3, 7, where(key(\"optimizer.gd.lr_scale\") == \"none\", 1, 2) + 1)", 7},
           {"where(K < 1, error_of_margin(0, K - 2) + 1, 7)", 7},
           {"where(K < 3, 7, rho_muon_correlated(2, 0.1))", 7},
           {"where(K < 3, 7, at(loss, 5))", 7},
           {"where(K < 3, 7, ema(loss, key(\"optimizer.gd.beta1\")))", 7},
           {"where(K < 3, 7, max(octaves(error, key(\"optimizer.gd.beta1\")), class))", 7},
           {"where(K < 3, 7, only(loss@gd, step))", 7},
           {"where(K < 3, 7, slope(loss@gd, K))", 7},
           {"min(where(s > 1, 7, rho_muon_correlated(2 - 1.5*s, 0.1)*0 + 7), \"classes.exponent\")", 7},
           {"where(K < 3, 7, unguarded)", 7},
           {"where(K == 2 and not K > 2, 7, 8)", 7},
           {"sum(optimizer == \"gd\", optimizer)", 1},
           {"error_of_margin(0, K)", 0.5},
           // Own entries of two classes in the ratio of 0.6 and 0.4, as those of gradient descent.
           {"first(muon_gain(), class)", 0.6 / std::sqrt(2 * 0.52)},
           {"first(muon_gain(), class, p < 0.5)", 0.4 / std::sqrt(2 * 0.52)},
           {"rho_muon(0.1)/rho_gd(2, r, 0.1)", 1}}) {
    CAPTURE(text);
    CHECK(values(text, {{"unguarded", {parsed_condition("error_of_margin(0, 0)")}}}).at(0) == Approx(number));
  }
}

TEST_CASE("NaN, and a fit of few points, pass nowhere; every relation, experiment and entry counts") {
  const std::string nan = "where(step == 1, sqrt(-1), step)";
  for (const std::string& text : {"last(max_so_far(" + nan + "))", "last(ema(" + nan + ", 0.5))",
                                  "first_where(" + nan + " > 5)", "reaches(" + nan + ", step, 5)",
                                  "slope(step, " + nan + ", step)", "slope(" + nan + ", step, step)"}) {
    CAPTURE(text);
    CHECK(std::isnan(values(text).at(0)));
  }
  CHECK(std::isnan(values("loss_predicted_flow")[0]));
  const std::string seeds = "at = 0\nmeasured = ", one = "where = \"s == 1\"\n" + seeds + "\"loss@gd\"\n",
                    bound = "bounded = \"x\"\nmeasured = \"",
                    ends = bound + "where(row == 2, 3, 2) + 0*x\"\n",
                    some = "at = 0\nmeasured = \"where(seed == 1, sqrt(-1), loss)\"\n";
  for (const auto& [text, verdict] : std::vector<std::pair<std::string, Verdict>>{
           {seeds + "\"sqrt(-1 - seed)\"\nevidence = true\n", Verdict::inconclusive},
           {some + "between = [0, 100]\n", Verdict::inconclusive},
           {"measured = \"loss@muon/loss@gd\"\nequals = 0.51\nwithin = 1e-3\n", Verdict::fails},
           {"at = \"last\"\nmeasured = \"loss@gd\"\nat_most = 0.6\n", Verdict::holds},
           {"at = \"last\"\nmeasured = \"loss@gd\"\nat_most = 0.5\n", Verdict::fails},
           {"where = \"s == 3\"\nmeasured = \"loss@gd\"\nat_least = 0\n", Verdict::inconclusive},
           {one + "mean_equals = 2\nplus_minus = 0\nwidest = 10\n", Verdict::holds},
           {seeds + "\"loss@gd/s + 1000\"\nmean_equals = \"1000 + 2*s\"\n", Verdict::sharp},
           {one + "mean_equals = \"loss_predicted_mean@gd\"\n", Verdict::holds},
           {some + "at_most = 100\n", Verdict::inconclusive},
           {some + "at_most = 1\n", Verdict::fails},
           {"measured = \"loss\"\nequals = \"where(step == 1, log(-loss), loss)\"\nwithin = 1\n",
            Verdict::inconclusive},
           {"measured = \"1 + 0*step\"\nbounded = \"step\"\n", Verdict::inconclusive},
           {"of = \"f.toml\"\nat = 1\nmeasured = \"loss\"\nat_most = 100\n", Verdict::inconclusive},
           {seeds + "\"slope(loss, s)\"\nat_least = 0\n", Verdict::inconclusive},
           {"measured = \"at(slope(loss, s), 0)@gd\"\nat_least = 0\n", Verdict::inconclusive},
           {seeds + "\"slope(loss, s)\"\nat_least = 100\n", Verdict::fails},
           {one + "interval_above = -9\ninterval_below = 1\n", Verdict::fails},
           {one + "mean_equals = 2\ninterval_below = 1\n", Verdict::fails},
           {one + "interval_above = -9\ninterval_below = 9\n", Verdict::holds},
           {"of = [\"e.toml\", \"f.toml\"]\n" + one + "mean_equals = 2\nwidest = 6\n", Verdict::inconclusive},
           {one + "at_most = 9\nevidence = true\n", Verdict::evidence},
           {seeds + "\"loss@gd/s + 9*s\"\ninterval_above = \"9*s - 3\"\n", Verdict::holds},
           {seeds + "\"loss@gd/s\"\nmean_equals = \"2*s\"\nplus_minus = \"9*(s - 1)\"\n", Verdict::holds},
           {seeds + "\"loss@gd/s\"\nmean_equals = \"20*s\"\nplus_minus = \"40*(s - 1)\"\n", Verdict::fails},
           {one + "mean_equals = 5\nplus_minus = 1\n", Verdict::holds},
           {one + "mean_equals = 6\nplus_minus = 1\n", Verdict::fails},
           {one + "mean_equals = 2\nwidest = 4\n", Verdict::inconclusive},
           {one + "interval_below = \"loss@gd + 9\"\n", Verdict::holds},
           {one + "interval_below = \"loss@gd + 1\"\n", Verdict::fails},
           {one + "interval_above = \"loss@gd - 9\"\n", Verdict::holds},
           {one + "interval_above = \"loss@gd - 1\"\n", Verdict::fails},
           {bound + "3 + 0*x\"\n", Verdict::holds},
           {bound + "1/x\"\n", Verdict::holds},
           {bound + "1 - 1/x\"\n", Verdict::holds},
           {bound + "x**0.1\"\n", Verdict::fails},
           {bound + "log(x)\"\n", Verdict::fails},
           {bound + "where(x > 1e6, -1, 1)\"\n", Verdict::fails},
           {bound + "3 + 0*x\"\nends_at = 3\n", Verdict::sharp},
           {bound + "3 + 0*x\"\nends_at = 4\n", Verdict::fails},
           {ends + "ends_at = \"where(row == 2, 3, 2)\"\n", Verdict::sharp},
           {ends + "ends_at = \"where(row == 2, 3, 4)\"\n", Verdict::fails},
           {ends + "ends_at = \"where(row == 2, 4, 2)\"\n", Verdict::fails},
           {ends + "ends_at = 3\n", Verdict::fails},
           {ends + "ends_at = \"where(row == 2, 3, 4)\"\nwithin = \"where(row == 2, 0.01, 0.6)\"\n",
            Verdict::holds},
           {"each.x = [\"loss@gd\", \"9*loss@muon\"]\n" + seeds +
                "\"{x}/s\"\nmean_equals = \"mean({x}/s, seed)\"\nwidest = 99\n",
            Verdict::holds}}) {
    CAPTURE(text);
    CHECK(judged("[claim.define]\nx = \"10**(3*s + seed)\"\n[[claim.finding]]\nid = \"a\"\n" + text)
              .findings.at(0)
              .verdict == verdict);
  }
  // Of 1, 2, 3: t = 4.30265 for 2 degrees of freedom, s = 1.
  const CheckReport mean = judged("[[claim.finding]]\nid = \"a\"\n" + one + "evidence = true\n");
  CHECK(*mean.findings[0].low == Approx(2 - 4.30265 / std::sqrt(3)).epsilon(1e-5));
  CHECK(*mean.findings[0].high == Approx(2 + 4.30265 / std::sqrt(3)).epsilon(1e-5));
}

TEST_CASE("what a claim may not ask is refused with the nearest name") {
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{
           {"los", "unknown name \"los\"; did you mean \"loss\"?"},
           {"loss@moun", "no optimizer is named \"moun\"; did you mean \"muon\"?; there are: gd, muon"},
           {"slop(loss, s)", "no function is called \"slop\"; did you mean \"slope\"?"},
           {"error_of_margin(1)", "error_of_margin(m, K) got 1 numbers"},
           {"max(loss, \"data.batch\")", "max: the sweep has no axis data.batch"},
           {"only(loss@gd, step)", "only() found 3 entries where one belongs"},
           {"slope(loss@gd, K)", "slope: x is 2 twice"},
           {"key(\"classes.cont\")", "the experiment has no key \"classes.cont\""},
           {"optimizer + 1", "computes with strings"},
           {"answered", "answered is along the answers"},
           {"banded", "banded is along the bands"},
           {"max(optimizer)", "\"optimizer\" is a string, and a number belongs here"},
           {"where(K == 2, \"a\", \"b\")", "is a string, and a number belongs here"},
           {"first_where(optimizer)", "is a string"},
           {"slope(loss@gd, s, 2)", "slope takes y, x, dimensions and conditions"},
           {"reaches(loss, step, 1, 2)", "reaches takes y, x, a level and dimensions"},
           {"prev(loss, 2)", "prev takes a value and one dimension"},
           {"prev(loss, step, class)", "prev takes a value and one dimension"},
           {"max_so_far(loss, s > 1)", "max_so_far takes a value and one dimension"},
           {"where(1, 2)", "where takes a condition and two values, and got 2"},
           {"where(K == 2, 7, los)", "unknown name \"los\""},
           {"where(K == 2, 7, key(\"classes.cont\"))", "the experiment has no key \"classes.cont\""},
           {"where(K == 2, 7, key(\"optimizer.gdd.momentum\"))",
            "the experiment has no key \"optimizer.gdd.momentum\""},
           {"where(K == 3, optimizer, 7)", "is a string, and a number belongs here"},
           {"where(K == 2, error_of_margin(0, 0), 7)", "error_of_margin needs K >= 1"},
           {"key(K)", "key takes a quoted key"},
           {"spectral(\"entropi\", p, 1)", "no measure is called \"entropi\"; did you mean \"entropy\"?"},
           {"spectral(\"entropy\", p)", "spectral takes a quoted measure"},
           {"at(loss)", "at takes a value and a step, and got 1"},
           {"at(loss, 5)", "no run has a record at step 5"},
           {"octaves(p, -1)", "octaves: the first row is not a number from 1 to 2"},
           {"octaves(p, sqrt(-1))", "octaves: the first row is not a number from 1 to 2"},
           {"rho_muon(p)", "rho_muon: eps is several numbers of one point"},
           {"max()", "max takes a value, dimensions and conditions, and got 0"}}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(values(text), Contains(part));
  }
}

TEST_CASE("a finding is one for each value of what it is per") {
  const CheckReport report = judged(
      "[[claim.finding]]\nid = \"half\"\nper = {s = \"s\"}\nmeasured = \"loss@muon/loss@gd\"\nequals = 0.5\nwithin = 1e-12\n"
      "headline = \"s == 2\"\n");
  REQUIRE(report.findings.size() == 2);
  CHECK(report.findings[0].id == "half/s = 1");
  CHECK_FALSE(report.findings[0].headline);
  CHECK(report.findings[1].headline);
  CHECK(report.verdict() == Verdict::sharp);
}

namespace {

std::string many_choices() {
  std::string text;
  for (const char name : std::string("abcdefghijklmno"))
    text += fmt::format("each.{} = [\"0\", \"1\"]\n", name);
  return text;
}

/// {a} is replaced by {b}{b}, {b} by {c}{c} ...
std::string doubling_texts() {
  std::string text = "[[claim.finding]]\nid = \"a\"\nat_most = 1\nmeasured = \"{a}\"\n";
  for (char name = 'a'; name < 'z'; ++name)
    text += fmt::format("each.{0} = [\"{{{1}}} + {{{1}}}\"]\n", name, static_cast<char>(name + 1));
  return text;
}

std::string chained_definitions(int number) {
  std::string text = "[claim.define]\n";
  for (int i = 0; i < number; ++i) text += fmt::format("d{} = \"d{}\"\n", i, i + 1);
  return text + fmt::format("d{} = \"loss\"\n", number);
}

}  // namespace

TEST_CASE("a number between others has no interval; several different ones have") {
  const std::string between = "[[claim.finding]]\nid = \"a\"\nbetween = [2, 4]\nmeasured = ";
  const auto shown = [&](const char* measured) {
    return measured_text(judged(between + measured).findings.at(0));
  };
  CHECK(shown("\"K\"") == "2");
  CHECK(shown("\"K + (1 + 1e-14)*(seed - seed) + 1\"") == "3");
  CHECK(shown("\"K + seed\"") == "3 ± 1");
}

TEST_CASE("definitions cost what their length is") {
  const auto begin = std::chrono::steady_clock::now();
  const std::string measured = "[[claim.finding]]\nid = \"a\"\nmeasured = ";
  CHECK_THROWS_WITH(judged(chained_definitions(20000) + measured + "\"d0\"\nat_most = 100\n"),
                    Catch::Contains(":19903:10: error: claim, d19900: more than 100 definitions"));
  // Each definition names the next one twice; judged, and asked whether it is an exponent.
  std::string doubling = "[claim.define]\n";
  for (int i = 0; i < 90; ++i) doubling += fmt::format("d{} = \"(d{} + d{})/2\"\n", i, i + 1, i + 1);
  const std::string last =
      "d90 = \"loss\"\n" + measured +
      "\"d0\"\nwhere = \"seed == 0 and step == 0 and s == 1\"\nequals = \"loss\"\nwithin = 1e-9\n";
  CHECK(judged(doubling + last).findings.at(0).verdict == Verdict::sharp);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
}

TEST_CASE("what is wrong with a claim is said with its place") {
  // The first line of every text is [claim], those of the finding are lines 2 to 4.
  const std::string finding = "[[claim.finding]]\nid = \"a\"\nmeasured = \"loss\"\n",
                    below = finding + "at_most = 1\n",
                    measured = "[[claim.finding]]\nid = \"a\"\nat_least = 0\nmeasured = ";
  for (
      const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
          {"", "1:1: error: claim, finding: there is no [[claim.finding]]"},
          {"finding = [1]\n", "2:11: error: claim, finding: expected tables [[claim.finding]]"},
          {"[[claim.finding]]\nmeasured = \"loss\"\nat_most = 1\n",
           "2:1: error: claim, id: a finding has an id"},
          {below + finding + "at_most = 2\n", "7:6: error: claim, id: another finding is \"a\""},
          {finding + "equals = \"loss_predicted_mean\"\nwithin = 1\n",
           "4:12: error: claim, measured: a prediction of a mean over samples is no prediction of a run"},
          {finding + "at_mots = 1\n",
           "unknown key \"at_mots\" in [[claim.finding]]; did you mean \"at_most\"?"},
          {finding, "3:6: error: claim, id: nothing is claimed about the measured number"},
          {finding + "equals = 1\n", "5:10: error: claim, equals: within or plus_minus is missing"},
          {finding + "equals = 1\nwithin = 1\nplus_minus = 1\n",
           "7:14: error: claim, plus_minus: within is there, too"},
          {below + "growth = 1\n", "6:10: error: claim, growth: it belongs beside bounded"},
          {"assumes = [\"ortonormal\"]\n" + below,
           "2:11: error: claim, assumes: no assumption is called \"ortonormal\"; did you mean \"orthonormal\"?"},
          {"[[claim.assumption]]\nname = \"complet\"\n" + below,
           "3:8: error: claim, name: no assumption is called"},
          {below + "of = \"g.toml\"\n", "6:6: error: claim, of: no experiment of this claim is g.toml"},
          {below + "at = 5\n", "6:6: error: claim, at: no run has a record at step 5"},
          {"[[claim.assumption]]\ntext = \"t\"\nholds = \"los < 1\"\n" + below,
           "4:10: error: claim, holds: unknown name \"los\""},
          {below + "where = \"optimizer\"\n", "6:10: error: claim, where: \"optimizer\" is a string"},
          {below + "where = \"s == 3\"\n", "6:9: error: claim, where: nothing is left to compare"},
          {below + "per = [\"s\", \"class_size\"]\n", "6:7: error: claim, per: unknown name \"class_size\""},
          {below + "grid.x = [\"y\"]\n", "claim, grid: \"y\" is no finite number"},
          {below + "text = \"{s:q}\"\n", "claim, text: \"{:q}\" is not a format"},
          {finding + "between = [\"K\", \"1\"]\n", "claim, between: expected two numbers"},
          {finding + "between = [0, inf]\n", "claim, between: expected two numbers"},
          {finding + "equals = 1\nplus_minus = \"1/0\"\n",
           "6:14: error: claim, plus_minus: it is inf; expected a finite number"},
          {finding + "equals = 1\nwithin = \"where(step == 1, sqrt(-1), 1)\"\n",
           "6:10: error: claim, within: it is nan"},
          {finding + "equals = 1\nwithin = \"prev(K)\"\n",
           "6:10: error: claim, within: it is missing where something is measured"},
          {finding + "equals = \"where(step == 1, sqrt(-1), 2)\"\nwithin = 1\n",
           "5:10: error: claim, equals: it is nan; expected a finite number"},
          {finding + "at_most = \"1/0\"\n", "5:11: error: claim, at_most: it is inf"},
          {finding + "interval_below = \"0/0\"\n", "5:18: error: claim, interval_below: it is nan"},
          {finding + "mean_equals = 1\nwidest = \"exp(1000)\"\n", "6:10: error: claim, widest: it is inf"},
          {"[[claim.finding]]\nid = \"a\"\nmeasured = \"loss\"\nbounded = \"loss\"\n"
           "growth = \"0/0\"\n",
           "6:10: error: claim, growth: it is nan"},
          {finding + "evidence = true\nclaimed_below = \"log(-1)\"\n", "claim, claimed_below: it is nan"},
          {finding + "at_most = 1\nevidence = \"yes\"\n",
           "6:12: error: claim, evidence: expected true or false"},
          {"[[claim.assumption]]\nholds = \" \"\n" + below,
           "3:9: error: claim, holds: expected a condition; tested = false states"},
          {"[[claim.assumption]]\ntext = \"small steps\"\n" + below,
           "2:1: error: claim, holds: expected a condition"},
          {"[[claim.assumption]]\nname = \"complete\"\nholds = \"K > 2\"\n" + below,
           "4:9: error: claim, holds: name is there, too"},
          {"[[claim.assumption]]\ntext = \"t\"\ntested = false\nholds = \"K > 2\"\n" + below,
           "5:9: error: claim, holds: tested = false is there, too"},
          {below + "text = \"{loss:1999999999}\"\n",
           "6:8: error: claim, text: \"{:1999999999}\" is not a format of a number"},
          {below + "each.x = [\"0\", \"1\"]\n" + many_choices(),
           "claim, each: the lists make more than 10000 cases"},
          {doubling_texts(), "claim, measured: more than 10000 letters where texts replace {"},
          {chained_definitions(101) + measured + "\"d0\"\n",
           "4:6: error: claim, d1: more than 100 definitions use one another"},
          {finding + "between = [2, 1]\n",
           "5:11: error: claim, between: expected two numbers, the smaller one first"},
          {below + "at_least = 2\n", "6:12: error: claim, at_least: above at_most"},
          {finding + "equals = 1\nwithin = -0.1\n", "6:10: error: claim, within: got a negative number"},
          {"only_doubles = 3\n" + below, "2:16: error: claim, only_doubles: expected a string"},
          {finding + "equals = \"error\"\nwithin = 1\n",
           "5:10: error: claim, equals: it is 0.1 to 0.2 where what is measured is one number"},
          {finding + "interval_above = \"error\"\n", "5:18: error: claim, interval_above: it is "},
          {finding + "equals = \"where(step > 0, 1, prev(step))\"\nwithin = 1\n",
           "5:10: error: claim, equals: it is missing where something is measured"},
          {measured + "\"2*los + 1\"\n",
           "5:15: error: claim, measured: unknown name \"los\"; did you mean \"loss\"?"},
          {measured + "\"loss@gdd\"\n", "5:13: error: claim, measured: no optimizer is named \"gdd\""},
          {measured + "\"log(loss)/rho_dg(K, r, 1)\"\n",
           "5:23: error: claim, measured: no function is called \"rho_dg\""},
          {measured + "\"slope(loss, s)\"\n",
           "5:12: error: claim, measured: an exponent needs at least three points"},
          {measured + "\"1 +\"\n",
           "5:16: error: claim, measured: got the end after \"1 +\"; expected a number"},
          {below +
               "[claim.define]\nzz = \"1 + zz\"\n[[claim.finding]]\nid = \"b\"\nmeasured = \"zz\"\nat_most = 1\n",
           "7:11: error: claim, zz: zz is defined by itself"},
          {below +
               "[claim.define]\nzz = \"K + los\"\n[[claim.finding]]\nid = \"b\"\nmeasured = \"zz\"\nat_most = 1\n",
           "7:11: error: claim, zz: unknown name \"los\""},
          {below + "[claim.define]\nloss = \"1\"\n",
           "7:8: error: claim, loss: it is a variable or a number of the problem"},
          {below + "[claim.define]\na = \"(\"\n", "7:7: error: claim, a: got the end after \"(\""}}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(judged(text, true), Contains("x/e.toml:") && Contains(message));
  }
  // Of several mistakes each is said.
  CHECK_THROWS_WITH(
      judged("[[claim.finding]]\nid = \"a\"\nmeasured = \"los\"\nat_most = 1\n[[claim.finding]]\nid = "
             "\"b\"\nmeasured = \"eror\"\nat_most = 1\n"),
      Contains("4:13: error") && Contains("8:13: error"));
}

TEST_CASE("a claim may include another, whose assumptions, definitions and findings come first") {
  const auto read = [](const std::string& file) -> std::string {
    if (file == "x/loop.toml") return "[claim]\ninclude = \"loop.toml\"\n";
    if (file != "x/other.toml") return "name = \"none\"\n";
    return "[claim]\nassumes = [\"complete\"]\n[claim.define]\na = \"los\"\n[[claim.finding]]\nid = \"first\"\nmeasured = \"a\"\n";
  };
  const auto claim = [&](const std::string& included) {
    return read_claim("x/e", "x/e.toml", [&](const std::string& file) {
      return file != "x/e.toml" ? read(file)
                                : "[claim]\nassumes = [\"population\"]\ninclude = [\"" + included +
                                      "\"]\n[[claim.finding]]\nid = \"second\"\nmeasured = \"a\"\n";
    });
  };
  const CheckRow both = claim("other.toml");
  REQUIRE(both.findings.size() == 2);
  CHECK(both.findings[0].text("id") == "first");
  CHECK(both.assumptions.front().row.name == "complete");
  CHECK_THROWS_WITH(both.defines.at("a").failed(InputError("no")),
                    Contains("x/other.toml:4:5: error: claim, a: no"));
  CHECK_THROWS_WITH(claim("none.toml"),
                    Contains("x/e.toml:3:11: error: claim, include: none.toml has no [claim]"));
  CHECK_THROWS_WITH(claim("loop.toml"), Contains("claim, include: loop.toml includes itself"));
}
