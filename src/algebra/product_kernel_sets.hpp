#pragma once

/// One list of kernels for each instruction set; empty where the build does not know it.

#include "algebra/product_kernel.hpp"

namespace rarefact {

template <class Real>
struct KernelSet {
  const ProductKernel<Real>* kernel = nullptr;
};

KernelSet<double> avx512_double();
KernelSet<float> avx512_float();
KernelSet<double> avx2_double();
KernelSet<float> avx2_float();

}  // namespace rarefact
