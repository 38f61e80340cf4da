#pragma once

/// The contents of a result: tables of numbers with names, independent of HDF5.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rarefact/catalogue.hpp"

namespace rarefact {

/// The dimension of a variable besides run, optimizer and step.
enum class Along : std::uint8_t { nothing, class_groups, answer_groups, bands };

/// Description of one result variable: a row of the metrics catalogue, or its prediction.
struct Variable {
  std::string name;              ///< "error", "error_predicted", "update_stable_rank" ...
  std::string long_name;         ///< for the axis of a plot
  std::string units;             ///< "1", "nat" ...
  Along along = Along::nothing;  ///< dimensions (run, optimizer, step[, class_group, answer_group or band])
  std::string source = {};       ///< predictions only: the theorem, for each optimizer label
  std::string validity = {};     ///< predictions only: the assumptions
  bool operator==(const Variable&) const = default;
};

/// The rank decisions of a rule from a step on.
struct RankFrom {
  std::int64_t step = 0;
  double rank = 0;     ///< the number of singular values that count as nonzero
  double dropped = 0;  ///< the number of columns taken for dependent whose rounding may hide a direction
  void exchange(auto& archive) { archive(step, rank, dropped); }
};

/// A matrix of the last step, row by row; without entries if none was stored.
struct StoredMatrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> entries = {};
  void exchange(auto& archive) { archive(rows, columns, entries); }
  bool operator==(const StoredMatrix&) const = default;
};

/// One optimizer's trajectory in one run.
struct Trajectory {
  std::string optimizer;      ///< label
  std::string engine;         ///< modes | columns | symmetric | quadrature | dense
  std::string engine_reason;  ///< why this engine was chosen
  std::string status;         ///< complete | digits_lost | diverged | uncertified | failed
  std::int64_t status_step =
      0;  ///< last step with finite numbers; for digits_lost the first without 3 digits
  std::string status_detail = {};     ///< norms at a divergence, the missed tolerance; notes when complete
  double step_size = 0;               ///< η; of a search, the best one
  std::string step_size_source = {};  ///< an expression, or a search; empty: the number is the file's
  std::int64_t step_size_edge = 0;    ///< -1 or 1 if the smallest or largest of a search was best; else 0
  double total_error = 0;             ///< Σ_l p_l (1 - p̂(l|l)) at the last recorded step; not in files
  double quadrature_error = 0;        ///< estimated relative error; 0 for the exact engines
  std::int64_t quadrature_nodes = 0;  ///< nodes that represent all classes; 0 for the exact engines
  double fast_forward_error = 0;  ///< estimated relative error of fast-forwarding; 0 if every update was made
  std::int64_t updates = 0;       ///< number of updates made one by one
  std::vector<RankFrom> ranks = {};             ///< at every change; not in files
  StoredMatrix weights = {};                    ///< W of the last step, d_out x d_in, if run.weights
  StoredMatrix weights_u = {}, weights_v = {};  ///< its factors, if it is a product
  /// Variable name -> values: steps.size() numbers, or steps.size() x class groups, answer groups or bands, row by row
  /// (steps outermost). In the file a missing variable and steps that were not reached are NaN.
  std::map<std::string, std::vector<double>> series;

  /// The series of a variable; null if there is none.
  const std::vector<double>* find(const std::string& variable) const {
    const auto found = series.find(variable);
    return found == series.end() ? nullptr : &found->second;
  }
};

/// The answers of a run whose answer law is not the identity, in groups of identical answers, the most
/// frequent answer first.
struct AnswerGroups {
  double query_count = 0, answer_count = 0;
  double loss_floor = 0;  ///< mean entropy of the answers, L* of the softmax; nats
  double top1_floor = 0;  ///< Σ_l p_l (1 - max_k π₀(k|l))
  // Per class group: queries with the group's (first right) answer, and the index of that answer's group.
  std::vector<double> class_fan_in = {}, class_answer = {};
  std::vector<double> count = {};        ///< per answer group: answers in it
  std::vector<double> probability = {};  ///< q_k = Σ_l p_l π₀(k|l) of one answer of the group
  std::vector<double> fan_in = {};       ///< queries that have one answer of the group
};

/// One point of a sweep, or the single run of an experiment without one.
struct Run {
  std::int64_t index = 0;
  std::map<std::string, SweptValue> parameters;  ///< swept key (dots as typed) -> value
  std::vector<double> class_count;               ///< per class group
  std::vector<double> class_probability;         ///< of one class of the group
  std::vector<double> class_log_rank;    ///< ln of the rank of the node, class or middle class of the group
  std::vector<double> class_place = {};  ///< row in the user's table, from 1, if the group is one class; else
                                         ///< NaN. Empty without a table, as is class_label
  std::vector<std::string> class_label = {};  ///< name of that class in the table; else empty
  std::optional<AnswerGroups> answers;        ///< nullopt: the answer law is the identity
  std::vector<std::string> band_name = {};    ///< the bands of run.bands, then that of all other classes
  std::vector<double> band_count = {}, band_probability = {};  ///< number of their classes; its probability
  std::vector<Trajectory> trajectories;  ///< one per optimizer, in the experiment's order
};

/// The number of values of a variable at one step of a run: 1, or one for each of its groups.
inline std::size_t width_of(const Run& run, Along along) {
  if (along == Along::nothing) return 1;
  if (along == Along::class_groups) return run.class_count.size();
  if (along == Along::bands) return run.band_count.size();
  return run.answers ? run.answers->count.size() : 0;
}

struct Result {
  std::string title;       ///< the experiment's name
  std::string experiment;  ///< the resolved experiment as TOML
  std::vector<std::int64_t> steps;
  std::vector<std::string> optimizers;
  std::string rules = {};   ///< symmetries of the update rules, a line each; of a sweep's first point
  std::string points = {};  ///< of a sweep: the points before they were joined; opaque
  std::vector<Variable> variables;
  std::vector<Run> runs;
};

/// Writes `path` and, beside it, `path`.sha256 in the format of `sha256sum -c` (write_with_checksum). Only a
/// result of the same experiment is replaced.
///
/// A file with the name `path` is therefore complete. If two experiments are written to one name at the same
/// time, one of them is refused. A kill between the two steps leaves a result without its checksum (or with
/// the old one, if a result was replaced); check_result reports this, and writing again repairs it. Throws
/// InputError if `path` exists and is not a result of the same experiment, DamagedResult if it is one but has
/// other bytes and no valid checksum, FileError (folder, disk).
void write_result(const Result& result, const std::filesystem::path& path);

/// Reads a stored result; series have a value for every step and group, NaN where the file has none. First
/// the .sha256 file beside it is verified or, if there is none, the checksum in its last line. Throws
/// DamagedResult, or FileError if the file cannot be opened.
Result read_result(const std::filesystem::path& path);

}  // namespace rarefact
