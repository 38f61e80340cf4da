#pragma once

/// The user's files: embeddings as arrays, class counts as text tables. Every size and type is checked before
/// memory is allocated, and every error is an InputError that names the file and how to fix it.

#include "io/text_table.hpp"
#include "model/answer_law.hpp"
#include "model/embedding.hpp"

namespace rarefact {

/// How experiments read their files; tests supply their own readers.
struct FileReaders {
  CountReader counts;
  ArrayReader arrays;
  /// The shape of an array that `arrays` would read; checks every entry but keeps none. Errors as for `arrays`.
  std::function<ArrayShape(const std::string& path)> shape_of_array = {};
  PairReader pairs = {};
  CountReader fan_ins = {};  ///< for answers; empty: `counts` reads them, too
};

/// A d x K matrix from NumPy's .npy format, versions 1 to 3: two dimensions, little-endian float64 or
/// float32, C or Fortran order, every entry finite.
Matrix read_npy(const std::filesystem::path& path);

/// A d x K matrix from "FILE.h5:/dataset" (or .hdf5): two dimensions, d rows of K entries as h5py shows them; or one of
/// the matrices in the last two of more dimensions, "FILE.h5:/weights[0, muon]", without NaN around it;
/// any type of real numbers of up to 64 bits, every entry finite. If the file has a checksum, it is verified.
Matrix read_hdf5_array(const std::string& location);

/// Row by row, as files store them.
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// The matrix up to its last row and column with a number: runs of a sweep may have smaller ones than the widest.
RowMajor without_padding(const Eigen::Ref<const RowMajor>& x);

/// Counts of classes from a text table (text_table.hpp has the format). `column` is a name in the header line or a
/// column number from 1; with a number, a first line whose field is not a number counts as header, and a single
/// column needs no name. Rows are named by the column `class`, else `label`, else the first with a text in the first
/// row. Counts of facts are numbers > 0. All problems (at most 20) are reported at once, with line and column.
CountTable read_counts(const std::filesystem::path& path, const std::string& column,
                       Counting what = Counting::facts);

/// Counts of pairs from such a table, whose header has the columns query, answer and count. Queries and
/// answers are any texts; the counts of repeated pairs are added. InputError as for read_counts.
PairCounts read_pairs(const std::filesystem::path& path);

/// Readers for experiments whose relative paths start at `base_directory`. Arrays: .npy or FILE.h5:/dataset.
/// Copies share a cache: counts and pairs are read, and arrays checked, once per path (and column), including
/// errors; later changes of a file go unnoticed. May be called from several threads.
FileReaders file_readers(const std::filesystem::path& base_directory);

}  // namespace rarefact
