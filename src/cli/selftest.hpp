#pragma once

/// What `rarefact selftest` compares on the machine it runs on.

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "algebra/product_kernel.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

/// How it is done, and what a test puts in to see it fail.
struct SelftestSetup {
  int threads = 1;
  double slack = 1;  ///< factor of every tolerance
  std::vector<ProductKernel<double>> kernels = {product_kernels<double>().begin(),
                                                product_kernels<double>().end()};
  std::function<void(const std::filesystem::path& result)> after_write = {};
};

/// What a part has seen.
struct Compared {
  std::size_t count = 0;
  double largest = 0;  ///< difference; infinite where what is compared cannot be
  std::string where = {};

  /// NaN counts as infinite.
  void add(double difference, const std::string& what);
};

struct SelftestPart {
  std::string name;
  double allowed = 0;  ///< largest difference
  Compared (*compare)(const SelftestSetup&) = nullptr;
};

const std::vector<SelftestPart>& selftest_parts();

/// The part of the kernels: products of each, in doubles and floats, against the portable one.
Compared compare_kernels(const SelftestSetup& setup);

/// Goes through all parts and prints a line for each, then "sound" or what is not. A part that ends in an exception is
/// not sound either.
ExitCode selftest(const SelftestSetup& setup, std::ostream& out);

}  // namespace rarefact
