#include <fmt/format.h>

#include <cmath>

#include "model/embedding.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// R(a, b, c): the z-y-z Euler rotation.
Matrix euler_rotation(const std::vector<double>& angles) {
  const double ca = std::cos(angles[0]), sa = std::sin(angles[0]);
  const double cb = std::cos(angles[1]), sb = std::sin(angles[1]);
  const double cc = std::cos(angles[2]), sc = std::sin(angles[2]);
  Matrix r(3, 3);
  r << ca * cb * cc - sa * sc, -ca * cb * sc - sa * cc, ca * sb,  //
      sa * cb * cc + ca * sc, -sa * cb * sc + ca * cc, sa * sb,   //
      -sb * cc, sb * sc, cb;
  return r;
}

/// Tolerance for the orthogonality of a typed block, which has about 16 digits. The error of the symmetric
/// engine is of this order.
constexpr double orthogonality_tolerance = 1e-12;

Matrix given_block(const std::vector<double>& entries) {
  const auto b = static_cast<Index>(std::llround(std::sqrt(static_cast<double>(entries.size()))));
  if (b < 1 || static_cast<std::size_t>(b * b) != entries.size()) {
    raise({problem_about("block",
                         fmt::format("got {} entries; a square block has 1, 4, 9, 16 ...", entries.size()))});
  }
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrix block = Eigen::Map<const RowMajor>(entries.data(), b, b);
  const double defect = (block.transpose() * block - Matrix::Identity(b, b)).cwiseAbs().maxCoeff();
  if (!block.allFinite() || defect > orthogonality_tolerance) {
    raise({problem_about(
        "block",
        fmt::format("not orthogonal: the largest entry of |RᵀR - I| is {:.3g}, at most {:g} is allowed",
                    defect, orthogonality_tolerance))});
  }
  return block;
}

}  // namespace

Matrix rotation_block(const ParameterValues& parameters, const std::string& stream) {
  if (parameters.has("block")) {
    if (parameters.has("angles")) throw InputError("block_rotation takes angles or block, not both");
    return given_block(parameters.numbers("block"));
  }
  if (!parameters.has("angles")) {
    return euler_rotation(stream == "answer" ? std::vector{3.638, 2.949, 5.218}
                                             : std::vector{1.715, 0.876, 3.098});
  }
  const std::vector<double>& angles = parameters.numbers("angles");
  if (angles.size() != 3)
    raise({problem_about("angles", fmt::format("got {} numbers; expected three, a, b, c", angles.size()))});
  for (const double angle : angles) {
    if (!std::isfinite(angle))
      raise({problem_about("angles", fmt::format("got {}; expected finite numbers", angle))});
  }
  return euler_rotation(angles);
}

}  // namespace rarefact
