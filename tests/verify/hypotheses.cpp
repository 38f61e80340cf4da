// What statements take for granted: outside of it they are left open, and say why. Runs that are wrong on purpose are noticed.

#include <set>

#include "verify/assumptions.hpp"
#include "verify/quick_evidence.hpp"

using namespace tampered;

namespace {

/// Evidence of a statement with something else in each of its points leaves it open, for want of a hypothesis.
CheckReport require_open(const CheckRow& row, const std::string& hypothesis,
                         const std::function<void(EvidencePoint&)>& f) {
  CAPTURE(row.id, hypothesis);
  Evidence evidence = quick_evidence(row.id);
  for (EvidencePoints& points : evidence.experiments) std::ranges::for_each(points, f);
  const CheckReport report = judge_check(row, evidence);
  CHECK(report.verdict() == Verdict::inconclusive);
  const auto found = std::ranges::find(report.hypotheses, hypothesis, &Hypothesis::text);
  REQUIRE(found != report.hypotheses.end());
  CHECK_FALSE(found->met);
  CHECK(std::ranges::find(quick_report(row.id).hypotheses, hypothesis, &Hypothesis::text)->met);
  return report;
}

}  // namespace

TEST_CASE("schedules, decay, a start, momentum and the other kind of gradient leave every statement open",
          "[numbers]") {
  std::set<std::string> seen;
  for (const CheckRow& row : check_catalogue()) {
    // That nothing is judged where a hypothesis is not met is seen once of each.
    const auto open = [&](const std::string& hypothesis, const std::function<void(EvidencePoint&)>& f) {
      CheckRow judged = row;
      if (!seen.insert(hypothesis).second) judged.findings = judged.curves = {};
      require_open(judged, hypothesis, f);
    };
    const auto assumes = [&](const char* words) {
      return std::ranges::count(row.assumptions, words, &Assumption::text) > 0;
    };
    if (assumes("constant step sizes"))
      open("constant step sizes",
           [](EvidencePoint& point) { point.experiment.optimizers.front().schedule = "linear"; });
    else  // those that are about them
      CHECK(std::set<std::string>{"rarefact2026/schedules", "rarefact2026/decay-balance",
                                  "rarefact2026/coupled-undoes", "rhee2026/annealing"}
                .contains(row.id));
    if (assumes("no weight decay"))
      open("no weight decay",
           [](EvidencePoint& point) { point.experiment.optimizers.front().weight_decay = 0.1; });
    else
      CHECK(std::set<std::string>{"rarefact2026/l2-cutoff", "chen2025/decay", "rarefact2026/decay-balance",
                                  "rarefact2026/coupled-undoes"}
                .contains(row.id));
    const auto of_product = [](const Assumption& a) {
      return a.text().starts_with("a product of two factors");
    };
    const auto product = std::ranges::find_if(row.assumptions, of_product);
    const char* gains = "trained gains of attributes from a start on the manifold";
    if (assumes(gains))
      open(gains, [](EvidencePoint& point) { point.experiment.train_gains = false; });
    else if (product == row.assumptions.end())
      open("one matrix that starts at W = 0", [](EvidencePoint& point) {
        point.experiment.init = {"aligned", {{"scale", 0.1}}};
      });
    else
      open(product->text(), [](EvidencePoint& point) { point.experiment.factors = 1; });
    const bool thresholded = !assumes("the exact gradient");
    open(thresholded ? "recovered facts give no gradient" : "the exact gradient",
         [&](EvidencePoint& point) { point.experiment.recovered = thresholded ? "kept" : "removed"; });
    if (!assumes("no momentum")) continue;
    open("no momentum", [](EvidencePoint& point) {
      OptimizerChoice& choice = point.experiment.optimizers.front();
      choice.rule = "formula";
      choice.parameters = {{"direction", std::string("ema(G, 0.1)")}};
    });
  }
}

