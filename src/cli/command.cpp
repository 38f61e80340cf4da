#include "cli/command.hpp"

#include <boost/algorithm/string/replace.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>

#include "experiment/keys.hpp"
#include "io/build_info.hpp"
#include "io/regular_file.hpp"

namespace rarefact {

namespace {

namespace po = boost::program_options;

po::options_description described(const Command& command) {
  po::options_description options;
  options.add_options()("help,h", "");
  for (const Option& option : command.options) {
    const std::string names = option.letter == '\0' ? option.name : option.name + "," + option.letter;
    const bool is_switch = option.value.empty();
    options.add_options()(names.c_str(), new po::untyped_value(is_switch), "");
  }
  return options;
}

[[noreturn]] void refuse(const Command& command, const std::string& message, const Hint& hint = {}) {
  throw bad_input("{}{}\nusage: {}\nmore: rarefact {} --help", message, hint, command.usage(), command.name);
}

Hint nearest_option(const Command& command, const std::string& typed) {
  std::vector<std::string> names = {"--help"};
  for (const Option& option : command.options) names.push_back("--" + option.name);
  const bool jobs = (typed == "--threads" || typed == "-j") && contains(names, std::string("--jobs"));
  return did_you_mean(jobs ? "--jobs" : nearest_name(typed, names), "");
}

/// Reports all problems at once: numbers of options and operands, and values.
void check(const Command& command, const Arguments& arguments) {
  std::vector<Problem> problems;
  for (const Option& option : command.options) {
    const std::vector<std::string> values = arguments.all(option.name);
    if (!option.repeatable && values.size() > 1)
      refuse(command, fmt::format("--{} is given more than once", option.name));
    for (const std::string& value : values) {
      const std::string objection = option.check                             ? option.check(value)
                                    : value.empty() && !option.value.empty() ? "its value is empty"
                                                                             : "";
      if (!objection.empty()) problems.push_back(problem_of("--{}: {}", option.name, objection));
    }
  }
  const Operands& row = command.operands;
  const std::size_t given = arguments.operands.size();
  if (given == 0 && row.required && !row.name.empty())
    refuse(command, fmt::format("rarefact {} needs {}: {}", command.name, row.name, row.meaning));
  const std::size_t limit = row.name.empty() ? 0 : row.repeatable ? given : 1;
  if (given > limit) refuse(command, fmt::format("unexpected \"{}\"", arguments.operands[limit]));
  raise(std::move(problems));
}

/// A command broken into lines that end in a backslash, except the last. Precondition: no word has a blank.
std::string shell_lines(const std::string& command) {
  return boost::replace_all_copy(wrapped(command, 6, line_width() - 8), "\n", " \\\n");
}

/// A help page set line by line as a manual page. Hyphens become minus signs, as options need.
std::string manual_of(const std::string& name, const std::string& summary, const std::string& help) {
  std::string text = boost::replace_all_copy(boost::replace_all_copy(help, "\\", "\\e"), "-", "\\-");
  boost::replace_all(text, "\n.", "\n\\&.");
  boost::replace_all(text, "\n'", "\n\\&'");
  return fmt::format(
      ".TH {0} 1 \"\" \"rarefact {1}\" \"rarefact\"\n.SH NAME\n{0} \\- {2}\n.SH DESCRIPTION\n.nf\n{3}.fi\n",
      name, build_info::version, summary, text);
}

}  // namespace

ValueCheck one_of(const std::vector<std::string>& words) {
  return [words](const std::string& typed) {
    if (contains(words, typed)) return std::string();
    return fmt::format("got \"{}\"; expected {}{}", typed, in_words(words, " or "),
                       did_you_mean(nearest_name(typed, words), ""));
  };
}

ValueCheck earlier_output(const std::string& start, const std::string& mark) {
  return [start, mark](const std::string& path) {
    const std::string objection = name_objection(path);
    if (!objection.empty() || !std::filesystem::is_regular_file(path) || std::filesystem::is_empty(path))
      return objection;
    std::string first;
    std::ifstream stream(path);
    std::getline(stream, first);
    if (first.starts_with(start) && first.find(mark) != std::string::npos) return std::string();
    return path + " exists and is not an earlier output of this kind, so it is not overwritten";
  };
}

ValueCheck whole_number(int low, int high) {
  return [low, high](const std::string& typed) {
    const auto number = parse_number<int>(typed);
    if (number && *number >= low && *number <= high) return std::string();
    return fmt::format("got \"{}\"; expected an integer {}", typed,
                       high == std::numeric_limits<int>::max() ? fmt::format(">= {}", low)
                                                               : fmt::format("from {} to {}", low, high));
  };
}

std::string Option::spelled() const {
  return (letter == '\0' ? "" : fmt::format("-{}, ", letter)) + "--" + name +
         (value.empty() ? "" : " " + value);
}

Arguments parse_arguments(const Command& command, const std::vector<std::string>& words) {
  namespace style = po::command_line_style;
  const po::options_description options = described(command);
  Arguments arguments{.options = {}, .operands = {}, .command = "rarefact " + command.name};
  for (const std::string& word : words) arguments.command += " " + shell_quoted(word);
  if (command.passes_on && !words.empty() && !words.front().starts_with("-")) {
    arguments.operands = words;
    return arguments;
  }
  try {
    const auto parsed = po::command_line_parser(words)
                            .options(options)
                            .style(style::unix_style & ~style::allow_guessing)
                            .run();
    for (const auto& option : parsed.options) {
      auto& values = option.position_key >= 0 ? arguments.operands : arguments.options[option.string_key];
      values.push_back(option.value.empty() ? "" : option.value.front());
    }
  } catch (const po::unknown_option& error) {
    refuse(command, "unknown option " + error.get_option_name(),
           nearest_option(command, error.get_option_name()));
  } catch (const po::invalid_command_line_syntax& error) {
    const bool empty = error.kind() == po::invalid_syntax::empty_adjacent_parameter;
    refuse(command, empty ? error.get_option_name() + ": its value is empty" : error.what());
  } catch (const po::error& error) {
    refuse(command, error.what());
  }
  if (!arguments.has("help")) check(command, arguments);
  return arguments;
}

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
  std::string text = fmt::format("usage: {}\n\n{}\n", wrapped(command.usage(), 7, line_width() - 7),
                                 wrapped(command.description));
  if (!command.operands.name.empty())
    text += fmt::format("\n{}", two_columns({{command.operands.name, command.operands.meaning}}));
  TextRows options;
  for (const Option& option : command.options) options.emplace_back(option.spelled(), option.meaning);
  options.emplace_back("-h, --help", "this page");
  text += fmt::format("\noptions:\n{}", two_columns(options));
  text += "\nexamples:\n";
  for (const std::string& example : command.examples) text += "  " + shell_lines(example) + "\n";
  return text;
}

