#include "sim/robust.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <limits>

#include "algebra/product.hpp"

namespace rarefact {

namespace {

namespace constants = boost::math::double_constants;

/// ln Φ(x).
double log_normal(double x) {
  if (x > 0) return std::log1p(-std::erfc(x * constants::one_div_root_two) / 2);
  const double tail = std::erfc(-x * constants::one_div_root_two) / 2;
  if (tail > std::numeric_limits<double>::min()) return std::log(tail);
  // Φ(x) = φ(x)/|x| (1 - 1/x² + 3/x⁴ - ...), beyond x = -37.
  return -x * x / 2 - std::log(-x * constants::root_two_pi) + std::log1p(-1 / (x * x) + 3 / (x * x * x * x));
}

/// Σ_k n_k ln Φ(u/|m_k|), m_k ≠ 0, as a function of u.
class LogProduct {
 public:
  LogProduct(const std::vector<double>& margin, const std::vector<double>& count) {
    for (std::size_t k = 0; k < margin.size(); ++k) {
      if (!(count[k] > 0)) continue;
      (margin[k] == 0 ? zeros_ : others_) += count[k];
      if (margin[k] != 0) size_.push_back(std::abs(margin[k])), count_.push_back(count[k]);
    }
    if (size_.size() > few) tabulate();
  }
  double zeros() const { return zeros_; }
  double others() const { return others_; }

  double operator()(double u) const {
    if (tables_.empty()) return sum(u);
    if (u <= tables_.front().begin) return -std::numeric_limits<double>::infinity();
    return u < end_ ? interpolated(u) : 0;
  }

 private:
  static constexpr std::size_t few = 64;
  static constexpr double all_of_normal = 39,  // 1 - Φ underflows
      nothing = -800, zero = -1e-30;           // e^-800 is 0, e^-1e-30 is 1
  static constexpr int points = 24;

  struct Table {
    double begin, width;  ///< width in ln u
    std::vector<double> value;
  };

  double sum(double u) const {
    double all = 0;
    for (std::size_t k = 0; k < size_.size(); ++k) {
      const double x = u / size_[k];
      if (x < all_of_normal) all += count_[k] * log_normal(x);
    }
    return all;
  }
  /// The u, from `low` to `high`, from which on the sum is above `value`.
  double first_above(double value, double low, double high) const {
    for (int i = 0; i < 20; ++i) {
      const double middle = std::sqrt(low) * std::sqrt(high);
      (sum(middle) < value ? low : high) = middle;
    }
    return high;
  }
  /// Chebyshev points of the first kind in ln u, in panels in which the sum, from where e to it is 0, falls to an eighth at most,
  /// so that all have the digits of those that matter.
  void tabulate() {
    for (int i = 0; i < points; ++i) {
      const double angle = constants::pi * (i + 0.5) / points;
      nodes_.push_back(std::cos(angle));
      weights_.push_back((i % 2 == 0 ? 1 : -1) * std::sin(angle));
    }
    const double end = all_of_normal * *std::ranges::max_element(size_);
    const double least = *std::ranges::min_element(size_) / 1e3;
    double u = first_above(nothing, std::min(least, end), end);
    for (double here = sum(u); here < zero; here = sum(u)) {
      const double next = first_above(here / 8, u, std::min(u * std::exp(0.5), end));
      Table& table = tables_.emplace_back(Table{u, std::log(next / u), {}});
      for (const double x : nodes_) table.value.push_back(sum(u * std::exp(table.width * (x + 1) / 2)));
      u = next;
    }
    end_ = u;
  }
  double interpolated(double u) const {
    const auto next = std::ranges::upper_bound(tables_, u, {}, &Table::begin);
    const Table& table = *std::prev(next);
    const double x = 2 * std::log(u / table.begin) / table.width - 1;
    double above = 0, below = 0;
    for (std::size_t i = 0; i < points; ++i) {
      const double apart = x - nodes_[i];
      if (apart == 0) return table.value[i];
      above += weights_[i] / apart * table.value[i];
      below += weights_[i] / apart;
    }
    return above / below;
  }

