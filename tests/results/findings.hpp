#pragma once

#include <filesystem>
#include <string>

#include "results/result_file.hpp"

namespace rarefact {

/// Everything check_result finds, in one text.
inline std::string findings(const std::filesystem::path& path) {
  std::string text;
  for (const std::string& finding : check_result(path)) text += finding + "\n";
  return text;
}

}  // namespace rarefact
