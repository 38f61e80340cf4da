#include "algebra/product.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "reference/random_matrix.hpp"

using namespace rarefact;

namespace {

template <class Real>
MatrixOf<Real> random_matrix(Index rows, Index columns, std::uint64_t step) {
  return reference::random_matrix(rows, columns, "product", step).cast<Real>();
}

/// The definition in algebra/product.hpp, word for word.
template <class Real>
MatrixOf<Real> by_definition(const MatrixOf<Real>& a, const MatrixOf<Real>& b) {
  MatrixOf<Real> c(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < b.cols(); ++j) {
      Real total = 0;
      for (Index from = 0; from < a.cols(); from += product_chunk) {
        Real sum = 0;
        for (Index k = from; k < std::min(from + product_chunk, a.cols()); ++k)
          sum = std::fma(a(i, k), b(k, j), sum);
        total += sum;
      }
      c(i, j) = total;
    }
  }
  return c;
}

template <class Real>
MatrixOf<Real> with_kernel(const ProductKernel<Real>& kernel, const MatrixOf<Real>& a,
                           const MatrixOf<Real>& b) {
  MatrixOf<Real> c(a.rows(), b.cols());
  PackedFactor<Real>(view_of(a), Workers::serial(), kernel).times(view_of(b), c.data(), c.rows());
  return c;
}

}  // namespace

TEMPLATE_TEST_CASE("every kernel gives the bytes of the definition of a product", "", double, float) {
  for (const auto& [m, k, n] : {std::array<Index, 3>{1, 1, 1},
                                {24, 256, 8},
                                {25, 257, 9},
                                {97, 300, 61},
                                {191, 520, 33},
                                {5, 1030, 70},
                                {16, 64, 300},
                                {61, 63, 35},
                                {96, 96, 1}}) {
    const auto a = random_matrix<TestType>(m, k, 1), b = random_matrix<TestType>(k, n, 2);
    const auto expected = by_definition<TestType>(a, b);
    for (const auto& kernel : product_kernels<TestType>()) {
      INFO(kernel.name << " " << m << " x " << k << " x " << n);
      CHECK(with_kernel<TestType>(kernel, a, b) == expected);
    }
  }
}

TEST_CASE("a product that fills no whole blocks touches nothing beside itself") {
  const Index rows = 37, columns = 11, depth = 5, frame = 40;
  const Matrix a = random_matrix<double>(rows, depth, 1), b = random_matrix<double>(depth, columns, 2);
  for (const ProductKernel<double>& kernel : product_kernels<double>()) {
    INFO(kernel.name);
    // Adding a zero would turn the sign of these.
    Matrix c = Matrix::Constant(rows + frame, columns + frame, -0.0);
    PackedFactor<double>(view_of(a), Workers::serial(), kernel).times(view_of(b), c.data(), c.rows());
    CHECK(c.topLeftCorner(rows, columns) == by_definition(a, b));
    for (Index j = 0; j < c.cols(); ++j) {
      for (Index i = j < columns ? rows : 0; i < c.rows(); ++i) REQUIRE(std::signbit(c(i, j)));
    }
  }
}

TEST_CASE("the processor's fastest kernel is one of at least two on x86-64") {
#if defined(__AVX2__)
  CHECK(product_kernels<double>().size() >= 2);
#endif
  CHECK(product_kernel<double>().name == product_kernels<double>().back().name);
}

TEST_CASE("a product has the same bytes for any number of threads and any tiles") {
  const Matrix a = random_matrix<double>(150, 310, 3), b = random_matrix<double>(310, 203, 4);
  const Matrix expected = by_definition<double>(a, b);
  for (const int threads : {1, 2, 3, 8}) CHECK(product(a, b, Workers(threads)) == expected);
}

TEST_CASE("transposes, blocks and expressions multiply like the matrices they stand for") {
  const Matrix a = random_matrix<double>(60, 80, 5), b = random_matrix<double>(70, 80, 6);
  const Matrix transposed = b.transpose();
  const Workers workers(2);
  const Matrix expected = by_definition<double>(a, transposed);
  CHECK(product(a, b.transpose(), workers) == expected);
  CHECK(product(a, transposed, workers) == expected);
  CHECK(product(Matrix(2 * a), b.transpose(), workers) == 2 * expected);
  const Matrix middle = a.middleCols(3, 40), rows = transposed.middleRows(3, 40);
  CHECK(product(a.middleCols(3, 40), transposed.middleRows(3, 40), workers) ==
        by_definition<double>(middle, rows));
  const Matrix left = a.transpose();
  CHECK(product(a.transpose(), a, workers) == by_definition<double>(left, a));
}

TEST_CASE("skipping the zeros of triangles changes no byte") {
  const Index n = GENERATE(61, 700);
  const Matrix full = random_matrix<double>(n, n, 8), b = random_matrix<double>(n, n, 9);
  const Matrix upper = full.triangularView<Eigen::Upper>(), lower = full.triangularView<Eigen::Lower>();
  for (const Matrix& triangle : {upper, lower}) {
    CHECK(product(triangle, b, Workers::serial()) == by_definition<double>(triangle, b));
    CHECK(product(b, triangle, Workers::serial()) == by_definition<double>(b, triangle));
  }
}

TEST_CASE("what is not a number stays visible in a product") {
  Matrix a = random_matrix<double>(40, 40, 10), b = random_matrix<double>(40, 40, 11);
  a(17, 5) = std::numeric_limits<double>::quiet_NaN();
  const Matrix c = product(a, b, Workers::serial());
  CHECK(c.row(17).array().isNaN().all());
}
