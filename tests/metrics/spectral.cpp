#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "algebra/spectral_measures.hpp"
#include "metrics/metric.hpp"

using namespace rarefact;

namespace {

/// The measures by name, named by the catalogue.
std::map<std::string, double> measures(const SingularValues& singular_values) {
  std::map<std::string, double> all;
  for (const SpectralRow& row : spectral_rows()) all[row.name] = row(levels_of(singular_values));
  return all;
}

/// The definitions word for word, every value written out, in long double.
std::map<std::string, double> plain_measures(const SingularValues& singular_values) {
  std::vector<long double> square;
  for (std::size_t i = 0; i < singular_values.values.size(); ++i) {
    const long double s = singular_values.values[i];
    square.insert(square.end(), static_cast<std::size_t>(singular_values.multiplicities[i]), s * s);
  }
  std::sort(square.begin(), square.end());
  const std::size_t n = square.size();
  const auto quantile = [&](long double level) {
    const long double position = level * static_cast<long double>(n - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(n - 1, below + 1);
    return square[below] + (position - static_cast<long double>(below)) * (square[above] - square[below]);
  };
  long double energy = 0, entropy = 0, top = 0;
  for (const long double s : square) energy += s;
  for (const long double s : square) entropy -= s / energy * std::log(s / energy);
  for (std::size_t i = n - std::min<std::size_t>(n, 10); i < n; ++i) top += square[i];
  return {{"effective_rank", double(std::exp(entropy))},
          {"entropy", double(n > 1 ? entropy / std::log(static_cast<long double>(n)) : 1)},
          {"top_energy_fraction", double(top / energy)},
          {"quartile_ratio", double(quantile(0.75L) / quantile(0.25L))},
          {"stable_rank", double(energy / square.back())},
          {"condition_ratio", double(std::sqrt(square.front() / square.back()))},
          {"condition_ratio_rest", n > 1 ? double(std::sqrt(square.front() / square[n - 2])) : NAN},
          {"rank", double(n)},
          {"frobenius_norm", double(std::sqrt(energy))},
          {"spectral_norm", double(std::sqrt(square.back()))}};
}

void check_equal(const SingularValues& singular_values, double tolerance = 1e-14) {
  const auto expected = plain_measures(singular_values);
  const auto found = measures(singular_values);
  REQUIRE(found.size() == expected.size());
  for (const auto& [name, value] : expected) {
    INFO(name);
    CHECK((std::isnan(value) ? std::isnan(found.at(name))
                             : found.at(name) == Approx(value).epsilon(tolerance)));
  }
}

}  // namespace

TEST_CASE("spectral measures equal their definitions with every value written out") {
  check_equal({{3}, {1}});
  check_equal({{3, 1}, {1, 1}});
  check_equal({{3, 2, 1}, {1, 1, 1}});
  check_equal({{5, 4, 3, 2, 1}, {1, 1, 1, 1, 1}});
  check_equal({{2, 1, 0.5}, {4, 3, 9}});
  check_equal({{7, 2, 1, 0.3}, {1, 250, 3, 746}});
  // Every position of a boundary relative to the quartiles.
  for (double first = 1; first < 14; ++first) {
    for (double second = 1; second < 14; ++second) check_equal({{3, 2, 0.7}, {first, second, 5}});
  }
}

TEST_CASE("equal singular values are a perfectly even spectrum at any size") {
  for (const double n : {1.0, 2.0, 37.0, 1e15, 1e300}) {
    const auto found = measures({{0.25}, {n}});
    CHECK(found.at("effective_rank") ==
          Approx(n).epsilon(1e-12));  // exp of ln n = 691 for 1e300 magnifies a rounding
    CHECK(found.at("entropy") == Approx(1).epsilon(1e-15));
    CHECK(found.at("top_energy_fraction") == Approx(std::min(1.0, 10 / n)).epsilon(1e-15));
    CHECK(found.at("quartile_ratio") == 1);
    CHECK(found.at("stable_rank") == n);
    CHECK(found.at("condition_ratio") == 1);
    CHECK(found.at("rank") == n);
    CHECK(found.at("frobenius_norm") == Approx(0.25 * std::sqrt(n)).epsilon(1e-15));
    CHECK(found.at("spectral_norm") == 0.25);
  }
}

TEST_CASE("quartiles are exact where positions are beyond the whole numbers of a double") {
  // Four levels of n/4 values: position (n-1)/4 lies a quarter of a step before a boundary, 3 (n-1)/4 a
  // quarter after.
  for (const double quarter : {25.0, 2.5e19, 1e100, 1e299}) {
    const auto found = measures({{8, 4, 2, 1}, {quarter, quarter, quarter, quarter}});
    const double lower = 0.25 * 1 + 0.75 * 4, upper = 0.25 * 64 + 0.75 * 16;
    CHECK(found.at("quartile_ratio") == Approx(upper / lower).epsilon(1e-15));
  }
  // A boundary a quarter of a step off the lower quartile, and three values that move the quartile onto them.
  CHECK(measures({{8, 1}, {3e19, 1e19}}).at("quartile_ratio") ==
        Approx(64 / (0.25 + 0.75 * 64)).epsilon(1e-15));
  CHECK(measures({{8, 2, 1}, {3e19, 3, 1e19}}).at("quartile_ratio") == 64.0 / 4);
}

TEST_CASE("no singular value is too small or too large to square") {
  for (const double scale : {1e-200, 1e-300, 1e200}) {
    const auto found = measures({{3 * scale, 2 * scale, scale}, {2, 5, 9}}),
               expected = measures({{3, 2, 1}, {2, 5, 9}});
    for (const auto& [name, value] : expected) {
      INFO(name);
      const bool is_norm = name == "frobenius_norm" || name == "spectral_norm";
      CHECK(found.at(name) / (is_norm ? scale : 1) == Approx(value).epsilon(1e-14));
    }
  }
  // A ratio whose square underflows, and one that underflows itself.
  const auto wide = measures({{1, 1e-200}, {3, 1}});
  CHECK(wide.at("effective_rank") == Approx(3).epsilon(1e-15));
  CHECK(wide.at("condition_ratio") == 1e-200);
  CHECK(measures({{1e-10, 1e-200}, {3, 13}}).at("quartile_ratio") == Approx(1).epsilon(1e-15));
  CHECK(measures({{1e200, 1e-200}, {2, 2}}).at("entropy") == Approx(0.5).epsilon(1e-15));
}

TEST_CASE("the entropy of a matrix close to rank one keeps its digits") {
  const double r = 1e-12, q = r * r;  // -Σ q ln q = q - q ln q to leading order
  CHECK(measures({{1, r}, {1, 1}}).at("entropy") ==
        Approx((q - q * std::log(q)) / std::log(2.0)).epsilon(1e-13));
}

TEST_CASE("without singular values only rank and norms are numbers, and zero") {
  for (const SingularValues& none : {SingularValues{}, SingularValues{{2}, {0}}}) {
    for (const auto& [name, value] : measures(none)) {
      INFO(name);
      if (name == "rank" || name == "frobenius_norm" || name == "spectral_norm") {
        CHECK(value == 0);
      } else {
        CHECK(std::isnan(value));
      }
    }
  }
}

TEST_CASE("a value of multiplicity zero counts for nothing") {
  CHECK(measures({{9, 3, 2, 1}, {0, 2, 3, 0}}) == measures({{3, 2}, {2, 3}}));
}
