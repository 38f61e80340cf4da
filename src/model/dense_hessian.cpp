#include <cmath>
#include <limits>

#include "algebra/householder.hpp"
#include "model/dense_layout.hpp"

namespace rarefact {

using dense_tile::Holding, dense_tile::scratch;

namespace {

/// One factor of H₀: V diag(values) Vᵀ, or diag(values) without a basis.
struct HessianFactor {
  std::optional<Matrix> basis;
  Vector values;
};

/// The eigenvectors of A Aᵀ. Eigenvalues that may be rounding noise are set to zero, as in a pseudo-inverse.
HessianFactor factor_of(const Matrix& a, const Workers& workers) {
  SymmetricEigen found = symmetric_eigen(product(a, a.transpose(), workers));
  const Vector& values = found.values;
  const double rounding = static_cast<double>(values.size()) * std::numeric_limits<double>::epsilon();
  const double threshold = rounding * values.maxCoeff();
  return {std::move(found.vectors), (values.array() > threshold).select(values, 0)};
}

/// Converts logits to the ratios of wrong answers.
ColumnSoftmax<double> odds_of(Eigen::Ref<Vector> logits, std::span<const Index> right_at,
                              const RightLogits<double>& right) {
  QueryColumn<double> column{{logits.data(), logits.size()}};
  return normalise_wrong<double>(column, right_at, right);
}

}  // namespace

class DenseLayout::HessianSource : public std::enable_shared_from_this<HessianSource> {
 public:
  HessianSource(const DenseLayout& memory, const Workers& workers)
      : memory_(memory), workers_(workers), classes_(static_cast<double>(memory.answers_)) {
    if (!memory_.answer_) return;
    const Matrix& answer = *memory_.answer_;
    const Vector mean = answer.rowwise().sum() / classes_;
    left_ = factor_of((answer.colwise() - mean) / std::sqrt(classes_), workers_);
  }

  Hessian<State> at(const State& w, const Sample* sample) {
    columns_ = memory_.columns_of(sample);
    const bool zero = (w.entries.array() == 0).all();
    survey(w, zero);
    if (sample || memory_.removes_recovered_ || right_.values.size() == 0) set_right();
    Hessian<State> hessian;
    hessian.exponent = columns_.exponent + shift_;
    const auto self = shared_from_this();
    if (zero) {
      hessian.product = [self](const State& x) { return self->at_zero(x, [](double h) { return h; }); };
    } else {
      hessian.product = [self, &w](const State& x) { return self->product_at(w, x); };
    }
    hessian.solve_at_zero = [self](const State& x, double damping) {
      const double lambda = std::ldexp(damping, -self->columns_.exponent), none = lambda > 0 ? 1 / lambda : 0;
      return self->at_zero(x, [&](double h) { return h > 0 ? 1 / (h + lambda) : none; });
    };
    return hessian;
  }

 private:
  /// Computes the weights of the columns and the unit of H, from the column with the largest errors.
  void survey(const State& w, bool zero) {
    shift_ = 0;
    weight_ = memory_.weights_of(columns_);
    if (zero) return;
    std::vector<int> shift(static_cast<std::size_t>(columns_.count), std::numeric_limits<int>::min());
    const double tie = memory_.mixes_columns() ? largest_entry(w) : 0;
    for_columns(w, [&](Index begin, Eigen::Map<Matrix>& logits) {
      for (Index i = 0; i < logits.cols(); ++i) {
        const QueryAnswers<double>& law = memory_.law(columns_[begin + i]);
        const RightLogits<double> right = logits_of_right(law, logits.col(i));
        const ColumnSoftmax<double> odds = odds_of(logits.col(i), law.right_at, right);
        const double size = std::max(tie, std::abs(right.largest));
        if (memory_.removes_recovered_ && untied(odds.advantage, size) > 0) {
          weight_(begin + i) = 0;
        } else {
          shift[begin + i] = underflow_shift(odds.log_peak(), std::log(classes_));
        }
      }
    });
    const int largest = shift.empty() ? 0 : *std::max_element(shift.begin(), shift.end());
    if (largest != std::numeric_limits<int>::min()) shift_ = largest;
  }

