#include "cli/reference_sweep.hpp"

#include <fmt/format.h>

#include "cli/reference.hpp"
#include "cli/text_layout.hpp"

namespace rarefact {

namespace {

constexpr char meaning[] =
    "the grid of experiments to run: every key is an axis, and the grid is the product of all axes; keys "
    "with commas between them are one axis, along which they move together";

}  // namespace

const std::vector<std::pair<std::string, std::string>>& axis_forms() {
  static const std::vector<std::pair<std::string, std::string>> forms = {
      {"[v1, v2, ...]", "these values"},
      {"{range = [a, b]}", "the whole numbers from a up to, but without, b; {range = [a, b, step]} in steps"},
      {"{linspace = [a, b, n]}", "n numbers from a to b, both included, in equal steps"},
      {"{logspace = [a, b, n]}",
       "n numbers from a to b, both included, in equal ratios; a and b are the ends, not their exponents"},
      {"[[v1, w1], [v2, w2], ...]", "of several keys: v1 with w1, v2 with w2, and so on; no other form"},
  };
  return forms;
}

const std::vector<std::string>& sweep_rules() {
  static const std::vector<std::string> rules = {
      "An axis is a key with dots, in quotes or plain: classes.exponent, embedding.kind, "
      "embedding.query.rho, "
      "run.steps, seed, optimizer.NAME.step_size for the optimizer of that name. Names of the experiment and "
      "of "
      "optimizers cannot be swept.",
      "An axis of several keys is for those that move together: \"classes.group_size, "
      "optimizer.gd.step_size\" = [[4, 1], [1000, 250]] has two points, not four. Each of the keys is as any "
      "other; their order and the blanks around the commas mean nothing.",
      "Axes keep the order of the file, and the last one runs fastest. Each point is read as if its values "
      "stood "
      "in the file; a key that an axis gives may be missing there, or is replaced.",
      "Where the axis is a kind, a spectrum or a rule, a parameter that only some of its values have is left "
      "out "
      "of the other points: embedding.rho = 0.3 with the kinds identity and equicorrelated.",
      "Values of linspace and logspace are rounded to 15 digits, so 0.3 is 0.3 and powers of ten are round. "
      "No "
      "value may stand on an axis twice; 1e-3 and 0.001 are the same.",
      "--set KEY=VALUE of a swept key puts this one value in the place of the axis; --set 'sweep.KEY=[v1, "
      "v2]' sets an axis, --set 'sweep.KEY1, KEY2=[[v1, w1], [v2, w2]]' one of several keys, which is only "
      "set as a whole.",
      "The result is one file: dimension run counts the points, and the values are in param_KEY with dots as "
      "_, "
      "such as param_classes_exponent (numbers, or texts such as kinds). rarefact table makes tables of it.",
  };
  return rules;
}

const std::string& sweep_example() {
  static const std::string example = R"([sweep]
"classes.exponent" = {linspace = [1.1, 2, 10]}
"embedding.kind" = ["identity", "equicorrelated"]
seed = {range = [0, 5]}
"run.steps, optimizer.muon.step_size" = [[100, 0.2], [200, 0.1]]
)";
  return example;
}

std::string explain_sweep() {
  std::string text = wrapped(fmt::format("[sweep] {}", meaning)) + "\n\nvalues of an axis:\n" +
                     two_columns(axis_forms()) + "\n";
  for (const std::string& rule : sweep_rules()) text += "* " + wrapped(rule, 2, line_width - 2) + "\n";
  text += "\nexample:\n";
  std::size_t begin = 0;
  const std::string& example = sweep_example();
  for (std::size_t end; (end = example.find('\n', begin)) != std::string::npos; begin = end + 1)
    text += "  " + example.substr(begin, end - begin + 1);
  return text;
}

std::string sweep_markdown() {
  std::string text = fmt::format(
      "\n## `[sweep]`\n\n{}\n\n```toml\n{}```\n\n| values of an axis | stand for |\n| --- | --- "
      "|\n",
      wrapped(fmt::format("Optional: {}.", meaning), 0, 120), sweep_example());
  for (const auto& [form, stands_for] : axis_forms())
    text += fmt::format("| `{}` | {} |\n", form, stands_for);
  text += "\n";
  for (const std::string& rule : sweep_rules()) text += "* " + wrapped(rule, 2, 118) + "\n";
  return text;
}

}  // namespace rarefact
