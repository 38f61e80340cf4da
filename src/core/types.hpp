#pragma once

/// Types used everywhere: dense arrays and indices.

#include <Eigen/Core>
#include <type_traits>

namespace rarefact {

using Index = Eigen::Index;

/// A matrix of doubles, column-major: column l belongs to query l.
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

template <class Real>
using MatrixOf = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <class Real>
using VectorOf = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

/// A parameter of type Real from which Real is not deduced: f<Real>(64, 0.5), or f(64, 0.5) if Real has a default.
template <class Real>
using Given = const std::type_identity_t<Real>&;

}  // namespace rarefact
