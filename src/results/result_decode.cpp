#include "core/status.hpp"
#include "core/text.hpp"
#include "io/array_file.hpp"
#include "io/checksum.hpp"
#include "io/hdf5.hpp"
#include "io/regular_file.hpp"
#include "results/joined_points.hpp"
#include "results/result_file.hpp"
#include "results/values_hash.hpp"

namespace rarefact {

namespace {

/// The schema version of an open file; nullopt for a report of rarefact verify, which has the attributes of every
/// file of this program, but no version and no experiment. Throws DamagedResult if this program does not read it.
std::optional<std::int64_t> schema_version(const Hdf5Session& session, hid_t file) {
  const std::string what = "read the attribute 'schema_version'";
  const auto has = [&](const std::string& name) {
    return session.check(H5Aexists(file, name.c_str()), "read an attribute") > 0;
  };
  if (!has("schema_version") && !has("experiment") && has(provenance_fields().front().name))
    return std::nullopt;
  const auto attribute = session.own(H5Aopen(file, "schema_version", H5P_DEFAULT), H5Aclose, what);
  const auto space = session.own(H5Aget_space(attribute), H5Sclose, what);
  if (H5Sget_simple_extent_npoints(space) != 1) session.fail(what + ": it is not one number");
  std::int64_t version = 0;
  session.check(H5Aread(attribute, H5T_NATIVE_INT64, &version), what);
  if (version < result_schema_version || version > bands_schema_version)
    throw DamagedResult(fmt::format("{}: its schema version is {}; this program reads versions {} to {}",
                                    session.file(), version, result_schema_version, bands_schema_version));
  return version;
}

class Decoder {
 public:
  Decoder(const std::filesystem::path& path, const KeepSeries& keep)
      : bytes_(read_bytes(path)), session_(path.string()), keep_(keep) {}

  /// nullopt for a report of rarefact verify, after its checksum. Throws DamagedResult, or FileError where HDF5 or a file
  /// fails.
  std::optional<StoredResult> decode() {
    if (const auto flaw = objection(verify_checksum(bytes_, session_.file()), session_.file())) refuse(*flaw);
    rehearse();
    return read();
  }

  bool checksum_agrees() const { return verify_checksum(bytes_, session_.file()) == ChecksumState::agrees; }

  /// Throws FileError if HDF5 or this class cannot read the file, whatever its checksum says.
  void rehearse() {
    session_.rehearse_reading([&] { read(); }, bytes_.size());
  }

 private:
  std::optional<StoredResult> read() {
    if (!open()) return std::nullopt;
    read_coordinates();
    read_fields();
    for (Run& run : result_.runs) trim(run);
    read_remaining();
    verify_points();
    const auto implausible = implausible_values(result_);
    if (!implausible.empty()) refuse(implausible.front());
    // Only if all values were read.
    if (!keep_ && values_hash(digests_) != stored_.values_sha256)
      refuse(fmt::format("its values are not those '{}' was written for", values_hash_attribute));
    return std::move(stored_);
  }

  /// Refuses an attribute whose points could not be taken apart again.
  void verify_points() const {
    try {
      if (!result_.points.empty()) joined_points(result_);
    } catch (const std::runtime_error& error) {
      refuse(fmt::format("its attribute 'points': {}", error.what()));
    }
  }

  [[noreturn]] void refuse(const std::string& flaw) const {
    throw DamagedResult(session_.file() + ": " + flaw);
  }

  template <class T>
  std::vector<T> values(hid_t dataset, const std::string& name) {
    std::vector<T> read = read_values<T>(session_, file_, dataset, name);
    digests_[name] = keep_ ? "" : digest_of(read);
    return read;
  }

