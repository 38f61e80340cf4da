#include <fmt/format.h>

#include <boost/algorithm/string/replace.hpp>

#include "cli/command.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "verify/check_row.hpp"

// Completion scripts for shells, generated from the rows of commands and keys.

namespace rarefact {

namespace {

/// The possible values of an operand or option: words, or a pattern of files.
struct Expected {
  std::string words = {};  ///< with blanks between them
  std::string files = {};  ///< a pattern such as "*.toml"
};

Expected expected(const std::string& name) {
  if (name == "KEY") return {joined(key_names(), " ")};
  if (name == "ID") return {joined(mapped(check_catalogue(), &CheckRow::id), " ")};
  if (name.find('|') != std::string::npos) return {boost::replace_all_copy(name, "|", " ")};
  if (name.starts_with("FILE") && name.find('.') == std::string::npos) return {{}, "*"};
  const std::size_t dot = name.rfind('.');
  return {{}, dot == std::string::npos ? "" : "*" + name.substr(dot)};
}

/// The bash code that completes a value; empty if its values are unknown.
std::string bash_reply(const Expected& what) {
  if (!what.words.empty()) return fmt::format("reply -W '{}'", what.words);
  return what.files.empty() ? "return" : fmt::format("files '{}'", what.files);
}

std::string zsh_text(const std::string& text) {
  std::string out = text;
  for (const char* c : {"\\", "[", "]", ":"}) boost::replace_all(out, c, std::string("\\") + c);
  return boost::replace_all_copy(out, "'", "'\\''");
}

std::string zsh_action(const Expected& what) {
  if (!what.words.empty()) return fmt::format("({})", what.words);
  return what.files.empty() ? " " : fmt::format("_files -g \"{}\"", what.files);
}

std::string bash_completion() {
  std::string text = R"(# bash completion of rarefact: . <(rarefact --completion bash)
_rarefact() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  reply() { mapfile -t COMPREPLY < <(compgen "$@" -- "$word"); }
  files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -X "!$1" -- "$word"; compgen -d -- "$word"); }
  COMPREPLY=()
)";
  text += fmt::format("  ((COMP_CWORD == 1)) && {{ reply -W '{} {}'; return; }}\n",
                      joined(names_of(command_list()), " "), joined(names_of(program_options()), " "));
  text += fmt::format(
      "  [[ $before == --set ]] && {{ compopt -o nospace 2>/dev/null; reply -S = -W '{}'; return; }}\n",
      joined(key_names(), " "));
  text += "  case ${COMP_WORDS[1]},$before in\n";
  for (const Command& command : command_list()) {
    for (const Option& option : command.options) {
      if (option.value.empty() || option.name == "set") continue;
      const std::string letter =
          option.letter == '\0' ? "" : fmt::format(" | {},-{}", command.name, option.letter);
      text += fmt::format("    {},--{}{}) {}; return ;;\n", command.name, option.name, letter,
                          bash_reply(expected(option.value)));
    }
  }
  text += "  esac\n  case ${COMP_WORDS[1]},$word in\n";
  for (const Command& command : command_list()) {
    text += fmt::format("    {},-*) reply -W '--help", command.name);
    for (const Option& option : command.options) text += " --" + option.name;
    text += "' ;;\n";
    if (!command.operands.name.empty())
      text += fmt::format("    {},*) {} ;;\n", command.name, bash_reply(expected(command.operands.name)));
  }
  return text + "  esac\n}\ncomplete -F _rarefact rarefact\n";
}

std::string zsh_completion() {
  std::string text =
      "#compdef rarefact\n# zsh completion of rarefact: in a folder of fpath, as _rarefact\n_rarefact() {\n";
  text += "  if ((CURRENT == 2)); then\n    local -a commands=(\n";
  for (const Command& command : command_list())
    text += fmt::format("      '{}:{}'\n", command.name, zsh_text(command.summary));
  text +=
      "    )\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n  shift words\n  ((CURRENT--))\n  case $command in\n";
  for (const Command& command : command_list()) {
    text += fmt::format("    {}) _arguments -s", command.name);
    for (const Option& option : command.options) {
      const std::string star = option.repeatable ? "*" : "";
      const std::string value = option.value.empty() ? ""
                                                     : fmt::format(":{}:{}", zsh_text(option.value),
                                                                   zsh_action(expected(option.value)));
      text += fmt::format(" \\\n      '{}--{}[{}]{}'", star, option.name, zsh_text(option.meaning), value);
      if (option.letter != '\0')
        text += fmt::format(" \\\n      '{}-{}[{}]{}'", star, option.letter, zsh_text(option.meaning), value);
    }
    if (!command.operands.name.empty())
      text += fmt::format(" \\\n      '*:{}:{}'", zsh_text(command.operands.name),
                          zsh_action(expected(command.operands.name)));
    text += " ;;\n";
  }
  return text + "  esac\n}\n_rarefact \"$@\"\n";
}

}  // namespace

std::string completion_script(const std::string& shell) {
  if (shell != "bash" && shell != "zsh") throw InputError("--completion: expected bash or zsh");
  return shell == "bash" ? bash_completion() : zsh_completion();
}

}  // namespace rarefact
