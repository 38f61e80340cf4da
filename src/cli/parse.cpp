#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>

#include "cli/command.hpp"
#include "core/text.hpp"
#include "rarefact/catalogue.hpp"

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

void check_numbers(const Command& command, const Arguments& arguments) {
  for (const Option& option : command.options) {
    if (!option.repeatable && arguments.all(option.name).size() > 1)
      refuse(command, fmt::format("--{} is given more than once", option.name));
  }
  const Operands& row = command.operands;
  const std::size_t given = arguments.operands.size();
  if (given == 0 && row.required && !row.name.empty())
    refuse(command, fmt::format("rarefact {} needs {}: {}", command.name, row.name, row.meaning));
  const std::size_t most = row.name.empty() ? 0 : row.repeatable ? given : 1;
  if (given > most) refuse(command, fmt::format("unexpected \"{}\"", arguments.operands[most]));
}

}  // namespace

std::string Arguments::text(const std::string& option, const std::string& otherwise) const {
  return has(option) ? options.at(option).back() : otherwise;
}

std::vector<std::string> Arguments::all(const std::string& option) const {
  return has(option) ? options.at(option) : std::vector<std::string>{};
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
      auto& values = option.position_key >= 0 ? arguments.operands : arguments.options[option.string_key];
      values.push_back(option.value.empty() ? "" : option.value.front());
    }
  } catch (const po::unknown_option& error) {
    refuse(command, fmt::format("unknown option {}{}", error.get_option_name(),
                                nearest_option(command, error.get_option_name())));
  } catch (const po::error& error) {
    refuse(command, error.what());
  }
  if (!arguments.has("help")) check_numbers(command, arguments);
  return arguments;
}

}  // namespace rarefact
