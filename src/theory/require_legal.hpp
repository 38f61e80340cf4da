#pragma once

#include <fmt/core.h>

#include <utility>

#include "rarefact/error.hpp"

namespace rarefact {

/// Throws std::invalid_argument with this message unless the numbers are legal.
template <class... Parts>
void require_legal(bool legal, fmt::format_string<Parts...> message, Parts&&... parts) {
  if (!legal) throw std::invalid_argument(fmt::format(message, std::forward<Parts>(parts)...));
}

/// A legal expression has no value here: a key, a step or a number is missing. Allowed in branches of where() that are not taken.
struct NoValue : InputError {
  explicit NoValue(std::string message)
      : InputError(std::vector<Problem>{{.message = std::move(message), .missing = true}}) {}
};

/// Arguments of a closed form are outside of the range that the message names.
struct OutsideRange : NoValue {
  using NoValue::NoValue;
};

/// Throws OutsideRange unless the numbers are in it. Not for NaN, as of points without the parameter.
inline void require_range(bool inside, const std::string& message) {
  if (!inside) throw OutsideRange(message);
}

}  // namespace rarefact
