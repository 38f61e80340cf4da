#pragma once

// A variable of texts over runs that is written run by run.

#include <functional>
#include <string>
#include <vector>

#include "io/hdf5.hpp"
#include "sim/result.hpp"

namespace rarefact {

/// Adds the texts of one run.
using TextWriter = std::function<void(const Run& run, std::vector<std::string>& texts)>;

class TextStream {
 public:
  /// `extents`: runs first.
  TextStream(std::string name, Hdf5Handle dataset, std::vector<hsize_t> extents, TextWriter texts)
      : name_(std::move(name)),
        dataset_(std::move(dataset)),
        extents_(std::move(extents)),
        write_texts_(std::move(texts)) {}

  void append(const std::vector<Run>& runs, const Hdf5Session& session);

 private:
  std::string name_;
  Hdf5Handle dataset_;
  std::vector<hsize_t> extents_;
  TextWriter write_texts_;
  hsize_t written_ = 0;  ///< runs
};

/// Writes the rows [first, first + rows) of a dataset, whose other extents are those of `extents`.
void write_rows(const Hdf5Session& session, hid_t dataset, std::vector<hsize_t> extents, hsize_t first,
                hsize_t rows, hid_t memory_type, const void* data, const std::string& name);

}  // namespace rarefact
