// Experiment texts; a comment "#set KEY=VALUE" is a --set beside them. Whatever stands there, it is an experiment or
// refused with places, and the canonical text of one that is legal means the same experiment.

#include <algorithm>

#include "core/text.hpp"
#include "experiment/keys.hpp"
#include "experiment/plan.hpp"
#include "fuzz/target.hpp"

using namespace rarefact::fuzz;

namespace {

std::vector<std::string> overrides_of(const std::string& text) {
  std::vector<std::string> overrides;
  for (const std::string_view line : split_text(text, '\n')) {
    if (line.starts_with("#set ")) overrides.emplace_back(line.substr(5));
  }
  return overrides;
}

/// Whether an axis may have ten thousand places and more: it may be right, and takes its time.
bool maybe_long(const std::string& text) {
  if (text.find("range") == std::string::npos && text.find("space") == std::string::npos) return false;
  int digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = std::isxdigit(static_cast<unsigned char>(text[i])) || text[i] == '_' || text[i] == '.';
    digits = digit ? digits + 1 : 0;
    if (digits >= 5 || (digits > 1 && (text[i] == 'e' || text[i] == 'E'))) return true;
  }
  return false;
}

void run(const std::string& text) {
  if (maybe_long(text)) return;
  const std::string file = "fuzzed.toml";
  ExperimentPlan plan;
  try {
    plan = parse_plan(text, file, overrides_of(text));
  } catch (const InputError& error) {
    require(!error.problems().empty() && error.problems().size() <= 101,
            "a refusal without problems, or too many");
    for (const Problem& problem : error.problems())
      require(!problem.message.empty() && problem.message.size() < 2100,
              "a problem without words, or too many");
    return;
  }
  // What parse_plan lets pass is legal at every point.
  for (const std::size_t index : {std::size_t{0}, plan.size() / 2, plan.size() - 1}) plan.point(index);
  const std::string canonical = resolved_text(plan);
  const ExperimentPlan again = parse_plan(canonical, file);
  require(again.size() == plan.size() && resolved_text(again) == canonical,
          "the canonical text means something else");
}

std::vector<std::string> seeds() {
  const std::string small = R"(name = "small"
seed = 3
[classes]
spectrum = "grouped_power_law"
groups = 4
group_size = 10
exponent = 1.5
[embedding]
kind = "identity"
[data]
label_noise = 0.1
[run]
steps = 20
record = {every = 5}
[[optimizer]]
rule = "gd"
step_size = 1.0
[[optimizer]]
name = "m"
rule = "muon"
step_size = 0.3
)";
  return {
      small,
      small + "[sweep]\nclasses.exponent = {linspace = [1, 2, 5]}\noptimizer.m.momentum = [0.0, 0.9]\n",
      small +
          "[sweep]\n\"seed, run.steps\" = [[1, 10], [2, 20]]\nembedding.kind = [\"identity\", \"gaussian\"]\n",
      small + "#set run.steps=7\n#set optimizer.m.step_size=0.1\n#set sweep.seed={range=[1, 4]}\n"};
}

std::vector<std::string> words() {
  std::vector<std::string> words = words_in(
      "[sweep]\n|[[optimizer]]\n|{range = [1, 4]}|{linspace = [1, 2, 3]}|\n#set |{logspace = [1e-300, 1, 3]}|"
      "nan|inf|-0.0|1e308|\"\"\"|'''|[[|]]|{|}|\\u0000|\xe2\x80\xae|\x1b[31m|\xc2\x9b|1979-05-27T07:32:00Z|"
      "0x7fffffffffffffff|, |= ");
  for (const ExperimentKey& key : experiment_keys()) {
    words.push_back(key.name() + " = ");
    words.push_back("\n" + key.last_name() + " = ");
    words.push_back("\n[" + key.table + "]\n");
    words.push_back(key.other_forms);
    for (const KeyUse& use : key.uses) {
      for (const std::string& choice : use.parameter.choices) words.push_back('"' + choice + '"');
      for (const std::string& owner : use.owners) words.push_back('"' + owner + '"');
      if (use.parameter.default_value) words.push_back(to_toml(*use.parameter.default_value));
    }
  }
  return words;
}

const Added added({"experiment", seeds, words, run});

}  // namespace
