#include "results/chunk_filter.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace rarefact {

namespace {

static_assert(std::endian::native == std::endian::little, "cells are stored little-endian");

constexpr int deflate_level = 1;
constexpr std::uint32_t deflate_skipped = 1U << 1;  // the second filter of the pipeline

/// HDF5's filter "shuffle": the first bytes of all cells, then their second bytes ...
std::vector<unsigned char> shuffled(std::span<const std::uint64_t> cells) {
  std::vector<unsigned char> bytes(cells.size() * sizeof(std::uint64_t));
  for (std::size_t b = 0; b < sizeof(std::uint64_t); ++b) {
    unsigned char* out = bytes.data() + b * cells.size();
    for (std::size_t i = 0; i < cells.size(); ++i) out[i] = static_cast<unsigned char>(cells[i] >> (8 * b));
  }
  return bytes;
}

/// HDF5's checksum of a chunk: Fletcher's over 16-bit words, the first byte of each the high one.
std::uint32_t fletcher32(const std::vector<unsigned char>& bytes) {
  constexpr std::size_t block = 360;  // words whose sums fit in 32 bits
  std::uint32_t first = 0, second = 0;
  const auto fold = [](std::uint32_t sum) { return (sum & 0xffff) + (sum >> 16); };
  const std::size_t words = bytes.size() / 2;
  for (std::size_t w = 0; w < words;) {
    for (const std::size_t end = std::min(words, w + block); w < end; ++w) {
      first += static_cast<std::uint32_t>(bytes[2 * w] << 8 | bytes[2 * w + 1]);
      second += first;
    }
    first = fold(first);
    second = fold(second);
  }
  if (bytes.size() % 2 != 0) {
    first += static_cast<std::uint32_t>(bytes.back()) << 8;
    second += first;
    first = fold(first);
    second = fold(second);
  }
  return fold(second) << 16 | fold(first);
}

}  // namespace

FilteredChunk filter_chunk(std::span<const std::uint64_t> cells) {
  FilteredChunk chunk;
  std::vector<unsigned char> plain = shuffled(cells);
  uLongf size = compressBound(plain.size());
  std::vector<unsigned char> packed(size);
  if (compress2(packed.data(), &size, plain.data(), plain.size(), deflate_level) != Z_OK)
    throw std::runtime_error("zlib cannot compress");
  packed.resize(size);
  if (packed.size() >= plain.size()) {
    packed = std::move(plain);
    chunk.skipped = deflate_skipped;
  }
  const std::uint32_t sum = fletcher32(packed);
  for (unsigned shift = 0; shift < 32; shift += 8) packed.push_back(static_cast<unsigned char>(sum >> shift));
  const auto bytes = std::as_bytes(std::span(packed));
  chunk.bytes.assign(bytes.begin(), bytes.end());
  return chunk;
}

}  // namespace rarefact
