#include "results/result_decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/error.hpp"
#include "io/checksum.hpp"
#include "io/hdf5_dataset.hpp"
#include "results/result_layout.hpp"
#include "results/result_values.hpp"

namespace rarefact {

namespace {

class Decoder {
 public:
  explicit Decoder(const std::filesystem::path& path) : session_(path.string()) {}

  DecodedResult decode() {
    // What cannot be trusted cannot be built upon: each stage runs only if the one before found nothing.
    const std::vector<std::function<void()>> stages = {
        [&] { open(); },      [&] { read_scales(); },    [&] { read_fixed(); },
        [&] { trim_runs(); }, [&] { read_remaining(); }, [&] { judge(); },
    };
    for (const auto& stage : stages) {
      attempt(stage);
      if (!out_.findings.empty()) break;
    }
    return std::move(out_);
  }

 private:
  /// An HDF5 failure inside `work` is a finding.
  void attempt(const std::function<void()>& work) {
    try {
      work();
    } catch (const FileError& error) {
      const std::string text = error.what();
      const std::string prefix = session_.file() + ": ";
      out_.findings.push_back(text.starts_with(prefix) ? text.substr(prefix.size()) : text);
    }
  }

  void open() {
    file_ = session_.open_for_reading(session_.file());
    const std::string what = "read the attribute 'schema_version'";
    const auto attribute = session_.own(H5Aopen(file_, "schema_version", H5P_DEFAULT), H5Aclose, what);
    const auto space = session_.own(H5Aget_space(attribute), H5Sclose, what);
    if (H5Sget_simple_extent_npoints(space) != 1) session_.fail(what + ": it is not one number");
    std::int64_t version = 0;
    session_.check(H5Aread(attribute, H5T_NATIVE_INT64, &version), what);
    if (version != result_schema_version) {
      out_.findings.push_back(fmt::format("its schema version is {}; this program reads version {}", version,
                                          result_schema_version));
      return;
    }
    std::map<std::string, std::string> texts;
    for (const std::string& name : root_text_attributes()) {
      attempt([&] { texts[name] = read_text_attribute(session_, file_, name); });
    }
    out_.stored.result.title = texts["title"];
    out_.stored.result.experiment = texts["experiment"];
    out_.stored.provenance = {texts["rarefact_version"], texts["git_commit"],  texts["compiler"],
                              texts["compiler_flags"],   texts["numerics_id"], texts["hdf5_version"]};
  }

  std::vector<double> reals(hid_t dataset, const std::string& name) const {
    return read_reals(session_, file_, dataset, name);
  }
  std::vector<std::int64_t> integers(hid_t dataset, const std::string& name) const {
    return read_integers(session_, file_, dataset, name);
  }
  std::vector<std::string> texts(hid_t dataset, const std::string& name) const {
    return read_texts(session_, file_, dataset, name);
  }

  void read_scales() {
    std::map<std::string, std::vector<std::int64_t>> numbers;
    for (const FixedVariable& scale : dimension_scales()) {
      attempt([&] {
        auto dataset = session_.open_dataset(file_, scale.name);
        const auto extents = session_.extents(dataset, scale.name);
        if (extents.size() != 1 || extents[0] == 0 || H5DSis_scale(dataset) <= 0) {
          session_.fail(fmt::format("use '{}': it is not a dimension scale", scale.name));
        }
        if (scale.cell == Cell::text) {
          out_.stored.result.optimizers = texts(dataset, scale.name);
          shape_.optimizer = extents[0];
        } else {
          numbers[scale.name] = integers(dataset, scale.name);
        }
        scales_[scale.name] = std::move(dataset);
      });
    }
    shape_.run = numbers["run"].size();
    shape_.step = numbers["step"].size();
    shape_.class_group = numbers["class_group"].size();
    out_.stored.result.steps = numbers["step"];
    for (const std::int64_t index : numbers["run"]) {
      Run run;
      run.index = index;
      for (const std::string& label : out_.stored.result.optimizers)
        run.trajectories.emplace_back().optimizer = label;
      out_.stored.result.runs.push_back(std::move(run));
    }
  }

