#include "core/student_t.hpp"

#include <boost/math/distributions/students_t.hpp>

namespace rarefact {

double student_t(double freedom, double level) {
  return quantile(complement(boost::math::students_t(freedom), (1 - level) / 2));
}

}  // namespace rarefact
