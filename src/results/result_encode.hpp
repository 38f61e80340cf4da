#pragma once

/// A result file made run by run, so that a sweep of any length is joined in bounded memory: what is held is
/// the compressed file, one chunk of every variable and the runs being appended.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/file_bytes.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// All of a result but its runs, and what they have in common.
struct ResultHead {
  Result described;              ///< without runs
  std::size_t runs = 0;          ///< that will be appended
  std::size_t class_groups = 0;  ///< of the widest run
  /// Swept key -> whether one of its values is a text.
  std::map<std::string, bool> parameters;
};

/// The next runs, their series on the steps of the head; none after the last one.
using NextRuns = std::function<std::vector<Run>()>;

/// The bytes of the file: they depend on the runs and on how they are divided among calls of `next`, not on
/// the number of threads. Meanwhile no other thread is inside HDF5, so `next` must not wait for one.
/// std::logic_error where runs contradict the head or two swept keys share a name in the file.
FileBytes encode_result(const ResultHead& head, int threads, const NextRuns& next);

/// std::logic_error for a Result that contradicts itself.
FileBytes encode_result(const Result& result);

}  // namespace rarefact