  std::vector<double> size_ = {}, count_ = {};
  double zeros_ = 0, others_ = 0;
  std::vector<double> nodes_ = {}, weights_ = {};  ///< of every table, in [-1, 1], barycentric
  std::vector<Table> tables_ = {};
  double end_ = 0;  ///< where all factors are 1
};

/// ∫ e^f over [from, to], in parts until Gauss and Kronrod agree; `top`, the maximum of f, is factored out.
template <class F>
double integral(const F& f, double top, double from, double to, double tolerance, int depth = 0) {
  constexpr int deepest = 30;
  double difference = 0;
  const double sum = boost::math::quadrature::gauss_kronrod<double, 31>::integrate(
      [&](double z) { return std::exp(f(z) - top); }, from, to, 0, 0, &difference);
  if (difference <= tolerance || depth == deepest) return sum;
  const double middle = (from + to) / 2;
  return integral(f, top, from, middle, tolerance, depth + 1) +
         integral(f, top, middle, to, tolerance, depth + 1);
}

double probability(double margin, double noise, const LogProduct& product) {
  if (std::isnan(margin)) return margin;
  // Every logit that is not common has either sign with probability ½.
  if (margin == 0) return std::exp(-product.others() * constants::ln_two) / std::max(product.zeros(), 1.0);
  const double size = std::abs(margin),
               turn = (margin > 0 ? -1 : 1) / noise;  // where the own logit is common
  // Concave, because ln φ and ln Φ are.
  const auto log_integrand = [&](double z) {
    const double own = z - turn, factors = product(own * size);
    return std::isinf(factors) ? factors : factors - log_normal(own) - z * z / 2;
  };
  constexpr double far = 38.5;  // where φ underflows
  double low = product.zeros() > 0 ? std::max(turn, -far) : -far, high = far;
  if (!(low < high)) return 0;
  const double first = low;
  while (high - low > 1e-4) {
    const double third = (high - low) / 3, left = log_integrand(low + third);
    const bool rises = std::isinf(left) || left < log_integrand(high - third);
    (rises ? low : high) += rises ? third : -third;
  }
  const double peak = (low + high) / 2, top = log_integrand(peak);
  if (std::isinf(top)) return 0;
  constexpr double nothing = 45;  // below the maximum: 1e-20
  const auto end = [&](double beyond) {
    double within = peak;
    if (log_integrand(beyond) > top - nothing) return beyond;
    while (std::abs(beyond - within) > 1e-3) {
      const double middle = (within + beyond) / 2;
      (log_integrand(middle) > top - nothing ? within : beyond) = middle;
    }
    return beyond;
  };
  const double from = end(first), to = end(far), tolerance = 1e-13 * (to - from);
  const double sum =
      integral(log_integrand, top, from, peak, tolerance) + integral(log_integrand, top, peak, to, tolerance);
  return std::min(std::exp(top) * sum * constants::one_div_root_two_pi, 1.0);
}

}  // namespace

std::vector<double> robust_by_integral(const std::vector<double>& margin, const std::vector<double>& count,
                                       double noise, const Workers& workers) {
  const LogProduct product(margin, count);
  std::vector<double> all(margin.size());
  workers.for_tiles(std::ssize(margin), 8, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l) {
      const auto at = static_cast<std::size_t>(l);
      const bool again = l > begin && margin[at] == margin[at - 1];
      all[at] = again ? all[at - 1] : probability(margin[at], noise, product);
    }
  });
  return all;
}

RobustMeasures robust_by_draws(const Matrix& logits, const Matrix& answers, const std::vector<Index>& right,
                               std::span<const double> mass, double noise, Index draws,
                               const RandomStream& stream, const Workers& workers) {
  const Index queries = logits.cols();
  Vector won = Vector::Zero(queries), squares = won;
  std::vector<double> totals;
  constexpr Index together = 64;
  for (Index begin = 0; begin < draws; begin += together) {
    const Index size = std::min(together, draws - begin);
    Matrix z(answers.cols(), size);
    for (Index n = 0; n < size; ++n)
      stream.fill_normal(static_cast<std::uint64_t>(begin + n),
                         {z.col(n).data(), static_cast<std::size_t>(z.rows())});
    const Matrix moved = noise * product(answers, z, workers);
    Matrix wins(queries, size);
    workers.for_tiles(queries, 16, [&](Index first, Index end) {
      Vector seen(logits.rows());
      for (Index l = first; l < end; ++l) {
        for (Index n = 0; n < size; ++n) {
          seen = logits.col(l) + moved.col(n);
          const double own = seen(right[l]), largest = seen.maxCoeff();
          wins(l, n) = own < largest ? 0 : 1 / static_cast<double>((seen.array() == largest).count());
        }
      }
    });
    won += wins.rowwise().sum();
    squares += wins.cwiseAbs2().rowwise().sum();
    const Vector total = wins.transpose() * Eigen::Map<const Vector>(mass.data(), queries);
    totals.insert(totals.end(), total.begin(), total.end());
  }
  RobustMeasures found{};
  const auto n = static_cast<double>(draws);
  const auto deviation = [&](double spread) { return std::sqrt(std::max(spread, 0.0) / (n * (n - 1))); };
  for (Index l = 0; l < queries; ++l) {
    found.top1.push_back(won(l) / n);
    const double spread = squares(l) - won(l) * found.top1.back();
    // Of equal draws rounding alone is left.
    found.deviation.push_back(
        deviation(spread > std::numeric_limits<double>::epsilon() * n * squares(l) ? spread : 0));
  }
  for (const double total : totals) found.total += total / n;
  double spread = 0;
  for (const double total : totals) spread += std::pow(total - found.total, 2);
  found.total_deviation = deviation(spread);
  return found;
}

}  // namespace rarefact
