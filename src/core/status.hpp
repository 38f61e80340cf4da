#pragma once

/// How the run of an optimizer ended.

#include <array>
#include <cstdint>
#include <string>

namespace rarefact {

/// From best to worst. `missing`: the point of the sweep has not been computed.
enum class Status : std::uint8_t { complete, digits_lost, uncertified, diverged, failed, missing };

inline const std::string& text_of(Status status) {
  static const std::array<std::string, 6> texts = {"complete", "digits_lost", "uncertified",
                                                   "diverged", "failed",      "missing"};
  return texts[static_cast<std::size_t>(status)];
}
inline bool operator==(const std::string& text, Status status) {
  return text == text_of(status);
}
/// `missing` for a text of none.
inline Status status_of(const std::string& text) {
  auto status = Status::complete;
  while (status < Status::missing && !(text == status))
    status = static_cast<Status>(static_cast<int>(status) + 1);
  return status;
}

}  // namespace rarefact