TEST_CASE("formulas that decay, have a schedule or remember by hand meet no such assumption") {
  EvidencePoints points = {quick_evidence("formula/effective-exponent")[0].front()};
  for (const auto& [direction, unmet] : std::vector<std::pair<std::string, std::set<std::string>>>{
           {"G", {}},
           {"G + 0.1*W", {"no_decay", "memoryless"}},
           {"polar(G - 0.1*W)", {"no_decay", "memoryless"}},
           {"G + 0*W", {}},
           {"G + 0*(0.5*t)*W", {}},
           {"G + 0*ema(G, 0.9)", {}},
           {"ema(G, 0.9) + (1 - 1)*W", {"no_momentum", "memoryless"}},
           {"G/t", {"constant_step_sizes", "memoryless"}},
           {"G*cos(pi*step/(2*steps))", {"constant_step_sizes", "memoryless"}},
           {"ema(G, 0.9)", {"no_momentum", "memoryless"}},
           {"G/sqrt(ema(G**2, 0.9))", {"memoryless"}},
           {"power(ema(G@G.T, 0.9), -0.5)@G", {"memoryless"}},
           {"sign(G)*ema(norm(G)*abs(G), 0.9)", {"memoryless"}},
           {"ema(polar(G), 0.9)", {"no_momentum", "memoryless"}},
           {"ambient(ema(T, 0.9))", {"no_momentum", "memoryless"}},
           {"ambient(sign(T)/sqrt(ema(T**2, 0.9)))", {"memoryless"}},
           {"ema(G*W, 0.9)/(1 + abs(W))", {"no_decay", "no_momentum", "memoryless"}},
           {"G + ema(G*abs(ema(G, 0.5)), 0.9)", {"no_momentum", "memoryless"}},
           {"ema(G + G**2, 0.9)", {"no_momentum", "memoryless"}},
           {"G*steps", {}}}) {
    points.front().experiment.optimizers.front().parameters.set("direction", direction);
    for (const std::string name : {"constant_step_sizes", "no_decay", "no_momentum", "memoryless"}) {
      CAPTURE(direction, name);
      CHECK(assumption_row(name).met(points) != unmet.contains(name));
    }
  }
}

TEST_CASE("formulas of polynomials and of smoothed factors do not use the exact polar factor") {
  EvidencePoints points = {quick_evidence("formula/effective-exponent")[0].front()};
  for (const auto& [direction, met] :
       std::vector<std::pair<std::string, bool>>{{"G", true},
                                                 {"polar(ema(G, 0.9))", true},
                                                 {"smooth_polar(G, 0)", true},
                                                 {"polar(G) + 0*newton_schulz(G)", true},
                                                 {"newton_schulz(G)", false},
                                                 {"polar_express(ema(G, 0.9))", false},
                                                 {"smooth_polar(G, 0.1)", false}}) {
    points.front().experiment.optimizers.front().parameters.set("direction", direction);
    CAPTURE(direction);
    CHECK(assumption_row("exact_polar").met(points) == met);
  }
}

TEST_CASE("a decay whose formula is 0 is no decay") {
  for (const auto& [value, met] : {std::pair("0*K", true), std::pair("1e-9/K", false)}) {
    const Evidence evidence = quick_evidence("formula/effective-exponent",
                                             {std::string("optimizer.rule.weight_decay='") + value + "'"});
    CHECK(assumption_row("no_decay").met(evidence[0]) == met);
  }
}

TEST_CASE("seeds are those of what a run draws, whatever their key") {
  EvidencePoint point = quick_evidence("li2026b/rate")[0].front();
  const auto four = [&](const auto& change) {
    EvidencePoints points(4, point);
    for (std::size_t i = 0; i < 4; ++i) change(points[i].experiment, static_cast<std::int64_t>(i));
    return assumption_row("four_seeds").met(points);
  };
  REQUIRE(point.experiment.sampled());
  CHECK(four([](Experiment& e, std::int64_t i) { e.seed = i; }));
  CHECK(four([](Experiment& e, std::int64_t i) { e.data_seed = i; }));
  CHECK_FALSE(four([](Experiment&, std::int64_t) {}));
  CHECK_FALSE(four([](Experiment& e, std::int64_t i) { e.data_seed = i % 3; }));
  CHECK_FALSE(
      four([](Experiment& e, std::int64_t i) { e.answers.seed = e.init.seed = i; }));  // they draw nothing
  for (const auto& [kind, draws] :
       {std::pair("identity", false), {"block_rotation", false}, {"orthogonal", true}}) {
    CAPTURE(kind);
    CHECK(four([&, kind = kind](Experiment& e, std::int64_t i) {
            e.query_embedding.kind = kind;
            e.query_embedding.seed = i;
          }) == draws);
  }
}

