#include <fmt/format.h>

#include <cmath>

#include "model/embedding.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

Index first_zero_column(const Matrix& array) {
  for (Index j = 0; j < array.cols(); ++j) {
    if ((array.col(j).array() == 0).all()) return j;
  }
  return -1;
}

std::string first_not_finite(const Matrix& array) {
  for (Index j = 0; j < array.cols(); ++j) {
    for (Index i = 0; i < array.rows(); ++i) {
      if (!std::isfinite(array(i, j)))
        return fmt::format("row {}, column {} (counted from 0) is {}; expected finite numbers", i, j,
                           array(i, j));
    }
  }
  return "";
}

void require_file_embedding(const ParameterValues& parameters, const ArrayShape& shape, double classes) {
  const auto refuse = [&](const std::string& why) {
    throw InputError({{parameters.text("path"), 0, 0, why}});
  };
  if (static_cast<double>(shape.columns) != classes || shape.rows < 1) {
    refuse(fmt::format(
        "the array is {} x {}; it needs one column for each of the {} classes and at least one row{}",
        shape.rows, shape.columns, classes,
        static_cast<double>(shape.rows) == classes ? "; it has one row for each: transpose it" : ""));
  }
  if (shape.zero_column >= 0 && parameters.has("normalise") && parameters.boolean("normalise")) {
    refuse(fmt::format("column {} (counted from 0) is zero and cannot be normalised to unit length",
                       shape.zero_column));
  }
}

Matrix file_embedding(const ParameterValues& parameters, const EmbeddingRequest& request) {
  const std::string& path = parameters.text("path");
  Matrix e = request.reader(path);
  require_file_embedding(parameters, {e.rows(), e.cols(), first_zero_column(e)},
                         static_cast<double>(request.classes));
  if (!e.allFinite()) throw InputError({{path, 0, 0, first_not_finite(e)}});
  if (parameters.has("normalise") && parameters.boolean("normalise")) {
    for (Index j = 0; j < e.cols(); ++j) e.col(j) /= e.col(j).stableNorm();
  }
  if (!request.columns.empty()) e = e(Eigen::all, request.columns).eval();
  return e;
}

}  // namespace rarefact
