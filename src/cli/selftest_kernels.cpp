#include <fmt/format.h>

#include <array>
#include <span>

#include "algebra/product.hpp"
#include "cli/selftest.hpp"
#include "core/random.hpp"

namespace rarefact {

namespace {

/// Each against the first one, which any processor runs.
template <class Real>
void compare(std::span<const ProductKernel<Real>> kernels, Compared& all) {
  const RandomStream random(1, "selftest");
  for (const auto& [rows, depth, columns] :
       {std::array<Index, 3>{25, 257, 9}, {97, 300, 61}, {191, 1030, 33}}) {
    Matrix a(rows, depth), b(depth, columns);
    random.fill_normal(0, {a.data(), static_cast<std::size_t>(a.size())});
    random.fill_normal(1, {b.data(), static_cast<std::size_t>(b.size())});
    const auto left = a.template cast<Real>().eval(), right = b.template cast<Real>().eval();
    MatrixOf<Real> first;
    for (const ProductKernel<Real>& kernel : kernels) {
      MatrixOf<Real> product(rows, columns);
      PackedFactor<Real>(view_of(left), Workers::serial(), kernel)
          .times(view_of(right), product.data(), rows);
      if (first.size() == 0) first = product;
      all.add(static_cast<double>((product - first).cwiseAbs().maxCoeff()),
              fmt::format("{}, {} bits, {} x {} x {}", kernel.name, 8 * sizeof(Real), rows, depth, columns));
    }
  }
}

}  // namespace

Compared compare_kernels(const SelftestSetup& setup) {
  Compared all;
  compare<double>(setup.kernels, all);
  compare<float>(product_kernels<float>(), all);
  return all;
}

}  // namespace rarefact
