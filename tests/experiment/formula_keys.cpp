// The keys of formula rules, param.NAME, state.NAME, let.NAME and direction: read, written, set, swept; refused: tests/cli/transcripts/include.txt.

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
