// The keys of formula rules, param.NAME, state.NAME, let.NAME and direction: read, written, set, swept, refused.

#include <catch2/catch.hpp>

#include "experiment/axes.hpp"
#include "experiment/plan.hpp"
#include "experiment/read.hpp"
#include "experiment/samples.hpp"
#include "experiment/write.hpp"

using namespace rarefact;
using Catch::Matchers::Contains;

namespace {

const std::string head = R"toml(name = "x"
[classes]
spectrum = "uniform"
count = 4
[run]
steps = 2
[[optimizer]]
name = "mine"
step_size = 1
)toml";

const std::string formulas = R"toml(rule = "formula"
param.mu = 0.95
state.m = "mu*m + G"
let.o = "polar(m)"
direction = "o"
)toml";

const ParameterValues values = {{"param.mu", 0.95},
                                {"state.m", std::string("mu*m + G")},
                                {"let.o", std::string("polar(m)")},
                                {"direction", std::string("o")}};

ParameterValues read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_experiment(head + text, "e.toml", overrides).optimizers.at(0).parameters;
}

/// All that is said of a bad text; empty of a good one.
std::string complaint(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_plan(head + text, "e.toml", overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  return text.replace(text.find(old), old.size(), by);
}

}  // namespace

TEST_CASE("formulas are flat parameters, however TOML groups them") {
  CHECK(read(formulas) == values);
  CHECK(read("rule = \"formula\"\nparam = {mu = 0.95}\nstate = {m = \"mu*m + G\"}\ndirection = 'o'\n"
             "[optimizer.let]\no = \"polar(m)\"\n") == values);
  CHECK(read("rule = \"formula\"\ndirection = \"-G\"\n") ==
        ParameterValues{{"direction", std::string("-G")}});
  // A whole number is a number.
  CHECK(read(replaced(formulas, "0.95", "1")).number("param.mu") == 1);
}

TEST_CASE("what is written is read again, in one order and without blanks at the ends of formulas") {
  const Experiment e = parse_experiment(head + formulas, "e.toml");
  const std::string text = to_toml(e);
  CHECK_THAT(text,
             Contains("param.mu = 0.95\nstate.m = \"mu*m + G\"\nlet.o = \"polar(m)\"\ndirection = \"o\"\n"));
  CHECK(parse_experiment(text, "e.toml").optimizers == e.optimizers);
  // What a result is hashed by.
  const auto hashed = [](const std::string& lines) {
    return resolved_text(parse_plan(head + lines, "e.toml", {}));
  };
  const std::string other_order =
      "direction = \"  o \"\nlet.o = '''polar(m)'''\nstate.m = \"mu*m\\u0020+ G \"\nparam.mu = 95e-2\nrule = \"formula\"\n";
  CHECK(hashed(other_order) == hashed(formulas));
  CHECK(hashed(replaced(formulas, "polar(m)", "polar(G)")) != hashed(formulas));
  CHECK(hashed(replaced(formulas, "mu*m + G", "mu*m - G")) != hashed(formulas));
}

TEST_CASE("--set reaches every definition, also one that the file has not") {
  CHECK(read(formulas, {"optimizer.mine.param.mu=0.5"}).number("param.mu") == 0.5);
  CHECK(read(formulas, {"optimizer.mine.param.nu=2"}).number("param.nu") == 2);
  CHECK(read(formulas, {"optimizer.mine.let.o=\"sign(m)\""}).text("let.o") == "sign(m)");
  CHECK(read(formulas, {"optimizer.mine.direction=m"}).text("direction") == "m");
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"mine.param.mu=many", ": error: optimizer.param.mu: got the text \"many\"; expected a number"},
      {"param.mu=1", "optimizer.NAME.param.mu with its name"},
      {"mine.param=1", "optimizer.param: got 1; expected param.NAME = a number"},
      {"mine.param.1a=1", "got the name \"1a\"; expected letters"},
      {"mine.parm.mu=1", "did you mean \"optimizer.mine.param.mu\"?"},
      {"yours.param.mu=1", "no optimizer is named \"yours\""}};
  for (const auto& [set, said] : wrong) {
    CHECK_THAT(complaint(formulas, {"optimizer." + set}),
               Catch::StartsWith("--set optimizer." + set) && Contains(said));
  }
}

