#include "algebra/cholesky.hpp"

#include <Eigen/Cholesky>

namespace rarefact {

namespace {

/// Rows of a narrow panel that a thread computes at a time.
constexpr Index row_tile = 64;

/// Columns factored before the rest is updated. Affects rounding, so it depends on n only.
Index block_of(Index n) {
  return n >= 768 ? 96 : n >= 192 ? 64 : 32;
}

}  // namespace

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

std::optional<Matrix> inverse_cholesky(Matrix z, const Workers& workers) {
  const Index n = z.rows(), block = block_of(n);
  Matrix inverse = Matrix::Zero(n, n);
  for (Index at = 0; at < n; at += block) {
    const Index width = std::min(block, n - at), below = n - at - width, after = at + width;
    const Eigen::LLT<Matrix> diagonal(z.block(at, at, width, width));
    if (diagonal.info() != Eigen::Success) return std::nullopt;
    const Matrix corner = diagonal.matrixL().solve(Matrix::Identity(width, width));
    const PackedFactor<double> packed_corner(view_of(corner));
    // L⁻¹ so far: rows of this block are -L_ii⁻¹ (L_i0 ... ) times the rows above.
    if (at > 0) {
      const PackedFactor<double> left(view_of(z.block(at, 0, width, at)));
      workers.for_tiles(at, row_tile, [&](Index begin, Index end) {
        Matrix sum(width, end - begin);
        left.times(view_of(inverse.block(0, begin, at, end - begin)), sum.data(), width);
        auto rows = inverse.block(at, begin, width, end - begin);
        sum = -sum;
        packed_corner.times(view_of(sum), rows.data(), n);
      });
    }
    inverse.block(at, at, width, width) = corner;
    if (below == 0) break;
    workers.for_tiles(below, row_tile, [&](Index begin, Index end) {
      auto panel = z.block(after + begin, at, end - begin, width);
      Matrix transposed(width, end - begin);
      packed_corner.times(view_of(panel).transposed(), transposed.data(), width);
      panel = transposed.transpose();
    });
    const Matrix panel = -z.block(after, at, below, width);
    const PackedFactor<double> left(view_of(z.block(after, at, below, width)), workers);
    workers.for_tiles(below, row_tile, [&](Index begin, Index end) {
      left.add_times(view_of(panel).transposed().middle_columns(begin, end - begin),
                     z.data() + after + (after + begin) * n, n, begin);
    });
  }
  return inverse;
}

}  // namespace rarefact