  /// A dataset with exactly these dimensions, their scales attached.
  Hdf5Handle dataset_over(const std::string& name, const std::vector<std::string>& dimensions) const {
    auto dataset = session_.open_dataset(file_, name);
    const auto extents = session_.extents(dataset, name);
    bool fits = extents.size() == dimensions.size();
    for (std::size_t i = 0; fits && i < extents.size(); ++i) {
      const hid_t scale = scales_.at(dimensions[i]);
      fits = extents[i] == shape_.extent(dimensions[i]) &&
             has_dimension_scale(dataset, static_cast<unsigned>(i), scale);
    }
    if (!fits) session_.fail(fmt::format("use '{}': its dimensions are not the expected ones", name));
    return dataset;
  }

  /// Gives every trajectory its own entry of a (run, optimizer) table.
  template <class T>
  void to_trajectories(const std::vector<T>& table, T Trajectory::*member) {
    for (std::size_t r = 0; r < shape_.run; ++r) {
      for (std::size_t o = 0; o < shape_.optimizer; ++o) {
        out_.stored.result.runs[r].trajectories[o].*member = table[r * shape_.optimizer + o];
      }
    }
  }

  void to_runs(const std::vector<double>& table, std::vector<double> Run::*member) {
    for (std::size_t r = 0; r < shape_.run; ++r) {
      const auto row = table.begin() + static_cast<std::ptrdiff_t>(r * shape_.class_group);
      (out_.stored.result.runs[r].*member).assign(row, row + static_cast<std::ptrdiff_t>(shape_.class_group));
    }
  }

  void read_fixed() {
    using Reader = std::function<void(hid_t, const std::string&)>;
    const auto text = [&](std::string Trajectory::*m) -> Reader {
      return [this, m](hid_t id, const std::string& name) { to_trajectories(texts(id, name), m); };
    };
    const auto per_group = [&](std::vector<double> Run::*m) -> Reader {
      return [this, m](hid_t id, const std::string& name) { to_runs(reals(id, name), m); };
    };
    const std::map<std::string, Reader> readers = {
        {"class_count", per_group(&Run::class_count)},
        {"class_probability", per_group(&Run::class_probability)},
        {"class_log_rank", per_group(&Run::class_log_rank)},
        {"status", text(&Trajectory::status)},
        {"status_step",
         [&](hid_t id, const std::string& name) {
           to_trajectories(integers(id, name), &Trajectory::status_step);
         }},
        {"status_detail", text(&Trajectory::status_detail)},
        {"engine", text(&Trajectory::engine)},
        {"engine_reason", text(&Trajectory::engine_reason)},
        {"step_size",
         [&](hid_t id, const std::string& name) {
           to_trajectories(reals(id, name), &Trajectory::step_size);
         }},
        {"step_size_edge",
         [&](hid_t id, const std::string& name) {
           to_trajectories(integers(id, name), &Trajectory::step_size_edge);
         }},
        {"quadrature_error",
         [&](hid_t id, const std::string& name) {
           to_trajectories(reals(id, name), &Trajectory::quadrature_error);
         }},
        {"quadrature_nodes",
         [&](hid_t id, const std::string& name) {
           to_trajectories(integers(id, name), &Trajectory::quadrature_nodes);
         }},
    };
    for (const FixedVariable& variable : fixed_variables()) {
      attempt([&] {
        readers.at(variable.name)(dataset_over(variable.name, variable.dimensions), variable.name);
      });
    }
  }

  void trim_runs() {
    for (Run& run : out_.stored.result.runs) attempt([&] { trim(run); });
  }

