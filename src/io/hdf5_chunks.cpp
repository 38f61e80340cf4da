#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <numeric>

#include "io/hdf5.hpp"

namespace rarefact {

namespace {

constexpr std::size_t cell = 8;  ///< bytes of an entry
/// Smaller files than zlib's level 1 in two thirds of its time; higher levels take longer and gain 1 %.
constexpr int deflate_level = 4;

std::size_t product(std::span<const hsize_t> factors) {
  return std::accumulate(factors.begin(), factors.end(), std::size_t{1}, std::multiplies<>());
}

/// Exchanges row and column of each byte in eight words of eight bytes.
void transpose_bytes(std::array<std::uint64_t, 8>& words) {
  const auto exchange = [&](std::size_t distance, std::uint64_t low) {
    const auto bits = static_cast<int>(8 * distance);
    for (std::size_t i = 0; i < 8; ++i) {
      if ((i & distance) != 0) continue;
      const std::uint64_t moved = ((words[i] >> bits) ^ words[i + distance]) & low;
      words[i + distance] ^= moved;
      words[i] ^= moved << bits;
    }
  };
  exchange(4, 0x00000000ffffffff);
  exchange(2, 0x0000ffff0000ffff);
  exchange(1, 0x00ff00ff00ff00ff);
}

/// The first byte of every entry, then the second, and so on, which packs better. Entries missing at the end are 0.
void shuffle(std::span<const std::byte> entries, std::size_t capacity, std::byte* planes) {
  const std::size_t count = entries.size() / cell;
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::array<std::uint64_t, 8> words{};
    std::memcpy(words.data(), &entries[i * cell], sizeof words);
    transpose_bytes(words);
    for (std::size_t plane = 0; plane < cell; ++plane)
      std::memcpy(&planes[plane * capacity + i], &words[plane], sizeof words[plane]);
  }
  for (; i < count; ++i)
    for (std::size_t plane = 0; plane < cell; ++plane)
      planes[plane * capacity + i] = entries[i * cell + plane];
  for (std::size_t plane = 0; plane < cell; ++plane)
    std::fill_n(&planes[plane * capacity + count], capacity - count, std::byte{0});
}

/// Fletcher's checksum as HDF5 computes it: of big-endian words of 16 bits, the last one padded with a zero byte.
std::uint32_t fletcher32(std::span<const std::byte> bytes) {
  constexpr std::uint64_t modulus = 65535;
  constexpr std::size_t at_once = 720;  // bytes: the sums stay far below 2^64
  std::uint64_t sum = 0, sum_of_sums = 0;
  for (std::size_t begin = 0; begin < bytes.size(); begin += at_once) {
    const std::size_t end = std::min(bytes.size(), begin + at_once);
    for (std::size_t i = begin; i < end; i += 2) {
      sum += std::to_integer<std::uint64_t>(bytes[i]) << 8;
      if (i + 1 < end) sum += std::to_integer<std::uint64_t>(bytes[i + 1]);
      sum_of_sums += sum;
    }
    sum = (sum & modulus) + (sum >> 16);
    sum_of_sums = (sum_of_sums & modulus) + (sum_of_sums >> 16);
  }
  // HDF5 leaves 65535, which is 0 as a remainder, as it is.
  for (int i = 0; i < 3; ++i) {
    sum = (sum & modulus) + (sum >> 16);
    sum_of_sums = (sum_of_sums & modulus) + (sum_of_sums >> 16);
  }
  return static_cast<std::uint32_t>(sum_of_sums << 16 | sum);
}

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};

libdeflate_compressor& compressor() {
  thread_local const std::unique_ptr<libdeflate_compressor, FreeCompressor> kept(
      libdeflate_alloc_compressor(deflate_level));
  if (!kept) throw std::bad_alloc();
  return *kept;
}

}  // namespace

std::size_t ChunkOrder::capacity() const {
  return product(chunk);
}

std::size_t ChunkOrder::length(std::size_t begin) const {
  std::size_t cut = extents.size() - 1;
  while (cut > 0 && chunk[cut] == extents[cut]) --cut;
  const std::size_t whole =
      product(std::span(extents).subspan(cut));  // entries along the dimension that is cut
  return std::min(capacity(), whole - begin % whole);
}

std::vector<hsize_t> ChunkOrder::position(std::size_t begin) const {
  std::vector<hsize_t> place(extents.size());
  for (std::size_t i = extents.size(); i-- > 0; begin /= extents[i]) place[i] = begin % extents[i];
  return place;
}

std::vector<std::byte> encode_chunk(std::span<const std::byte> entries, std::size_t capacity) {
  libdeflate_compressor& packer = compressor();
  const std::size_t size = capacity * cell, bound = libdeflate_zlib_compress_bound(&packer, size);
  // The same memory for every chunk: on some machines new pages cost more than what is written into them.
  thread_local std::vector<std::byte> scratch;
  scratch.resize(std::max(scratch.size(), size + bound));
  std::byte *const planes = scratch.data(), *const room = planes + size;
  shuffle(entries, capacity, planes);
  const std::size_t used = libdeflate_zlib_compress(&packer, planes, size, room, bound);
  std::vector<std::byte> packed;
  packed.reserve(used + sizeof(std::uint32_t));
  packed.assign(room, room + used);
  const std::uint32_t checksum = fletcher32(packed);
  for (int shift = 0; shift < 32; shift += 8) packed.push_back(static_cast<std::byte>(checksum >> shift));
  return packed;
}

}  // namespace rarefact
