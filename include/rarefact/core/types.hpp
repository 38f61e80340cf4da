#pragma once

/// The few types every layer speaks: dense arrays and indices.

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace rarefact {

using Index = Eigen::Index;

/// A matrix of doubles, column-major: column l belongs to query l.
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

template <class Real>
using MatrixOf = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <class Real>
using VectorOf = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

}  // namespace rarefact
