#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "plain.hpp"

using namespace rarefact;

namespace {

/// Rows for the softmax; those of least squares have tests of their own.
std::set<std::string> applicable(const PredictionInput& input) {
  std::set<std::string> names;
  for (const auto& row : prediction_catalogue()) {
    if (!row.of_squares && !row.objection(input)) names.insert(row.name);
  }
  return names;
}

/// What the documentation promises, written as a decision of its own.
std::set<std::string> promised(const PredictionInput& s, bool plain_rule, bool plain_first) {
  const bool first = s.rule == "gd" || s.rule == "ngd" || s.rule == "momentum" || s.rule == "muon";
  if (s.population && !s.orthonormal && first && plain_first && s.label_noise == 0)
    return {"gram-first-step"};
  if (!s.population || !s.orthonormal || !plain_rule) return {};
  if (s.rule == "ngd" || s.rule == "momentum") return {s.rule + "-recursion"};
  if (s.rule == "adam" && s.identity) return {"adam-recursion"};
  if (s.rule == "gd") return {"gd-recursion", "gd-flow"};
  if (s.rule == "tra_signgd" || (s.rule == "signgd" && s.identity)) return {"sign-descent"};
  if (s.rule == "newton" && s.label_noise == 0) return {"newton-recursion"};
  if (s.rule == "muon") return {s.label_noise == 0 ? "muon-descent" : "muon-cycle"};
  return {};
}

}  // namespace

TEST_CASE("predictions apply where they are promised, and at most one of each variant") {
  const std::vector<std::string> rules{"gd",         "ngd",  "momentum", "signgd",
                                       "tra_signgd", "adam", "muon",     "newton"};
  struct Choice {
    ParameterValues parameters;
    bool plain_muon;
    bool plain_others;
  };
  const std::vector<Choice> choices{
      {{}, true, true},
      {{{"momentum", 0.0}, {"nesterov", false}}, true, false},
      {{{"momentum", 0.0}, {"nesterov", true}}, true, false},
      {{{"momentum", 0.9}, {"nesterov", false}}, false, false},
      {{{"polar", "exact"}, {"smoothing", 0.0}, {"lr_scale", "none"}}, true, false},
      {{{"momentum", 0.0}, {"momentum_kind", "average"}}, true, false},
      {{{"momentum", 0.0}, {"momentum_order", "after"}}, true, false},
      {{{"momentum", 0.9}, {"momentum_order", "after"}}, false, false},
      {{{"polar", "newton_schulz"}}, false, false},
      {{{"polar", std::vector<double>{1.5, -0.5, 0}}}, false, false},
      {{{"smoothing", 0.1}}, false, false},
      {{{"lr_scale", "original"}}, false, false},
      {{{"momentum", 0.0}, {"some_new_option", 1.0}}, false, false}};
  for (const auto& rule : rules) {
    for (const auto& choice : choices) {
      for (const double noise : {0.0, 0.3}) {
        for (const int embedding : {0, 1, 2}) {
          for (const bool population : {true, false}) {
            PredictionInput input = plain::input(rule, 64, noise, 0.1, {0.5, 0.5});
            input.parameters = choice.parameters;
            input.orthonormal = input.independent = embedding >= 1;
            input.identity = embedding == 2;
            input.population = population;
            CAPTURE(rule, noise, embedding, population, choice.parameters.all().size());
            const bool ball =
                rule == "momentum" && std::ranges::all_of(choice.parameters.all(), [](const auto& given) {
                  return given.first.starts_with("nest") || given.first == "momentum" ||
                         given.first == "momentum_kind";
                });
            const bool first = choice.plain_muon || (choice.parameters.has("momentum") &&
                                                     !choice.parameters.has("some_new_option"));
            CHECK(applicable(input) ==
                  promised(input, ball || (rule == "muon" ? choice.plain_muon : choice.plain_others), first));
            std::map<std::string, int> of_variant;
            for (const auto& row : prediction_catalogue()) {
              if (!row.of_squares && !row.objection(input)) ++of_variant[row.variant];
            }
            for (const auto& [variant, count] : of_variant) CHECK(count == 1);
          }
        }
      }
    }
  }
}

TEST_CASE("of a law of answers Muon has a row of its own, for components of identical classes") {
  PredictionInput input = plain::input("muon", 64, 0.1, 0.1, {0.5, 0.5});
  input.answers = {{2, 1}, {1, 3}};
  CHECK(applicable(input) == std::set<std::string>{"muon-units"});
  input.rule = "gd", input.parameters = {};
  CHECK(applicable(input) == std::set<std::string>{"gd-recursion", "gd-flow"});
  input.orthonormal = false;
  CHECK(applicable(input).empty());
  input.orthonormal = true, input.alike_components = false;
  CHECK(applicable(input) == std::set<std::string>{"gd-recursion", "gd-flow"});
  input.even_noise = false;
  CHECK(applicable(input).empty());
  input.label_noise = 0;
  CHECK(applicable(input).size() == 2);
  input.equal_answers = false;
  CHECK(applicable(input).empty());
}