std::string program_help() {
  const TextRows first_steps = {
      {"rarefact init first", "writes first.toml, an experiment with comments"},
      {"rarefact run first.toml", "runs it; the result is results/first.h5"},
      {"rarefact info results/first.h5", ""},
  };
  const TextRows exit_codes = {
      {"0", "done"},
      {"1",
       "a run or a statement of verify failed; with --strict also: a run diverged or missed its tolerance"},
      {"2", "bad input: the experiment, an option; nothing was written"},
      {"3", "input or output failed: a file that cannot be opened, a full disk"},
      {"4", "a result file is damaged or incomplete, or points of a sweep are"},
      {"75", "stopped early: SIGTERM, SIGINT or --max-time; the same command continues"},
  };
  TextRows commands, options;
  for (const ProgramOption& option : program_options()) options.emplace_back(option.spelled, option.meaning);
  for (const Command& command : command_list()) commands.emplace_back(command.name, command.summary);
  return fmt::format(
      "usage: rarefact COMMAND ...\n\n{}\n\ncommands:\n{}\noptions:\n{}\na first result:\n{}\nexit codes:\n{}",
      wrapped(
          "Simulates how optimizers learn rare facts in a one-layer associative memory, and puts the closed-form "
          "prediction beside every measured trajectory."),
      two_columns(commands), two_columns(options), two_columns(first_steps), two_columns(exit_codes));
}

std::string manual_page() {
  return manual_of("rarefact", "how optimizers learn rare facts", program_help());
}

std::string manual_page(const Command& command) {
  return manual_of("rarefact-" + command.name, boost::replace_all_copy(command.summary, "-", "\\-"),
                   command_help(command)) +
         ".SH SEE ALSO\n.BR rarefact (1)\n";
}

}  // namespace rarefact
