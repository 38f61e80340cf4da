#pragma once

/// Spectra and blocks that the tests of one step share, and one step as a referee would compute it: K x K
/// arrays, long doubles, bisection.

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/real50.hpp"
#include "core/types.hpp"
#include "model/spectrum.hpp"

namespace one_step_cases {

using rarefact::ClassGroups;
using rarefact::Index;
using rarefact::Matrix;
using rarefact::MatrixOf;
using rarefact::Real50;
using Dense = MatrixOf<long double>;

/// α_h of the mass on a fraction β of the classes.
inline ClassGroups two_level(double classes, double head_fraction = 0.2, double head_mass = 0.8) {
  const double head = std::round(head_fraction * classes);
  return {{head, classes - head}, {head_mass / head, (1 - head_mass) / (classes - head)}};
}

/// R(a, b, c) as a product of the three plane rotations, from decimal angles.
template <class Real>
MatrixOf<Real> euler(const char* a, const char* b, const char* c) {
  const auto plane = [](const char* text, Index i, Index j) {
    const Real50 angle(text),
        quarter("1.57079632679489661923132169163975144209858469968755291048747229615390820314");
    MatrixOf<Real> r = MatrixOf<Real>::Identity(3, 3);
    r(i, i) = r(j, j) = static_cast<Real>(sin(quarter - angle));
    r(j, i) = static_cast<Real>(sin(angle));
    r(i, j) = -r(j, i);
    return r;
  };
  return plane(a, 0, 1) * plane(b, 2, 0) * plane(c, 0, 1);
}

/// R̃ and R of wang2025.
template <class Real>
MatrixOf<Real> answer_block() {
  return euler<Real>("3.638", "2.949", "5.218");
}
template <class Real>
MatrixOf<Real> query_block() {
  return euler<Real>("1.715", "0.876", "3.098");
}

/// One entry per class.
inline std::vector<double> probabilities(const ClassGroups& groups) {
  std::vector<double> p;
  for (std::size_t i = 0; i < groups.size(); ++i)
    p.insert(p.end(), static_cast<std::size_t>(groups.count[i]), groups.probability[i]);
  return p;
}

/// diag(p) - (1/K) 1 pᵀ.
inline Matrix dense_residual(const ClassGroups& groups) {
  const std::vector<double> p = probabilities(groups);
  const auto classes = static_cast<Index>(p.size());
  Matrix x(classes, classes);
  for (Index l = 0; l < classes; ++l) {
    const double pl = p[l];
    x.col(l).setConstant(-pl / double(classes));
    x(l, l) += pl;
  }
  return x;
}

/// I ⊗ R.
inline Matrix repeated(const Matrix& block, Index classes) {
  Matrix full = Matrix::Zero(classes, classes);
  for (Index i = 0; i < classes; i += block.rows()) full.block(i, i, block.rows(), block.rows()) = block;
  return full;
}

/// p̂ of the right answers.
inline std::vector<long double> right_answers(const Matrix& direction, long double step_size) {
  const Dense s = direction.cast<long double>() * step_size;
  std::vector<long double> right;
  for (Index l = 0; l < s.cols(); ++l) {
    long double sum = 0;
    for (Index k = 0; k < s.rows(); ++k) sum += std::exp(s(k, l) - s(l, l));
    right.push_back(1 / sum);
  }
  return right;
}

inline long double min_right_answer(const Matrix& direction, long double step_size) {
  const auto right = right_answers(direction, step_size);
  return *std::min_element(right.begin(), right.end());
}

/// The smallest η with max p̂ >= 1-ε: a march in small steps, then bisection.
inline long double first_admissible(const Matrix& direction, long double epsilon) {
  const auto reached = [&](long double step_size) {
    const auto right = right_answers(direction, step_size);
    return *std::max_element(right.begin(), right.end()) >= 1 - epsilon;
  };
  long double high = 0.125L;
  while (!reached(high)) high += 0.125L;
  long double low = high - 0.125L;
  for (int i = 0; i < 60; ++i) (reached((low + high) / 2) ? high : low) = (low + high) / 2;
  return high;
}

}  // namespace one_step_cases
