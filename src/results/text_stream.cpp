#include "results/text_stream.hpp"

#include <fmt/format.h>

namespace rarefact {

void write_rows(const Hdf5Session& session, hid_t dataset, std::vector<hsize_t> extents, hsize_t first,
                hsize_t rows, hid_t memory_type, const void* data, const std::string& name) {
  const std::string what = fmt::format("write '{}'", name);
  std::vector<hsize_t> start(extents.size(), 0);
  start.front() = first;
  extents.front() = rows;
  const auto file_space = session.own(H5Dget_space(dataset), H5Sclose, what);
  session.check(
      H5Sselect_hyperslab(file_space, H5S_SELECT_SET, start.data(), nullptr, extents.data(), nullptr), what);
  const auto memory_space = session.own(
      H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, what);
  session.check(H5Dwrite(dataset, memory_type, memory_space, file_space, H5P_DEFAULT, data), what);
}

void TextStream::append(const std::vector<Run>& runs, const Hdf5Session& session) {
  std::vector<std::string> texts;
  for (const Run& run : runs) write_texts_(run, texts);
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  write_rows(session, dataset_, extents_, written_, runs.size(), hdf5_text_type(session), pointers.data(),
             name_);
  written_ += runs.size();
}

}  // namespace rarefact