TEST_CASE("definitions are swept under quoted and plain keys, alone and together") {
  for (const std::string axis :
       {"\"optimizer.mine.param.mu\" = [0, 0.5]", "optimizer.mine.param.mu = [0.0, 0.5]",
        "optimizer.mine.param.mu = {linspace = [0, 0.5, 2]}"}) {
    CAPTURE(axis);
    const ExperimentPlan plan = parse_plan(head + formulas + "[sweep]\n" + axis + "\n", "e.toml", {});
    REQUIRE(plan.size() == 2);
    CHECK(plan.point(1).experiment.optimizers[0].parameters.number("param.mu") == 0.5);
    CHECK(std::get<double>(plan.parameters(1).at("optimizer.mine.param.mu")) == 0.5);
    const std::string text = resolved_text(plan);
    CHECK_THAT(text, Contains("\n\"optimizer.mine.param.mu\" = [0.0, 0.5]\n"));
    CHECK_THAT(text, !Contains("\nparam.mu"));
    CHECK(resolved_text(parse_plan(text, "e.toml", {})) == text);
  }
  const ExperimentPlan joint = parse_plan(
      head + formulas +
          "[sweep]\n\"optimizer.mine.let.o, optimizer.mine.step_size\" = [[\"polar(m)\", 1], [\" sign(m)\", 2]]\n",
      "e.toml", {});
  CHECK(joint.point(1).experiment.optimizers[0].parameters.text("let.o") == " sign(m)");
  CHECK(std::get<std::string>(joint.parameters(1).at("optimizer.mine.let.o")) == "sign(m)");
  CHECK_THAT(complaint(formulas + "[sweep]\n\"optimizer.mine.let.o\" = [\"m\", \"m \"]\n"),
             Contains("on the axis twice"));
  CHECK_THAT(complaint(formulas + "[sweep]\n\"optimizer.mine.param\" = [1]\n"),
             Contains("sweep.optimizer.mine.param: say which: optimizer.mine.param.NAME"));
  CHECK_THAT(complaint(formulas + "[sweep]\n\"optimizer.mine.param.mu\" = [1, true]\n"),
             Contains("optimizer.param.mu: got true; expected a number"));
}

TEST_CASE("a swept key of a formula rule has the name that the user gave it") {
  CHECK(symbol_of("optimizer.mine.param.mu") == "mu of mine");
  CHECK(parameter_variable("optimizer.mine.param.mu") == "param_optimizer_mine_param_mu");
  CHECK(KeyPath("optimizer.mine.param.mu").section() == "optimizer.mine");
  CHECK(KeyPath("optimizer.mine.param.mu").name == "param.mu");
  CHECK(KeyPath("optimizer.a.b.step_size").name == "step_size");
  CHECK(find_key("optimizer.mine.param.mu")->shown() == "optimizer.param.NAME");
  CHECK(find_key("optimizer.param.mu") == find_key("optimizer.param"));
}

TEST_CASE("an axis of rules tolerates the definitions of those among them that are formulas") {
  const std::string text = replaced(formulas, "\"formula\"", "\"gd\"") +
                           "[sweep]\n\"optimizer.mine.rule\" = [\"muon\", \"formula\"]\n";
  const ExperimentPlan plan = parse_plan(head + text, "e.toml", {});
  CHECK_FALSE(plan.point(0).experiment.optimizers[0].parameters.has("param.mu"));
  CHECK(plan.point(1).experiment.optimizers[0].parameters == values);
  const std::string canonical = resolved_text(plan);
  CHECK_THAT(canonical, Contains("param.mu = 0.95\n"));
  CHECK(resolved_text(parse_plan(canonical, "e.toml", {})) == canonical);
  // A swept key is for every point, as any other parameter is.
  CHECK_THAT(complaint(text + "\"optimizer.mine.param.mu\" = [0, 1]\n"),
             Contains("optimizer.param.mu is a parameter of rule formula, not of muon"));
}

