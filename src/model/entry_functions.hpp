#pragma once

/// Functions of all entries of a column at once, with the processor's vectors. In double, single precision or 50
/// digits.

#include <bit>
#include <cstdint>

#include "algebra/four_numbers.hpp"
#include "core/types.hpp"
#include "model/log_odds.hpp"

namespace rarefact {

/// Some neighbouring entries; one vector of most processors.
template <class Real>
using EntryBlock = Eigen::Array<Real, std::is_same_v<Real, float> ? 8 : 4, 1>;

/// x <- f(x - origin), where f maps an EntryBlock<Precision>. The remainder is computed as blocks, too: Eigen would apply
/// scalar functions to it, which round differently, and a value would depend on its place.
template <class Precision, class Real, class Function>
void map_entries(Eigen::Map<VectorOf<Real>> x, const Real& origin, const Function& f) {
  using Block = EntryBlock<Precision>;
  constexpr Index width = Block::SizeAtCompileTime;
  Index k = 0;
  for (; k + width <= x.size(); k += width) {
    auto entries = x.template segment<width>(k).array();
    const Block block = (entries - origin).template cast<Precision>();
    entries = f(block).template cast<Real>();
  }
  for (; k < x.size(); ++k) {
    const Block block = Block::Constant(static_cast<Precision>(x(k) - origin));
    x(k) = static_cast<Real>(f(block)(0));
  }
}

/// e^x of each entry, within 1 unit in the last place for -708 <= x <= 709.4; above, infinity, and below, no less than
/// e^-708.4. By e^x = 2^n e^r, n = round(x/ln 2), and a polynomial of e^r with a relative error of 4e-19. Takes two thirds of
/// the time of Eigen's exponential.
inline EntryBlock<double> exponential(const EntryBlock<double>& x) {
  typedef std::int64_t Bits __attribute__((vector_size(32)));
  constexpr double lowest = -708.39, highest = 710;  // where 2^n is infinite
  Four y = four_at(x.data());
  y = y < lowest ? lowest - Four{} : y;  // comparisons that keep NaN
  y = y > highest ? highest - Four{} : y;
  constexpr double shift = 0x1.8p52;  // added, it rounds to an integer, which is in the last bits
  const Four shifted = y * 0x1.71547652b82fep0 + shift, n = shifted - shift;
  // ln 2 in two parts: n times the first one is exact.
  const Four r = (y - n * 0x1.62e42feep-1) - n * 0x1.a39ef35793c76p-33;
  // Coefficients of (e^r - 1 - r)/r² for |r| <= ½ ln 2, from the highest power.
  constexpr double coefficients[] = {0x1.1f730349868cep-29,
                                     0x1.af4de97ca4194p-26,
                                     0x1.27e4db646b17ep-22,
                                     0x1.71de0231960ebp-19,
                                     0x1.a01a01a6d889cp-16,
                                     0x1.a01a01abe7fe1p-13,
                                     0x1.6c16c16c162d4p-10,
                                     0x1.11111111100dcp-7,
                                     0x1.5555555555556p-5,
                                     0x1.5555555555557p-3,
                                     0.5};
  Four sum{};
#pragma GCC unroll 11
  for (const double c : coefficients) sum = sum * r + c;
  const Four power = 1 + (r + r * r * sum);
  constexpr std::int64_t bias = 1023;
  const Bits exponent = (std::bit_cast<Bits>(shifted) + bias) << 52;
  EntryBlock<double> result;
  four_at(result.data()) = power * std::bit_cast<Four>(exponent);
  return result;
}

/// x <- e^(x - peak), with the exponential in Precision. Never 0, even if it underflows.
template <class Precision, class Real>
void to_ratios(Eigen::Map<VectorOf<Real>> x, const Real& peak) {
  using Block = EntryBlock<Precision>;
  map_entries<Precision>(x, peak, [](const Block& block) -> Block {
    if constexpr (std::is_same_v<Precision, double>) return exponential(block);
    return block.exp();
  });
}

/// x <- h(x - origin), h(x) = e^x - 1 - x; see exp_remainder.
template <class Real>
void to_exp_remainders(Eigen::Map<VectorOf<Real>> x, const Real& origin) {
  if constexpr (std::is_same_v<Real, double>) {
    using Block = EntryBlock<double>;
    map_entries<double>(x, origin, [](const Block& block) -> Block {
      // x²/2 (1 + x/3 (1 + x/4 (...))) where the difference would cancel; the first term left out is less than
      // 1e-17 of the whole.
      Block series = Block::Ones();
#pragma GCC unroll 23
      for (int k = 25; k >= 3; --k) series = 1 + block * (1.0 / k) * series;
      const Block near = block * block / 2 * series, far = exponential(block) - 1 - block;
      return ((block - 0.5).abs() <= 1.5).select(near, far);
    });
  } else {
    for (Real& entry : x) entry = exp_remainder(Real(entry - origin));
  }
}

}  // namespace rarefact
