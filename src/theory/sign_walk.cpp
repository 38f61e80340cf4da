#include "rarefact/theory/sign_walk.hpp"

#include <cmath>

namespace rarefact {

double sign_walk(double stride, double optimum, std::int64_t step) {
  double top = std::ceil(optimum / stride);  // n, as a double: it may exceed every integer type
  // The quotient is rounded; the comparisons that define n are those of the walk itself.
  if (stride * (top - 1) >= optimum) top -= 1;
  if (stride * top < optimum) top += 1;
  const double t = static_cast<double>(step);
  if (t <= top) return stride * t;
  const bool rests = stride * top == optimum;
  const bool below = (step - static_cast<std::int64_t>(top)) % 2 != 0;
  return stride * (below && !rests ? top - 1 : top);
}

}  // namespace rarefact