TEST_CASE("Muon's rows are withheld where its first update is not what they say") {
  // Of two classes it moves the margins by 1.40329 and 0.175412 of the step (p = 8/9, 1/9).
  struct Case {
    double count, exponent;
    bool withheld;
  };
  for (const auto& [count, exponent, withheld] : {Case{2, 3, true},
                                                  {2, 0, false},
                                                  {2, 0.3, false},
                                                  {2, 1, true},
                                                  {10, 2, true},
                                                  {10, 1, false},
                                                  {20, 3, false},
                                                  {1000, 3, false}}) {
    std::vector<double> probabilities;
    for (double k = 1; k <= count; ++k) probabilities.push_back(std::pow(k, -exponent));
    for (const double noise : {0.0, 0.1}) {
      PredictionInput input = plain::input("muon", count, noise, 0.1, probabilities);
      CAPTURE(count, exponent, noise);
      CHECK(applicable(input).empty() == withheld);
      input.answers.assign(probabilities.size(), {1, 1});
      CHECK(applicable(input).empty() == withheld);
    }
  }
  const PredictionInput two = plain::input("muon", 2, 0, 0.1, {8.0 / 9, 1.0 / 9});
  CHECK(*plain::row("muon-descent").objection(two) ==
        "the first update misses a margin by 0.82 of what is predicted, at most 0.2 is allowed");
}

TEST_CASE(
    "equicorrelated answers keep the rows of GD, NGD and Muon; of queries only equally likely ones do") {
  for (const char* rule : {"gd", "momentum", "ngd", "muon"}) {
    PredictionInput input = plain::input(rule, 64, 0, 0.1, {0.02, 0.01});
    const std::set<std::string> orthonormal = applicable(input);
    CAPTURE(rule);
    CHECK_FALSE(orthonormal.empty());
    input.orthonormal = input.identity = false, input.equicorrelated = true, input.answer_cosine = 0.4;
    CHECK(applicable(input) == orthonormal);
    input.query_cosine = 0.3;
    CHECK(applicable(input) == std::set<std::string>{"gram-first-step"});
    input.class_probability = {0.01, 0.01};
    CHECK(applicable(input) == orthonormal);
    input.answers = {{2, 1}, {2, 1}};
    CHECK(applicable(input).empty());
  }
  for (const char* rule : {"adam", "signgd", "tra_signgd"}) {
    PredictionInput input = plain::input(rule, 64, 0, 0.1, {0.02, 0.01});
    input.orthonormal = input.identity = false, input.equicorrelated = true, input.answer_cosine = 0.4;
    CHECK(applicable(input).empty());
  }
}

TEST_CASE("step sizes that change keep the recursions and the walks, but not the flow") {
  for (const auto& [rule, rows] : {std::pair<std::string, std::set<std::string>>{"gd", {"gd-recursion"}},
                                   {"ngd", {"ngd-recursion"}},
                                   {"adam", {"adam-recursion"}},
                                   {"muon", {"muon-descent"}},
                                   {"newton", {"newton-recursion"}}}) {
    PredictionInput input = plain::input(rule, 64, 0, 0.1, {0.01, 0.01});
    input.schedule.factor = schedule_factor("linear");
    CHECK(applicable(input) == rows);
    input.schedule.factor = schedule_factor("constant");
    input.schedule.decay = 0.1;
    CHECK(applicable(input) == rows);
  }
}

TEST_CASE("an objection says why") {
  PredictionInput input = plain::input("muon", 64, 0, 0.1, {1.0 / 64});
  CHECK(*plain::row("gd-flow").objection(input) == "the rule is muon, the prediction is for gd");
  CHECK(*plain::row("muon-cycle").objection(input) == "the prediction is for label noise above 0");
  input.parameters.set("momentum", 0.95);
  CHECK(*plain::row("muon-descent").objection(input) == "momentum is 0.95, the prediction is for 0.0");
  input = plain::input("signgd", 64, 0, 0.1, {1.0 / 64});
  input.identity = false;
  CHECK(plain::row("sign-descent").objection(input)->find("identity") != std::string::npos);
  input = plain::input("gd", 1, 0, 0.1, {1});
  CHECK(*plain::row("gd-recursion").objection(input) == "a margin needs at least two classes");
}

TEST_CASE("every row of the predictions says what it is, where it comes from and where it holds") {
  std::set<std::string> names;
  for (const auto& row : prediction_catalogue()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK_FALSE(row.summary.empty());
    CHECK_FALSE(row.formula.empty());
    CHECK_FALSE(row.validity.empty());
    const bool derived = row.name == "ngd-recursion" || row.name == "momentum-recursion" ||
                         row.name == "adam-recursion" || row.name == "gram-first-step" ||
                         row.name == "sign-binomial";
    const std::string source = derived                  ? "docs/closed-forms.md"
                               : row.name == "sign-svd" ? "paquette2026"
                               : row.name.starts_with("product-")
                                   ? row.of_squares ? "rhee2026" : "rarefact2026"
                               : row.name.starts_with("gains-")      ? "li2026c"
                               : row.of_squares                      ? "vasudeva2025"
                               : row.name == "newton-recursion"      ? "kim2026"
                               : row.name == "muon-units"            ? "rarefact2026"
                               : row.name.starts_with("attributes-") ? "rarefact2026"
                                                                     : "li2026, Theorem ";
    CHECK(row.source.find(source) != std::string::npos);
    CHECK((row.variant.empty() || row.variant == "flow" || row.variant == "mean"));
  }
}
