#include <fmt/format.h>

#include "cli/reference.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"

namespace rarefact {

namespace {

constexpr char meaning[] =
    "the grid of experiments to run: every key is an axis, and the grid is the product of all axes; keys "
    "with commas between them are one axis, along which they move together";

/// How the values of an axis may be written, each with what it stands for.
const TextRows axis_forms = {
    {"[v1, v2, ...]", "these values"},
    {"{range = [a, b]}", "the whole numbers from a up to, but without, b; {range = [a, b, step]} in steps"},
    {"{linspace = [a, b, n]}", "n numbers from a to b, both included, in equal steps"},
    {"{logspace = [a, b, n]}",
     "n numbers from a to b, both included, in equal ratios; a and b are the ends, not their exponents"},
    {"[[v1, w1], [v2, w2], ...]", "of several keys: v1 with w1, v2 with w2, and so on; no other form"},
};

/// What holds for every [sweep].
const std::vector<std::string> rules = {
    "An axis is a key with dots, in quotes or plain: classes.exponent, embedding.kind, embedding.query.rho, "
    "run.steps, seed, optimizer.NAME.step_size for the optimizer of that name. Names of the experiment and "
    "of optimizers cannot be swept.",
    "An axis of several keys is for those that move together: \"classes.group_size, optimizer.gd.step_size\" "
    "= [[4, 1], [1000, 250]] has two points, not four. Each of the keys is as any other; their order and the "
    "blanks around the commas mean nothing.",
    "Axes keep the order of the file, and the last one runs fastest. Each point is read as if its values "
    "stood in the file; a key that an axis gives may be missing there, or is replaced.",
    "Where the axis is a kind, a spectrum or a rule, a parameter that only some of its values have is left "
    "out of the other points: embedding.rho = 0.3 with the kinds identity and equicorrelated.",
    "Values of linspace and logspace are rounded to 15 digits, so 0.3 is 0.3 and powers of ten are round. No "
    "value may stand on an axis twice; 1e-3 and 0.001 are the same.",
    "--set KEY=VALUE of a swept key puts this one value instead of the axis; --set 'sweep.KEY=[v1, v2]' sets "
    "an axis, --set 'sweep.KEY1, KEY2=[[v1, w1], [v2, w2]]' one of several keys, which is only set as a "
    "whole.",
    "The result is one file: dimension run counts the points, and the values are in param_KEY with dots as "
    "_, such as param_classes_exponent (numbers, or texts such as kinds). rarefact table makes tables of it.",
};

/// A [sweep] as it stands in a file.
constexpr char example[] = R"([sweep]
"classes.exponent" = {linspace = [1.1, 2, 10]}
"embedding.kind" = ["identity", "equicorrelated"]
seed = {range = [0, 5]}
"run.steps, optimizer.muon.step_size" = [[100, 0.2], [200, 0.1]]
)";

}  // namespace

std::string explain_sweep() {
  std::string text = wrapped(fmt::format("[sweep] {}", meaning)) + "\n\nvalues of an axis:\n" +
                     two_columns(axis_forms) + "\n" + bullets(rules) + "\nexample:";
  for (const std::string_view line : split_text(example, '\n'))
    text += line.empty() ? "\n" : fmt::format("\n  {}", line);
  return text;
}

std::string sweep_markdown() {
  std::vector<std::vector<std::string>> forms = {{"values of an axis", "stand for"}};
  for (const auto& [form, stands_for] : axis_forms) forms.push_back({markdown_code(form), stands_for});
  return fmt::format("\n## `[sweep]`\n\n{}\n\n```toml\n{}```\n\n{}\n{}",
                     wrapped(fmt::format("Optional: {}.", meaning), 0, 120), example, markdown_table(forms),
                     bullets(rules, 120));
}

}  // namespace rarefact
