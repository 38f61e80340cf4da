#include "algebra/symmetric_product.hpp"

namespace rarefact {

Matrix symmetric_product(const MatrixView<double>& a, const MatrixView<double>& b, const Workers& workers) {
  const Index n = b.columns, square = 64;
  Matrix result(n, n);
  const PackedFactor<double> left(a, workers);
  // Narrower than for a whole product: tiles to the right have less to do.
  const Index tile = std::max<Index>(8, product_tile(n, workers.threads()) / 2);
  workers.for_tiles(n, tile, [&](Index begin, Index end) {
    left.times(b.middle_columns(begin, end - begin), result.col(begin).data(), n, begin);
  });
  workers.for_tiles(n, square, [&](Index begin, Index end) {
    for (Index top = 0; top < end; top += square) {
      for (Index j = begin; j < end; ++j) {
        for (Index i = top; i < std::min(top + square, j); ++i) result(i, j) = result(j, i);
      }
    }
  });
  return result;
}

}  // namespace rarefact
