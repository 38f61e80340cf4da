#pragma once

/// Numbers of 50 significant digits (168 bits, exponents up to 10^(6e8)) and what Eigen needs to know of
/// them.

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>

namespace rarefact {

/// The second scalar type of the symmetric engine and of every closed form, beside double. Literals and class
/// frequencies stay the doubles they are, so both types solve the same problem.
using Real50 = boost::multiprecision::cpp_bin_float_50;

}  // namespace rarefact
