#pragma once

// A folder that lives as long as a test, and whole files as texts.

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "io/checksum.hpp"

namespace rarefact {

class ScratchFolder {
 public:
  ScratchFolder() {
    static int number = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("rarefact-io-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(path_)) ++count;
    return count;
  }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void spill(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// As if it had not been touched for so long.
inline void make_old(const std::filesystem::path& path,
                     std::chrono::minutes age = std::chrono::minutes(120)) {
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now() - age);
}

/// Whether the .sha256 beside a file is that of its bytes.
inline bool has_checksum(const std::filesystem::path& path) {
  return slurp(checksum_path(path)) == checksum_line(file_sha256(path), path);
}

}  // namespace rarefact
