#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>

#include "cli/command.hpp"
#include "core/text.hpp"

namespace rarefact {

namespace {

namespace po = boost::program_options;

po::options_description described(const Command& command) {
  po::options_description options;
  options.add_options()("help,h", "");
  for (const Option& option : command.options) {
    const std::string names = option.letter == '\0' ? option.name : option.name + "," + option.letter;
    if (option.value.empty()) {
      options.add_options()(names.c_str(), "");
    } else {
      options.add_options()(names.c_str(), po::value<std::string>(), "");
    }
  }
  return options;
}

[[noreturn]] void refuse(const Command& command, const std::string& message) {
  throw InputError(
      fmt::format("{}\nusage: {}\nmore: rarefact {} --help", message, command.usage(), command.name));
}

std::string nearest_option(const Command& command, const std::string& typed) {
  std::vector<std::string> names = {"--help"};
  for (const Option& option : command.options) names.push_back("--" + option.name);
  const auto longer =
      std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.starts_with(typed); });
  return did_you_mean(longer != names.end() ? *longer : nearest_name(typed, names), "");
}

void check_operands(const Command& command, const std::vector<std::string>& operands) {
  const Operands& row = command.operands;
  if (operands.empty() && row.required && !row.name.empty()) {
    refuse(command, fmt::format("rarefact {} needs {}: {}", command.name, row.name, row.meaning));
  }
  const std::size_t most = row.name.empty() ? 0 : row.repeatable ? operands.size() : 1;
  if (operands.size() > most) refuse(command, fmt::format("unexpected \"{}\"", operands[most]));
}

}  // namespace

std::string Arguments::text(const std::string& option, const std::string& otherwise) const {
  const auto found = options_.find(option);
  return found == options_.end() ? otherwise : found->second.back();
}

const std::vector<std::string>& Arguments::all(const std::string& option) const {
  static const std::vector<std::string> none;
  const auto found = options_.find(option);
  return found == options_.end() ? none : found->second;
}

Arguments parse_arguments(const Command& command, const std::vector<std::string>& words) {
  namespace style = po::command_line_style;
  const po::options_description options = described(command);
  Arguments arguments;
  try {
    const auto parsed = po::command_line_parser(words)
                            .options(options)
                            .style(style::unix_style & ~style::allow_guessing)
                            .run();
    for (const auto& option : parsed.options) {
      if (option.position_key >= 0) {
        for (const std::string& value : option.value) arguments.add_operand(value);
      } else {
        arguments.add(option.string_key, option.value.empty() ? "" : option.value.front());
      }
    }
  } catch (const po::unknown_option& error) {
    refuse(command, fmt::format("unknown option {}{}", error.get_option_name(),
                                nearest_option(command, error.get_option_name())));
  } catch (const po::error& error) {
    refuse(command, error.what());
  }
  if (arguments.has("help")) return arguments;
  for (const Option& option : command.options) {
    if (!option.repeatable && arguments.all(option.name).size() > 1) {
      refuse(command, fmt::format("--{} is given more than once", option.name));
    }
  }
  check_operands(command, arguments.operands());
  return arguments;
}

}  // namespace rarefact
