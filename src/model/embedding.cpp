#include "model/embedding.hpp"

#include <fmt/format.h>

#include <cmath>

#include "algebra/householder.hpp"
#include "core/random.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// Steps of an embedding's random stream.
constexpr std::uint64_t main_draw = 0, noise_draw = 1;

/// d x K standard normals.
Matrix gaussian_matrix(Index d, Index columns, const EmbeddingRequest& request, std::uint64_t draw) {
  Matrix x(d, columns);
  RandomStream(request.seed, "embedding/" + request.stream)
      .fill_normal(draw, {x.data(), static_cast<std::size_t>(x.size())});
  return x;
}

/// d x K, d >= K.
Matrix haar(Index d, const EmbeddingRequest& request) {
  return haar_columns(gaussian_matrix(d, request.classes, request, main_draw));
}

double given_dimension(const ParameterValues& parameters, double classes) {
  return parameters.has("dimension") ? parameters.number("dimension") : classes;
}

Index dimension_of(const ParameterValues& parameters, const EmbeddingRequest& request) {
  return static_cast<Index>(given_dimension(parameters, static_cast<double>(request.classes)));
}

Matrix identity(const ParameterValues&, const EmbeddingRequest& request) {
  return Matrix::Identity(request.classes, request.classes);
}

Matrix orthogonal(const ParameterValues& parameters, const EmbeddingRequest& request) {
  const Index d = dimension_of(parameters, request);
  if (d < request.classes) {
    throw InputError(
        fmt::format("{} orthogonal embeddings need a dimension of at least {}, not {}; gaussian and sphere "
                    "allow fewer dimensions than classes",
                    request.classes, request.classes, d));
  }
  return haar(d, request);
}

Matrix block_rotation(const ParameterValues& parameters, const EmbeddingRequest& request) {
  const Matrix block = rotation_block(parameters, request.stream);
  const Index b = block.rows(), classes = request.classes;
  if (classes % b != 0) {
    const Index below = classes / b * b;
    throw InputError(fmt::format(
        "block_rotation needs a number of classes that is a multiple of its block size {}, not {}; "
        "the nearest are {}{}",
        b, classes, below > 0 ? fmt::format("{} and ", below) : "", below + b));
  }
  Matrix e = Matrix::Zero(classes, classes);
  for (Index k = 0; k < classes; k += b) e.block(k, k, b, b) = block;
  return e;
}

/// Q G^{1/2} with G^{1/2} = √(1-ρ) (I - J/K) + √(1+(K-1)ρ) J/K, J the all-ones matrix.
Matrix equicorrelated(const ParameterValues& parameters, const EmbeddingRequest& request) {
  const double rho = parameters.number("rho"), classes = static_cast<double>(request.classes);
  Matrix e = haar(request.classes, request);
  const Vector along_ones = e.rowwise().sum();
  const double contrast = std::sqrt(1 - rho), trivial = std::sqrt(1 + (classes - 1) * rho);
  e *= contrast;
  e.colwise() += (trivial - contrast) / classes * along_ones;
  return e;
}

/// Q U with UᵀU = G the Cholesky factorisation, which for ρ^|i-j| is the recursion of an autoregression. Q is
/// Haar, so every square root of G gives the same distribution.
Matrix toeplitz(const ParameterValues& parameters, const EmbeddingRequest& request) {
  const double rho = parameters.number("rho");
  const double fresh = std::sqrt((1 - rho) * (1 + rho));
  Matrix e = haar(request.classes, request);
  for (Index j = 1; j < request.classes; ++j) e.col(j) = rho * e.col(j - 1) + fresh * e.col(j);
  return e;
}

Matrix noisy(const ParameterValues& parameters, const EmbeddingRequest& request) {
  const Index d = request.classes;
  const double deviation = parameters.number("sigma") / std::sqrt(static_cast<double>(d));
  Matrix e = haar(d, request);
  if (deviation == 0) return e;
  e += deviation * gaussian_matrix(d, d, request, noise_draw);
  e.colwise().normalize();
  return e;
}

Matrix gaussian(const ParameterValues& parameters, const EmbeddingRequest& request) {
  const Index d = dimension_of(parameters, request);
  return gaussian_matrix(d, request.classes, request, main_draw) / std::sqrt(static_cast<double>(d));
}

Matrix sphere(const ParameterValues& parameters, const EmbeddingRequest& request) {
  Matrix e = gaussian_matrix(dimension_of(parameters, request), request.classes, request, main_draw);
  e.colwise().normalize();
  return e;
}

/// Q (b_S e_i + b_R f_j), Q = I unless rotated.
Matrix attributes(const ParameterValues& parameters, const EmbeddingRequest& request) {
  if (!request.grid) throw InputError("sums of attributes need classes that are pairs of them (product)");
  Matrix e = attribute_queries(*request.grid, attribute_gains(parameters));
  if (!parameters.boolean("rotated")) return e;
  EmbeddingRequest frame = request;
  frame.classes = e.rows();
  return haar(e.rows(), frame) * e;
}

