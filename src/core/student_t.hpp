#pragma once

namespace rarefact {

/// The t with P(|T| <= t) = level for Student's T with `freedom` > 0 degrees of freedom; 0 < level < 1.
double student_t(double freedom, double level);

}  // namespace rarefact
