#include "model/embedding.hpp"

#include <Eigen/LU>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>

#include "rarefact/error.hpp"
#include "reference/decompositions.hpp"
#include "reference/one_step_cases.hpp"
#include "reference/random_matrix.hpp"

using namespace rarefact;
using reference::largest;

namespace {

EmbeddingRequest request(Index classes, const std::string& stream = "query", std::uint64_t seed = 3) {
  return {.classes = classes, .seed = seed, .stream = stream};
}

Matrix make(const std::string& kind, const ParameterValues& parameters, const EmbeddingRequest& r) {
  return embedding_row(kind).make(parameters, r);
}

Matrix gram(const Matrix& e) {
  return e.transpose() * e;
}

/// Products of d ~ 100 numbers below 1 and a Householder QR of that size: some tens of roundings.
constexpr double rounding = 1e-13;

std::string message_of(const std::string& kind, const ParameterValues& parameters,
                       const EmbeddingRequest& r) {
  try {
    make(kind, parameters, r);
  } catch (const InputError& error) {
    return to_string(error.problems().front());
  }
  return "no InputError";
}

/// Legal parameters for every kind, so that the laws below can loop over the catalogue.
ParameterValues example_parameters(const std::string& kind) {
  if (kind == "equicorrelated" || kind == "toeplitz") return {{"rho", 0.4}};
  if (kind == "noisy") return {{"sigma", 0.5}};
  if (kind == "gaussian" || kind == "sphere") return {{"dimension", 20.0}};
  if (kind == "file") return {{"path", std::string("e.npy")}};
  if (kind == "attributes") return {{"gains", std::vector<double>{1, 0.5}}, {"rotated", false}};
  return {};
}

EmbeddingRequest example_request(Index classes, const std::string& stream = "query", std::uint64_t seed = 3) {
  EmbeddingRequest r = request(classes, stream, seed);
  r.reader = [classes](const std::string&) -> Matrix { return Matrix::Constant(5, classes, 0.25); };
  static AttributeGrid grid;
  grid = {.count = {static_cast<double>(classes / 3), 3}, .exponent = {}, .uniform = {true, true}};
  r.grid = &grid;
  return r;
}

}  // namespace

TEST_CASE("every embedding keeps the symmetries its row declares and lacks those it does not") {
  const Index classes = 30;
  for (const EmbeddingRow& row : embedding_catalogue()) {
    INFO(row.name);
    const Matrix e = row.make(example_parameters(row.name), example_request(classes));
    REQUIRE(e.cols() == classes);
    CHECK(e.allFinite());
    const Matrix identity = Matrix::Identity(classes, classes);
    CHECK(row.identity == (e.rows() == classes && e == identity));
    CHECK(row.orthonormal == (largest(gram(e) - identity) < rounding));
    const Matrix equal_cosines = 0.6 * identity + 0.4 * Matrix::Ones(classes, classes);
    CHECK(row.equicorrelated == (largest(gram(e) - equal_cosines) < rounding));
    if (!row.given && !row.attributes)
      CHECK(row.dimension(example_parameters(row.name), 30.0) == double(e.rows()));
  }
}

TEST_CASE("the same seed gives the same bytes, another seed or side other embeddings") {
  for (const EmbeddingRow& row : embedding_catalogue()) {
    INFO(row.name);
    const auto bytes = [&](const std::string& stream, std::uint64_t seed) {
      const Matrix e = row.make(example_parameters(row.name), example_request(12, stream, seed));
      std::string text(static_cast<std::size_t>(e.size()) * sizeof(double), '\0');
      std::memcpy(text.data(), e.data(), text.size());
      return text;
    };
    const bool random =
        row.name != "identity" && row.name != "block_rotation" && !row.given && !row.attributes;
    CHECK(bytes("query", 3) == bytes("query", 3));
    CHECK((bytes("query", 3) != bytes("query", 4)) == random);
    CHECK((bytes("query", 3) != bytes("answer", 3)) == (random || row.name == "block_rotation"));
  }
}

TEST_CASE("orthogonal embeddings are Haar distributed and independent on the two sides") {
  // Under Haar measure E Q_00 = 0, E Q_00^2 = 1/d, E Q_00^4 = 3/(d(d+2)), the trace has mean 0 and variance
  // 1, the determinant is +1 and -1 equally often; without the sign fix the diagonal of Q leans to one sign.
  const int draws = 4000;
  const Index d = 4;
  double first = 0, second = 0, fourth = 0, trace = 0, trace_square = 0, determinant = 0, across = 0;
  for (int seed = 0; seed < draws; ++seed) {
    const Matrix q = make("orthogonal", {}, request(d, "query", static_cast<std::uint64_t>(seed)));
    const Matrix a = make("orthogonal", {}, request(d, "answer", static_cast<std::uint64_t>(seed)));
    first += q(0, 0) / draws;
    second += q(0, 0) * q(0, 0) / draws;
    fourth += std::pow(q(0, 0), 4) / draws;
    trace += q.trace() / draws;
    trace_square += q.trace() * q.trace() / draws;
    determinant += Eigen::Matrix4d(q).determinant() / draws;
    across += q(1, 2) * a(1, 2) / draws;
  }
  // Four standard deviations of the means; variances 1/4, 3/24 - 1/16, below 1, 1, 2, 1, 1/16. Seeds are
  // fixed.
  const double root = std::sqrt(double(draws));
  CHECK(std::abs(first) < 4 * 0.5 / root);
  CHECK(std::abs(second - 0.25) < 4 * 0.25 / root);
  CHECK(std::abs(fourth - 0.125) < 4 * 0.21 / root);
  CHECK(std::abs(trace) < 4 / root);
  CHECK(std::abs(trace_square - 1) < 4 * std::sqrt(2.0) / root);
  CHECK(std::abs(determinant) < 4 / root);
  CHECK(std::abs(across) < 4 * 0.25 / root);
}

