#include <boost/algorithm/string/replace.hpp>
#include <ostream>

#include "cli/command.hpp"
#include "experiment/read.hpp"
#include "io/atomic_file.hpp"

namespace rarefact {

namespace {

ExitCode run_init(const Arguments& arguments, const Streams& streams) {
  std::filesystem::path path = arguments.operands.empty() ? "experiment" : arguments.operands.front();
  const std::string name = (path.extension() == ".toml" ? path.stem() : path.filename()).string();
  if (path.extension() != ".toml") path += ".toml";
  const std::string text = boost::replace_all_copy(words("starter.toml"), "NAME", name);
  try {
    parse_experiment(text, path.string());
  } catch (const InputError&) {
    throw bad_input(
        "\"{}\" cannot be the name of an experiment: not empty, no quotes, backslashes or control "
        "characters, and no dot at its beginning",
        name);
  }
  if (std::filesystem::exists(path))
    throw bad_input("{} exists and is not overwritten; choose another name", path.string());
  write_file(path, text);
  streams.out << path.string() << "\n";
  streams.err << "next: rarefact run " << shell_quoted(path.string()) << "\n";
  return ExitCode::done;
}

}  // namespace

Command init_command() {
  return {.name = "init",
          .operands = {.name = "NAME",
                       .meaning = "name of the experiment and of its file; default: experiment",
                       .required = false},
          .run = run_init};
}

}  // namespace rarefact
