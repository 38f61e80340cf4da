#include "model/entry_functions.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rarefact;

namespace {

using Change = void (*)(Eigen::Map<Vector>);

void ratios(Eigen::Map<Vector> x) {
  to_ratios<double>(x, 0.25);
}
void single_ratios(Eigen::Map<Vector> x) {
  to_ratios<float>(x, 0.25);
}
void remainders(Eigen::Map<Vector> x) {
  to_exp_remainders(x, 0.25);
}

double one(Change change, double x) {
  change({&x, 1});
  return x;
}

/// From -300 to 5, most of them near 0.
Vector some_entries(Index size) {
  Vector entries(size);
  for (Index k = 0; k < size; ++k) {
    const double wave = std::sin(double(k));
    entries(k) = wave > 0 ? 5 * wave * wave : -300 * std::pow(wave, 6);
  }
  return entries;
}

}  // namespace

TEST_CASE("functions of all entries do not depend on the place of an entry") {
  const Change change = GENERATE(values<Change>({ratios, single_ratios, remainders}));
  const Vector entries = some_entries(33);
  for (Index offset = 0; offset < 8; ++offset) {
    for (Index size = 1; size <= 33; ++size) {
      Vector room = Vector::Zero(offset + size);
      room.tail(size) = entries.head(size);
      change({room.data() + offset, size});
      Index same = 0;
      for (Index k = 0; k < size; ++k) same += room(offset + k) == one(change, entries(k));
      CAPTURE(offset, size);
      CHECK(same == size);
    }
  }
}

TEST_CASE("functions of all entries are accurate to a few units in the last place") {
  for (const double x : some_entries(10000)) {
    const double from_origin = x - 0.25;
    CAPTURE(from_origin);
    REQUIRE(one(ratios, x) == Approx(std::exp(from_origin)).epsilon(3e-16).scale(0));
    REQUIRE(one(remainders, x) == Approx(exp_remainder(from_origin)).epsilon(2e-15).scale(0));
  }
  CHECK(one(remainders, 0.25) == 0);
  CHECK(one(remainders, 0.25 + 0x1p-40) == Approx(0x1p-81).epsilon(1e-12).scale(0));
  CHECK(std::isinf(one(remainders, 1000)));
  CHECK(std::isinf(one(ratios, 1000)));
  CHECK(one(ratios, 709.25) == Approx(std::exp(709)).epsilon(3e-16));
  CHECK(one(ratios, -1000) > 0);
  CHECK(one(ratios, -1000) < 1e-307);
  CHECK(std::isnan(one(remainders, std::nan(""))));
  CHECK(std::isnan(one(ratios, std::nan(""))));
}
