#include "results/column_stream.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <stdexcept>

#include "results/values_hash.hpp"

namespace rarefact {

namespace {

static_assert(std::endian::native == std::endian::little, "cells are stored little-endian");

constexpr int deflate_level = 1;
constexpr std::uint32_t deflate_skipped = 1U << 1;  // the second filter of the pipeline

/// HDF5's filter "shuffle": the first bytes of all cells, then their second bytes, and so on.
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

constexpr hsize_t chunked_from_bytes = 65536;
/// 1 MiB, the default size of HDF5's cache of chunks.
constexpr hsize_t chunk_cells = 131072;

hsize_t product(const std::vector<hsize_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), hsize_t{1}, std::multiplies<>());
}

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

}  // namespace

std::vector<hsize_t> chunk_extents(CellKind kind, const std::vector<hsize_t>& extents) {
  if (kind == CellKind::text || product(extents) * sizeof(std::uint64_t) <= chunked_from_bytes) return {};
  std::vector<hsize_t> chunk(extents.size(), 1);
  hsize_t cells = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    chunk[i] = std::min(extents[i], std::max<hsize_t>(1, chunk_cells / cells));
    cells *= chunk[i];
  }
  return chunk;
}

ColumnStream::ColumnStream(ResultColumn column, Hdf5Handle dataset, std::vector<hsize_t> extents)
    : column_(std::move(column)),
      dataset_(std::move(dataset)),
      extents_(std::move(extents)),
      chunk_(chunk_extents(column_.kind, extents_)),
      cells_per_run_(product({extents_.begin() + 1, extents_.end()})) {}

void ColumnStream::add(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    ++added_;
    if (of_texts()) {
      const std::size_t before = pending_texts_.size();
      column_.texts(run, pending_texts_);
      add_values(digest_, std::span<const std::string>(pending_texts_).subspan(before));
      continue;
    }
    pending_.resize(pending_.size() + cells_per_run_);
    column_.cells(run, pending_.data() + pending_.size() - cells_per_run_);
    add_values(digest_, std::span<const std::uint64_t>(pending_).last(cells_per_run_));
    if (chunk_.empty()) continue;
    if (chunk_.front() == 1) {
      cut_last_run();
    } else if (pending_.size() == chunk_.front() * cells_per_run_) {
      complete_chunk();
    }
  }
}

/// Completes a chunk of several runs, which has the other dimensions as a whole.
void ColumnStream::complete_chunk() {
  std::vector<hsize_t> offset(extents_.size(), 0);
  offset.front() = (added_ - 1) / chunk_.front() * chunk_.front();
  full_.push_back({std::move(offset), std::move(pending_)});
  pending_.clear();
}

/// Cuts a run into chunks, the last one padded with zeros. At most one dimension is cut: a chunk has full
/// length in later dimensions and length 1 in earlier ones, so it is a contiguous piece of the run's cells.
void ColumnStream::cut_last_run() {
  std::size_t cut = extents_.size() - 1;
  while (cut > 0 && chunk_[cut] == extents_[cut]) --cut;
  const hsize_t inner = product({extents_.begin() + static_cast<std::ptrdiff_t>(cut) + 1, extents_.end()});
  for (auto cells = pending_.begin(); cells != pending_.end();) {
    Chunk& chunk = full_.emplace_back();
    chunk.offset.assign(extents_.size(), 0);
    auto row = static_cast<hsize_t>(cells - pending_.begin()) / inner;
    for (std::size_t d = cut + 1; d-- > 1; row /= extents_[d]) chunk.offset[d] = row % extents_[d];
    const hsize_t rows = std::min(chunk_[cut], extents_[cut] - chunk.offset[cut]);
    chunk.offset.front() = added_ - 1;
    const auto end = cells + static_cast<std::ptrdiff_t>(rows * inner);
    chunk.cells.assign(cells, end);
    chunk.cells.resize(product(chunk_), 0);
    cells = end;
  }
  pending_.clear();
}

void ColumnStream::filter(std::size_t chunk) {
  full_[chunk].filtered = filter_chunk(full_[chunk].cells);
  full_[chunk].cells = {};
}

void ColumnStream::write(const Hdf5Session& session) {
  for (const Chunk& chunk : full_) {
    session.check(H5Dwrite_chunk(dataset_, H5P_DEFAULT, chunk.filtered.skipped, chunk.offset.data(),
                                 chunk.filtered.bytes.size(), chunk.filtered.bytes.data()),
                  fmt::format("write '{}'", column_.name));
  }
  full_.clear();
}

void ColumnStream::close(const Hdf5Session& session) {
  if (!chunk_.empty()) {
    if (pending_.empty()) return;
    pending_.resize(chunk_.front() * cells_per_run_, 0);
    return complete_chunk();
  }
  std::vector<const char*> texts;
  for (const std::string& text : pending_texts_) texts.push_back(text.c_str());
  const void* data = pending_.data();
  if (of_texts()) data = texts.data();
  session.check(H5Dwrite(dataset_, cell_type(session, column_.kind), H5S_ALL, H5S_ALL, H5P_DEFAULT, data),
                fmt::format("write '{}'", column_.name));
}

}  // namespace rarefact
