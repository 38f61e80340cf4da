#pragma once

/// Embeddings of queries (E) and answers (Ẽ): one column per class.

#include <functional>

#include "model/attribute_grid.hpp"

namespace rarefact {

/// Reads a `file` embedding: path as typed -> d x K array. Supplied by io, the only room that uses HDF5.
using ArrayReader = std::function<Matrix(const std::string& path)>;

/// Properties of an array of finite numbers that is not in memory.
struct ArrayShape {
  Index rows = 0, columns = 0;
  Index zero_column = -1;  ///< first_zero_column
};

/// The input from which an embedding is built.
struct EmbeddingRequest {
  Index classes = 0;  ///< K
  std::uint64_t seed = 1;
  std::string stream;       ///< random stream: "query" or "answer", so that the two sides are independent
  ArrayReader reader = {};  ///< for `file`
  std::vector<Index> columns = {};      ///< for `file`: the column of the file for each; empty: in order
  const AttributeGrid* grid = nullptr;  ///< for `attributes`: their values
};

/// The declared symmetries of a row.
struct EmbeddingSymmetries {
  bool identity = false;                 ///< E = I
  bool orthonormal = false;              ///< EᵀE = I
  bool block = false;                    ///< E = I ⊗ R with a small orthogonal block R
  bool equicorrelated = false;           ///< EᵀE = (1-ρ) I + ρ 11ᵀ
  bool given = false;                    ///< given by the user: columns may be dependent even if d >= K
  bool attributes = false;               ///< of queries only: sums of attributes, so columns are dependent
  std::string orthonormal_at_zero = {};  ///< EᵀE = I if this parameter is 0; empty if there is none
};

struct EmbeddingRow : CatalogueRow, EmbeddingSymmetries {
  /// The dense d x K matrix.
  Matrix (*make)(const ParameterValues&, const EmbeddingRequest&) = nullptr;
  /// d, without building the embedding, to estimate memory; K for `file` and `attributes`, whose d is found elsewhere.
  double (*dimension)(const ParameterValues&, double classes) = [](const ParameterValues&, double classes) {
    return classes;
  };
};

/// All embeddings, in the order of `rarefact list`.
const std::vector<EmbeddingRow>& embedding_catalogue();

/// The orthonormal columns Q of a Gaussian matrix with as many rows or more; Haar-distributed, because the diagonal of R
/// is made positive: the signs that a Householder QR happens to choose depend on the matrix.
Matrix haar_columns(const Matrix& gaussian);

/// The index of the first zero column; -1 if there is none.
Index first_zero_column(const Matrix& array);

/// A message about the first entry, column by column, that is infinite or NaN; empty if there is none.
std::string first_not_finite(const Matrix& array);

/// Throws InputError if an array of this shape cannot be the `file` embedding of `classes` classes.
void require_file_embedding(const ParameterValues& parameters, const ArrayShape& shape, double classes);

/// Columns read from a file (request.reader), normalised if `normalise`. Throws InputError.
Matrix file_embedding(const ParameterValues& parameters, const EmbeddingRequest& request);

/// The row of a kind that validation has accepted.
const EmbeddingRow& embedding_row(const std::string& kind);

/// The block R of a block_rotation (b x b): the z-y-z Euler rotation of `angles`, or the given `block`.
Matrix rotation_block(const ParameterValues& parameters, const std::string& stream);

}  // namespace rarefact