Parameter dimension_parameter(const std::string& meaning, bool optional) {
  return {.name = "dimension",
          .kind = Kind::count,
          .meaning = meaning,
          .legal = {1, 1e9},
          .optional = optional,
          .symbol = "d"};
}

}  // namespace

const std::vector<EmbeddingRow>& embedding_catalogue() {
  const Parameter free_dimension =
      dimension_parameter("dimension d; fewer than the classes is allowed", false);
  static const std::vector<EmbeddingRow> rows = {
      {{"identity", "one coordinate for each class (support-decoupled)", "E = I", "wang2025"},
       {.identity = true, .orthonormal = true},
       identity},
      {{"orthogonal",
        "random orthonormal columns",
        "EᵀE = I, E Haar-distributed: Q of a Gaussian matrix with R's diagonal positive",
        "wang2025",
        {dimension_parameter("dimension d, at least the number of classes, which is the default", true)}},
       {.orthonormal = true},
       orthogonal,
       given_dimension},
      {{"block_rotation",
        "the same small rotation for every block of classes (support-coupled)",
        "E = I ⊗ R(a, b, c), R the z-y-z Euler rotation, or any orthogonal block",
        "wang2025",
        {{.name = "angles",
          .kind = Kind::numbers,
          .meaning = "the three Euler angles a, b, c; default for answers 3.638, 2.949, 5.218, for queries "
                     "1.715, 0.876, 3.098",
          .unit = "rad",
          .optional = true},
         {.name = "block",
          .kind = Kind::matrix,
          .meaning = "an orthogonal square block, row by row, in place of the angles",
          .optional = true}}},
       {.orthonormal = true, .block = true},
       block_rotation},
      {{"equicorrelated",
        "random unit vectors, all pairs with the same cosine",
        "E = Q G^(1/2), G = (1-ρ) I + ρ 11ᵀ, Q Haar-distributed",
        "",
        {{.name = "rho",
          .meaning = "cosine ρ of every two embeddings",
          .legal = {0, 1, false, true},
          .symbol = "ρ"}}},
       {.equicorrelated = true, .orthonormal_at_zero = "rho"},
       equicorrelated},
      {{"toeplitz",
        "random unit vectors whose cosine decays with the distance of their ranks",
        "E = Q U, UᵀU = G the Cholesky factorisation, G_ij = ρ^|i-j|, Q Haar-distributed",
        "",
        {{.name = "rho",
          .meaning = "cosine ρ of neighbours in rank",
          .legal = {-1, 1, true, true},
          .symbol = "ρ"}}},
       {.orthonormal_at_zero = "rho"},
       toeplitz},
      {{"noisy",
        "random orthonormal columns with noise, renormalised",
        "E_k = (Q_k + σ g_k) / |Q_k + σ g_k|, g_k ~ N(0, I/d), Q Haar-distributed",
        "",
        {{.name = "sigma", .meaning = "typical length σ of the noise", .legal = {0, 1e100}, .symbol = "σ"}}},
       {.orthonormal_at_zero = "sigma"},
       noisy},
      {{"gaussian",
        "independent Gaussian columns in any dimension",
        "E_k ~ N(0, I/d)",
        "kim2026",
        {free_dimension}},
       {},
       gaussian,
       given_dimension},
      {{"sphere",
        "independent uniform directions in any dimension",
        "E_k uniform on the unit sphere of R^d",
        "",
        {free_dimension}},
       {},
       sphere,
       given_dimension},
      {{"file",
        "columns read from a file",
        "E as given, d x K",
        "",
        {{.name = "path",
          .kind = Kind::path,
          .meaning = "FILE.npy or FILE.h5:/dataset, d x K doubles, relative to the experiment file"},
         {.name = "normalise",
          .kind = Kind::boolean,
          .meaning = "scale every column to unit length; a zero column is refused",
          .default_value = false}}},
       {.given = true},
       file_embedding},
      {{"attributes",
        "a query is the sum of its subject and its relation, of classes that are such pairs (product)",
        "E_(i,j) = b_S e_i + b_R f_j, all e_i and f_j orthonormal, d = S + R",
        "li2026c",
        {{.name = "gains",
          .kind = Kind::numbers,
          .meaning = "gains of the attributes, [b_S, b_R], not 0",
          .default_value = std::vector<double>{1, 1}},
         {.name = "rotated",
          .kind = Kind::boolean,
          .meaning = "turn the attributes by a random rotation; else they are the coordinates of W",
          .default_value = false}}},
       {.attributes = true},
       attributes},
  };
  return rows;
}

Matrix haar_columns(const Matrix& gaussian) {
  const HouseholderQr qr(gaussian);
  Matrix q = qr.q(gaussian.cols());
  const Matrix r = qr.r();
  for (Index j = 0; j < q.cols(); ++j)
    if (r(j, j) < 0) q.col(j) = -q.col(j);
  return q;
}

const EmbeddingRow& embedding_row(const std::string& kind) {
  return row_named(embedding_catalogue(), kind, "embedding");
}

}  // namespace rarefact
