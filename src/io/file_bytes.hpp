#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

namespace rarefact {

/// The bytes of a file on the heap, in memory from std::malloc, as C libraries hand it over.
class FileBytes {
 public:
  FileBytes(void* memory, std::size_t size) : memory_(memory), size_(size) {}
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(memory_.get()), size_}; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, Free> memory_;
  std::size_t size_;
};

}  // namespace rarefact
