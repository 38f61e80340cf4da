#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>

#include "rarefact/io/build_info.hpp"
#include "rarefact/io/hdf5.hpp"
#include "rarefact/io/hdf5_image.hpp"
#include "rarefact/io/result_file.hpp"
#include "rarefact/io/result_layout.hpp"

namespace rarefact {

namespace {

/// Below this an array is stored in one piece: chunks and filters would cost more than they save.
constexpr hsize_t chunked_from_bytes = 65536;
/// Doubles in one chunk: 1 MiB, the default size of HDF5's cache of chunks.
constexpr hsize_t chunk_cells = 131072;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

class Encoder {
 public:
  explicit Encoder(const Result& result) : result_(result), shape_(result_shape(result)) {}

  std::vector<std::byte> encode() {
    root_attributes();
    for (const FixedVariable& scale : dimension_scales()) add_scale(scale);
    for (const auto& [name, key] : parameter_names()) add_parameter(name, key);
    for (const FixedVariable& variable : fixed_variables()) add_fixed(variable);
    for (const Variable& variable : result_.variables) add_trajectories(variable);
    scales_.clear();
    return image_.close();
  }

 private:
  void root_attributes() {
    const std::map<std::string, std::string> texts = {
        {"title", result_.title},
        {"experiment", result_.experiment},
        {"rarefact_version", build_info::version},
        {"git_commit", build_info::git_commit},
        {"compiler", build_info::compiler},
        {"compiler_flags", build_info::compiler_flags},
        {"numerics_id", build_info::numerics_id},
        {"hdf5_version", hdf5_version()},
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
    std::vector<hsize_t> chunk(extents.size(), 1);
    hsize_t cells = 1;
    for (std::size_t i = extents.size(); i-- > 0;) {
      chunk[i] = std::min(extents[i], std::max<hsize_t>(1, chunk_cells / cells));
      cells *= chunk[i];
    }
    session_.check(H5Pset_chunk(plist, static_cast<int>(chunk.size()), chunk.data()), "set up a dataset");
    session_.check(H5Pset_shuffle(plist), "set up a dataset");
    session_.check(H5Pset_deflate(plist, 1), "set up a dataset");
    session_.check(H5Pset_fletcher32(plist), "set up a dataset");
    return plist;
  }

  /// A dataset with its data and the attributes every variable has; scales are attached unless it is one
  /// itself.
  Hdf5Handle add(const std::string& name, const std::vector<std::string>& dimensions, hid_t stored,
                 hid_t memory, const void* data, const std::string& long_name, const std::string& units,
                 bool scale = false) {
    const std::string what = fmt::format("write '{}'", name);
    std::vector<hsize_t> extents;
    for (const std::string& dimension : dimensions) extents.push_back(shape_.extent(dimension));
    const bool large =
        H5Tget_class(stored) != H5T_STRING && shape_.cells(dimensions) * sizeof(double) > chunked_from_bytes;
    const auto space = session_.own(
        H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, what);
    auto dataset = session_.own(H5Dcreate2(image_.file(), name.c_str(), stored, space, H5P_DEFAULT,
                                           properties(extents, large), H5P_DEFAULT),
                                H5Dclose, what);
    session_.check(H5Dwrite(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), what);
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

  Hdf5Handle add_integers(const FixedVariable& v, const std::vector<std::int64_t>& values, bool scale) {
    return add(v.name, v.dimensions, H5T_STD_I64LE, H5T_NATIVE_INT64, values.data(), v.long_name, v.units,
               scale);
  }

  Hdf5Handle add_texts(const FixedVariable& v, const std::vector<std::string>& texts, bool scale) {
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    const auto type = hdf5_text_type(session_);
    return add(v.name, v.dimensions, type, type, pointers.data(), v.long_name, v.units, scale);
  }

  Hdf5Handle add_reals(const std::string& name, const std::vector<std::string>& dimensions,
                       const std::vector<double>& values, const std::string& long_name,
                       const std::string& units) {
    return add(name, dimensions, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.data(), long_name, units);
  }

  void add_scale(const FixedVariable& scale) {
    std::vector<std::int64_t> numbers;
    if (scale.name == "step") numbers = result_.steps;
    if (scale.name == "run") {
      for (const Run& run : result_.runs) numbers.push_back(run.index);
    }
    if (scale.name == "class_group") {
      for (std::uint64_t g = 0; g < shape_.class_group; ++g) numbers.push_back(static_cast<std::int64_t>(g));
    }
    scales_[scale.name] = scale.cell == Cell::text ? add_texts(scale, result_.optimizers, true)
                                                   : add_integers(scale, numbers, true);
  }

  /// File name of every swept key -> the key as typed.
  std::map<std::string, std::string> parameter_names() const {
    std::map<std::string, std::string> names;
    for (const Run& run : result_.runs) {
      for (const auto& [key, value] : run.parameters) {
        const auto [place, fresh] = names.emplace(parameter_variable(key), key);
        if (!fresh && place->second != key) {
          throw std::logic_error(fmt::format("{} and {} share a name in the file", place->second, key));
        }
      }
    }
    return names;
  }

  void add_parameter(const std::string& name, const std::string& key) {
    std::vector<double> numbers;
    std::vector<std::string> texts;
    bool all_numbers = true;
    for (const Run& run : result_.runs) {
      const auto found = run.parameters.find(key);
      const SweptValue value = found == run.parameters.end() ? SweptValue(nan) : found->second;
      const auto* number = std::get_if<double>(&value);
      all_numbers = all_numbers && number != nullptr;
      numbers.push_back(number != nullptr ? *number : nan);
      texts.push_back(number == nullptr     ? std::get<std::string>(value)
                      : std::isnan(*number) ? ""
                                            : fmt::format("{}", *number));
    }
    const std::string meaning = "swept value of " + key;
    const FixedVariable as_text = {name, {"run"}, Cell::text, meaning};
    const auto dataset =
        all_numbers ? add_reals(name, {"run"}, numbers, meaning, "1") : add_texts(as_text, texts, false);
    write_text_attribute(session_, dataset, "key", key);
  }

  /// The values of one column of Trajectory, runs outermost.
  template <class T>
  std::vector<T> of_trajectories(T Trajectory::*member) const {
    std::vector<T> values;
    for (const Run& run : result_.runs) {
      for (const Trajectory& trajectory : run.trajectories) values.push_back(trajectory.*member);
    }
    return values;
  }

  std::vector<double> padded(std::vector<double> Run::*member, double filler) const {
    std::vector<double> values;
    for (const Run& run : result_.runs) {
      values.insert(values.end(), (run.*member).begin(), (run.*member).end());
      values.insert(values.end(), shape_.class_group - (run.*member).size(), filler);
    }
    return values;
  }

  void add_fixed(const FixedVariable& v) {
    const auto texts = [&](std::string Trajectory::*m) { add_texts(v, of_trajectories(m), false); };
    const auto reals = [&](const std::vector<double>& x) {
      add_reals(v.name, v.dimensions, x, v.long_name, v.units);
    };
    const std::map<std::string, std::function<void()>> writers = {
        {"class_count", [&] { reals(padded(&Run::class_count, 0)); }},
        {"class_probability", [&] { reals(padded(&Run::class_probability, nan)); }},
        {"class_log_rank", [&] { reals(padded(&Run::class_log_rank, nan)); }},
        {"status", [&] { texts(&Trajectory::status); }},
        {"status_step", [&] { add_integers(v, of_trajectories(&Trajectory::status_step), false); }},
        {"status_detail", [&] { texts(&Trajectory::status_detail); }},
        {"engine", [&] { texts(&Trajectory::engine); }},
        {"engine_reason", [&] { texts(&Trajectory::engine_reason); }},
        {"quadrature_error", [&] { reals(of_trajectories(&Trajectory::quadrature_error)); }},
        {"quadrature_nodes", [&] { add_integers(v, of_trajectories(&Trajectory::quadrature_nodes), false); }},
    };
    writers.at(v.name)();
  }

  void add_trajectories(const Variable& variable) {
    const auto& dimensions = trajectory_dimensions(variable.per_class);
    const std::size_t row = variable.per_class ? shape_.class_group : 1;
    std::vector<double> values(shape_.cells(dimensions), nan);
    double* block = values.data();  // of one run and optimizer
    for (const Run& run : result_.runs) {
      const std::size_t width = variable.per_class ? run.class_count.size() : 1;
      for (const Trajectory& trajectory : run.trajectories) {
        if (const auto found = trajectory.series.find(variable.name); found != trajectory.series.end()) {
          const std::vector<double>& series = found->second;
          for (std::size_t i = 0; i < series.size(); ++i) block[i / width * row + i % width] = series[i];
        }
        block += shape_.step * row;
      }
    }
    const auto dataset = add_reals(variable.name, dimensions, values, variable.long_name, variable.units);
    if (variable.name.find("_predicted") != std::string::npos || !variable.source.empty()) {
      write_text_attribute(session_, dataset, "source", variable.source);
      write_text_attribute(session_, dataset, "validity", variable.validity);
    }
  }

  const Result& result_;
  ResultShape shape_;
  Hdf5Session session_{"result in memory"};
  Hdf5Image image_{session_};
  std::map<std::string, Hdf5Handle> scales_;
};

}  // namespace

std::vector<std::byte> encode_result(const Result& result) {
  return Encoder(result).encode();
}

}  // namespace rarefact
