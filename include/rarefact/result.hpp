#pragma once

/// What a simulation returns and a result file holds: tables of numbers with names, nothing that knows of
/// HDF5.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rarefact/catalogue.hpp"

namespace rarefact {

/// What numbers of a run are along, beside run, optimizer and step.
enum class Along : std::uint8_t { nothing, class_groups, answer_groups };

/// Description of one result variable: a row of the metrics catalogue, or its predicted twin.
struct Variable {
  std::string name;              ///< "error", "error_predicted", "update_stable_rank" ...
  std::string long_name;         ///< what it is, for a plot's axis
  std::string units;             ///< "1", "nat" ...
  Along along = Along::nothing;  ///< dimensions (run, optimizer, step[, class_group or answer_group])
  std::string source = {};       ///< predictions only: which theorem under which optimizer label
  std::string validity = {};     ///< predictions only: the hypotheses
  bool operator==(const Variable&) const = default;
};

/// One optimizer's trajectory in one run.
struct Trajectory {
  std::string optimizer;      ///< label
  std::string engine;         ///< modes | columns | symmetric | quadrature | dense
  std::string engine_reason;  ///< why that engine
  std::string status;         ///< complete | digits_lost | diverged | uncertified | failed
  std::int64_t status_step =
      0;  ///< last step computed with finite numbers; of digits_lost the first without digits
  std::string status_detail =
      {};                ///< for the message: norms at a divergence, why uncertified; notes when complete
  double step_size = 0;  ///< η; of a search, the best one
  std::int64_t step_size_edge = 0;    ///< of a search whose best step size is the least (-1) or largest (1)
  double total_error = 0;             ///< Σ_l p_l (1 - p̂(l|l)) at the last recorded step; not in files
  double quadrature_error = 0;        ///< certified relative error; 0 for the exact engines
  std::int64_t quadrature_nodes = 0;  ///< nodes that stood for all classes; 0 for the exact engines
  double fast_forward_error = 0;      ///< largest relative difference of a run that checks the leaps; 0: none
  std::int64_t updates = 0;           ///< made one by one
  /// Variable name -> values: steps.size() of them, or steps.size() x class or answer groups, row by row (steps
  /// outermost). A variable that is missing, or steps that were never reached, read NaN in the file.
  std::map<std::string, std::vector<double>> series;
};

/// What a run has beside its classes where its law of answers is not the identity. Groups of answers: the most
/// frequent answer first.
struct AnswerGroups {
  double query_count = 0, answer_count = 0;
  double loss_floor = 0;             ///< L*, nats
  double top1_floor = 0;             ///< Σ_l p_l (1 - max_k π₀(k|l))
  std::vector<double> class_fan_in;  ///< per class group: queries that have the group's (first right) answer
  std::vector<double> class_answer;  ///< per class group: the index of that answer's group
  std::vector<double> count;         ///< per answer group: answers in it
  std::vector<double> probability;   ///< q_k = Σ_l p_l π₀(k|l) of one answer of it
  std::vector<double> fan_in;        ///< queries that have one answer of it
};

/// One point of the plan.
struct Run {
  std::int64_t index = 0;
  std::map<std::string, SweptValue> parameters;  ///< swept key (dots as typed) -> value
  std::vector<double> class_count;               ///< per class group
  std::vector<double> class_probability;         ///< of one class of the group
  std::vector<double> class_log_rank;  ///< ln of the rank of the node, class or middle class of the group
  std::vector<double> class_place =
      {};  ///< row in the user's table, from 1, where the group is one class; else
           ///< NaN. Empty without a table, as is class_label
  std::vector<std::string> class_label = {};  ///< name of that class in the table; else empty
  std::optional<AnswerGroups> answers;        ///< nothing: the law of answers is the identity
  std::vector<Trajectory> trajectories;       ///< one per optimizer, in the experiment's order
};

/// How many numbers of a variable a run has at one step: 1, or one for each of its groups.
inline std::size_t width_of(const Run& run, Along along) {
  if (along == Along::nothing) return 1;
  if (along == Along::class_groups) return run.class_count.size();
  return run.answers ? run.answers->count.size() : 0;
}

struct Result {
  std::string title;       ///< the experiment's name
  std::string experiment;  ///< the resolved experiment as TOML
  std::vector<std::int64_t> steps;
  std::vector<std::string> optimizers;
  std::string rules = {};  ///< what their update rules keep, a line each; of a sweep those of its first point
  std::string points = {};  ///< of a sweep: what its points were before they were joined; opaque
  std::vector<Variable> variables;
  std::vector<Run> runs;
};

/// Writes `path` and, beside it, `path`.sha256 in the form of `sha256sum -c` (write_with_checksum), the
/// result only where nothing but a result of the same experiment has the name.
///
/// So a result that has its name is complete, of two experiments written to one name at the same time one is
/// refused, and a kill between the two steps leaves a result without its checksum (or, where one is replaced,
/// with that of the old one), which check_result reports and writing again heals. Errors:
/// InputError if `path` exists and is anything but a result of the same experiment, DamagedResult where it has other
/// bytes and its checksum does not vouch for them; FileError (folder, disk).
void write_result(const Result& result, const std::filesystem::path& path);

/// A stored result; series have a value for every step and group, NaN where the file has none. Before anything else the
/// .sha256 file beside it is verified or, where there is none, the checksum in its last line. Errors: DamagedResult;
/// FileError if it cannot be opened.
Result read_result(const std::filesystem::path& path);

}  // namespace rarefact