  /// Reads the attributes; false if it is a report.
  bool open() {
    file_ = session_.open_image(bytes_);
    const std::optional<std::int64_t> version = schema_version(session_, file_);
    if (!version) return false;
    has_bands_ = version == bands_schema_version;
    has_answers_ =
        version == answers_schema_version ||
        (has_bands_ && H5Lexists(file_, dimension_of(Along::answer_groups).c_str(), H5P_DEFAULT) > 0);
    const auto text = [&](const std::string& name) { return read_text_attribute(session_, file_, name); };
    result_.title = text("title");
    result_.experiment = text("experiment");
    result_.rules = text("rules");
    // Only results of sweeps have points.
    if (session_.check(H5Aexists(file_, "points"), "read an attribute") > 0) result_.points = text("points");
    for (const auto& [name, member] : provenance_fields()) stored_.provenance.*member = text(name);
    stored_.values_sha256 = text(values_hash_attribute);
    return true;
  }

  void read_coordinates() {
    std::vector<std::int64_t> indices;
    for (const ResultDimension& dimension : result_dimensions()) {
      const std::string& name = dimension.name;
      const bool answers = name == dimension_of(Along::answer_groups);
      if (answers ? !has_answers_ : dimension.optional && H5Lexists(file_, name.c_str(), H5P_DEFAULT) <= 0)
        continue;
      auto dataset = session_.open_dataset(file_, name);
      const auto extents = session_.extents(dataset, name);
      if (extents.size() != 1 || extents[0] == 0 || H5DSis_scale(dataset) <= 0)
        session_.fail(fmt::format("use '{}': it is not a dimension scale", name));
      if (name == "optimizer") {
        result_.optimizers = values<std::string>(dataset, name);
      } else {
        auto numbers = values<std::int64_t>(dataset, name);
        if (name == "run") indices = numbers;
        if (name == "step") result_.steps = std::move(numbers);
      }
      shape_.*dimension.length = extents[0];
      coordinates_[name] = std::move(dataset);
    }
    shape_.many_steps = ResultShape::has_many_steps(result_.steps);
    shape_.table = H5Lexists(file_, "class_place", H5P_DEFAULT) > 0;
    for (const std::int64_t index : indices) {
      Run& run = result_.runs.emplace_back();
      run.index = index;
      if (has_answers_) run.answers.emplace();
      for (const std::string& label : result_.optimizers) run.trajectories.emplace_back().optimizer = label;
    }
  }

  /// A dataset with exactly these dimensions, their coordinates attached.
  Hdf5Handle dataset_over(const std::string& name, const std::vector<std::string>& dimensions) const {
    auto dataset = session_.open_dataset(file_, name);
    const auto extents = session_.extents(dataset, name);
    bool fits = extents.size() == dimensions.size();
    for (std::size_t i = 0; fits && i < extents.size(); ++i) {
      const hid_t coordinate = coordinates_.at(dimensions[i]);
      fits = extents[i] == shape_.length(dimensions[i]) &&
             has_dimension_scale(dataset, static_cast<unsigned>(i), coordinate);
    }
    if (!fits) session_.fail(fmt::format("use '{}': its dimensions are not the expected ones", name));
    return dataset;
  }

  void read_fields() {
    for (const ResultField& field : result_fields())
      if (shape_.has(field)) std::visit([&](auto member) { read_field(field, member); }, field.member);
  }

  template <class T, class Holder>
  void read_field(const ResultField& field, T Holder::*) {
    using Entry = EntryOf<T>;
    const auto table = values<Entry>(dataset_over(field.name, dimensions_of(field)), field.name);
    auto entry = table.begin();
    for (Run& run : result_.runs) {
      visit_field(field, run, [&]<class Value>(Value& value) {
        if constexpr (std::is_same_v<Value, Entry>) {
          value = *entry++;
        } else if constexpr (std::is_same_v<Value, std::vector<Entry>>) {
          value.assign(entry, entry + static_cast<std::ptrdiff_t>(shape_.width(field.along)));
          entry += static_cast<std::ptrdiff_t>(value.size());
        } else if constexpr (std::is_same_v<Value, StoredMatrix> && std::is_same_v<Entry, double>) {
          const RowMajor stored = without_padding(
              Eigen::Map<const RowMajor>(&*entry, static_cast<Index>(shape_.length(field.matrix[0])),
                                         static_cast<Index>(shape_.length(field.matrix[1]))));
          value = {static_cast<std::size_t>(stored.rows()),
                   static_cast<std::size_t>(stored.cols()),
                   {stored.data(), stored.data() + stored.size()}};
          entry += static_cast<std::ptrdiff_t>(shape_.width(field));
        }
      });
    }
  }

