#pragma once

/// A result file made run by run, so that a sweep of any length is joined in bounded memory: what is held is
/// the compressed file, one chunk of every variable and the runs being appended.

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/file_bytes.hpp"
#include "sim/result.hpp"

namespace rarefact {

/// All of a result but its runs, and what they have in common.
struct ResultHead {
  Result described;              ///< without runs
  std::size_t runs = 0;          ///< that will be appended
  std::size_t class_groups = 0;  ///< of the widest run
  /// Swept key -> whether one of its values is a text.
  std::map<std::string, bool> parameters;
};

/// While it lives no other thread is inside HDF5. The bytes depend on the runs and on how they are divided
/// among calls of append(), not on the number of threads.
class ResultEncoder {
 public:
  /// std::logic_error where two swept keys share a name in the file.
  ResultEncoder(const ResultHead& head, int threads);
  ResultEncoder(const ResultEncoder&) = delete;
  ResultEncoder& operator=(const ResultEncoder&) = delete;
  ~ResultEncoder();

  /// The next runs, their series on the steps of the head. std::logic_error where they contradict the head.
  void append(std::vector<Run> runs);

  /// The file. Precondition: all runs were appended. Call once.
  FileBytes finish();

 private:
  class Writer;
  std::unique_ptr<Writer> writer_;
};

}  // namespace rarefact
