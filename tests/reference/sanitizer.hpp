#pragma once

/// Whether a test runs under a sanitizer: ten times as slow, and blind to how large a matrix is.

namespace reference {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool under_sanitizer = true;
#else
inline constexpr bool under_sanitizer = false;
#endif

}  // namespace reference