TEST_CASE("queries that share answers, or have several, leave statements on an answer for every query open") {
  const std::string equal = "equal fan-in: one query for every answer";
  AnswerGroups shared, several;
  shared.query_count = 6;
  shared.fan_in = {3, 3};
  several.query_count = 2;
  several.fan_in = {2, 2};
  shared.answer_count = several.answer_count = 2;
  std::size_t tested = 0;
  for (const CheckRow& row : check_catalogue()) {
    if (std::ranges::count(row.assumptions, equal, &Assumption::text) == 0) continue;
    ++tested;
    for (const AnswerGroups& answers : {shared, several}) {
      const CheckReport report = require_open(
          row, equal, [&](EvidencePoint& point) { point.result.runs.front().answers = answers; });
      CHECK(report.findings.empty());
    }
  }
  CHECK(tested >= 14);
}

TEST_CASE("with shared answers, or fewer than four seeds, nothing is judged") {
  for (const auto& [id, overrides] : std::vector<std::pair<std::string, Words>>{
           {"li2026/muon-noiseless", {"answers.law=fan_in", "answers.fan_in={exponent = 1, largest = 3}"}},
           {"li2026b/rate", {"sweep.seed=[1, 2, 3]"}}}) {
    const CheckReport report = judge_check(check_row(id), quick_evidence(id, overrides));
    CHECK(report.verdict() == Verdict::inconclusive);
    CHECK(report.findings.empty());
  }
}

TEST_CASE(
    "evidence is of the step size that a search chose, and dense runs multiply by embeddings written out") {
  std::size_t dense = 0;
  const Evidence evidence =
      quick_evidence("li2026/block-symmetry", {"optimizer.muon.step_size={search = [0.1, 0.4, 3]}"});
  for (const EvidencePoint& point : evidence[0]) {
    for (std::size_t o = 0; o < point.experiment.optimizers.size(); ++o) {
      const OptimizerChoice& choice = point.experiment.optimizers[o];
      const Trajectory& run = point.run().trajectories[o];
      CHECK(choice.step_size == run.step_size);
      if (choice.name == "muon") CHECK(std::set{0.1, 0.2, 0.4}.contains(run.step_size));
      CHECK(run.engine == point.experiment.engine);
      if (run.engine != "dense") continue;
      CHECK(run.engine_reason.find("do not affect") == std::string::npos);
      ++dense;
    }
  }
  CHECK(dense > 0);
}

TEST_CASE("a run that does not fit into memory is refused, as run does") {
  const CheckOptions options{
      .quick = true, .overrides = {"answers.law=fan_in", "answers.fan_in=3"}, .memory_limit = 1e9};
  CHECK_THROWS_WITH(gather_evidence(check_row("wang2025/one-step-signgd-coupled"), options),
                    Catch::Contains("of memory (allowed: 1 GB)"));
}

TEST_CASE("every statement notices what is wrong with the numbers of its first finding", "[numbers]") {
  for (const CheckRow& row : check_catalogue()) {
    CAPTURE(row.id);
    CHECK(unseen_changes(row, quick_evidence(row.id), 0) == Words{});
  }
}

TEST_CASE("no finding and no statement stays green whatever is wrong with its runs", "[.long]") {
  for (const CheckRow& row : check_catalogue()) {
    CAPTURE(row.id);
    CHECK(unseen_changes(row, quick_evidence(row.id)) == Words{});
    CHECK(unseen_rules(row, {.quick = true, .threads = 2}, quick_evidence(row.id)) == Words{});
  }
}

TEST_CASE("a statement that reads a parameter of its rule notices rules without it") {
  const std::string id = "rarefact2026/adam-rate";
  CHECK(unseen_rules(check_row(id), {.quick = true, .threads = 2}, quick_evidence(id)) == Words{});
}

TEST_CASE("a rule is noticed by what it misses, and not by a claim that makes a mistake about it") {
  const auto unseen = [](const std::string& finding) {
    const std::string text =
        "name = \"x\"\n[classes]\nspectrum = \"power_law\"\ncount = 2\nexponent = 1.0\n[run]\nsteps = 1\n[[optimizer]]\n"
        "rule = \"momentum\"\nstep_size = 1.0\n[claim]\n[[claim.finding]]\nid = \"a\"\nat = 1\n" +
        finding;
    const CheckRow row = read_claim("x", "x.toml", [&](const auto&) { return text; });
    const CheckOptions options{.threads = 1};
    return unseen_rules(row, options, gather_evidence(row, options));
  };
  const auto of_key = [&](const std::string& otherwise) {
    return unseen("measured = 'loss + 0*key(\"optimizer.momentum.momentum\"" + otherwise +
                  ")'\nat_least = 0\n");
  };
  CHECK(of_key("") == Words{});
  CHECK(of_key(", 1") == Words{"rule of momentum"});
  const Words mistaken = of_key(", \"x\"");  // muon has the key
  REQUIRE(mistaken.size() == 3);
  CHECK_THAT(mistaken[0],
             Catch::Contains("rule of momentum, as gd: ") && Catch::Contains("computes with strings"));
  CHECK(mistaken[2] == "rule of momentum");
}