  /// The number of groups of a run, from the counts, which are 0 only in the padding.
  std::size_t groups_in(const std::vector<double>& count, const std::string& name, const Run& run) const {
    const auto padding = std::find(count.begin(), count.end(), 0.0);
    const auto counted = [](double number) { return number > 0 && std::isfinite(number); };
    if (!std::all_of(count.begin(), padding, counted) ||
        std::any_of(padding, count.end(), [](double number) { return number != 0; })) {
      session_.fail(fmt::format("use '{}': run {} has groups without members", name, run.index));
    }
    return static_cast<std::size_t>(padding - count.begin());
  }

  /// Drops the padding of a run with fewer groups than the widest, or without answers.
  void trim(Run& run) const {
    std::size_t groups = groups_in(run.class_count, "class_count", run);
    // A point that was missing in a partial merge has no classes.
    const bool missing =
        groups == 0 && std::ranges::all_of(run.trajectories, [](const Trajectory& trajectory) {
          return trajectory.status == Status::missing;
        });
    if (missing) groups = 1;
    if (groups == 0) session_.fail(fmt::format("use 'class_count': run {} has no classes", run.index));
    const std::size_t answers = run.answers ? groups_in(run.answers->count, "answer_group_count", run) : 0,
                      bands = groups_in(run.band_count, "band_count", run);
    if (run.answers && answers == 0) {
      if (!std::isnan(run.answers->query_count))
        session_.fail(fmt::format("use 'query_count': run {} has no groups of answers", run.index));
      run.answers.reset();
    }
    for (const ResultField& field : result_fields()) {
      const std::size_t width = field.along == Along::answer_groups ? answers
                                : field.along == Along::bands       ? bands
                                                                    : groups;
      if (shape_.has(field)) visit_groups(field, run, [&](auto& numbers) { numbers.resize(width); });
    }
  }

  void read_remaining() {
    for (const std::string& name : names_in_order(session_, file_))
      if (!digests_.contains(name)) read_variable(name);
    if (const std::string flaw = result_flaw(result_); !flaw.empty()) refuse(flaw);
  }

  void read_parameter(const std::string& name) {
    const auto dataset = dataset_over(name, {"run"});
    const std::string key = read_text_attribute(session_, dataset, "key");
    const auto type = session_.own(H5Dget_type(dataset), H5Tclose, fmt::format("read '{}'", name));
    const auto give = [&](const auto& table, const auto& missing) {
      for (std::size_t r = 0; r < table.size(); ++r)
        if (!missing(table[r])) result_.runs[r].parameters[key] = table[r];
    };
    if (H5Tget_class(type) == H5T_STRING) {
      give(values<std::string>(dataset, name), [](const std::string& text) { return text.empty(); });
    } else {
      give(values<double>(dataset, name), [](double x) { return std::isnan(x); });
    }
  }

  /// The dimension of a series, from its last one; dataset_over then tests all dimensions.
  Along along_of(const std::string& name) const {
    const auto dataset = session_.open_dataset(file_, name);
    if (session_.extents(dataset, name).size() != 4) return Along::nothing;
    for (const Along along : {Along::answer_groups, Along::bands}) {
      const auto groups = coordinates_.find(dimension_of(along));
      if (groups != coordinates_.end() && has_dimension_scale(dataset, 3, groups->second)) return along;
    }
    return Along::class_groups;
  }

