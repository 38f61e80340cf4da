#include "algebra/lu.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>
#include <utility>

namespace rarefact {

namespace {

/// Columns eliminated before the rest is updated; a multiple of the block size of every kernel.
constexpr Index block = 48;

/// P X = L U of a panel with more rows than columns; swap[i] as in LuFactors. False if a pivot is 0. Eigen offers
/// it for square matrices only.
bool factor_panel(Eigen::Ref<Matrix, 0, Eigen::OuterStride<>> x, Index* swap) {
  static_assert(EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION <= 4,
                "check this internal function of Eigen");
  Index swaps = 0;  // their number, which is not needed
  return Eigen::internal::partial_lu_impl<double, Eigen::ColMajor, Index>::blocked_lu(
             x.rows(), x.cols(), x.data(), x.outerStride(), swap, swaps) < 0;
}

/// The inverse of a small triangular matrix.
template <int mode>
Matrix inverse_of(const Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>& triangle) {
  return triangle.triangularView<mode>().solve(Matrix::Identity(triangle.rows(), triangle.cols()));
}

}  // namespace

void LuFactors::swap_rows(Index begin, Index count, Eigen::Ref<Matrix> columns) const {
  for (Index j = 0; j < columns.cols(); ++j) {
    double* x = columns.col(j).data();
    for (Index i = begin; i < begin + count; ++i) std::swap(x[i], x[swap_[i]]);
  }
}

bool LuFactors::factor(const Workers& workers) {
  const Index n = lu_.rows();
  std::vector<char> sound(static_cast<std::size_t>(n / block + 1), 1);
  const auto panel = [&](Index at) {
    const Index width = std::min(block, n - at);
    Index* swap = swap_.data() + at;
    sound[at / block] = factor_panel(lu_.block(at, at, n - at, width), swap);
    for (Index i = 0; i < width; ++i) swap[i] += at;
  };
  panel(0);
  for (Index at = 0; at < n; at += block) {
    if (!sound[at / block]) return false;
    const Index width = std::min(block, n - at), after = at + width, below = n - after;
    if (after >= n) break;
    const Matrix corner = inverse_of<Eigen::UnitLower>(lu_.block(at, at, width, width));
    const PackedFactor<double> top(view_of(corner)),
        left(view_of(lu_.block(after, at, below, width)), workers);
    // The thread that updated the next panel factors it while the others continue.
    workers.for_tiles(n - after, block, [&](Index begin, Index end) {
      auto tile = lu_.middleCols(after + begin, end - begin);
      swap_rows(at, width, tile);
      const Matrix before = tile.middleRows(at, width);
      top.times(view_of(before), &tile(at, 0), n);
      const Matrix negative = -tile.middleRows(at, width);
      left.add_times(view_of(negative), &tile(after, 0), n);
      if (begin == 0) panel(after);
    });
  }
  workers.for_tiles(
      n, block, [&](Index begin, Index end) { swap_rows(end, n - end, lu_.middleCols(begin, end - begin)); });
  return true;
}

std::optional<LuFactors> LuFactors::of(Matrix x, const Workers& workers) {
  LuFactors factors(std::move(x));
  if (!factors.factor(workers)) return std::nullopt;
  return factors;
}

void LuFactors::inverse_transposed(
    const Workers& workers, const std::function<void(Index, const Eigen::Ref<const Matrix>&)>& take) const {
  // Uᵀ Lᵀ P X⁻ᵀ = I, and row i of P X⁻ᵀ is row[i] of X⁻ᵀ.
  std::vector<Index> row(swap_.size());
  std::iota(row.begin(), row.end(), Index{0});
  for (std::size_t i = 0; i < row.size(); ++i) std::swap(row[i], row[swap_[i]]);
  struct Pivot {
    Index at, width;
    PackedFactor<double> upper_corner, upper, lower_corner, lower;
  };
  const Index n = lu_.rows(), tile = 64;
  std::vector<Pivot> pivots(static_cast<std::size_t>((n + block - 1) / block));
  workers.for_tiles(static_cast<Index>(pivots.size()), 1, [&](Index k, Index) {
    const Index at = k * block, width = std::min(block, n - at), after = at + width;
    const auto square = lu_.block(at, at, width, width);
    const Matrix upper = inverse_of<Eigen::Upper>(square), lower = inverse_of<Eigen::UnitLower>(square);
    const auto transposed = [](const auto& x) { return PackedFactor<double>(view_of(x).transposed()); };
    pivots[k] = {at,
                 width,
                 transposed(upper),
                 transposed(lu_.block(at, after, width, n - after)),
                 transposed(lower),
                 transposed(lu_.block(at, 0, width, at))};
  });
  workers.for_tiles(n, tile, [&](Index begin, Index end) {
    Matrix z = Matrix::Zero(n, end - begin);
    for (Index j = begin; j < end; ++j) z(j, j - begin) = 1;
    const auto solve = [&z](const Pivot& p, const PackedFactor<double>& corner) -> Matrix {
      const Matrix before = z.middleRows(p.at, p.width);
      corner.times(view_of(before), &z(p.at, 0), z.rows());
      return -z.middleRows(p.at, p.width);
    };
    for (auto p = pivots.begin() + begin / block; p != pivots.end(); ++p) {
      const Matrix negative = solve(*p, p->upper_corner);
      const Index after = p->at + p->width;
      if (after < n) p->upper.add_times(view_of(negative), &z(after, 0), n);
    }
    for (auto p = pivots.rbegin(); p != pivots.rend(); ++p) {
      const Matrix negative = solve(*p, p->lower_corner);
      if (p->at > 0) p->lower.add_times(view_of(negative), z.data(), n);
    }
    Matrix placed(n, z.cols());
    for (Index j = 0; j < z.cols(); ++j) {
      for (Index i = 0; i < n; ++i) placed(row[i], j) = z(i, j);
    }
    take(begin, placed);
  });
}

}  // namespace rarefact