TEST_CASE("orthogonal embeddings take a dimension of at least the number of classes") {
  const Matrix e = make("orthogonal", {{"dimension", 50.0}}, request(20));
  CHECK(e.rows() == 50);
  CHECK(largest(gram(e) - Matrix::Identity(20, 20)) < rounding);
  CHECK_THAT(message_of("orthogonal", {{"dimension", 19.0}}, request(20)),
             Catch::Contains("at least 20, not 19"));
}

TEST_CASE("the default block rotations are the Euler rotations of the two sides") {
  const Matrix answer = rotation_block({}, "answer"), query = rotation_block({}, "query");
  CHECK(largest(answer - one_step_cases::answer_block<double>()) < 1e-15);
  CHECK(largest(query - one_step_cases::query_block<double>()) < 1e-15);
  CHECK(largest(rotation_block({{"angles", std::vector{0.1, 0.2, 0.3}}}, "query") -
                one_step_cases::euler<double>("0.1", "0.2", "0.3")) < 1e-15);
  const Matrix e = make("block_rotation", {}, request(6, "answer"));
  CHECK(e.block(0, 0, 3, 3) == answer);
  CHECK(e.block(3, 3, 3, 3) == answer);
  CHECK(e.block(0, 3, 3, 3).isZero(0));
  CHECK(e.block(3, 0, 3, 3).isZero(0));
}

TEST_CASE("any orthogonal block may be given, row by row") {
  const std::vector<double> block = {0.6, -0.8, 0.8, 0.6};
  const Matrix e = make("block_rotation", {{"block", block}}, request(4));
  CHECK(e(0, 1) == -0.8);
  CHECK(e(1, 0) == 0.8);
  CHECK(e(2, 3) == -0.8);
  CHECK_THAT(message_of("block_rotation", {{"block", block}}, request(5)),
             Catch::EndsWith("the nearest are 4 and 6"));
  CHECK_THAT(message_of("block_rotation", {}, request(2)), Catch::EndsWith("the nearest are 3"));
}

TEST_CASE("a block that is not orthogonal or not square is refused with the size of its defect") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  using Numbers = std::vector<double>;
  const std::vector<std::pair<ParameterValues, std::string>> cases = {
      {{{"block", Numbers{1, 0, 0, 1.1}}}, "|RᵀR - I| is 0.21"},
      {{{"block", Numbers{1, 0, 0}}}, "3 entries"},
      {{{"block", Numbers{}}}, "0 entries"},
      {{{"block", Numbers{nan, 0, 0, 1}}}, "not orthogonal"},
      {{{"angles", Numbers{1, 2}}}, "got 2 numbers"},
      {{{"angles", Numbers{1, nan, 2}}}, "finite"},
      {{{"angles", Numbers{1, 2, 3}}, {"block", Numbers{1}}}, "not both"}};
  for (const auto& [parameters, said] : cases)
    CHECK_THAT(message_of("block_rotation", parameters, request(12)), Catch::Contains(said));
}

TEST_CASE("equicorrelated and Toeplitz embeddings have the Gram matrices of their definitions") {
  const Index classes = 100;
  for (const double rho : {0.0, 0.3, 0.999}) {
    const Matrix g = gram(make("equicorrelated", {{"rho", rho}}, request(classes)));
    const Matrix expected =
        (1 - rho) * Matrix::Identity(classes, classes) + Matrix::Constant(classes, classes, rho);
    CHECK(largest(g - expected) < rounding);
  }
  for (const double rho : {-0.9, 0.0, 0.5, 0.999}) {
    const Matrix g = gram(make("toeplitz", {{"rho", rho}}, request(classes)));
    double error = 0;
    for (Index i = 0; i < classes; ++i)
      for (Index j = 0; j < classes; ++j)
        error = std::max(error, std::abs(g(i, j) - std::pow(rho, double(std::abs(i - j)))));
    CHECK(error < rounding);
  }
}

TEST_CASE("equicorrelated embeddings are the orthogonal ones times the symmetric root of the Gram matrix") {
  const Matrix q = make("orthogonal", {}, request(8)), e = make("equicorrelated", {{"rho", 0.4}}, request(8));
  const Matrix root = q.transpose() * e;  // the two kinds draw the same Q
  CHECK(largest(root - root.transpose()) < rounding);
  CHECK(largest(root * root - gram(e)) < rounding);
  // No eigenvalue is negative: that would be a singular value whose vectors have opposite signs.
  const reference::Svd svd = reference::svd(root);
  CHECK(svd.u.cwiseProduct(svd.v).colwise().sum().minCoeff() > 0);
}

