#include <fmt/format.h>

#include <functional>
#include <limits>
#include <map>
#include <stdexcept>

#include "core/parallel.hpp"
#include "experiment/keys.hpp"
#include "io/build_info.hpp"
#include "io/hdf5.hpp"
#include "io/hdf5_image.hpp"
#include "results/cell_stream.hpp"
#include "results/result_cells.hpp"
#include "results/result_encoder.hpp"
#include "results/result_file.hpp"
#include "results/result_layout.hpp"
#include "results/text_stream.hpp"

namespace rarefact {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

/// File name of every swept key -> the key as typed.
std::map<std::string, std::string> parameter_names(const std::map<std::string, bool>& parameters) {
  std::map<std::string, std::string> names;
  for (const auto& [key, text] : parameters) {
    const auto [place, fresh] = names.emplace(parameter_variable(key), key);
    if (!fresh) throw std::logic_error(fmt::format("{} and {} share a name in the file", place->second, key));
  }
  return names;
}

}  // namespace

class ResultEncoder::Writer {
 public:
  Writer(const ResultHead& head, int threads)
      : head_(head),
        workers_(threads),
        shape_{head.runs, head.described.optimizers.size(), head.described.steps.size(), head.class_groups} {
    root_attributes();
    for (const FixedVariable& scale : dimension_scales()) {
      if (scale.name != "run") add_scale(scale);
      if (scale.name == "run") {
        scales_["run"] = stream_cells(scale.name, scale.dimensions, H5T_STD_I64LE, scale.long_name,
                                      scale.units, index_cells(), true);
      }
    }
    for (const auto& [name, key] : parameter_names(head.parameters)) add_parameter(name, key);
    for (const FixedVariable& variable : fixed_variables()) add_fixed(variable);
    for (const Variable& variable : head.described.variables) add_trajectories(variable);
  }

  void append(std::vector<Run> more) {
    part_.runs = std::move(more);
    const std::vector<Run>& runs = part_.runs;
    const ResultShape shape = result_shape(part_);
    if (added_ + runs.size() > head_.runs || shape.class_group > shape_.class_group)
      throw std::logic_error("more runs or groups than a result was begun for");
    for (TextStream& stream : texts_) stream.append(runs, session_);
    workers_.for_tiles(static_cast<Index>(cells_.size()), 1,
                       [&](Index s, Index) { cells_[static_cast<std::size_t>(s)].add(runs); });
    write_chunks();
    added_ += runs.size();
    part_.runs.clear();
  }

  FileBytes finish() {
    if (added_ != head_.runs) throw std::logic_error("fewer runs than a result was begun for");
    for (CellStream& stream : cells_) stream.close();
    write_chunks();
    cells_.clear();
    texts_.clear();
    scales_.clear();
    return image_.release();
  }

 private:
  using Dimensions = std::vector<std::string>;

  /// Filters every full chunk, in several threads, and gives them to HDF5 in the order of the variables.
  void write_chunks() {
    std::vector<std::pair<CellStream*, std::size_t>> full;
    for (CellStream& stream : cells_) {
      for (std::size_t c = 0; c < stream.full_chunks(); ++c) full.emplace_back(&stream, c);
    }
    workers_.for_tiles(static_cast<Index>(full.size()), 1, [&](Index i, Index) {
      const auto& [stream, chunk] = full[static_cast<std::size_t>(i)];
      stream->filter(chunk);
    });
    for (CellStream& stream : cells_) stream.write(session_);
  }

