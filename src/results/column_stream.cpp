#include "results/column_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>

#include "results/values_hash.hpp"

namespace rarefact {

namespace {

constexpr hsize_t chunked_from_cells = 8192;
/// 1 MiB, the default size of HDF5's cache of chunks, in which a chunk waits for its next runs.
constexpr hsize_t chunk_cells = 131072;

}  // namespace

std::vector<hsize_t> chunk_extents(const CellValues& cells, const std::vector<hsize_t>& extents) {
  const hsize_t all = std::accumulate(extents.begin(), extents.end(), hsize_t{1}, std::multiplies<>());
  if (kind_of(cells) == CellKind::text || all <= chunked_from_cells) return {};
  std::vector<hsize_t> chunk(extents.size(), 1);
  hsize_t inner = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    chunk[i] = std::min(extents[i], std::max<hsize_t>(1, chunk_cells / inner));
    inner *= chunk[i];
  }
  return chunk;
}

void ColumnStream::add(const std::vector<Run>& runs) {
  const std::size_t entries =
      std::accumulate(extents_.begin() + 1, extents_.end(), runs.size(), std::multiplies<>());
  std::visit([&](auto& cells) { cells.reserve(entries); }, column_.cells);
  for (const Run& run : runs) column_.append(run, column_.cells);
  std::visit([&]<class T>(const std::vector<T>& cells) { add_values(digest_, std::span<const T>(cells)); },
             column_.cells);
  added_ += runs.size();
}

void ColumnStream::write(const Hdf5Session& session) {
  const std::string what = fmt::format("write '{}'", name());
  std::vector<hsize_t> from(extents_.size(), 0), count = extents_;
  from.front() = written_;
  count.front() = added_ - written_;
  const auto rank = static_cast<int>(extents_.size());
  const auto memory = session.own(H5Screate_simple(rank, count.data(), nullptr), H5Sclose, what);
  const auto place = session.own(H5Dget_space(dataset_), H5Sclose, what);
  session.check(H5Sselect_hyperslab(place, H5S_SELECT_SET, from.data(), nullptr, count.data(), nullptr),
                what);
  write_values(session, dataset_, name(), column_.cells, memory, place);
  std::visit([](auto& cells) { cells.clear(); }, column_.cells);
  written_ = added_;
}

}  // namespace rarefact
