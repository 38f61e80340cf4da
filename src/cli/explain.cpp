#include <fmt/format.h>

#include <ostream>

#include "cli/command.hpp"
#include "cli/reference.hpp"

namespace rarefact::commands {

namespace {

[[noreturn]] void refuse_key(const std::string& typed) {
  throw InputError(fmt::format("there is no experiment key \"{}\"{} (rarefact explain lists all keys)", typed,
                               did_you_mean(joined(nearest_keys(typed), " or "), "")));
}

std::string explained(const std::string& typed) {
  if (const ExperimentKey* key = find_key(typed)) return explain_key(*key);
  for (const ExperimentTable& table : experiment_tables()) {
    if (!table.name.empty() && table.name == typed) return key_overview(table);
  }
  if (typed == "sweep") return explain_sweep();
  // The last part alone will do where it is one key's.
  if (const auto nearest = nearest_keys(typed);
      nearest.size() == 1 && find_key(nearest[0])->last_name() == typed) {
    return explain_key(*find_key(nearest[0]));
  }
  refuse_key(typed);
}

ExitCode run_explain(const Arguments& arguments, const Streams& streams) {
  const auto& operands = arguments.operands();
  if (arguments.has("markdown") && !operands.empty()) {
    throw InputError("--markdown is for all keys together; leave the key or the option away");
  }
  streams.out << (arguments.has("markdown") ? experiment_file_markdown()
                  : operands.empty()        ? key_overview()
                                            : explained(operands.front()));
  return ExitCode::done;
}

}  // namespace

Command explain() {
  return {
      .name = "explain",
      .summary = "what a key of the experiment file means",
      .description =
          "Explains a key of the experiment file: its meaning, type, default, legal values, and to which "
          "spectrum, embedding or rule it belongs. Without a key it lists all of them, with the name of a "
          "table those of the table; sweep is the grid of experiments.",
      .operands = {.name = "KEY", .meaning = "a key with dots, or a table, such as run", .required = false},
      .options = {{.name = "markdown", .meaning = "all keys as docs/experiment-file.md"}},
      .examples = {"rarefact explain", "rarefact explain run.steps", "rarefact explain classes.exponent",
                   "rarefact explain sweep"},
      .run = run_explain};
}

}  // namespace rarefact::commands
