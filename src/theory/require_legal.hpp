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

/// Throws InputError with this message, which names the range, unless the numbers are in it. Not for NaN, as of points
/// without the parameter.
inline void require_range(bool inside, const std::string& message) {
  if (!inside) throw InputError(message);
}

}  // namespace rarefact
