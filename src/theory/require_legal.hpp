#pragma once

#include <fmt/core.h>

#include <stdexcept>

namespace rarefact {

/// Throws std::invalid_argument with this message unless the numbers are legal.
template <class... Parts>
void require_legal(bool legal, fmt::format_string<Parts...> message, Parts&&... parts) {
  if (!legal) throw std::invalid_argument(fmt::format(message, std::forward<Parts>(parts)...));
}

}  // namespace rarefact
