#include "algebra/centred_columns.hpp"

#include "core/bracketed_root.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// Groups of columns with different lengths, descending.
template <class Real>
struct Lengths {
  std::vector<double> count;
  std::vector<Real> length;
};

template <class Real>
Lengths<Real> distinct(const std::vector<double>& count, const std::vector<Real>& length) {
  using std::abs;
  SingularValuesOf<Real> all;
  for (std::size_t i = 0; i < count.size(); ++i) all.add(abs(length[i]), count[i]);
  all = sorted(all);
  Lengths<Real> merged;
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (!merged.length.empty() && merged.length.back() == all.values[i]) {
      merged.count.back() += all.multiplicities[i];
    } else {
      merged.count.push_back(all.multiplicities[i]);
      merged.length.push_back(all.values[i]);
    }
  }
  return merged;
}

/// The root between d_{i+1} and d_i, in units of d_i so that nothing underflows or overflows. `part` has the
/// fractions of the columns, so that sums are near 1.
template <class Real>
Real root_between(const VectorOf<Real>& d, const VectorOf<Real>& part, Index i) {
  using Numbers = Eigen::Array<Real, Eigen::Dynamic, 1>;
  Numbers at = d.array() / d(i), others = part.array();
  const Real low = at(i + 1), highest = part(i), lowest = part(i + 1);
  others(i) = others(i + 1) = Real(0);
  at(i) = at(i + 1) = Real(2);  // nowhere near σ
  // Σ n_k/(d_k² - σ²) times (d_i - σ)(σ² - d_{i+1}²): finite, negative at the lower end, positive at the upper. Quotients
  // of sums and of differences first: squares of σ may underflow.
  const auto balance = [&](const Real& sigma) {
    const Real above = Real(1) - sigma;
    Real rest = -lowest;
    if (sigma != low)
      rest += (others * ((sigma - low) / (at - sigma)) * ((sigma + low) / (at + sigma))).sum();
    return Real(highest * (sigma - low) * (sigma + low) / (Real(1) + sigma) + above * rest);
  };
  const auto [left, right] = bracketed_root(balance, low, Real(1));
  return (left + (right - left) / 2) * d(i);
}

}  // namespace

template <class Real>
SingularValuesOf<Real> centred_singular_values(const std::vector<double>& count,
                                               const std::vector<Real>& length) {
  const Lengths<Real> groups = distinct(count, length);
  const auto size = static_cast<Index>(groups.count.size());
  const VectorOf<Real> d = Eigen::Map<const VectorOf<Real>>(groups.length.data(), size);
  VectorOf<Real> part = Eigen::Map<const Vector>(groups.count.data(), size).template cast<Real>();
  part /= part.sum();
  SingularValuesOf<Real> values;
  for (Index i = 0; i < size && d(i) > Real(0); ++i) {
    const double n = groups.count[i];
    if (n > 1) values.add(d(i), n - 1);
    if (i + 1 < size) values.add(root_between(d, part, i), 1);
  }
  return values;
}

template SingularValuesOf<double> centred_singular_values(const std::vector<double>&,
                                                          const std::vector<double>&);
template SingularValuesOf<Real50> centred_singular_values(const std::vector<double>&,
                                                          const std::vector<Real50>&);

}  // namespace rarefact