TEST_CASE("no false copy of a statement holds sharply, and what else still holds has its reason on file",
          "[numbers]") {
  for (const CheckRow& row : check_catalogue()) {
    for (const FalseCopy& copy : false_copies(row, quick_evidence(row.id))) {
      CAPTURE(row.id, copy.finding, copy.change, copy.tolerance, copy.reason, verdict_text(copy.verdict));
      CHECK(!copy.inexcusable());
    }
  }
}

TEST_CASE("a false copy is a tenth, or 0.05 of an exponent, off; what it passes by is said") {
  const auto passing = [](const std::string& finding) {
    const CheckRow row = read_claim("x", "x.toml", [&](const auto&) {
      return "[claim]\n[[claim.finding]]\nid = \"a\"\nat = 1\n" + finding;
    });
    Words texts;
    for (const FalseCopy& copy : false_copies(row, quick_evidence("wang2025/one-step-gd")))
      texts.push_back(copy.change + "; " + copy.tolerance + "; " + copy.reason +
                      (copy.inexcusable() ? "; inexcusable" : ""));
    return texts;
  };
  CHECK(passing("measured = \"K/N\"\nequals = 1\nwithin = 0.01\n") == Words{});
  CHECK(passing("measured = \"K/N\"\nequals = 1.05\nwithin = 0.1\n") ==
        Words{"equals - 10 %; within = 0.1; ; inexcusable"});
  // A reason excuses what holds, and not what holds sharply.
  CHECK(passing("measured = \"K/N\"\nequals = 1.05\nwithin = 0.1\nsharp = false\n"
                "blind = {equals = \"why\"}\n") == Words{"equals - 10 %; within = 0.1; why"});
  CHECK(passing("measured = \"K/N\"\nequals = 0.953\nwithin = 0.05\nblind = {equals = \"why\"}\n") ==
        Words{"equals + 10 %; within = 0.05; why; inexcusable"});
  CHECK(passing("measured = \"K/N\"\nat_most = 1.2\n") == Words{"at_most - 10 %; ; a bound"});
  CHECK(passing("measured = \"K/N\"\nat_most = 1\n") == Words{});
  CHECK(passing("measured = \"K/N\"\nequals = 1\nwithin = 0.01\nat_most = 1.2\n") ==
        Words{"at_most - 10 %; within = 0.01; a bound"});
  CHECK(passing("measured = \"K/N\"\nbetween = [0, 2]\n") == Words{"between; ; a bound"});
  CHECK(passing("measured = \"K/N - 1\"\nequals = 0\nplus_minus = 0.06\n").size() == 2);
  CHECK(passing("measured = \"K/N - 1\"\nequals = 0\nplus_minus = 0.04\n") == Words{});
  CHECK(passing("measured = \"log(K)/log(N)\"\nequals = 1.01\nplus_minus = 0.05\n") ==
        Words{"equals - 0.05; plus_minus = 0.05; ; inexcusable"});
  CHECK(passing("measured = \"K\"\nbounded = \"K\"\ngrowth = 1.02\n") == Words{});
  CHECK(passing("measured = \"1 + 1/K\"\nbounded = \"K\"\ngrowth = 0.1\n") ==
        Words{"exponent of bounded - 0.05; growth = 0.1; a bound"});
}

TEST_CASE("what a finding cannot notice is said") {
  // Of numbers that are none from the start nothing is green.
  const CheckRow blind = read_claim("x", "x.toml", [](const auto&) {
    return "[claim]\n[[claim.finding]]\nid = \"a\"\nat = 1\nmeasured = \"rho@gd\"\nat_least = -1\n[[claim.finding]]\n"
           "id = \"b\"\nat = 1\nmeasured = \"rho@gd\"\nat_least = -1\nblind = \"a probability\"\n";
  });
  CHECK(unseen_changes(blind, quick_evidence("wang2025/one-step-gd")) == Words{"finding a: rho"});
}
