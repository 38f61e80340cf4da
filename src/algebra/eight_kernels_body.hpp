#pragma once

/// Included by sources that are compiled for different instruction sets, like product_kernel_body.hpp.

#include "algebra/bidiagonal_kernel_body.hpp"
#include "algebra/eight_kernels.hpp"
#include "algebra/eight_numbers.hpp"

namespace rarefact {
namespace {

inline void change_listed(const ColumnChanges& task) {
  constexpr int count = Eight::columns;
  for (Index first = 0; first < task.count; first += eight) {
    Eight dots[eight];
    for (int group = 0; group < eight; group += count) {
      Eight sums[count], parts[count];
      double* columns[count];
#pragma GCC unroll 8
      for (int c = 0; c < count; ++c) {
        sums[c] = Eight::zero();
        parts[c] = Eight::of(task.parts[first + group + c]);
        columns[c] = task.columns[first + group + c];
      }
      for (Index i = task.begin; i < task.end; i += eight) {
        const Eight v = Eight::load(task.v + i), next = Eight::load(task.next_v + i);
#pragma GCC unroll 8
        for (int c = 0; c < count; ++c) {
          const Eight entries = multiply_add(v, parts[c], Eight::load(columns[c] + i));
          entries.store(columns[c] + i);
          sums[c] = multiply_add(entries, next, sums[c]);
        }
      }
#pragma GCC unroll 8
      for (int c = 0; c < count; ++c) dots[group + c] = sums[c];
    }
    totals(dots).store(task.dots + first);
  }
}

constexpr EightKernels kernels_of_eight = {reduce, change_listed};

}  // namespace
}  // namespace rarefact
