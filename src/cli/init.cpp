#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "cli/command.hpp"
#include "experiment/read.hpp"
#include "io/atomic_file.hpp"

namespace rarefact {

/// A commented experiment of that name that runs in a moment.
std::string starter_experiment(const std::string& name) {
  return fmt::format(R"(# An experiment: which optimizer learns rare facts as fast as frequent ones?
# Run it:            rarefact run {0}.toml      (the result is results/{0}.h5)
# What a key means:  rarefact explain classes.groups      (without the key: all keys)

name = "{0}"
seed = 1                             # of every random number

[classes]                            # the facts and how often each occurs
spectrum = "grouped_power_law"       # others: rarefact list spectra
groups = 16                          # group i has a mass in proportion to i^-exponent
group_size = 1000                    # facts in a group; may be 1e12, the time does not depend on it
exponent = 1.5

[embedding]                          # of queries and answers alike
kind = "identity"                    # others: rarefact list embeddings

[data]
mode = "population"                  # the exact expectation over facts; samples: "minibatch", "dataset"
label_noise = 0.0                    # this fraction of the answers is drawn at random

[run]
steps = 200
record = "all"                       # or "log", {{every = 10}}, [0, 1, 5, 200]

# As many optimizers as you like, each with a step size; the rules: rarefact list optimizers

[[optimizer]]
rule = "gd"
step_size = 2000.0                   # about 1 / (probability of the most frequent fact)

[[optimizer]]
rule = "adam"
step_size = 0.5

[[optimizer]]
rule = "muon"
step_size = 1.0                      # every fact's margin rises by 1 a step
)",
                     name);
}

namespace {

ExitCode run_init(const Arguments& arguments, const Streams& streams) {
  std::filesystem::path path = arguments.operands.empty() ? "experiment" : arguments.operands.front();
  if (path.extension() != ".toml") path += ".toml";
  const std::string name = path.stem().string();
  const std::string text = starter_experiment(name);
  try {
    parse_experiment(text, path.string());
  } catch (const InputError&) {
    throw bad_input(
        "\"{}\" cannot be the name of an experiment: no quotes, backslashes or control "
        "characters, and no dot at its beginning",
        name);
  }
  if (std::filesystem::exists(path))
    throw bad_input("{} exists and is not overwritten; choose another name", path.string());
  write_file(path, text);
  streams.out << path.string() << "\n";
  streams.err << "next: rarefact run " << path.string() << "\n";
  return ExitCode::done;
}

}  // namespace

Command init_command() {
  return {.name = "init",
          .summary = "write a commented starter experiment",
          .description =
              "Writes NAME.toml, a small experiment with comments that runs as it is in less than a second. "
              "A file that exists is not overwritten.",
          .operands = {.name = "NAME",
                       .meaning = "name of the experiment and of its file; default: experiment",
                       .required = false},
          .examples = {"rarefact init", "rarefact init imbalance"},
          .run = run_init};
}

}  // namespace rarefact
