#pragma once

// Another program, run to its end.

#include <string>
#include <vector>

namespace rarefact {

struct ProcessEnd {
  int code;          ///< its exit code; 127 where there is no such program, 128 + n where signal n ended it
  std::string text;  ///< what it wrote to stdout and stderr
};

/// Runs words[0], found as a shell finds it, with the words as they are: no shell reads them. FileError where
/// the system starts no process.
ProcessEnd run_process(const std::vector<std::string>& words);

}  // namespace rarefact
