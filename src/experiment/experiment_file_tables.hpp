#pragma once

// Reading one table of an experiment file by the rows of the key catalogue.

#include <map>
#include <string>

#include "experiment/experiment.hpp"
#include "experiment/experiment_file_values.hpp"
#include "experiment/experiment_keys.hpp"

namespace rarefact {

/// The legal values of a table, defaults filled in; what was illegal is missing and has its problem.
struct TableValues {
  std::string selected;    ///< value of the selecting key; empty if the table has none, or an illegal one
  ParameterValues values;  ///< of the other keys, without texts that have other forms, and tables
};

/// The table `key` of `parent`; an empty one where it is missing; null, with a problem, where it is something
/// else.
const toml::table* find_table(const toml::table& parent, const std::string& key, const std::string& name,
                              ProblemList& problems);

/// Reads `table`, an instance of the catalogue's table `kind` ("classes", "embedding" ...), called `name` in
/// messages
/// ("embedding.query"). `other_keys` are legal there too and left to the caller, as are the values of keys
/// with other forms that are texts or tables.
TableValues read_table(const toml::table& table, const std::string& kind, const std::string& name,
                       const std::vector<std::string>& other_keys, ProblemList& problems);

/// Only the parameters that belong to the chosen row, not the keys that every row of the table has.
ParameterValues own_parameters(const TableValues& read, const std::string& kind);

/// How the points of a sweep are read.
struct PointReading {
  /// Table ("embedding.query", "optimizer.LABEL") -> parameters that may stand there although the point's row
  /// has none of that name, because another value of the axis that chooses the row does.
  std::map<std::string, std::vector<std::string>> tolerated = {};
  /// The point has been read before, so parameters are not checked together once more.
  bool checked = false;
};

/// The experiment that the tables of a file describe, defaults filled in; meaningful where no problem was
/// added.
Experiment experiment_from(const toml::table& root, const std::string& file, const PointReading& reading,
                           ProblemList& problems);

/// Reads step size, search and schedule of an optimizer. `values`: the plain ones of its table.
void read_step_sizes(const toml::table& table, const ParameterValues& values, OptimizerChoice& choice,
                     ProblemList& problems);

/// Reads [run] into the experiment.
void read_run(const toml::table& root, Experiment& experiment, ProblemList& problems);

}  // namespace rarefact
