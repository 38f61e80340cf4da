#pragma once

/// Whether a test runs under a sanitizer: ten times as slow, and blind to how large a matrix is.

namespace reference {

inline constexpr bool under_sanitizer = RAREFACT_UNDER_SANITIZER;

}  // namespace reference
