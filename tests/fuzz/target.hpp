#pragma once

// What every fuzzer is: a reader, shown bytes that are nearly right. Each file of this folder that is named after a
// reader adds its target; driver.cpp runs it, by itself or under libFuzzer (option RAREFACT_FUZZ).
//
// The sealed formats are fuzzed twice with the same bytes: as they are, where they bounce off at the seal unless they are
// what was written; and sealed anew, so that what lies behind the seal meets them too. Of HDF5 files only the first is
// done with bytes: HDF5 itself crashes on damaged files, which is why there is a seal. What lies behind it is shown files
// that HDF5 wrote in full, but whose layout and values are none of ours (result.cpp).

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "io/sealed_record.hpp"

namespace rarefact::fuzz {

using Draw = std::mt19937_64;

struct Target {
  std::string name;  ///< its corpus is corpus/NAME
  /// What the program itself writes or documents, to begin with besides the corpus.
  std::vector<std::string> (*seeds)() = nullptr;
  /// Words of the format, put in by the mutation.
  std::vector<std::string> (*words)() = nullptr;
  /// Reads the bytes. Throws where the reader did what it must not: another error than it says, an answer of wrong bytes.
  void (*run)(const std::string& bytes) = nullptr;
};

/// The targets of this program.
inline std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

struct Added {
  explicit Added(Target target) { targets().push_back(std::move(target)); }
};

/// A file that lives as long as the process, in memory where there is /dev/shm, with these bytes.
std::filesystem::path file_with(const std::string& name, const std::string& bytes);

/// Some of the bytes changed: bits, numbers, words, parts left out, doubled or of another input.
std::string mutated(std::string bytes, const std::string& other, const std::vector<std::string>& words,
                    Draw& draw);

/// Words between bars, with their blanks.
inline std::vector<std::string> words_in(std::string_view text) {
  return mapped(split_text(text, '|'), [](std::string_view word) { return std::string(word); });
}

inline void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The record of what is between the first line and the seal, where there is one: with a line and a seal that agree.
inline std::string sealed_anew(const std::string& bytes) {
  const std::size_t line = bytes.find('\n') + 1, seal = bytes.size() - std::min(bytes.size(), seal_bytes);
  const std::string title = bytes.substr(0, std::max(line, length_bytes) - length_bytes);
  const std::size_t end = seal >= line && is_seal(bytes.substr(seal)) ? seal : bytes.size();
  std::vector<std::byte> record(title.size() + length_bytes);
  const auto content = bytes_of(bytes).first(end).subspan(line);
  record.insert(record.end(), content.begin(), content.end());
  return text_of(sealed_bytes(title, std::move(record)));
}

}  // namespace rarefact::fuzz

using namespace rarefact;
