#pragma once

/// Functions of all entries of a column at once, with the processor's vectors. In double, single precision or 50
/// digits.

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

/// x <- e^(x - peak), with the exponential in Precision. Never 0, even if it underflows.
template <class Precision, class Real>
void to_ratios(Eigen::Map<VectorOf<Real>> x, const Real& peak) {
  using Block = EntryBlock<Precision>;
  map_entries<Precision>(x, peak, [](const Block& block) -> Block { return block.exp(); });
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
      const Block near = block * block / 2 * series, far = block.exp() - 1 - block;
      return ((block - 0.5).abs() <= 1.5).select(near, far);
    });
  } else {
    for (Real& entry : x) entry = exp_remainder(Real(entry - origin));
  }
}

}  // namespace rarefact
