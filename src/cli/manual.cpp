#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>

#include "cli/command.hpp"
#include "core/text.hpp"
#include "io/build_info.hpp"

// Manual pages with the macros of man(7), generated from the rows of commands.

namespace rarefact {

namespace {

/// Escapes a text for roff; hyphens become minus signs, as options need. Lines may break after each choice.
std::string roff(const std::string& text) {
  std::string out = boost::replace_all_copy(boost::replace_all_copy(text, "\\", "\\e"), "-", "\\-");
  boost::replace_all(out, "|", " | ");
  boost::replace_all(out, "\n.", "\n\\&.");
  boost::replace_all(out, "\n'", "\n\\&'");
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string page_start(const std::string& name, const std::string& summary) {
  return fmt::format(".TH {} 1 \"\" \"rarefact {}\" \"rarefact\"\n.SH NAME\n{} \\- {}\n", name,
                     build_info::version, name, roff(summary));
}

std::string tagged(const std::string& tag, const std::string& text) {
  return fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(tag), roff(text));
}

std::string paragraphs(const std::string& text) {
  std::string out;
  for (const std::string_view line : split_text(text, '\n'))
    out += (out.empty() ? "" : ".PP\n") + roff(std::string(line)) + "\n";
  return out;
}

std::string exit_code_section() {
  std::string text = ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : exit_codes()) text += tagged(code, meaning);
  return text;
}

}  // namespace

std::string manual_page() {
  std::string text = page_start("rarefact", "how optimizers learn rare facts");
  text +=
      ".SH SYNOPSIS\n\\fBrarefact\\fR \\fICOMMAND\\fR ...\n.SH DESCRIPTION\n" + paragraphs(program_summary());
  text += ".SH COMMANDS\n";
  for (const Command& command : command_list())
    text += tagged(command.name, command.summary + ": rarefact-" + command.name + "(1)");
  text += ".SH OPTIONS\n";
  for (const ProgramOption& option : program_options()) text += tagged(option.spelled, option.meaning);
  text += exit_code_section() + ".SH EXAMPLES\n.EX\n";
  for (const auto& [line, meaning] : first_steps()) text += roff(line) + "\n";
  return text + ".EE\n";
}

std::string manual_page(const Command& command) {
  std::string text = page_start("rarefact-" + command.name, command.summary);
  text += ".SH SYNOPSIS\n" + roff(command.usage()) + "\n.SH DESCRIPTION\n" + paragraphs(command.description);
  if (!command.operands.name.empty()) text += tagged(command.operands.name, command.operands.meaning);
  text += ".SH OPTIONS\n";
  for (const Option& option : command.options) text += tagged(option.spelled(), option.meaning);
  text += tagged("-h, --help", "this page") + exit_code_section() + ".SH EXAMPLES\n.EX\n";
  for (const std::string& example : command.examples) text += roff(example) + "\n";
  return text + ".EE\n.SH SEE ALSO\n.BR rarefact (1)\n";
}

}  // namespace rarefact