  void read_variable(const std::string& name) {
    if (name.starts_with("param_")) return read_parameter(name);
    Variable variable{.name = name, .long_name = {}, .units = {}, .along = along_of(name)};
    const auto dataset = dataset_over(name, series_dimensions(variable.along));
    variable.long_name = read_text_attribute(session_, dataset, "long_name");
    variable.units = read_text_attribute(session_, dataset, "units");
    if (session_.check(H5Aexists(dataset, "source"), "read an attribute") > 0) {
      variable.source = read_text_attribute(session_, dataset, "source");
      variable.validity = read_text_attribute(session_, dataset, "validity");
    }
    result_.variables.push_back(variable);
    // What is not read is verified by the checksum of the file.
    if (keep_ && !keep_(variable)) return;
    const std::vector<double> table = values<double>(dataset, name);
    const std::size_t row = shape_.width(variable.along), steps = shape_.steps;
    const double* block = table.data();  // of one run and optimizer
    for (Run& run : result_.runs) {
      const std::size_t width = width_of(run, variable.along);
      for (Trajectory& trajectory : run.trajectories) {
        if (width == 0) {
          block += steps * row;
          continue;
        }
        std::vector<double>& series = trajectory.series[name];
        series.reserve(steps * width);
        for (std::size_t s = 0; s < steps; ++s, block += row)
          series.insert(series.end(), block, block + width);
      }
    }
  }

  const std::vector<std::byte> bytes_;  ///< of the file; must outlive HDF5's view of them
  Hdf5Session session_;
  const KeepSeries& keep_;
  Hdf5Handle file_;
  std::map<std::string, Hdf5Handle> coordinates_;
  bool has_answers_ = false, has_bands_ = false;
  ResultShape shape_;
  std::map<std::string, std::string> digests_;  ///< of every dataset read; empty if only some are
  StoredResult stored_;
  Result& result_ = stored_.result;
};

/// Returns what the action does; turns a FileError of HDF5 into a DamagedResult.
template <class Action>
auto of_damaged(const Action& action) {
  try {
    return action();
  } catch (const FileError& error) {
    throw DamagedResult(error.what());
  }
}

std::optional<StoredResult> decode(const std::filesystem::path& path, const KeepSeries& keep) {
  Decoder decoder(path, keep);  // a file that cannot be opened is not damaged
  return of_damaged([&] { return decoder.decode(); });
}

}  // namespace

std::vector<std::string> check_result(const std::filesystem::path& path) {
  try {
    decode(path, {});
  } catch (const DamagedResult& damage) {
    const std::string text = damage.what(), place = path.string() + ": ";
    return {text.starts_with(place) ? text.substr(place.size()) : text};
  }
  return {};
}

StoredResult read_stored_result(const std::filesystem::path& path, const KeepSeries& keep) {
  auto stored = decode(path, keep);
  if (!stored)
    throw bad_input("{}: a report of rarefact verify, not a result; rarefact report makes a page of it",
                    path.string());
  return *std::move(stored);
}

bool is_report(const std::filesystem::path& path) {
  try {
    return !decode(path, {});
  } catch (const DamagedResult&) {
    return false;
  }
}

void refuse_crashing(const std::filesystem::path& path) {
  Decoder decoder(path, {});
  if (decoder.checksum_agrees()) of_damaged([&] { decoder.rehearse(); });
}

std::string read_experiment_text(const std::filesystem::path& path) {
  const std::vector<std::byte> bytes = read_bytes(path);
  const ChecksumState state = verify_checksum(bytes, path);
  if (const auto flaw = objection(state, path)) {
    const std::string what = fmt::format("{}: {}", path.string(), *flaw);
    if (state == ChecksumState::foreign) throw FileError(what);
    throw DamagedResult(what);
  }
  const Hdf5Session session(path.string());
  const auto read = [&] {
    const Hdf5Handle file = session.open_image(bytes);
    schema_version(session, file);
    return read_text_attribute(session, file, "experiment");
  };
  return of_damaged([&] {
    session.rehearse_reading(read, bytes.size());
    return read();
  });
}

}  // namespace rarefact