TEST_CASE("strangers and bad names are refused at their place") {
  for (const auto& row : rows_of(R"(
param.m-u = 1 | e.toml:15:7: error: optimizer.param.NAME: got the name "m-u"; expected letters, digits and _, no digit first
let."" = "G" | got the name ""
let."a.b" = "G" | got the name "a.b"
param.a.b = 1 | optimizer.param.a: got a table; expected a number
"param.mu" = 1 | optimizer.param.mu: it is there twice, once in quotes
parm.nu = 1 | unknown key "parm" in [optimizer]; did you mean "param"?
state.v = 2 | e.toml:15:11: error: optimizer.state.v: got 2; expected a formula
param.nu = nan | optimizer.param.nu: got nan; expected a number
)"))
    CHECK_THAT(complaint(formulas + row[0] + "\n"), Contains(row[1]));
  CHECK_THAT(complaint(replaced(formulas, "\"formula\"", "\"muon\"")),
             Contains("e.toml:11:7: error: optimizer.param.mu is a parameter of rule formula, not of muon; "
                      "muon takes momentum"));
  CHECK_THAT(complaint("rule = \"formula\"\n"),
             Contains("optimizer.direction is missing") &&
                 Contains("formula takes param.NAME, state.NAME, let.NAME and direction"));
  CHECK_THAT(complaint("rule = \"formula\"\nparam = 3\ndirection = \"G\"\n"),
             Contains("e.toml:11:9: error: optimizer.param: got 3; expected param.NAME = a number"));
}

TEST_CASE("a problem within a formula has its column and a caret below the text") {
  const auto of = [](const std::string& line) { return complaint("rule = \"formula\"\n" + line + "\n"); };
  const std::string said = "there is no function 'polr'; did you mean polar?\n";
  CHECK(of("direction = \"2*polr(G)\"") == "e.toml:11:16: error: " + said + "  2*polr(G)\n    ^");
  CHECK(of("direction = '2*polr(G)'") == "e.toml:11:16: error: " + said + "  2*polr(G)\n    ^");
  // Escapes, and strings of three quotes, hide where a character stands.
  CHECK(of("direction = \"\\u0032*polr(G)\"") == "e.toml:11:13: error: " + said + "  2*polr(G)\n    ^");
  CHECK(of("direction = '''2*polr(G)'''") == "e.toml:11:13: error: " + said + "  2*polr(G)\n    ^");
  CHECK(complaint("rule = \"formula\"\n", {"optimizer.mine.direction=\"polr(G)\""}) ==
        "--set optimizer.mine.direction=\"polr(G)\": error: " + said + "  polr(G)\n  ^");
  CHECK(of("[sweep]\n\"optimizer.mine.direction\" = [\"G\", \" polr(G)\"]") ==
        "e.toml:12:38: error: " + said + "   polr(G)\n   ^");
  // Of a long formula what is near.
  const auto repeated = [](const std::string& text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  CHECK(of("direction = \"" + repeated("G + ", 50) + "polr(G)" + repeated(" + G", 50) + "\"") ==
        "e.toml:11:214: error: " + said + "  ..." + repeated("G + ", 15) + "polr(G)" + repeated(" + G", 13) +
            " ...\n  " + std::string(63, ' ') + "^");
  CHECK_THAT(complaint("rule = \"muon\"\npolar_steps = 3\n"),
             Catch::StartsWith("e.toml:7:1: error: [[optimizer]]: polar_steps is for polynomials"));
}

TEST_CASE("a label that would make keys ambiguous is refused") {
  for (const std::string label : {"a.param", "let", "x.state.y"}) {
    const std::string text = replaced(head, "\"mine\"", "\"" + label + "\"") + formulas;
    CHECK_THROWS_WITH(parse_experiment(text, "e.toml"),
                      Contains("e.toml:8:8: error: optimizer.name: got \"" + label + "\"; expected no part"));
  }
  CHECK_NOTHROW(
      parse_experiment(replaced(head, "\"mine\"", "\"parameters.of.lettuce\"") + formulas, "e.toml"));
}
