#pragma once

/// The program `rarefact`. Subcommands are rows: parsing, help pages, messages and docs derive from them.

#include <functional>
#include <iosfwd>
#include <limits>
#include <map>

#include "cli/output.hpp"

namespace rarefact {

/// Why a text is not a value of an option; empty if it is.
using ValueCheck = std::function<std::string(const std::string&)>;
ValueCheck one_of(const std::vector<std::string>& words);
ValueCheck whole_number(int low, int high = std::numeric_limits<int>::max());
/// The name of a new file or of an earlier output, whose first line begins with `start` and has `mark`.
ValueCheck earlier_output(const std::string& start, const std::string& mark);

/// An option, for the parser, help, completion and manual pages.
struct Option {
  std::string name;        ///< without the dashes
  std::string value = {};  ///< name of its value in help; empty for a switch
  std::string meaning = {};
  ValueCheck check = {};  ///< default: any nonempty text is a value
  bool repeatable = false;
  char letter = '\0';  ///< letter of its short form, if it has one

  /// "-o, --output FILE.h5"
  std::string spelled() const;
};

inline const Option json_option = {"json", "",
                                   "print one JSON value instead, for programs; errors are JSON, too"};

/// Words that are not options.
struct Operands {
  std::string name;  ///< in help, such as "FILE.h5"; empty: the command takes none
  std::string meaning = {};
  bool required = true;
  bool repeatable = false;
};

/// The arguments of the user, checked against the row.
struct Arguments {
  std::map<std::string, std::vector<std::string>> options;  ///< a switch has an empty value
  std::vector<std::string> operands;
  std::string command = {};  ///< as a shell reads it: "rarefact run 'my file.toml'"

  bool has(const std::string& option) const { return options.count(option) != 0; }
  /// The last value of an option, or `otherwise`.
  std::string text(const std::string& option, const std::string& otherwise = {}) const {
    return has(option) ? options.at(option).back() : otherwise;
  }
  std::vector<std::string> all(const std::string& option) const {
    return has(option) ? options.at(option) : std::vector<std::string>{};
  }
};

struct Streams {
  std::ostream& out;
  std::ostream& err;
};

struct Command {
  std::string name;
  // Summary, description and examples are in words/commands.md.
  std::string summary = {};      ///< one line
  std::string description = {};  ///< a paragraph or more, separated by '\n'
  Operands operands = {};
  std::vector<Option> options = {};
  std::vector<std::string> examples = {};
  bool passes_on = false;  ///< all words after the first are operands, even if they look like options
  ExitCode (*run)(const Arguments& arguments, const Streams& streams) = nullptr;

  /// "rarefact run EXPERIMENT.toml [-o FILE] ..."
  std::string usage() const;
};

/// All subcommands, in the order of the help page.
const std::vector<Command>& command_list();

/// An option of the program itself, in place of a subcommand.
struct ProgramOption {
  std::string name;  ///< "--help"
  std::string spelled, meaning;
  std::string (*text)(const std::vector<std::string>& words);  ///< to print, given the words after it
};
const std::vector<ProgramOption>& program_options();

/// Parses the words after the subcommand's name. Throws InputError with everything that the row does not
/// allow and all illegal values; with --help nothing is required.
Arguments parse_arguments(const Command& command, const std::vector<std::string>& words);

/// The help pages of the program and of one subcommand.
std::string program_help();
std::string command_help(const Command& command);

/// The help pages as manual pages, in the macros of man(7).
std::string manual_page();
std::string manual_page(const Command& command);

/// With {SHELL}: the script that makes bash or zsh complete commands, options and keys. With {SHELL, WORD,
/// ...}, as that script calls it: completions of the last word, a line each. InputError for other shells.
std::string completion(const std::vector<std::string>& words);

/// Runs the program (argv[0] is its name) and returns the exit code. Results go to `out`, messages to `err`. Never throws.
int run_program(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace rarefact
