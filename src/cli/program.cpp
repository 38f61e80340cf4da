#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <csignal>
#include <new>
#include <ostream>
#include <streambuf>
#include <system_error>

#include "cli/command.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "io/build_info.hpp"

namespace rarefact {

Command init_command(), run_command(), merge_command(), status_command(), info_command(), table_command(),
    plot_command(), report_command(), verify_command(), check_command(), list_command(), explain_command();

namespace {

/// Adds the texts of a command from words/commands.md: summary (one line), description (before that of the
/// row) and examples (indented lines). Throws std::logic_error if the file has no section for the command.
Command with_words(Command command) {
  const std::string& all = words("commands.md");
  const std::string head = "## " + command.name + "\n";
  const std::size_t begin = all.find(head);
  if (begin == std::string::npos)
    throw std::logic_error("words/commands.md has no section on " + command.name);
  const std::size_t end = std::min(all.find("\n## ", begin), all.size() - 1);
  std::string description;
  for (const std::string_view line :
       split_text(std::string_view(all).substr(0, end).substr(begin + head.size()), '\n')) {
    if (command.summary.empty()) {
      command.summary = line;
    } else if (line.starts_with("    ")) {
      command.examples.emplace_back(line.substr(4));
    } else {
      description += (description.empty() ? "" : "\n") + std::string(line);
    }
  }
  command.description = description + command.description;
  return command;
}

/// Sanitizes a stream while it exists, so that names and labels cannot send control characters to a terminal. Single
/// characters by put() pass unchanged: a progress line returns to its start. A word of the command line with line breaks is
/// shown on one line, so that it cannot pass for a message.
class VisibleOutput : std::streambuf {
 public:
  VisibleOutput(std::ostream& stream, const std::vector<std::string>& words)
      : stream_(stream), below_(stream.rdbuf(this)) {
    for (const std::string& word : words)
      if (word.find('\n') != std::string::npos) broken_.push_back(word);
  }
  VisibleOutput(const VisibleOutput&) = delete;
  VisibleOutput& operator=(const VisibleOutput&) = delete;
  ~VisibleOutput() override { stream_.rdbuf(below_); }

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    std::string visible = sanitize_text({text, static_cast<std::size_t>(size)});
    for (const std::string& word : broken_) {
      const std::string shown = sanitize_text(word);
      boost::replace_all(visible, shown, boost::replace_all_copy(shown, "\n", "\\n"));
    }
    const auto bytes = static_cast<std::streamsize>(visible.size());
    return below_->sputn(visible.data(), bytes) == bytes ? size : 0;
  }
  int_type overflow(int_type c) override { return below_->sputc(traits_type::to_char_type(c)); }
  int sync() override { return below_->pubsync(); }

  std::ostream& stream_;
  std::streambuf* below_;
  std::vector<std::string> broken_;
};

/// The subcommand of this name. Throws InputError with the nearest name if there is none.
const Command& command_named(const std::string& typed) {
  if (const Command* row = find_row(command_list(), typed)) return *row;
  const bool option = typed.starts_with("-");
  const std::vector<std::string> names = names_of(command_list());
  std::string nearest = nearest_name(typed, option ? names_of(program_options()) : names);
  if (typed == "train" || typed == "simulate") nearest = "run";
  if (typed.ends_with(".toml")) nearest = "run " + typed;
  if (typed == "-v" || typed == "-V" || typed == "version") nearest = "--version";
  throw bad_input("unknown {} \"{}\"{}\ncommands: {}; more: rarefact --help", option ? "option" : "command",
                  typed, did_you_mean(nearest), joined(names));
}

/// "rarefact 0.1.0 (commit ..., numerics 2, GNU 12.2.0)".
std::string program_identity() {
  return fmt::format("rarefact {} (commit {}, numerics {}, {})", build_info::version, build_info::git_commit,
                     build_info::numerics_id, build_info::compiler);
}

ExitCode dispatch(const std::vector<std::string>& words, const Streams& streams) {
  if (words.empty()) {
    streams.err << program_help();
    return ExitCode::bad_input;
  }
  const std::string first = words.front() == "-h" || words.front() == "help" ? "--help" : words.front();
  const std::vector<std::string> others(words.begin() + 1, words.end());
  if (const ProgramOption* option = find_row(program_options(), first)) {
    streams.out << option->text(others);
    return ExitCode::done;
  }
  const Command& command = command_named(first);
  const Arguments arguments = parse_arguments(command, others);
  if (!arguments.has("help")) return command.run(arguments, streams);
  streams.out << command_help(command);
  return ExitCode::done;
}

}  // namespace

const std::vector<Command>& command_list() {
  static const std::vector<Command> rows =
      mapped(std::vector<Command>{init_command(), run_command(), merge_command(), status_command(),
                                  info_command(), table_command(), plot_command(), report_command(),
                                  verify_command(), check_command(), list_command(), explain_command()},
             with_words);
  return rows;
}

const std::vector<ProgramOption>& program_options() {
  using Words = std::vector<std::string>;
  static const std::vector<ProgramOption> rows = {
      {"--help", "-h, --help", "this page; rarefact COMMAND --help for a command's",
       [](const Words& of) { return of.empty() ? program_help() : command_help(command_named(of[0])); }},
      {"--version", "--version", "the version of the program",
       [](const Words&) { return program_identity() + "\n"; }},
      {"--completion", "--completion SHELL", "a script that completes commands and keys: bash or zsh",
       completion},
      {"--manual", "--manual [COMMAND]", "the manual page, for man -l",
       [](const Words& of) { return of.empty() ? manual_page() : manual_page(command_named(of[0])); }}};
  return rows;
}

int run_program(int argc, const char* const* argv, std::ostream& out, std::ostream& err) {
  keep_freed_memory();
  // Exceeding the file size limit (ulimit -f) is an error like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  const VisibleOutput visible_out(out, words), visible_err(err, words);
  ExitCode code = ExitCode::input_output;
  const auto refuse = [&](ExitCode with, const std::string& message, const InputError* input = nullptr) {
    code = with;
    if (asks_json(words)) {
      print_event(err, error_event(with, message, input ? input->problems() : std::vector<Problem>{}));
    } else {
      err << (input ? "" : "error: ") << message << "\n";
    }
  };
  try {
    code = dispatch(words, {out, err});
  } catch (const InputError& error) {
    refuse(ExitCode::bad_input, error.what(), &error);
  } catch (const DamagedResult& error) {
    refuse(ExitCode::damaged_result, error.what());
  } catch (const std::bad_alloc&) {
    refuse(code, "the system refused the memory that this needs");
  } catch (const std::system_error& error) {
    const bool threads = error.code() == std::errc::resource_unavailable_try_again;
    refuse(code, threads ? "the system refused the threads that this needs (ulimit -u and -v, or a "
                           "container, limit them)"
                         : error.what());
  } catch (const std::exception& error) {
    const bool file = dynamic_cast<const FileError*>(&error) != nullptr;
    refuse(code, (file ? "" : "internal error, please report it: ") + std::string(error.what()));
  }
  out.flush();
  if (!out && code == ExitCode::done) {
    err << "error: the output could not be written\n";
    code = ExitCode::input_output;
  }
  return static_cast<int>(code);
}

}  // namespace rarefact
