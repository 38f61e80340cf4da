#pragma once

/// What the program prints: whatever names and labels hold, a terminal shows it and obeys none of it.

#include <ostream>
#include <streambuf>

#include "core/visible_text.hpp"

namespace rarefact {

/// While it lives, a stream gets texts as visible_text shows them. What is put() by itself passes as it is, so that a
/// progress line can go back to its start.
class VisibleOutput : std::streambuf {
 public:
  explicit VisibleOutput(std::ostream& stream) : stream_(stream), below_(stream.rdbuf(this)) {}
  VisibleOutput(const VisibleOutput&) = delete;
  VisibleOutput& operator=(const VisibleOutput&) = delete;
  ~VisibleOutput() override { stream_.rdbuf(below_); }

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::string visible = visible_text({text, static_cast<std::size_t>(size)});
    const auto bytes = static_cast<std::streamsize>(visible.size());
    return below_->sputn(visible.data(), bytes) == bytes ? size : 0;
  }
  int_type overflow(int_type c) override { return below_->sputc(traits_type::to_char_type(c)); }
  int sync() override { return below_->pubsync(); }

  std::ostream& stream_;
  std::streambuf* below_;
};

}  // namespace rarefact
