#pragma once

/// Result files: one HDF5 file per experiment, written whole or not at all, and verified when read.
///
/// Layout: one group, the root, with the dimension scales run, optimizer, step, class_group and, if a run has answers,
/// answer_group attached to the variables, so that xarray.open_dataset and h5py can read it (results/result_fields.hpp
/// has the rows). A run with fewer groups than the widest, or without answers, is padded with NaN and a count of 0; a
/// step that was not reached is NaN. The file has no clock, host or path, so equal results give equal bytes.

#include <functional>

#include "io/atomic_file.hpp"
#include "io/data_tree.hpp"
#include "results/result_fields.hpp"

namespace rarefact {

struct StoredResult {
  Result result;
  Provenance provenance;
  std::string values_sha256 = {};  ///< hash of its values (results/values_hash.hpp)
};

/// Describes why a result cannot be stored, or joined with others: parts that are missing or do not fit each other,
/// names and texts that a file cannot have; empty if there is nothing.
std::string result_flaw(const Result& result);

/// write_result for encoded bytes, such as those of merge_points.
void write_result_file(const FileBytes& bytes, const std::string& experiment,
                       const std::filesystem::path& path);

/// Throws InputError if `path` exists and is not a result of the same resolved experiment, DamagedResult if
/// its checksum does not agree: such files are never overwritten. Also call it before a long run.
void refuse_other_result(const std::filesystem::path& path, const std::string& experiment);

/// "there" if `path` is a result of this resolved experiment by its checksum and text; else "not there yet" or a problem.
std::string result_state(const std::filesystem::path& path, const std::string& experiment);

/// The first problem of a result file (its checksum, then layout, sizes, types, values, and every chunk's checksum) or, by
/// its checksum alone, of a report of rarefact verify; empty if it is sound. Throws FileError if it cannot be opened.
std::vector<std::string> check_result(const std::filesystem::path& path);

/// True for an intact report of rarefact verify.
bool is_report(const std::filesystem::path& path);

/// Throws DamagedResult if the checksum agrees with a file that would crash its next reader, FileError if it cannot be
/// opened.
void refuse_crashing(const std::filesystem::path& path);

/// True if the series of a variable should be read; an empty function reads all.
using KeepSeries = std::function<bool(const Variable& variable)>;

/// A stored result with its provenance. With `keep` only the checksum of the file verifies the values, not
/// values_sha256. Errors as for read_result; InputError for a report of rarefact verify.
StoredResult read_stored_result(const std::filesystem::path& path, const KeepSeries& keep = {});

/// Only the root attribute `experiment`. Throws DamagedResult if no checksum agrees, FileError if it cannot be read.
std::string read_experiment_text(const std::filesystem::path& path);

/// Impossible values of a result, one sentence each: steps that do not ascend, empty or repeated optimizer labels,
/// probabilities outside (0, 1], errors outside [0, 1]. NaN in an error means "no value".
std::vector<std::string> implausible_values(const Result& result);

// Writing a result file run by run, so that a sweep of any length is joined in bounded memory: the compressed
// file, one chunk of every variable, and the runs being appended.

/// A result without its runs, and their common properties.
struct ResultHead {
  Result described;   ///< without runs
  ResultShape shape;  ///< how many runs will be appended, and the groups of the widest of them
  /// Swept key -> whether one of its values is a text.
  std::map<std::string, bool> parameters;
};

/// Returns the next runs, with series on the steps of the head; none after the last.
using NextRuns = std::function<std::vector<Run>()>;

/// The bytes of the file, which depend on the runs and their division among calls of `next`, not on the threads. No other
/// thread is inside HDF5 meanwhile, so `next` must not wait for one. std::logic_error if runs contradict the head.
FileBytes encode_result(const ResultHead& head, int threads, const NextRuns& next);

/// Throws std::logic_error for an inconsistent Result.
FileBytes encode_result(const Result& result);

}  // namespace rarefact