  /// Drops the padding of a run with fewer groups than the widest.
  void trim(Run& run) const {
    const auto padding = std::find(run.class_count.begin(), run.class_count.end(), 0.0);
    const auto groups = static_cast<std::size_t>(padding - run.class_count.begin());
    const auto counted = [](double count) { return count > 0 && std::isfinite(count); };
    if (groups == 0 || !std::all_of(run.class_count.begin(), padding, counted) ||
        std::any_of(padding, run.class_count.end(), [](double count) { return count != 0; })) {
      session_.fail(fmt::format("use 'class_count': run {} has groups without classes", run.index));
    }
    run.class_count.resize(groups);
    run.class_probability.resize(groups);
    run.class_log_rank.resize(groups);
  }

  void read_remaining() {
    std::set<std::string> known;
    for (const FixedVariable& scale : dimension_scales()) known.insert(scale.name);
    for (const FixedVariable& variable : fixed_variables()) known.insert(variable.name);
    for (const std::string& name : names_in_order(session_, file_)) {
      if (!known.contains(name)) attempt([&] { read_variable(name); });
    }
    for (const std::string& name : required_trajectories()) {
      const auto& variables = out_.stored.result.variables;
      if (std::none_of(variables.begin(), variables.end(),
                       [&](const Variable& v) { return v.name == name; })) {
        out_.findings.push_back(fmt::format("the variable '{}' is missing", name));
      }
    }
  }

  void read_variable(const std::string& name) {
    const std::size_t rank = session_.extents(session_.open_dataset(file_, name), name).size();
    if (name.starts_with("param_")) {
      const auto dataset = dataset_over(name, {"run"});
      const std::string key = read_text_attribute(session_, dataset, "key");
      const auto type = session_.own(H5Dget_type(dataset), H5Tclose, fmt::format("read '{}'", name));
      if (H5Tget_class(type) == H5T_STRING) {
        const std::vector<std::string> values = texts(dataset, name);
        for (std::size_t r = 0; r < shape_.run; ++r) {
          if (!values[r].empty()) out_.stored.result.runs[r].parameters[key] = values[r];
        }
        return;
      }
      const std::vector<double> values = reals(dataset, name);
      for (std::size_t r = 0; r < shape_.run; ++r) {
        if (!std::isnan(values[r])) out_.stored.result.runs[r].parameters[key] = values[r];
      }
      return;
    }
    Variable variable{.name = name, .long_name = {}, .units = {}, .per_class = rank == 4};
    const auto dataset = dataset_over(name, trajectory_dimensions(variable.per_class));
    variable.long_name = read_text_attribute(session_, dataset, "long_name");
    variable.units = read_text_attribute(session_, dataset, "units");
    if (session_.check(H5Aexists(dataset, "source"), "read an attribute") > 0) {
      variable.source = read_text_attribute(session_, dataset, "source");
      variable.validity = read_text_attribute(session_, dataset, "validity");
    }
    const std::vector<double> values = reals(dataset, name);
    const std::size_t row = variable.per_class ? shape_.class_group : 1;
    const double* block = values.data();  // of one run and optimizer
    for (Run& run : out_.stored.result.runs) {
      const std::size_t width = variable.per_class ? run.class_count.size() : 1;
      for (Trajectory& trajectory : run.trajectories) {
        std::vector<double>& series = trajectory.series[name];
        series.reserve(shape_.step * width);
        for (std::size_t s = 0; s < shape_.step; ++s, block += row) {
          series.insert(series.end(), block, block + width);
        }
      }
    }
    out_.stored.result.variables.push_back(std::move(variable));
  }

  void judge() {
    for (std::string& finding : implausible_values(out_.stored.result)) {
      out_.findings.push_back(std::move(finding));
    }
  }

  Hdf5Session session_;
  Hdf5Handle file_;
  std::map<std::string, Hdf5Handle> scales_;
  ResultShape shape_;
  DecodedResult out_;
};

}  // namespace

DecodedResult decode_result(const std::filesystem::path& path) {
  require_readable(path);
  return Decoder(path).decode();
}

std::string read_experiment_text(const std::filesystem::path& path) {
  require_readable(path);
  const Hdf5Session session(path.string());
  const auto file = session.open_for_reading(path.string());
  return read_text_attribute(session, file, "experiment");
}

}  // namespace rarefact
