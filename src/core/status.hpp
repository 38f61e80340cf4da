#pragma once

/// How the run of an optimizer ended.

#include <cstdint>
#include <string>

namespace rarefact {

/// From best to worst. `missing`: the point of the sweep has not been computed.
enum class Status : std::uint8_t { complete, digits_lost, uncertified, diverged, failed, missing };

const std::string& text_of(Status status);
inline bool operator==(const std::string& text, Status status) {
  return text == text_of(status);
}

}  // namespace rarefact
