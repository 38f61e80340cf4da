#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/text_layout.hpp"

namespace rarefact {

namespace {

std::string spelled(const Option& option) {
  const std::string value = option.value.empty() ? "" : " " + option.value;
  return (option.letter == '\0' ? "" : fmt::format("-{}, ", option.letter)) + "--" + option.name + value;
}

const TextRows exit_codes = {
    {"0", "done"},
    {"1", "a run or a statement of verify failed; with --strict also: a run diverged or is uncertified"},
    {"2", "bad input: the experiment, an option; nothing was written"},
    {"3", "input or output failed: a file that cannot be opened, a full disk"},
    {"4", "a result file is damaged or incomplete, or points of a sweep are"},
    {"75", "stopped early: SIGTERM, SIGINT or --max-time; the same command goes on"},
};

}  // namespace

std::string Command::usage() const {
  std::string text = "rarefact " + name;
  if (!operands.name.empty()) {
    const std::string shown = operands.name + (operands.repeatable ? "..." : "");
    text += operands.required ? " " + shown : " [" + shown + "]";
  }
  for (const Option& option : options) {
    const std::string dashed = option.letter == '\0' ? "--" + option.name : fmt::format("-{}", option.letter);
    text += fmt::format(" [{}{}{}]{}", dashed, option.value.empty() ? "" : " ", option.value,
                        option.repeatable ? "..." : "");
  }
  return text;
}

std::string command_help(const Command& command) {
  std::string text = fmt::format("usage: {}\n\n{}\n", wrapped(command.usage(), 7, line_width - 7),
                                 wrapped(command.description));
  if (!command.operands.name.empty()) {
    text += fmt::format("\n{}", two_columns({{command.operands.name, command.operands.meaning}}));
  }
  TextRows options;
  for (const Option& option : command.options) options.emplace_back(spelled(option), option.meaning);
  options.emplace_back("-h, --help", "this page");
  text += fmt::format("\noptions:\n{}", two_columns(options));
  text += "\nexamples:\n";
  for (const std::string& example : command.examples) text += "  " + example + "\n";
  return text;
}

std::string program_help() {
  TextRows commands;
  for (const Command& command : command_list()) commands.emplace_back(command.name, command.summary);
  const TextRows options = {{"-h, --help", "this page; rarefact COMMAND --help for a command's"},
                            {"--version", "the version of the program"}};
  return fmt::format(R"(usage: rarefact COMMAND ...

Simulates how optimizers learn rare facts in a one-layer associative memory, and puts the
closed-form prediction beside every measured trajectory.

commands:
{}
options:
{}
a first result:
  rarefact init first           writes first.toml, an experiment with comments
  rarefact run first.toml       runs it; the result is results/first.h5
  rarefact info results/first.h5

exit codes:
{})",
                     two_columns(commands), two_columns(options), two_columns(exit_codes));
}

}  // namespace rarefact
