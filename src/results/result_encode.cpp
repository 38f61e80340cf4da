#include <fmt/format.h>

#include <numeric>

#include "core/parallel.hpp"
#include "results/result_column.hpp"
#include "results/values_hash.hpp"

namespace rarefact {

namespace {

/// The shape of a result. Throws std::logic_error if the result contradicts itself.
ResultShape checked_shape(const Result& result) {
  if (const std::string flaw = result_flaw(result); !flaw.empty())
    throw std::logic_error("a result that cannot be stored: " + flaw);
  return shape_of(result);
}

/// Builds a file in memory, run by run. While it exists no other thread is inside HDF5.
class Encoder {
 public:
  Encoder(const ResultHead& head, int threads) : head_(head), workers_(threads), shape_(head.shape) {
    shape_.optimizers = head.described.optimizers.size();
    shape_.steps = head.described.steps.size();
    shape_.many_steps = ResultShape::has_many_steps(head.described.steps);
    root_attributes();
    for (const ResultDimension& dimension : result_dimensions())
      if (shape_.*dimension.length > 0) add_coordinate(dimension);
    for (ResultColumn& column : result_columns(head, shape_)) {
      column.create(session_, image_.file(), shape_);
      for (std::size_t i = 0; i < column.dimensions.size(); ++i) {
        session_.check(
            H5DSattach_scale(column.dataset, coordinates_.at(column.dimensions[i]), static_cast<unsigned>(i)),
            fmt::format("write '{}'", column.name));
      }
      for (const auto& [name, text] : column.attributes)
        write_text_attribute(session_, column.dataset, name, text);
      columns_.push_back(std::move(column));
    }
  }

  void append(std::vector<Run> more) {
    part_.runs = std::move(more);
    const std::vector<Run>& runs = part_.runs;
    const ResultShape shape = checked_shape(part_);
    const auto exceeds = [&](const ResultDimension& of) { return shape.*of.length > shape_.*of.length; };
    if (added_ + runs.size() > shape_.runs || std::ranges::any_of(result_dimensions(), exceeds))
      throw std::logic_error("more runs or groups than a result was begun for");
    workers_.for_each(columns_.size(), 1, [&](std::size_t c) { columns_[c].add(runs); });
    for (ResultColumn& column : columns_) column.write(session_);
    added_ += runs.size();
    part_.runs.clear();
  }

  FileBytes finish() {
    if (added_ != shape_.runs) throw std::logic_error("fewer runs than a result was begun for");
    for (ResultColumn& column : columns_) digests_[column.name] = column.digest.hex();
    write_text_attribute(session_, image_.file(), values_hash_attribute, values_hash(digests_));
    columns_.clear();
    coordinates_.clear();
    return image_.close();
  }

 private:
  void root_attributes() {
    write_text_attribute(session_, image_.file(), "title", head_.described.title);
    write_text_attribute(session_, image_.file(), "experiment", head_.described.experiment);
    write_text_attribute(session_, image_.file(), "rules", head_.described.rules);
    if (!head_.described.points.empty())
      write_text_attribute(session_, image_.file(), "points", head_.described.points);
    const Provenance program = this_program();
    for (const auto& [name, member] : provenance_fields())
      write_text_attribute(session_, image_.file(), name, program.*member);
    const std::int64_t layout = shape_.bands > 0     ? bands_schema_version
                                : shape_.answers > 0 ? answers_schema_version
                                                     : result_schema_version;
    write_attribute(session_, image_.file(), "schema_version", H5T_STD_I64LE, &layout);
  }

  /// Adds a dimension with its values, except those of `run`.
  void add_coordinate(const ResultDimension& dimension) {
    const std::string& name = dimension.name;
    CellValues values = head_.described.steps;
    if (name == "optimizer") values = head_.described.optimizers;
    if (name.ends_with("_group") || dimension.optional) {
      auto& groups = values.emplace<std::vector<std::int64_t>>(shape_.*dimension.length);
      std::iota(groups.begin(), groups.end(), std::int64_t{0});
    }
    ResultColumn column{name, {name}, dimension.long_name, "1", values};
    column.create(session_, image_.file(), shape_);
    session_.check(H5DSset_scale(column.dataset, name.c_str()), fmt::format("write '{}'", name));
    if (name == "run") {
      column.cells = std::vector<std::int64_t>();
      column.append = [](const Run& run, CellValues& cells) {
        std::get<std::vector<std::int64_t>>(cells).push_back(run.index);
      };
      session_.check(H5Iinc_ref(column.dataset), "keep a dataset");
      coordinates_[name] = {column.dataset, H5Dclose};
      columns_.push_back(std::move(column));
    } else {
      write_values(session_, column.dataset, name, values);
      digests_[name] = std::visit([](const auto& entries) { return digest_of(entries); }, values);
      coordinates_[name] = std::move(column.dataset);
    }
  }

  const ResultHead head_;
  Result part_ = head_.described;  ///< with the runs being appended
  const Workers workers_;
  ResultShape shape_;
  Hdf5Session session_{"result in memory"};
  Hdf5Image image_{session_};
  std::map<std::string, Hdf5Handle> coordinates_;
  std::map<std::string, std::string> digests_;  ///< of every dataset
  std::vector<ResultColumn> columns_;
  std::size_t added_ = 0;
};

}  // namespace

FileBytes encode_result(const ResultHead& head, int threads, const NextRuns& next) {
  Encoder encoder(head, threads);
  for (std::vector<Run> runs = next(); !runs.empty(); runs = next()) encoder.append(std::move(runs));
  return encoder.finish();
}

FileBytes encode_result(const Result& result) {
  ResultHead head;
  head.shape = checked_shape(result);
  for (const Run& run : result.runs) {
    for (const auto& [key, value] : run.parameters)
      head.parameters[key] = head.parameters[key] || std::holds_alternative<std::string>(value);
  }
  head.described = result;
  head.described.runs.clear();
  bool given = false;
  return encode_result(head, 1,
                       [&] { return std::exchange(given, true) ? std::vector<Run>{} : result.runs; });
}

}  // namespace rarefact