TEST_CASE("noisy embeddings are unit vectors as far from orthogonal as their noise") {
  const Index classes = 200;
  CHECK(make("noisy", {{"sigma", 0.0}}, request(classes)) == make("orthogonal", {}, request(classes)));
  for (const double sigma : {0.1, 1.0, 10.0}) {
    const Matrix g = gram(make("noisy", {{"sigma", sigma}}, request(classes)));
    CHECK(largest(g.diagonal() - Vector::Ones(classes)) < rounding);
    // Off the diagonal g_ij has mean 0 and variance (2 sigma^2 + sigma^4)/(d (1 + sigma^2)^2) to leading
    // order in 1/d.
    const double pairs = double(classes * (classes - 1));
    const double variance = (g.squaredNorm() - double(classes)) / pairs;
    const double s2 = sigma * sigma;
    CHECK(variance * double(classes) == Approx((2 * s2 + s2 * s2) / ((1 + s2) * (1 + s2))).epsilon(0.05));
  }
}

TEST_CASE("the noise is independent of the orthonormal columns it is added to") {
  const Index d = 200;
  const Matrix q = make("orthogonal", {}, request(d)), e = make("noisy", {{"sigma", 1.0}}, request(d));
  // <q_k, e_k> is about 1/sqrt(2) for independent noise, 1 for noise along q_k.
  CHECK(q.cwiseProduct(e).sum() / double(d) == Approx(std::numbers::sqrt2 / 2).epsilon(0.02));
}

TEST_CASE("Gaussian and spherical embeddings have any dimension and the moments of their laws") {
  const Index classes = 4000;
  const Index d = 25;
  const ParameterValues parameters = {{"dimension", std::int64_t{25}}};
  const Matrix g = make("gaussian", parameters, request(classes)),
               s = make("sphere", parameters, request(classes));
  CHECK(g.rows() == d);
  CHECK(s.rows() == d);
  CHECK(largest(s.colwise().norm().transpose() - Vector::Ones(classes)) < 1e-15);
  const double n = double(d * classes);
  CHECK(std::abs(g.sum()) / n < 4 * std::sqrt(1.0 / d / n));
  CHECK(g.squaredNorm() / double(classes) == Approx(1).epsilon(4 * std::sqrt(2 / n)));
  // Second moments: E E^T = (K/d) I for both laws, each entry within four standard deviations sqrt(2K)/d.
  for (const Matrix& e : {g, s}) {
    const Matrix defect = e * e.transpose() - double(classes) / double(d) * Matrix::Identity(d, d);
    CHECK(largest(defect) < 4 * std::sqrt(2.0 * double(classes)) / double(d));
  }
  // The sphere's fourth moment 3/(d(d+2)) tells it from a normalised cube or the like.
  CHECK(s.array().pow(4).mean() == Approx(3.0 / double(d * (d + 2))).epsilon(0.02));
}

TEST_CASE("an array from a file must have a column a class and finite entries") {
  EmbeddingRequest r = request(3);
  Matrix array(2, 3);
  array << 1, 2, 3, 4, 5, 6;
  r.reader = [&array](const std::string&) { return array; };
  const ParameterValues parameters = {{"path", std::string("e.npy")}};
  CHECK(make("file", parameters, r) == array);
  r.classes = 4;
  CHECK_THAT(message_of("file", parameters, r), Catch::StartsWith("e.npy: error: the array is 2 x 3") &&
                                                    Catch::Contains("each of the 4 classes"));
  r.classes = 3;
  array(1, 2) = std::numeric_limits<double>::infinity();
  CHECK_THAT(message_of("file", parameters, r),
             Catch::Contains("row 1, column 2 (counted from 0) is inf; expected finite numbers"));
  array.resize(0, 3);
  CHECK_THAT(message_of("file", parameters, r), Catch::Contains("the array is 0 x 3"));
}

TEST_CASE("an array from a file is scaled to unit columns where asked, and a zero column refused then") {
  EmbeddingRequest r = request(2);
  Matrix array(2, 2);
  array << 3e200, 0, 4e200, 5;
  r.reader = [&array](const std::string&) { return array; };
  ParameterValues parameters = {{"path", std::string("e.npy")}, {"normalise", true}};
  Matrix expected(2, 2);
  expected << 0.6, 0, 0.8, 1;
  CHECK((make("file", parameters, r) - expected).norm() < 1e-15);
  array.col(1).setZero();
  CHECK_THAT(message_of("file", parameters, r),
             Catch::StartsWith("e.npy: error: column 1 (counted from 0) is zero"));
  try {
    make("file", parameters, r);
  } catch (const InputError& error) {
    CHECK(error.problems().front().line == 0);  // an array has no lines
    CHECK(error.problems().front().column == 0);
  }
  CHECK(make("file", {{"path", std::string("e.npy")}, {"normalise", false}}, r) == array);
}
