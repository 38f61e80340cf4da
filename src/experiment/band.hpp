#pragma once

/// Bands of classes: many, medium, few.

#include <string>
#include <vector>

namespace rarefact {

/// The classes that satisfy a condition, such as "rank <= 100" or "occurrences < 20 and rank > 5".
struct Band {
  std::string name;
  std::string condition;  ///< canonical text
  bool operator==(const Band&) const = default;
};

/// The band of all classes that no other band has.
inline constexpr const char* remainder_band = "medium";

/// A bound of a condition. `number` is an expression of K.
struct BandBound {
  bool of_rank = true;  ///< else of occurrences
  std::string sign;     ///< <, <=, >, >= or ==
  std::string number;
};

/// The bounds of a condition, which has all of them. Throws InputError.
std::vector<BandBound> bounds_of(const std::string& condition);

}  // namespace rarefact
