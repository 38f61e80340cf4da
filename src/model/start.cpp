#include "model/start.hpp"

#include <fmt/format.h>

#include "core/random.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

const std::vector<StartRow>& start_catalogue() {
  const Parameter scale{.name = "scale",
                        .kind = Kind::number,
                        .meaning = "ε, the size of the start",
                        .legal = {.low = 0, .low_open = true},
                        .symbol = "ε"};
  const auto file = [](const std::string& name, const std::string& meaning) {
    return Parameter{.name = name, .kind = Kind::path, .meaning = meaning, .optional = true};
  };
  static const std::vector<StartRow> rows = {
      {{"zero", "W = 0, where a product would stay", "W(0) = 0", ""}, true},
      {{"aligned",
        "ε times the identity in the task basis: every right logit is ε under orthonormal embeddings. Every "
        "query needs its own answer",
        "W(0) = ε Ẽ Eᵀ; of a product U(0) = ε Ẽ and V(0) = ε Eᵀ",
        "",
        {scale}},
       true},
      {{"gaussian",
        "independent normal entries of deviation ε",
        "W(0)_ij ~ N(0, ε²); so are the factors of a product",
        "",
        {scale}},
       false,
       false,
       true},
      {{"orthogonal",
        "ε times a Haar-distributed matrix with orthonormal columns, or rows where there are fewer",
        "W(0) = ε Q; of a product both factors",
        "",
        {scale}},
       false,
       false,
       true},
      {{"manifold",
        "for queries that are sums of attributes: every answer has its own subject and relation, and a column sums to 0",
        "W(0) = [ε/√R (1[subject of the answer = s] - 1/S), ε/√S (1[relation of the answer = r] - 1/R)]",
        "li2026c",
        {scale}},
       false,
       true},
      {{"file",
        "a matrix of a file, such as the weights where another run ended (run.weights)",
        "W(0) = the array, d_out x d_in; of a product U(0), d_out x r, and V(0), r x d_in",
        "",
        {file("path",
              "W(0): a .npy file, a dataset FILE.h5:/NAME, or one matrix of a dataset of more dimensions, as "
              "FILE.h5:/weights[0, muon]: its run by index, its optimizer by label or index"),
         file("path_u", "U(0), if model.factors = 2, as path"),
         file("path_v", "V(0), if model.factors = 2, as path")}}},
  };
  return rows;
}

const StartRow& start_row(const std::string& kind) {
  return row_named(start_catalogue(), kind, "start");
}

Matrix drawn_start(const std::string& kind, double scale, Index rows, Index columns, std::uint64_t seed,
                   std::uint64_t factor) {
  const bool haar = kind == "orthogonal", wide = haar && columns > rows;
  Matrix x = wide ? Matrix(columns, rows) : Matrix(rows, columns);
  RandomStream(seed, "init").fill_normal(factor, {x.data(), static_cast<std::size_t>(x.size())});
  if (haar) x = haar_columns(x);
  return wide ? Matrix(scale * x.transpose()) : Matrix(scale * x);
}

const char* start_path(std::size_t factor, bool product) {
  return !product ? "path" : factor == 0 ? "path_u" : "path_v";
}

void require_start_shape(const std::string& path, const ArrayShape& shape, double rows, double columns,
                         const char* height, const char* width) {
  const auto given_rows = static_cast<double>(shape.rows), given_columns = static_cast<double>(shape.columns);
  if (given_rows == rows && given_columns == columns) return;
  throw InputError(
      {{path, 0, 0,
        fmt::format("the array is {} x {}, and the start of this experiment is {:.17g} x {:.17g} "
                    "({} x {}){}",
                    shape.rows, shape.columns, rows, columns, height, width,
                    given_rows == columns && given_columns == rows ? ": transpose it" : "")}});
}

}  // namespace rarefact
