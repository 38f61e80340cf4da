#include "results/cell_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "results/text_stream.hpp"

namespace rarefact {

namespace {

constexpr hsize_t chunked_from_bytes = 65536;
/// 1 MiB, the default size of HDF5's cache of chunks.
constexpr hsize_t chunk_cells = 131072;

hsize_t product(const std::vector<hsize_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), hsize_t{1}, std::multiplies<>());
}

}  // namespace

std::vector<hsize_t> chunk_extents(const std::vector<hsize_t>& extents) {
  std::vector<hsize_t> chunk(extents.size(), 1);
  hsize_t cells = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    chunk[i] = std::min(extents[i], std::max<hsize_t>(1, chunk_cells / cells));
    cells *= chunk[i];
  }
  return chunk;
}

bool is_chunked(const std::vector<hsize_t>& extents) {
  return product(extents) * sizeof(std::uint64_t) > chunked_from_bytes;
}

CellStream::CellStream(std::string name, Hdf5Handle dataset, std::vector<hsize_t> extents, hid_t memory_type,
                       CellWriter cells)
    : name_(std::move(name)),
      dataset_(std::move(dataset)),
      extents_(std::move(extents)),
      chunk_(chunk_extents(extents_)),
      memory_type_(memory_type),
      write_cells_(std::move(cells)),
      cells_per_run_(product({extents_.begin() + 1, extents_.end()})),
      chunked_(is_chunked(extents_)) {}

void CellStream::add(const std::vector<Run>& runs) {
  for (const Run& run : runs) {
    pending_.resize(pending_.size() + cells_per_run_);
    write_cells_(run, pending_.data() + pending_.size() - cells_per_run_);
    ++added_;
    if (!chunked_) continue;
    if (chunk_.front() == 1) {
      cut_last_run();
    } else if (pending_.size() == chunk_.front() * cells_per_run_) {
      complete_chunk();
    }
  }
}

/// Several runs in one chunk: the other dimensions are in it whole.
void CellStream::complete_chunk() {
  std::vector<hsize_t> offset(extents_.size(), 0);
  offset.front() = (added_ - 1) / chunk_.front() * chunk_.front();
  full_.push_back({std::move(offset), std::move(pending_)});
  pending_.clear();
}

/// Several chunks for one run, those at the ends filled up with zeros.
void CellStream::cut_last_run() {
  const std::size_t rank = extents_.size();
  std::vector<hsize_t> offset(rank, 0);
  offset.front() = added_ - 1;
  while (true) {
    Chunk& chunk = full_.emplace_back();
    chunk.offset = offset;
    chunk.cells.assign(product(chunk_), 0);
    // Row by row of the last dimension; `place` runs over the rows of the chunk.
    std::vector<hsize_t> place(rank, 0);
    const hsize_t row = std::min(chunk_.back(), extents_.back() - offset.back());
    for (std::size_t to = 0; to < chunk.cells.size(); to += chunk_.back()) {
      std::size_t from = 0;
      bool inside = true;
      for (std::size_t d = 1; d < rank; ++d) {
        inside = inside && offset[d] + place[d] < extents_[d];
        from = from * extents_[d] + offset[d] + place[d];
      }
      if (inside)
        std::copy_n(pending_.begin() + static_cast<std::ptrdiff_t>(from), row,
                    chunk.cells.begin() + static_cast<std::ptrdiff_t>(to));
      for (std::size_t d = rank - 1; d-- > 1;) {
        if (++place[d] < chunk_[d]) break;
        place[d] = 0;
      }
    }
    std::size_t d = rank;
    while (--d > 0) {
      if ((offset[d] += chunk_[d]) < extents_[d]) break;
      offset[d] = 0;
    }
    if (d == 0) break;
  }
  pending_.clear();
}

void CellStream::filter(std::size_t chunk) {
  full_[chunk].filtered = filter_chunk(full_[chunk].cells);
  full_[chunk].cells = {};
}

void CellStream::write(const Hdf5Session& session) {
  const std::string what = fmt::format("write '{}'", name_);
  for (const Chunk& chunk : full_) {
    session.check(H5Dwrite_chunk(dataset_, H5P_DEFAULT, chunk.filtered.skipped, chunk.offset.data(),
                                 chunk.filtered.bytes.size(), chunk.filtered.bytes.data()),
                  what);
  }
  full_.clear();
  if (chunked_ || pending_.empty()) return;
  write_rows(session, dataset_, extents_, written_, added_ - written_, memory_type_, pending_.data(), name_);
  written_ = added_;
  pending_.clear();
}

void CellStream::close() {
  if (!chunked_ || pending_.empty()) return;
  pending_.resize(chunk_.front() * cells_per_run_, 0);
  complete_chunk();
}

}  // namespace rarefact
