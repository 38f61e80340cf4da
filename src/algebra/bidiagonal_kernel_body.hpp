#pragma once

/// Included by sources that are compiled for different instruction sets, like product_kernel_body.hpp.
///
/// A left reflection I - β v vᵀ and a right one I - γ u uᵀ change A to A + v zᵀ + w uᵀ with z = -β Aᵀv and
/// w = -γ (A + v zᵀ) u. Both changes of a column are made together when the next left reflection needs its dot with the
/// column, so that a step reads A twice and writes it once (Howell, Demmel, Fulton, Hammarling and Marmol 2008). They
/// find A u by a further recurrence; here it is summed afresh, so that the error stays relative to columns.
///
/// Rows and columns are taken by eights that begin at multiples of 8; numbers before the remaining part of A are masked in
/// registers, because a vector that is loaded soon after one of its numbers was stored has to wait.

#include "algebra/eight_kernels.hpp"
#include "algebra/eight_numbers.hpp"

namespace rarefact {
namespace {

/// I - factor x xᵀ, which maps a vector that begins with `lead` to `value` times the unit vector; x begins with `first` and
/// continues as that vector, of which the squares sum to `squares`.
struct KernelReflection {
  double value, first, minus_factor;
};
inline KernelReflection reflection_of(double lead, double squares) {
  if (squares <= __DBL_MIN__) return {lead, lead, 0};
  const double value = -__builtin_copysign(__builtin_sqrt(__builtin_fma(lead, lead, squares)), lead),
               first = lead - value;
  return {value, first, 1 / (value * first)};
}

/// The reflections of the step before, and the vector of the left one of this step.
struct Step {
  const BidiagonalTask& task;
  double *v, *next_v, *w, *z, *u;
};

/// Column += v z + w u for eight columns from j on. Returns their dots with the next v.
inline Eight change_columns(const Step& step, Index j, Index begin) {
  constexpr int count = Eight::columns;
  const Index stride = step.task.stride;
  Eight dots[eight];
  for (int group = 0; group < eight; group += count) {
    double* column = step.task.a + (j + group) * stride;
    Eight sums[count], z[count], u[count];
#pragma GCC unroll 8
    for (int c = 0; c < count; ++c) {
      sums[c] = Eight::zero();
      z[c] = Eight::of(step.z[j + group + c]);
      u[c] = Eight::of(step.u[j + group + c]);
    }
    for (Index i = begin; i < stride; i += eight) {
      const Eight next = Eight::load(step.next_v + i), v = Eight::load(step.v + i),
                  w = Eight::load(step.w + i);
#pragma GCC unroll 8
      for (int c = 0; c < count; ++c) {
        double* at = column + c * stride + i;
        const Eight entries = multiply_add(w, u[c], multiply_add(v, z[c], Eight::load(at)));
        entries.store(at);
        sums[c] = multiply_add(entries, next, sums[c]);
      }
    }
#pragma GCC unroll 8
    for (int c = 0; c < count; ++c) dots[group + c] = sums[c];
  }
  return totals(dots);
}

/// w = minus_factor (A u + v s) for `count` vectors of rows from i on; s = zᵀu. Here `next_v` is still the v of this step.
template <int count>
void sum_columns(const Step& step, Index i, Index first, Index width, double s, double minus_factor) {
  const Index stride = step.task.stride;
  Eight even[count], odd[count];
#pragma GCC unroll 8
  for (int c = 0; c < count; ++c) {
    even[c] = multiply_add(Eight::load(step.next_v + i + c * eight), Eight::of(s), Eight::zero());
    odd[c] = Eight::zero();
  }
  for (Index j = first; j < width; j += 2) {
    const double *column = step.task.a + j * stride + i, *beside = column + stride;
    const Eight u = Eight::of(step.u[j]), next = Eight::of(step.u[j + 1]);
#pragma GCC unroll 8
    for (int c = 0; c < count; ++c) {
      even[c] = multiply_add(Eight::load(column + c * eight), u, even[c]);
      odd[c] = multiply_add(Eight::load(beside + c * eight), next, odd[c]);
    }
  }
#pragma GCC unroll 8
  for (int c = 0; c < count; ++c)
    product(sum(even[c], odd[c]), Eight::of(minus_factor)).store(step.w + i + c * eight);
}

template <int count>
void sum_rows(const Step& step, Index i, Index first, Index width, double s, double minus_factor) {
  for (; i + count * eight <= step.task.stride; i += count * eight)
    sum_columns<count>(step, i, first, width, s, minus_factor);
  if constexpr (count > 1) sum_rows<count / 2>(step, i, first, width, s, minus_factor);
}

/// The vector of the left reflection of column k, which the step before still has to change.
inline KernelReflection left_reflection(const Step& step, Index k) {
  const Index begin = first_of_eight(k);
  const double* column = step.task.a + k * step.task.stride;
  const Eight z = Eight::of(step.z[k]), u = Eight::of(step.u[k]);
  const auto changed = [&](Index i) {
    const Eight x = multiply_add(Eight::load(step.v + i), z, Eight::load(column + i));
    return multiply_add(Eight::load(step.w + i), u, x);
  };
  const Eight head = changed(begin), rest = from(head, k - begin + 1);
  head.store(step.next_v + begin);
  Eight squares = multiply_add(rest, rest, Eight::zero());
  for (Index i = begin + eight; i < step.task.stride; i += eight) {
    const Eight x = changed(i);
    x.store(step.next_v + i);
    squares = multiply_add(x, x, squares);
  }
  const KernelReflection left = reflection_of(step.next_v[k], total(squares));
  sum(rest, alone(left.first, k - begin)).store(step.next_v + begin);
  return left;
}

inline void reduce(const BidiagonalTask& task) {
  const Index n = task.columns, stride = task.stride, width = whole_eights(n);
  double* const work = task.work;
  Step step{task, work, work + stride, work + 2 * stride, work + 3 * stride, work + 3 * stride + width};
  for (Index k = 0; k < n; ++k) {
    const KernelReflection left = left_reflection(step, k);
    task.diagonal[k] = left.value;
    if (k + 1 == n) break;
    const Index first = first_of_eight(k + 1), lead = k + 1 - first;
    const Eight minus_factor = Eight::of(left.minus_factor), top = Eight::of(left.first);
    Eight squares = Eight::zero(), dot = squares, rest = squares;
    for (Index j = first; j < width; j += eight) {
      Eight z = product(minus_factor, change_columns(step, j, first_of_eight(k)));
      Eight u = multiply_add(top, z, gathered(task.a + k + j * stride, stride));
      if (j == first) {
        z = from(z, lead);
        u.store(step.u + j);
        rest = u = from(u, lead + 1);
      } else {
        u.store(step.u + j);
      }
      z.store(step.z + j);
      squares = multiply_add(u, u, squares);
      dot = multiply_add(z, u, dot);
    }
    const KernelReflection right = reflection_of(step.u[k + 1], total(squares));
    task.above[k] = right.value;
    sum(rest, alone(right.first, lead)).store(step.u + first);
    const double s = __builtin_fma(step.z[k + 1], right.first, total(dot));
    sum_rows<Eight::rows>(step, first, first, width, s, right.minus_factor);
    double* const v = step.v;
    step.v = step.next_v;
    step.next_v = v;
  }
}

}  // namespace
}  // namespace rarefact