  /// Calls body(first column, logits of the tile) for all tiles, in parallel.
  template <class Body>
  void for_columns(const State& w, const Body& body) const {
    const PackedWeights packed = memory_.packed(w, workers_);
    const Index rows = memory_.answers_;
    workers_.for_tiles(columns_.count, memory_.tile_width(columns_.count, workers_),
                       [&](Index begin, Index end) {
                         auto logits = scratch<Holding::logits>(rows, end - begin);
                         memory_.tile_logits(packed, w, columns_, begin, logits);
                         body(begin, logits);
                       });
  }

  void set_right() {
    if (!memory_.query_) {
      right_.values = Vector::Zero(memory_.queries());
      for (Index i = 0; i < columns_.count; ++i) right_.values(columns_[i]) = weight_(i);
      return;
    }
    const Matrix& query = *memory_.query_;
    Matrix drawn(query.rows(), columns_.count);
    for (Index i = 0; i < columns_.count; ++i) drawn.col(i) = std::sqrt(weight_(i)) * query.col(columns_[i]);
    right_ = factor_of(drawn, workers_);
  }

  /// X with each of its parts along eigenvectors of H₀ (in units of the weights) times f(eigenvalue).
  template <class Function>
  State at_zero(const State& x, Function f) const {
    Matrix y = x.entries;
    if (left_.basis) y = rarefact::product(left_.basis->transpose(), y, workers_);
    if (right_.basis) y = rarefact::product(y, *right_.basis, workers_);
    for (Index j = 0; j < y.cols(); ++j) {
      const double right = right_.values(j);
      if (left_.basis) {
        for (Index i = 0; i < y.rows(); ++i) y(i, j) *= f(left_.values(i) * right);
      } else {
        const double mean = y.col(j).sum() / classes_;
        y.col(j) = ((y.col(j).array() - mean) * f(right / classes_) + mean * f(0)).matrix().eval();
      }
    }
    if (left_.basis) y = rarefact::product(*left_.basis, y, workers_);
    if (right_.basis) y = rarefact::product(y, right_.basis->transpose(), workers_);
    return {std::move(y)};
  }

  /// H[X], tile by tile like the gradient.
  State product_at(const State& w, const State& x) const {
    const Index rows = memory_.answers_;
    const bool push = memory_.answer_ != nullptr;
    Matrix image(push ? memory_.answer_->rows() : rows, columns_.count);
    const PackedWeights packed_x = memory_.packed(x, workers_);
    for_columns(w, [&](Index begin, Eigen::Map<Matrix>& logits) {
      auto changes = scratch<Holding::changes>(rows, logits.cols());
      memory_.tile_logits(packed_x, x, columns_, begin, changes);
      for (Index i = 0; i < logits.cols(); ++i)
        to_change(columns_[begin + i], weight_(begin + i), logits.col(i), changes.col(i));
      if (push) {
        memory_.full_.answer.times(view_of(changes), image.col(begin).data(), image.rows());
      } else {
        image.middleCols(begin, changes.cols()) = changes;
      }
    });
    return memory_.in_coordinates_of_w(image, columns_, workers_);
  }

  /// C: the change of the residual caused by a change of the logits, in units of H. Relative to the right
  /// answer's change, so that nothing cancels if p̂ is near 1.
  void to_change(Index l, double weight, Eigen::Ref<Vector> logits, Eigen::Ref<Vector> change) const {
    if (weight == 0) {
      change.setZero();
      return;
    }
    // H does not depend on the answer law; any reference answer is correct, and a likely one is best.
    const Index from = memory_.law(l).right_at[0];
    const ColumnSoftmax<double> odds = odds_of(logits, std::span(&from, 1), {logits(from)});
    const double right = change(from);
    change.array() -= right;
    const double mean = std::exp(odds.log_peak()) * logits.dot(change);
    const double unit = weight * std::exp(odds.log_peak() - shift_ * std::log(2.0));
    change = (unit * logits.array() * (change.array() - mean)).matrix();
    change(from) = 0;
    change(from) = -change.sum();
  }

  const DenseLayout& memory_;
  const Workers& workers_;
  double classes_;
  Columns columns_;
  Vector weight_;  // in units of 2^exponent
  int shift_ = 0;
  HessianFactor left_, right_;
};

std::function<Hessian<DenseMatrix>(const DenseMatrix& w, const Sample* sample)> DenseLayout::hessians(
    const Workers& workers) const {
  return [source = std::make_shared<HessianSource>(*this, workers)](const State& w, const Sample* sample) {
    return source->at(w, sample);
  };
}

}  // namespace rarefact
