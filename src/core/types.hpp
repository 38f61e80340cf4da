#pragma once

/// The few types every layer speaks: dense arrays and indices.

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

/// An argument of type Real that takes no part in deducing it: f<Real>(64, 0.5), and f(64, 0.5) where Real
/// has a default.
template <class Real>
using Given = const std::type_identity_t<Real>&;

}  // namespace rarefact
