#include "core/status.hpp"

#include <array>

namespace rarefact {

const std::string& text_of(Status status) {
  static const std::array<std::string, 6> texts = {"complete", "digits_lost", "uncertified",
                                                   "diverged", "failed",      "missing"};
  return texts[static_cast<std::size_t>(status)];
}

}  // namespace rarefact
