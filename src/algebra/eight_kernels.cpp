// The loops for the baseline of the build, and the choice of a kernel.

#include <string_view>
#include <vector>

#include "algebra/eight_kernels_body.hpp"
#include "algebra/product_kernel.hpp"

namespace rarefact {

std::span<const EightKernels> all_eight_kernels() {
  static const auto found = [] {
    std::vector<EightKernels> kernels = {kernels_of_eight};
    const EightKernels* widest = eight_kernels_avx512();
    if (widest && product_kernels<double>().back().name == std::string_view("AVX-512"))
      kernels.push_back(*widest);
    return kernels;
  }();
  return found;
}

const EightKernels& eight_kernels() {
  static const EightKernels& chosen = product_kernel<double>().name == std::string_view("AVX-512")
                                          ? all_eight_kernels().back()
                                          : all_eight_kernels().front();
  return chosen;
}

}  // namespace rarefact
