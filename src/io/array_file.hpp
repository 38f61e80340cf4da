#pragma once

/// The user's own files: embeddings as arrays, class counts as text tables. None is trusted: every size and
/// type is checked before memory is asked for, and every error is an InputError that names the file and what
/// to change.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "io/text_table.hpp"
#include "model/answer_law.hpp"
#include "model/embedding.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

/// How experiments read their files; tests supply their own readers.
struct FileReaders {
  CountReader counts;
  ArrayReader arrays;
  /// The shape of an array that `arrays` would read, every entry checked but none kept. Errors as `arrays`.
  std::function<ArrayShape(const std::string& path)> shape_of_array = {};
  PairReader pairs = {};
  CountReader fan_ins = {};  ///< of answers; empty: `counts` reads them, too
};

/// A d x K matrix from NumPy's .npy format, versions 1 to 3: two dimensions, little-endian float64 or
/// float32, C or Fortran order, every entry finite.
Matrix read_npy(const std::filesystem::path& path);

/// The shape of what read_npy would return, without holding it. Errors as read_npy.
ArrayShape check_npy(const std::filesystem::path& path);

/// What is wrong with the first entry, column by column, that is infinite or not a number; empty if none is.
std::string first_not_finite(const Matrix& array);

/// A d x K matrix from "FILE.h5:/dataset" (or .hdf5): two dimensions, d rows of K entries as h5py shows them,
/// any type of real numbers of up to 64 bits, every entry finite. A checksum of the file, where it has one, agrees.
Matrix read_hdf5_array(const std::string& location);

/// One count per class from a text table. The first line that is neither blank nor a comment (# as its first
/// character) decides the separator: a tab if it has one, else a comma, else white space; with a comma a
/// field may stand in "quotes". `column` is a name in the header line or a column number from 1; with a
/// number, a first line whose field is no number counts as header, and a lone column of numbers needs no name. Rows are
/// called as a column `class`, or else `label`, says. Counts of facts are numbers > 0, whole or not. All
/// problems (at most 20) at once, with line and column. A table compressed with gzip is unpacked.
CountTable read_counts(const std::filesystem::path& path, const std::string& column,
                       Counting what = Counting::facts);

/// Counts of pairs from such a table, whose header has the columns query, answer and count. Queries and answers are any
/// texts. Counts of a pair that has several rows add up. InputError as read_counts.
PairCounts read_pairs(const std::filesystem::path& path);

/// Readers for experiments whose relative paths start at `base_directory`. Arrays: .npy or FILE.h5:/dataset. Copies
/// share what they have read: counts and pairs are read, and arrays checked, once for each path (and column), errors too; a file
/// that changes meanwhile is not noticed. May be called from several threads.
FileReaders file_readers(const std::filesystem::path& base_directory);

}  // namespace rarefact
