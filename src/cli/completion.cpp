#include <algorithm>
#include <boost/algorithm/string/split.hpp>
#include <cstdlib>
#include <filesystem>

#include "cli/command.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "verify/check_row.hpp"

namespace rarefact {

namespace {

// The scripts ask the program, with the words of the command line up to the cursor.
constexpr char bash_script[] = R"(# bash completion of rarefact: . <(rarefact --completion bash)
_rarefact() {
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" --completion bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ ${COMPREPLY[0]%\'} != *[=/] ]] || compopt -o nospace 2>/dev/null
}
complete -F _rarefact rarefact
)";
constexpr char zsh_script[] = R"(#compdef rarefact
# zsh completion of rarefact: in a folder of fpath, as _rarefact
_rarefact() {
  local -a found=("${(@f)$("$words[1]" --completion zsh "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  local -a open=(${(M)found:#*[=/](|\')}) whole=(${found:#(|*[=/](|\'))})
  (( $#open )) && compadd -U -Q -S '' -- "${open[@]}"
  (( $#whole )) && compadd -U -Q -- "${whole[@]}"
}
_rarefact "$@"
)";

using Words = std::vector<std::string>;

/// A word as the shell reads it: without quotes and backslashes, and with ~/ replaced.
std::string unquoted(const std::string& typed) {
  std::string word;
  char quote = 0;
  for (std::size_t i = 0; i < typed.size(); ++i) {
    const char c = typed[i];
    if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = 0;
    else if (c == '\\' && quote != '\'' && i + 1 < typed.size())
      word += typed[++i];
    else
      word += c;
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && typed.starts_with("~/") ? home + word.substr(1) : word;
}

/// Files with this ending, and folders, that complete the beginning of a path.
Words files(const std::string& ending, const std::string& beginning) {
  const std::string folder = beginning.substr(0, beginning.rfind('/') + 1);
  Words found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder, none)) {
    const std::string path = folder + entry.path().filename().string();
    if (entry.is_directory(none)) found.push_back(path + "/");
    if (entry.is_regular_file(none) && path.ends_with(ending)) found.push_back(path);
  }
  return found;
}

/// The values of an option or operand by its name in help: "KEY", "FILE.toml", "bash|zsh". `beginning`: typed so far.
Words values(const std::string& name, const std::string& beginning) {
  if (name == "KEY") return key_names();
  if (name == "KEY=VALUE") return mapped(key_names(), [](const std::string& key) { return key + "="; });
  if (name == "ID") return mapped(check_catalogue(), &CheckRow::id);
  Words parts;
  if (name.find('|') != std::string::npos) return boost::split(parts, name, [](char c) { return c == '|'; });
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos && !name.starts_with("FILE")) return {};
  return files(dot == std::string::npos ? "" : name.substr(dot), beginning);
}

/// The completions of the last word, and others that do not begin with it.
Words candidates(const Words& words) {
  const std::string& last = words.back();
  if (words.size() == 1) {
    Words names = names_of(command_list());
    for (const ProgramOption& option : program_options()) names.push_back(option.name);
    return names;
  }
  const Command* command = find_row(command_list(), words.front());
  if (command == nullptr) return {};
  Words names = {"--help"};
  for (const Option& option : command->options) {
    const std::string& before = words[words.size() - 2];
    if (!option.value.empty() && (before == "--" + option.name || before == std::string("-") + option.letter))
      return values(option.value, last);
    names.push_back("--" + option.name);
  }
  return last.starts_with('-') ? names : values(command->operands.name, last);
}

}  // namespace

std::string completion(const std::vector<std::string>& words) {
  if (words.empty() || (words[0] != "bash" && words[0] != "zsh"))
    throw InputError("--completion: expected bash or zsh");
  if (words.size() == 1) return words[0] == "bash" ? bash_script : zsh_script;
  std::string text;
  Words typed(words.begin() + 1, words.end());
  typed.back() = unquoted(typed.back());
  Words found = candidates(typed);
  std::ranges::sort(found);
  for (const std::string& word : found)
    if (word.starts_with(typed.back())) text += shell_quoted(word) + "\n";
  return text;
}

}  // namespace rarefact
