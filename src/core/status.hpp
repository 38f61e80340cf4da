#pragma once

/// How a run of an optimizer ends.

#include <cstdint>
#include <string>

namespace rarefact {

/// The best first; `missing`: of a point of a sweep that is not there.
enum class Status : std::uint8_t { complete, digits_lost, uncertified, diverged, failed, missing };

/// As results say it.
const std::string& text_of(Status status);
inline bool operator==(const std::string& text, Status status) {
  return text == text_of(status);
}

}  // namespace rarefact
