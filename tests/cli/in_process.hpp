#pragma once

// The program in process: what it returns, prints and says.

#include <sstream>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace rarefact {

struct Outcome {
  int code;
  std::string out, err;
};

inline Outcome rarefact_program(const std::vector<std::string>& words) {
  std::vector<const char*> arguments = {"rarefact"};
  for (const std::string& word : words) arguments.push_back(word.c_str());
  std::ostringstream out, err;
  const int code = run_program(static_cast<int>(arguments.size()), arguments.data(), out, err);
  return {code, out.str(), err.str()};
}

}  // namespace rarefact
