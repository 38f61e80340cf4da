#include <cmath>
#include <limits>

#include "algebra/product.hpp"
#include "algebra/runs.hpp"
#include "core/random.hpp"
#include "model/squares_memory.hpp"

namespace rarefact {

namespace {

/// X diag(v), v with a number for every column or type of columns.
template <class M>
M scaled_columns(M x, const Vector& v) {
  for_runs(x, [&](Index c, Index, Index size, const double*, double* at) {
    for (Index i = 0; i < size; ++i) at[i] *= v(c);
  });
  return x;
}

/// X + c I, of square matrices.
template <class M>
void add_identity(M& x, double c) {
  for_runs(x, [c](Index, Index place, Index, const double*, double* at) {
    if (place >= 0) at[place] += c;
  });
}

Vector of_cells(const std::vector<Cell>& cells, double Cell::*number) {
  Vector all(std::ssize(cells));
  for (std::size_t c = 0; c < cells.size(); ++c) all(static_cast<Index>(c)) = cells[c].*number;
  return all;
}

/// c (l+q)^-β of every cell; cells of several classes have no rank and require β = 0.
Vector lengths(Index cells, const LeastSquares& data) {
  Vector a(cells);
  for (Index l = 0; l < cells; ++l) a(l) = data.length_of(static_cast<double>(l + 1));
  return a;
}

template <class M>
Vector squared_columns(const M& x) {
  return aggregate(x, Side::columns, Aggregate::euclidean).cwiseAbs2();
}

/// E(‖y‖² | l). Embeddings in the algebras have unit columns.
Vector answer_squares(const DenseLayout& layout, const DenseMatrix& laws) {
  if (!layout.answer()) return Vector::Ones(laws.entries.cols());
  return laws.entries.transpose() * squared_columns(DenseMatrix{*layout.answer()});
}
template <class Layout>
Vector answer_squares(const Layout& layout, const typename Layout::State&) {
  return Vector::Ones(static_cast<Index>(layout.cells().size()));
}

/// E(‖y - ȳ_l‖² | l); set to 0 if it is at most the rounding of its terms.
Vector spread_of(const Vector& square, const Vector& of_mean) {
  constexpr double units = 64 * std::numeric_limits<double>::epsilon();
  const auto rest = (square - of_mean).array();
  return (rest > units * square.array()).select(rest, 0.0);
}

/// W* E.
DenseMatrix random_columns(const DenseLayout& layout, const Vector& length, std::uint64_t seed) {
  const RandomStream stream(seed, "target");
  DenseMatrix columns{Matrix(layout.zero().entries.rows(), length.size())};
  for (Index l = 0; l < length.size(); ++l) {
    auto column = columns.entries.col(l);
    stream.fill_normal(static_cast<std::uint64_t>(l),
                       {column.data(), static_cast<std::size_t>(column.size())});
    column *= length(l) / column.norm();
  }
  return columns;
}

template <class Layout>
typename Layout::State target(const Layout& layout, const LeastSquares& data, std::uint64_t seed,
                              [[maybe_unused]] const Workers& workers) {
  const Vector length = lengths(static_cast<Index>(layout.cells().size()), data);
  if constexpr (std::is_same_v<Layout, DenseLayout>) {
    if (data.random_target()) {
      const DenseMatrix columns = random_columns(layout, length, seed);
      const Matrix* query = layout.query();
      return query ? DenseMatrix{product(columns.entries, query->transpose(), workers)} : columns;
    }
  }
  return layout.to_ambient(scaled_columns(layout.laws(), length));
}

}  // namespace

template <class M>
M SquaresProblem<M>::times_second(M x, const Workers& workers) const {
  return second ? multiplied(x, *second, workers) : scaled_columns(std::move(x), second_diagonal);
}

template <class M>
M SquaresProblem<M>::over_second(const M& x, double damping, const Workers& workers) const {
  const auto inverse = [damping](double s) { return s + damping > 0 ? 1 / (s + damping) : 0; };
  if (!second) return scaled_columns(x, second_diagonal.unaryExpr(inverse));
  return multiplied(x, spectral_function(*second, inverse, workers), workers);
}

template <class Layout>
SquaresProblem<typename Layout::State> squares_problem(const Layout& layout, const LeastSquares& data,
                                                       const Seeds& seeds, double outputs,
                                                       const Workers& workers, double Cell::*law) {
  using M = typename Layout::State;
  const std::vector<Cell> cells = layout.cells();
  const Vector p = of_cells(cells, law);
  const double mu = data.query_scale, variance = data.query_noise * data.query_noise;
  SquaresProblem<M> problem{
      .data = data,
      .mass = of_cells(cells, &Cell::probability).cwiseProduct(of_cells(cells, &Cell::classes)),
      .minimiser = {},
      .seed = seeds.data};
  M root;  // μ E √P
  if (layout.identity_queries()) {
    problem.second_diagonal = (mu * mu * p).array() + variance;
  } else {
    SecondMoment<M> moment = layout.second_moment_root();
    root = std::move(moment.root);
    combine(root, mu * std::sqrt(std::ldexp(1.0, moment.exponent)), 0, root);
    if (law != &Cell::training)
      root = scaled_columns(root, p.cwiseQuotient(of_cells(cells, &Cell::training)).cwiseSqrt());
    problem.second = multiplied(root, transposed(root), workers);
    add_identity(*problem.second, variance);
  }
  if (data.gaussian()) {
    problem.minimiser = target(layout, data, seeds.target, workers);
    const double per_output = data.answer_noise * data.answer_noise / 2;
    problem.noise = data.bilinear() ? per_output : outputs * per_output;
  } else {
    const M laws = layout.laws(), mean = layout.of_answers(laws);
    problem.spread = spread_of(answer_squares(layout, laws), squared_columns(mean));
    if (problem.second) {
      // By the singular values of the root, whose columns may differ in size: Σ has lost the rarest classes.
      const auto inverse = [variance](double s) { return s / (s * s + variance); };
      problem.minimiser = multiplied(scaled_columns(mean, p.cwiseSqrt()),
                                     transposed(spectral_function(root, inverse, workers)), workers);
    } else {
      problem.minimiser = scaled_columns(mean, (mu * p).cwiseQuotient(problem.second_diagonal));
    }
    problem.rest = layout.with_queries(problem.minimiser, workers);
    combine(problem.rest, mu, -1, mean);
  }
  problem.sizes =
      aggregate(problem.times_second(problem.minimiser, workers), Side::columns, Aggregate::largest);
  return problem;
}

#define RAREFACT_SQUARES(Layout)                                                                           \
  template struct SquaresProblem<Layout::State>;                                                           \
  template SquaresProblem<Layout::State> squares_problem(const Layout&, const LeastSquares&, const Seeds&, \
                                                         double, const Workers&, double Cell::*);

RAREFACT_SQUARES(DenseLayout)
RAREFACT_SQUARES(SymmetricLayout<double>)
RAREFACT_SQUARES(ColumnLayout)

}  // namespace rarefact
