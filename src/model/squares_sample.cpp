// Gradients of samples for least squares.

#include <cmath>

#include "algebra/product.hpp"
#include "core/random.hpp"
#include "model/squares_memory.hpp"

namespace rarefact {

namespace {

/// Standard normal numbers of a sample.
class Normals {
 public:
  Normals(std::uint64_t seed, const Sample& sample) : seed_(seed), sample_(sample) {}
  Matrix operator()(const char* stream, Index rows) const {
    Matrix z(rows, static_cast<Index>(sample_.draws));
    RandomStream(seed_, stream).fill_normal(sample_.step, {z.data(), static_cast<std::size_t>(z.size())});
    return z;
  }

 private:
  std::uint64_t seed_;
  const Sample& sample_;
};

/// Queries and answers in columns, with equal weights or those in `weight`.
struct Drawn {
  Matrix query, answer;
  Vector weight;
};

auto column_of(const Matrix* embedding, Index k, Index size) {
  return embedding ? Vector(embedding->col(k)) : Vector(Vector::Unit(size, k));
}

/// Every drawn pair with its own noise or, without noise, the distinct queries with their mean answers.
Drawn facts(const DenseLayout& layout, const LeastSquares& data, const DenseMatrix& w, const Sample& sample,
            const Normals& normals) {
  const Index inputs = w.entries.cols(), outputs = w.entries.rows();
  const bool noisy = data.query_noise > 0;
  const Index columns = noisy ? static_cast<Index>(sample.draws) : std::ssize(sample.query);
  Drawn drawn{Matrix(inputs, columns), Matrix::Zero(outputs, columns), Vector(columns)};
  Index at = 0;
  for (std::size_t q = 0; q < sample.query.size(); ++q) {
    const Vector query = data.query_scale * column_of(layout.query(), sample.query[q], inputs);
    if (!noisy) {
      drawn.query.col(at) = query;
      drawn.weight(at) = sample.weight[q];
    }
    for (std::size_t i = sample.begin[q]; i < sample.begin[q + 1]; ++i) {
      const Vector answer = column_of(layout.answer(), sample.answer[i], outputs);
      if (!noisy) {
        drawn.answer.col(at) += (sample.answer_weight[i] / sample.weight[q]) * answer;
        continue;
      }
      const auto draws = static_cast<double>(sample.draws);
      for (auto left = std::llround(sample.answer_weight[i] * draws); left > 0; --left, ++at) {
        drawn.query.col(at) = query;
        drawn.answer.col(at) = answer;
        drawn.weight(at) = 1 / draws;
      }
    }
    if (!noisy) ++at;
  }
  if (noisy) drawn.query += data.query_noise * normals("query_noise", inputs);
  return drawn;
}

/// x = E √P z + σ z'.
Matrix gaussian_queries(const DenseLayout& layout, const LeastSquares& data, Index inputs,
                        const Normals& normals, const Workers& workers) {
  const std::vector<Cell> cells = layout.cells();
  Matrix x = normals("queries", std::ssize(cells));
  for (std::size_t l = 0; l < cells.size(); ++l) x.row(static_cast<Index>(l)) *= std::sqrt(cells[l].training);
  if (layout.query()) x = product(*layout.query(), x, workers);
  if (data.query_noise > 0) x += data.query_noise * normals("query_noise", inputs);
  return x;
}

}  // namespace

Gradient<DenseMatrix> squares_sample(const DenseLayout& layout, const SquaresProblem<DenseMatrix>& problem,
                                     const DenseMatrix& w, const Sample& sample, const Workers& workers) {
  const LeastSquares& data = problem.data;
  const Normals normals(problem.seed, sample);
  if (!data.gaussian()) {
    const Drawn drawn = facts(layout, data, w, sample, normals);
    Matrix off = product(w.entries, drawn.query, workers) - drawn.answer;
    off *= drawn.weight.asDiagonal();
    return in_both_bases(layout, DenseMatrix{product(off, drawn.query.transpose(), workers)});
  }
  const Matrix x = gaussian_queries(layout, data, w.entries.cols(), normals, workers);
  Matrix off = w.entries - problem.minimiser.entries;
  off = product(off, x, workers);
  if (data.bilinear()) {
    const Matrix u = normals("directions", off.rows());
    Vector seen = u.cwiseProduct(off).colwise().sum();
    if (data.answer_noise > 0) seen -= data.answer_noise * normals("answer_noise", 1).transpose();
    off = u * seen.asDiagonal();
  } else if (data.answer_noise > 0) {
    off -= data.answer_noise * normals("answer_noise", off.rows());
  }
  off /= static_cast<double>(sample.draws);
  return in_both_bases(layout, DenseMatrix{product(off, x.transpose(), workers)});
}

Gradient<ColumnMatrix> squares_sample(const ColumnLayout&, const SquaresProblem<ColumnMatrix>& problem,
                                      const ColumnMatrix& w, const Sample& sample, const Workers&) {
  const double mu = problem.data.query_scale;
  const auto drawn = std::ssize(sample.query);
  Gradient<ColumnMatrix> gradient;
  ColumnMatrix& g = gradient.task;
  g.structure = w.structure;
  g.stored_groups = std::make_shared<const std::vector<Index>>(sample.query);
  g.right.resize(drawn);
  g.wrong.resize(drawn);
  for (Index i = 0; i < drawn; ++i) {
    const double weight = sample.weight[i] * mu;
    g.right(i) = weight * (mu * w.right(sample.query[i]) - 1);
    g.wrong(i) = weight * mu * w.wrong(sample.query[i]);
  }
  return gradient;
}

}  // namespace rarefact
