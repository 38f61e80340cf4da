#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>

#include "rarefact/error.hpp"

namespace rarefact {

/// Throws std::invalid_argument with this message unless the numbers are legal.
template <class... Parts>
void require_legal(bool legal, fmt::format_string<Parts...> message, Parts&&... parts) {
  if (!legal) throw std::invalid_argument(fmt::format(message, std::forward<Parts>(parts)...));
}

/// Arguments of a closed form are outside of the range that the message names.
struct OutsideRange : InputError {
  using InputError::InputError;
};

/// Throws OutsideRange unless the numbers are in it. Not for NaN, as of points without the parameter.
inline void require_range(bool inside, const std::string& message) {
  if (!inside) throw OutsideRange(message);
}

}  // namespace rarefact
