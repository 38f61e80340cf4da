#include <boost/algorithm/string/split.hpp>

#include "cli/command.hpp"
#include "experiment/keys.hpp"
#include "verify/check_row.hpp"

namespace rarefact {

namespace {

// The scripts pass the words up to the cursor to the program; the shell itself completes files.
constexpr char bash_script[] = R"(# bash completion of rarefact: . <(rarefact --completion bash)
_rarefact() {
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" --completion bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
}
complete -o default -F _rarefact rarefact
)";
constexpr char zsh_script[] = R"(#compdef rarefact
# zsh completion of rarefact: in a folder of fpath, as _rarefact
_rarefact() {
  local -a found=("${(@f)$("$words[1]" --completion zsh "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  local -a open=(${(M)found:#*=}) whole=(${found:#(|*=)})
  (( $#open + $#whole )) || _files
  (( $#open )) && compadd -S '' -- "${open[@]}"
  (( $#whole )) && compadd -- "${whole[@]}"
}
_rarefact "$@"
)";

using Words = std::vector<std::string>;

/// The values of an option or operand by its name in help: "KEY", "bash|zsh"; none of files and numbers.
Words values(const std::string& name) {
  if (name == "KEY") return key_names();
  if (name == "KEY=VALUE") return mapped(key_names(), [](const std::string& key) { return key + "="; });
  if (name == "ID") return mapped(check_catalogue(), &CheckRow::id);
  Words parts;
  if (name.find('|') != std::string::npos) return boost::split(parts, name, [](char c) { return c == '|'; });
  return {};
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
      return values(option.value);
    names.push_back("--" + option.name);
  }
  return last.starts_with('-') ? names : values(command->operands.name);
}

}  // namespace

std::string completion(const std::vector<std::string>& words) {
  if (words.empty() || (words[0] != "bash" && words[0] != "zsh"))
    throw InputError("--completion: expected bash or zsh");
  if (words.size() == 1) return words[0] == "bash" ? bash_script : zsh_script;
  std::string text;
  Words found = candidates({words.begin() + 1, words.end()});
  std::ranges::sort(found);
  for (const std::string& word : found)
    if (word.starts_with(words.back())) text += word + "\n";
  return text;
}

}  // namespace rarefact
