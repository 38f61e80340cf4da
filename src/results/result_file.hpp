#pragma once

/// Result files: one HDF5 file an experiment, written whole or not at all, never trusted when read.
///
/// Layout: one group, the root, with the dimension scales run, optimizer, step, class_group and, where a run
/// has answers, answer_group attached to every variable, so that xarray.open_dataset and h5py read it plainly
/// (results/result_fields.hpp has the rows). A run with fewer groups than the widest, or without answers, is padded with
/// NaN and a count of 0; a step that was never reached reads NaN. The file has no clock, host or path in it: equal results give equal bytes.

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "io/atomic_file.hpp"
#include "io/data_tree.hpp"
#include "rarefact/result.hpp"
#include "results/result_fields.hpp"

namespace rarefact {

struct StoredResult {
  Result result;
  Provenance provenance;
  std::string values_sha256 = {};  ///< of its values alone (results/values_hash.hpp)
};

/// write_result for the bytes of a file that is made already, those of merge_points.
void write_result_file(std::span<const std::byte> bytes, const std::string& experiment,
                       const std::filesystem::path& path);

/// InputError if `path` exists and is anything but a result of the same resolved experiment, DamagedResult where its
/// checksum does not vouch for it: such a file is never overwritten. Call it before a long run, too.
void refuse_other_result(const std::filesystem::path& path, const std::string& experiment);

/// Whether `path` is a result of this resolved experiment, as far as its checksum and its text say.
bool is_result_of(const std::filesystem::path& path, const std::string& experiment);

/// What is wrong with a result file, empty if it is sound: its checksum, or, only where that agrees,
/// everything about its layout, sizes, types and values and the checksum of every stored chunk. FileError if
/// it cannot be opened.
std::vector<std::string> check_result(const std::filesystem::path& path);

/// Whether the series of a variable are to be kept in memory; all where it is empty.
using KeepSeries = std::function<bool(const Variable& variable)>;

/// A stored result and who wrote it; of series that are not kept the checksum is verified alone. Errors as read_result.
StoredResult read_stored_result(const std::filesystem::path& path, const KeepSeries& keep = {});

/// What a file holds; meaningful only where there are no findings.
struct DecodedResult {
  StoredResult stored;
  std::vector<std::string> findings;
};

/// Reads every number of a file whose checksum, beside it or at its end, vouches for its bytes. FileError if the file
/// cannot be opened for reading; all else is a finding.
DecodedResult decode_result(const std::filesystem::path& path, const KeepSeries& keep = {});

/// The root attribute `experiment` alone. DamagedResult where no checksum vouches for the bytes of the file, FileError
/// where there is none to read.
std::string read_experiment_text(const std::filesystem::path& path);

/// What no result can hold, one sentence each: steps that do not ascend from 0 or more, optimizer labels that
/// are empty or twice there, probabilities outside (0, 1], errors outside [0, 1]. NaN stands for "no value"
/// in an error.
std::vector<std::string> implausible_values(const Result& result);

// A result file made run by run, so that a sweep of any length is joined in bounded memory: what is held is
// the compressed file, one chunk of every variable and the runs being appended.

/// All of a result but its runs, and what they have in common.
struct ResultHead {
  Result described;   ///< without runs
  ResultShape shape;  ///< how many runs will be appended, and the groups of the widest of them
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
