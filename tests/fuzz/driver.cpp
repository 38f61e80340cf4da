// Runs a target: under libFuzzer, which looks for new paths, or by itself with any compiler:
//
//     fuzz TARGET [--seconds N] [--seed S] FILE_OR_FOLDER...
//
// First every file is run as it is, then mutations of them and of the seeds until the time is over; the same seed draws
// the same mutations. An input that crashes, throws or takes longer than half a minute is left in crash-NAME.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

#include "fuzz/target.hpp"

namespace rarefact::fuzz {

namespace {

constexpr unsigned longest_seconds = 30;
constexpr std::size_t longest_input = 1 << 16;

const Target* target = nullptr;
std::string crash_name;
const std::string* running = nullptr;

void keep_input() {
  const int file = ::open(crash_name.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  [[maybe_unused]] const auto written = ::write(file, running->data(), running->size());
  ::close(file);
}

extern "C" void on_signal(int number) {
  const char* text =
      number == SIGALRM ? "takes too long; the input is kept in " : "crashes; the input is kept in ";
  for (const char* part : {text, crash_name.c_str(), "\n"})
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, part, std::strlen(part));
  keep_input();
  ::_exit(1);
}

void run_guarded(const std::string& bytes) {
  running = &bytes;
  ::alarm(longest_seconds);
  try {
    target->run(bytes);
  } catch (const std::exception& error) {
    std::cerr << "threw: " << error.what() << "; the input is kept in " << crash_name << "\n";
    keep_input();
    std::_Exit(1);
  }
  ::alarm(0);
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class T>
const T& any_of(const std::vector<T>& all, Draw& draw) {
  return all[draw() % all.size()];
}

/// A number that is at an end of some type or nearly so.
std::uint64_t odd_number(Draw& draw) {
  const std::uint64_t power = std::uint64_t{1} << draw() % 64;
  return any_of<std::uint64_t>(
      {0, 1, power, power - 1, ~power, ~std::uint64_t{0}, 0x7ff0000000000000, draw()}, draw);
}

}  // namespace

std::filesystem::path file_with(const std::string& name, const std::string& bytes) {
  // Never destroyed, since it is removed at the very end.
  static const auto& folder = *new std::filesystem::path([] {
    const std::filesystem::path shared = "/dev/shm";
    const auto made = (std::filesystem::exists(shared) ? shared : std::filesystem::temp_directory_path()) /
                      ("rarefact-fuzz-" + std::to_string(::getpid()));
    std::filesystem::create_directories(made);
    std::atexit([] { std::filesystem::remove_all(file_with("", "").parent_path()); });
    return made;
  }());
  if (!name.empty()) std::ofstream(folder / name, std::ios::binary) << bytes;
  return folder / name;
}

std::string mutated(std::string bytes, const std::string& other, const std::vector<std::string>& words,
                    Draw& draw) {
  for (auto changes = 1 + draw() % 8; changes > 0; --changes) {
    const std::size_t at = draw() % (bytes.size() + 1), length = std::min(draw() % 64, bytes.size() - at);
    const std::uint64_t number = odd_number(draw);
    switch (draw() % 8) {
      case 0:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << draw() % 8);
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(at, bytes.substr(draw() % (bytes.size() + 1), draw() % 64));
        break;
      case 3:
        bytes.replace(at, std::min<std::size_t>(8, bytes.size() - at), reinterpret_cast<const char*>(&number),
                      std::min<std::size_t>(8, bytes.size() - at));
        break;
      case 4:
        bytes.insert(at, std::to_string(static_cast<std::int64_t>(number)));
        break;
      case 5:
        bytes.replace(at, length, other.substr(draw() % (other.size() + 1), draw() % 256));
        break;
      case 6:
        bytes.replace(at, draw() % 2 == 0 ? 0 : length, words.empty() ? "\n" : any_of(words, draw));
        break;
      default:
        if (draw() % 16 == 0) bytes.resize(at);
    }
  }
  return bytes.substr(0, longest_input);
}

}  // namespace rarefact::fuzz

using namespace rarefact::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  targets().front().run({reinterpret_cast<const char*>(data), size});
  return 0;
}

#ifdef RAREFACT_FUZZ

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

/// libFuzzer's own mutations, and ours, which know the format and begin with the seeds.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  static const std::vector<std::string> seeds = targets().front().seeds(), words = targets().front().words();
  Draw draw(seed);
  if (draw() % 2 == 0 && size > 8) return LLVMFuzzerMutate(data, size, most);
  const std::string from =
      size < 9 || draw() % 64 == 0 ? any_of(seeds, draw) : std::string(data, data + size);
  const std::string bytes = mutated(from, any_of(seeds, draw), words, draw).substr(0, most);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

#else

int main(int count, char** arguments) {
  for (const Target& one : targets())
    if (count > 1 && arguments[1] == one.name) target = &one;
  if (target == nullptr) {
    std::cerr << "usage: fuzz TARGET [--seconds N] [--seed S] FILE_OR_FOLDER...; the targets are";
    for (const Target& one : targets()) std::cerr << ' ' << one.name;
    std::cerr << '\n';
    return 2;
  }
  crash_name = "crash-" + target->name;
  std::uint64_t seconds = 60, seed = 1;
  std::vector<std::string> inputs = target->seeds();
  const std::size_t written = inputs.size();
  for (int i = 2; i < count; ++i) {
    const std::string word = arguments[i];
    if ((word == "--seconds" || word == "--seed") && i + 1 < count) {
      (word == "--seed" ? seed : seconds) = std::strtoull(arguments[++i], nullptr, 10);
    } else if (std::filesystem::is_directory(word)) {
      std::vector<std::filesystem::path> files;
      for (const auto& entry : std::filesystem::directory_iterator(word))
        if (entry.is_regular_file()) files.push_back(entry.path());
      std::ranges::sort(files);
      for (const auto& file : files) inputs.push_back(contents(file));
    } else {
      inputs.push_back(contents(word));
    }
  }
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) ::signal(number, on_signal);
  for (const std::string& bytes : inputs) run_guarded(bytes);
  const std::vector<std::string> words = target->words();
  Draw draw(seed);
  std::uint64_t runs = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  for (; std::chrono::steady_clock::now() < end; ++runs)
    run_guarded(mutated(any_of(inputs, draw), any_of(inputs, draw), words, draw));
  std::cout << target->name << ": " << written << " seeds, " << inputs.size() - written << " files, " << runs
            << " mutations\n";
}

#endif
