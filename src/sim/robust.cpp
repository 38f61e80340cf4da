#include "sim/robust.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <functional>
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
    if (u <= least_) return -std::numeric_limits<double>::infinity();
    const auto panel = static_cast<std::size_t>((std::log(u) - std::log(least_)) / width);
    return panel < tables_.size() ? interpolated(panel, std::log(u)) : sum(u);
  }

 private:
  static constexpr std::size_t few = 64;
  static constexpr double width = 0.5;  // of a panel in ln u: zeros of Φ are 1 away
  static constexpr int points = 24;

  double sum(double u) const {
    double all = 0;
    for (std::size_t k = 0; k < size_.size() && all > nothing; ++k) {
      const double x = u / size_[k];
      if (x < enough) all += count_[k] * log_normal(x);
    }
    return all;
  }
  /// Chebyshev points of the first kind in ln u, panel by panel from where the product underflows.
  void tabulate() {
    double end = enough * *std::ranges::max_element(size_);
    least_ = end;
    while (sum(least_) > nothing && least_ > std::numeric_limits<double>::min() / width) least_ /= 2;
    for (double u = least_; u < end; u *= std::exp(width)) {
      auto& table = tables_.emplace_back();
      const double middle = std::log(least_) + width * (static_cast<double>(tables_.size()) - 0.5);
      for (int i = 0; i < points; ++i) table.push_back(sum(std::exp(middle + width / 2 * node(i))));
    }
  }
  static double node(int i) { return std::cos(constants::pi * (i + 0.5) / points); }
  double interpolated(std::size_t panel, double log_u) const {
    const double x = (log_u - std::log(least_)) / width - static_cast<double>(panel);
    double above = 0, below = 0;
    for (int i = 0; i < points; ++i) {
      const double apart = 2 * x - 1 - node(i);
      if (apart == 0) return tables_[panel][static_cast<std::size_t>(i)];
      const double weight = (i % 2 == 0 ? 1 : -1) * std::sin(constants::pi * (i + 0.5) / points) / apart;
      above += weight * tables_[panel][static_cast<std::size_t>(i)];
      below += weight;
    }
    return above / below;
  }

  static constexpr double enough = 9.5, nothing = -800;  // 1 - Φ is 1e-21; e^-800 is 0
  std::vector<double> size_ = {}, count_ = {};
  double zeros_ = 0, others_ = 0, least_ = 0;
  std::vector<std::vector<double>> tables_ = {};
};

double probability(double margin, double noise, const LogProduct& product) {
  if (std::isnan(margin)) return margin;
  // Every logit that is not common has either sign with probability ½.
  if (margin == 0) return std::exp(-product.others() * constants::ln_two) / std::max(product.zeros(), 1.0);
  const auto integrand = [&](double z) {
    const double own = (1 / noise + z) * (margin > 0 ? 1 : -1);
    const double log_factors = product(own * std::abs(margin)) - log_normal(own);
    return std::isfinite(log_factors) ? std::exp(log_factors - z * z / 2) : 0.0;
  };
  constexpr double far = 38.5;  // where φ underflows
  const double turn = std::clamp(-1 / noise, -far, far);
  const bool left = product.zeros() == 0 || margin < 0, right = product.zeros() == 0 || margin > 0;
  double sum = 0;
  const auto add = [&](double from, double to) {
    using Rule = boost::math::quadrature::gauss_kronrod<double, 61>;
    if (from < to) sum += Rule::integrate(integrand, from, to, 12, 1e-14);
  };
  // In pieces of about the width of φ, so that none is missed.
  for (double from = -far; from < far; from += 7)
    for (const bool up : {false, true}) {
      if (!(up ? right : left)) continue;
      const double to = std::min(from + 7, far);
      add(up ? std::max(from, turn) : from, up ? to : std::min(to, turn));
    }
  return std::min(sum * constants::one_div_root_two_pi, 1.0);
}

}  // namespace

std::vector<double> robust_by_integral(const std::vector<double>& margin, const std::vector<double>& count,
                                       double noise, const Workers& workers) {
  const LogProduct product(margin, count);
  std::vector<double> all(margin.size());
  workers.for_tiles(static_cast<Index>(margin.size()), 8, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l) {
      const auto at = static_cast<std::size_t>(l);
      const bool again = l > begin && margin[at] == margin[at - 1];
      all[at] = again ? all[at - 1] : probability(margin[at], noise, product);
    }
  });
  return all;
}

RobustDraws robust_by_draws(const Matrix& logits, const Matrix& answers, const std::vector<Index>& right,
                            std::span<const double> mass, double noise, Index draws,
                            const RandomStream& stream, const Workers& workers) {
  const Index queries = logits.cols();
  std::vector<double> won(static_cast<std::size_t>(queries)), totals;
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
          const double own = seen(right[static_cast<std::size_t>(l)]), largest = seen.maxCoeff();
          wins(l, n) = own < largest ? 0 : 1 / static_cast<double>((seen.array() == largest).count());
        }
      }
    });
    for (Index l = 0; l < queries; ++l) won[static_cast<std::size_t>(l)] += wins.row(l).sum();
    const Vector total = wins.transpose() * Eigen::Map<const Vector>(mass.data(), queries);
    totals.insert(totals.end(), total.begin(), total.end());
  }
  RobustDraws found;
  const auto n = static_cast<double>(draws);
  for (const double wins : won) found.top1.push_back(wins / n);
  for (const double total : totals) found.total += total / n;
  for (const double total : totals) found.total_deviation += std::pow(total - found.total, 2);
  found.total_deviation = draws > 1 ? std::sqrt(found.total_deviation / (n * (n - 1))) : NAN;
  return found;
}

}  // namespace rarefact
