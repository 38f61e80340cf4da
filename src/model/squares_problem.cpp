#include <cmath>

#include "algebra/product.hpp"
#include "core/random.hpp"
#include "model/squares_memory.hpp"

namespace rarefact {

DenseMatrix scaled_columns(DenseMatrix x, const Vector& v) {
  x.entries = x.entries * v.asDiagonal();
  return x;
}

SymmetricMatrix<double> scaled_columns(SymmetricMatrix<double> x, const Vector& v) {
  for (Index c = 0; c < v.size(); ++c) {
    x.own_column(c) *= v(c);
    x.other_entries().col(c) *= v(c);
  }
  return x;
}

ColumnMatrix scaled_columns(ColumnMatrix x, const Vector& v) {
  if (x.held) x = all_held(x);
  x.own.array() *= v.array();
  x.other.array() *= v.array();
  return x;
}

namespace {

/// X + c I, of square matrices.
void add_identity(DenseMatrix& x, double c) {
  x.entries.diagonal().array() += c;
}
void add_identity(SymmetricMatrix<double>& x, double c) {
  for (Index i = 0; i < x.structure().groups(); ++i) x.own(i).diagonal().array() += c;
}
void add_identity(ColumnMatrix& x, double c) {
  x.own.array() += c;
}

Vector probabilities(const std::vector<Cell>& cells) {
  Vector p(static_cast<Index>(cells.size()));
  for (std::size_t c = 0; c < cells.size(); ++c) p(static_cast<Index>(c)) = cells[c].probability;
  return p;
}

/// l^-β of every cell; cells of several classes have no rank, and no exponent either.
Vector lengths(Index cells, double exponent) {
  Vector a(cells);
  for (Index l = 0; l < cells; ++l) a(l) = std::pow(static_cast<double>(l + 1), -exponent);
  return a;
}

// What the memories bring; the law of their answers is the identity.

DenseMatrix identity(const DenseMemory& base) {
  const auto classes = static_cast<Index>(base.cells().size());
  return {Matrix::Identity(classes, classes)};
}
template <class Base>
typename Base::State identity(const Base& base) {
  typename Base::State one = base.zero();
  add_identity(one, 1);
  return one;
}

bool identity_queries(const DenseMemory& base) {
  return base.query() == nullptr;
}
bool identity_queries(const SymmetricMemory<double>& base) {
  return base.identity_queries();
}
bool identity_queries(const ColumnMemory&) {
  return true;
}

/// Ẽ.
DenseMatrix answers(const DenseMemory& base) {
  return base.answer() ? DenseMatrix{*base.answer()} : identity(base);
}
SymmetricMatrix<double> answers(const SymmetricMemory<double>& base) {
  return base.of_answers(identity(base));
}
ColumnMatrix answers(const ColumnMemory& base) {
  return identity(base);
}

/// Ẽ J/K, every column the mean answer.
DenseMatrix noise_answers(const DenseMemory& base) {
  Matrix all = answers(base).entries;
  const Vector mean = all.rowwise().mean();
  all.colwise() = mean;
  return {std::move(all)};
}
SymmetricMatrix<double> noise_answers(const SymmetricMemory<double>& base) {
  SymmetricMatrix<double> even = base.zero();
  const GroupStructure& s = even.structure();
  const double share = 1 / s.total(Side::rows);
  even.own_entries().setConstant(share);
  for (Index j = 0; j < s.groups(); ++j)
    for (Index i = 0; i < s.groups(); ++i)
      if (i != j || s.count[i] > 1) even.other(i, j).setConstant(share);
  return base.of_answers(even);
}
ColumnMatrix noise_answers(const ColumnMemory& base) {
  ColumnMatrix even = base.zero();
  const double share = 1 / even.structure->answers;
  even.own.setConstant(share);
  even.other.setConstant(share);
  return even;
}

template <class M>
Vector squared_columns(const M& x) {
  return measured(x, Side::columns, Measured::euclidean).cwiseAbs2();
}

/// ȳ_l, and E(‖y - ȳ_l‖² | l) = (1-α) ‖Ẽ_l‖² + α mean ‖Ẽ_k‖² - ‖ȳ_l‖².
template <class Base>
void set_answers(const Base& base, double noise, SquaresProblem<typename Base::State>& problem) {
  problem.mean_answers = answers(base);
  problem.spread = Vector::Zero(static_cast<Index>(base.cells().size()));
  if (noise == 0) return;
  const Vector square = squared_columns(problem.mean_answers);
  const std::vector<Cell> cells = base.cells();
  double mean = 0, classes = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    mean += cells[c].classes * square(static_cast<Index>(c));
    classes += cells[c].classes;
  }
  combine(problem.mean_answers, 1 - noise, noise, noise_answers(base));
  problem.spread =
      ((1 - noise) * square - squared_columns(problem.mean_answers)).array() + noise * mean / classes;
}

/// W* E.
DenseMatrix random_columns(const DenseMemory& base, const Vector& length, std::uint64_t seed) {
  const RandomStream stream(seed, "target");
  DenseMatrix columns{Matrix(base.zero().entries.rows(), length.size())};
  for (Index l = 0; l < length.size(); ++l) {
    auto column = columns.entries.col(l);
    stream.fill_normal(static_cast<std::uint64_t>(l),
                       {column.data(), static_cast<std::size_t>(column.size())});
    column *= length(l) / column.norm();
  }
  return columns;
}

template <class Base>
typename Base::State target(const Base& base, const LeastSquares& data, std::uint64_t seed,
                            [[maybe_unused]] const Workers& workers) {
  const Vector length = lengths(static_cast<Index>(base.cells().size()), data.exponent);
  if constexpr (std::is_same_v<Base, DenseMemory>) {
    if (data.random_target()) {
      const DenseMatrix columns = random_columns(base, length, seed);
      const Matrix* query = base.query();
      return query ? DenseMatrix{product(columns.entries, query->transpose(), workers)} : columns;
    }
  }
  return base.to_ambient(scaled_columns(identity(base), length));
}

}  // namespace