  void root_attributes() {
    const std::map<std::string, std::string> texts = {
        {"title", head_.described.title},          {"experiment", head_.described.experiment},
        {"rarefact_version", build_info::version}, {"git_commit", build_info::git_commit},
        {"compiler", build_info::compiler},        {"compiler_flags", build_info::compiler_flags},
        {"numerics_id", build_info::numerics_id},  {"hdf5_version", hdf5_version()},
    };
    for (const std::string& name : root_text_attributes()) {
      write_text_attribute(session_, image_.file(), name, texts.at(name));
    }
    const std::string what = "write the attribute 'schema_version'";
    const auto space = session_.own(H5Screate(H5S_SCALAR), H5Sclose, what);
    const auto attribute = session_.own(
        H5Acreate2(image_.file(), "schema_version", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose,
        what);
    session_.check(H5Awrite(attribute, H5T_NATIVE_INT64, &result_schema_version), what);
  }

  Hdf5Handle properties(const std::vector<hsize_t>& extents, bool filters) const {
    auto plist = session_.own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "set up a dataset");
    session_.check(H5Pset_obj_track_times(plist, false), "set up a dataset");
    session_.check(H5Pset_attr_creation_order(plist, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
                   "set up a dataset");
    if (!filters) return plist;
    const std::vector<hsize_t> chunk = chunk_extents(extents);
    session_.check(H5Pset_chunk(plist, static_cast<int>(chunk.size()), chunk.data()), "set up a dataset");
    session_.check(H5Pset_shuffle(plist), "set up a dataset");
    session_.check(H5Pset_deflate(plist, 1), "set up a dataset");
    session_.check(H5Pset_fletcher32(plist), "set up a dataset");
    return plist;
  }

  std::vector<hsize_t> extents_of(const Dimensions& dimensions) const {
    std::vector<hsize_t> extents;
    for (const std::string& dimension : dimensions) extents.push_back(shape_.extent(dimension));
    return extents;
  }

  /// A dataset without its data, with the attributes every variable has; scales are attached unless it is one
  /// itself.
  Hdf5Handle create(const std::string& name, const Dimensions& dimensions, hid_t stored,
                    const std::string& long_name, const std::string& units, bool scale) {
    const std::string what = fmt::format("write '{}'", name);
    const std::vector<hsize_t> extents = extents_of(dimensions);
    const bool large = H5Tget_class(stored) != H5T_STRING && is_chunked(extents);
    const auto space = session_.own(
        H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, what);
    auto dataset = session_.own(H5Dcreate2(image_.file(), name.c_str(), stored, space, H5P_DEFAULT,
                                           properties(extents, large), H5P_DEFAULT),
                                H5Dclose, what);
    write_text_attribute(session_, dataset, "long_name", long_name);
    write_text_attribute(session_, dataset, "units", units);
    if (scale) {
      session_.check(H5DSset_scale(dataset, name.c_str()), what);
    } else {
      for (std::size_t i = 0; i < dimensions.size(); ++i) {
        const hid_t dimension = scales_.at(dimensions[i]);
        session_.check(H5DSattach_scale(dataset, dimension, static_cast<unsigned>(i)), what);
      }
    }
    return dataset;
  }

  /// A second handle of a dataset that a stream owns.
  Hdf5Handle again(hid_t dataset) const {
    session_.check(H5Iinc_ref(dataset), "keep a dataset");
    return {dataset, H5Dclose};
  }

  /// Creates a variable of numbers over runs.
  Hdf5Handle stream_cells(const std::string& name, const Dimensions& dimensions, hid_t stored,
                          const std::string& long_name, const std::string& units, CellWriter cells,
                          bool scale = false) {
    auto dataset = create(name, dimensions, stored, long_name, units, scale);
    const bool whole = H5Tget_class(stored) == H5T_INTEGER;
    auto kept = again(dataset);
    cells_.emplace_back(name, std::move(dataset), extents_of(dimensions),
                        whole ? H5T_NATIVE_INT64 : H5T_NATIVE_DOUBLE, std::move(cells));
    return kept;
  }

  Hdf5Handle stream_texts(const std::string& name, const Dimensions& dimensions, const std::string& long_name,
                          const std::string& units, TextWriter texts) {
    auto dataset = create(name, dimensions, hdf5_text_type(session_), long_name, units, false);
    auto kept = again(dataset);
    texts_.emplace_back(name, std::move(dataset), extents_of(dimensions), std::move(texts));
    return kept;
  }

  /// A dimension other than run: its values are known.
  void add_scale(const FixedVariable& scale) {
    const std::string what = fmt::format("write '{}'", scale.name);
    const bool text = scale.cell == Cell::text;
    const auto type = hdf5_text_type(session_);
    auto dataset = create(scale.name, scale.dimensions, text ? hid_t{type} : H5T_STD_I64LE, scale.long_name,
                          scale.units, true);
    if (text) {
      std::vector<const char*> pointers;
      for (const std::string& label : head_.described.optimizers) pointers.push_back(label.c_str());
      session_.check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), what);
    } else {
      std::vector<std::int64_t> numbers = head_.described.steps;
      if (scale.name == "class_group") {
        numbers.resize(shape_.class_group);
        for (std::size_t g = 0; g < numbers.size(); ++g) numbers[g] = static_cast<std::int64_t>(g);
      }
      write_whole(dataset, scale.name, numbers);
    }
    scales_[scale.name] = std::move(dataset);
  }

  /// Numbers that belong to no run, chunked or not.
  void write_whole(hid_t dataset, const std::string& name, const std::vector<std::int64_t>& numbers) {
    session_.check(H5Dwrite(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()),
                   fmt::format("write '{}'", name));
  }

  void add_parameter(const std::string& name, const std::string& key) {
    const std::string meaning = "swept value of " + key;
    const auto dataset =
        head_.parameters.at(key)
            ? stream_texts(name, {"run"}, meaning, "1", parameter_texts(key))
            : stream_cells(name, {"run"}, H5T_IEEE_F64LE, meaning, "1", parameter_cells(key));
    write_text_attribute(session_, dataset, "key", key);
  }

  void add_fixed(const FixedVariable& v) {
    const auto texts = [&](std::string Trajectory::*member) {
      stream_texts(v.name, v.dimensions, v.long_name, v.units, trajectory_texts(member));
    };
    const auto numbers = [&](CellWriter cells) {
      stream_cells(v.name, v.dimensions, v.cell == Cell::integer ? H5T_STD_I64LE : H5T_IEEE_F64LE,
                   v.long_name, v.units, std::move(cells));
    };
    const std::size_t width = shape_.class_group;
    const std::map<std::string, std::function<void()>> writers = {
        {"class_count", [&] { numbers(group_cells(&Run::class_count, width, 0)); }},
        {"class_probability", [&] { numbers(group_cells(&Run::class_probability, width, nan)); }},
        {"class_log_rank", [&] { numbers(group_cells(&Run::class_log_rank, width, nan)); }},
        {"status", [&] { texts(&Trajectory::status); }},
        {"status_step", [&] { numbers(trajectory_cells(&Trajectory::status_step)); }},
        {"status_detail", [&] { texts(&Trajectory::status_detail); }},
        {"engine", [&] { texts(&Trajectory::engine); }},
        {"engine_reason", [&] { texts(&Trajectory::engine_reason); }},
        {"step_size", [&] { numbers(trajectory_cells(&Trajectory::step_size)); }},
        {"step_size_edge", [&] { numbers(trajectory_cells(&Trajectory::step_size_edge)); }},
        {"quadrature_error", [&] { numbers(trajectory_cells(&Trajectory::quadrature_error)); }},
        {"quadrature_nodes", [&] { numbers(trajectory_cells(&Trajectory::quadrature_nodes)); }},
    };
    writers.at(v.name)();
  }

  void add_trajectories(const Variable& variable) {
    const std::size_t row = variable.per_class ? shape_.class_group : 1;
    const auto dataset =
        stream_cells(variable.name, trajectory_dimensions(variable.per_class), H5T_IEEE_F64LE,
                     variable.long_name, variable.units, series_cells(variable, shape_.step, row));
    if (variable.name.find("_predicted") != std::string::npos || !variable.source.empty()) {
      write_text_attribute(session_, dataset, "source", variable.source);
      write_text_attribute(session_, dataset, "validity", variable.validity);
    }
  }

  const ResultHead head_;
  Result part_ = head_.described;  ///< with the runs being appended
  const Workers workers_;
  const ResultShape shape_;
  Hdf5Session session_{"result in memory"};
  Hdf5Image image_{session_};
  std::map<std::string, Hdf5Handle> scales_;
  std::vector<CellStream> cells_;
  std::vector<TextStream> texts_;
  std::size_t added_ = 0;
};

ResultEncoder::ResultEncoder(const ResultHead& head, int threads)
    : writer_(std::make_unique<Writer>(head, threads)) {}
ResultEncoder::~ResultEncoder() = default;

void ResultEncoder::append(std::vector<Run> runs) {
  writer_->append(std::move(runs));
}

FileBytes ResultEncoder::finish() {
  return writer_->finish();
}

std::vector<std::byte> encode_result(const Result& result) {
  ResultHead head;
  head.runs = result.runs.size();
  head.class_groups = result_shape(result).class_group;
  for (const Run& run : result.runs) {
    for (const auto& [key, value] : run.parameters)
      head.parameters[key] = head.parameters[key] || std::holds_alternative<std::string>(value);
  }
  head.described = result;
  head.described.runs.clear();
  ResultEncoder encoder(head, 1);
  encoder.append(result.runs);
  const FileBytes all = encoder.finish();
  return {all.bytes().begin(), all.bytes().end()};
}

}  // namespace rarefact