template <class M>
M SquaresProblem<M>::times_second(M x, const Workers& workers) const {
  return second ? multiplied(x, *second, workers) : scaled_columns(std::move(x), curvature);
}

template <class M>
M SquaresProblem<M>::over_second(const M& x, double damping, const Workers& workers) const {
  const auto inverse = [damping](double s) { return s + damping > 0 ? 1 / (s + damping) : 0; };
  if (!second) return scaled_columns(x, curvature.unaryExpr(inverse));
  return multiplied(x, spectral_function(*second, inverse, workers), workers);
}

template <class Base>
SquaresProblem<typename Base::State> squares_problem(const Base& base, const LeastSquares& data,
                                                     double label_noise, std::uint64_t seed, double outputs,
                                                     const Workers& workers) {
  using M = typename Base::State;
  const Vector p = probabilities(base.cells());
  const double mu = data.query_scale, variance = data.query_noise * data.query_noise;
  SquaresProblem<M> problem{.data = data, .minimiser = {}, .mean_answers = {}, .seed = seed};
  const bool diagonal = identity_queries(base);
  SecondMoment<M> root;
  if (diagonal) {
    problem.curvature = (mu * mu * p).array() + variance;
  } else {
    root = base.second_moment_root();
    M second = multiplied(root.root, transposed(root.root), workers);
    combine(second, std::ldexp(mu * mu, root.exponent), 0, second);
    add_identity(second, variance);
    problem.second = std::move(second);
  }
  if (data.gaussian()) {
    problem.minimiser = target(base, data, seed, workers);
    problem.mean_answers = with_queries(base, problem.minimiser, workers);
    const double each = data.answer_noise * data.answer_noise / 2;
    problem.noise = data.bilinear() ? each : outputs * each;
    return problem;
  }
  set_answers(base, label_noise, problem);
  M joint;  // Ẽ Π P Eᵀ
  if (diagonal) {
    joint = scaled_columns(problem.mean_answers, p);
  } else {
    const Vector roots = (p * std::ldexp(1.0, -root.exponent)).cwiseSqrt();
    joint = multiplied(scaled_columns(problem.mean_answers, roots), transposed(root.root), workers);
    combine(joint, std::ldexp(1.0, root.exponent), 0, joint);
  }
  combine(joint, mu, 0, joint);
  problem.minimiser = problem.over_second(joint, 0, workers);
  return problem;
}

#define RAREFACT_SQUARES(Base)                                                                   \
  template struct SquaresProblem<Base::State>;                                                   \
  template SquaresProblem<Base::State> squares_problem(const Base&, const LeastSquares&, double, \
                                                       std::uint64_t, double, const Workers&);

RAREFACT_SQUARES(DenseMemory)
RAREFACT_SQUARES(SymmetricMemory<double>)
RAREFACT_SQUARES(ColumnMemory)

}  // namespace rarefact
