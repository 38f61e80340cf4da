#pragma once

/// The fields of a result file. Writing, reading, checking, point files, tables and docs/result-file.md loop
/// over these rows: to add a field, add a member to Run or Trajectory and a row.

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "rarefact/result.hpp"

namespace rarefact {

/// Increased when an old reader would misread a new file: the second has groups of answers, the third bands; others use the
/// first.
inline constexpr std::int64_t result_schema_version = 1, answers_schema_version = 2, bands_schema_version = 3;

/// The member of a Result for a field. It determines the type and, but for the kind of groups, the dimensions: values for
/// the groups of a run, one number per run, or one value per run and optimizer.
using FieldMember =
    std::variant<std::vector<double> Run::*, std::vector<std::string> Run::*, double AnswerGroups::*,
                 std::vector<double> AnswerGroups::*, double Trajectory::*, std::int64_t Trajectory::*,
                 std::string Trajectory::*, StoredMatrix Trajectory::*>;

using DimensionNames = std::vector<std::string>;

/// The type of the entries of a field: one value, or one for each group.
template <class T>
struct Entries {
  using type = T;
};
template <class T>
struct Entries<std::vector<T>> {
  using type = T;
};
template <>
struct Entries<StoredMatrix> {
  using type = double;
};
template <class T>
using EntryOf = typename Entries<T>::type;

/// The properties of a field besides its name, member and text.
struct FieldTraits {
  Along along = Along::nothing;
  std::string more = {};  ///< further text for docs/result-file.md
  std::string units = "1";
  DimensionNames matrix = {};  ///< the dimensions of rows and of columns of a stored matrix; else empty
  bool of_many_steps = false;  ///< only in results with enough steps to fast-forward
  bool of_table = false;       ///< only in results with classes from a user's table
  double padding = std::numeric_limits<double>::quiet_NaN();  ///< value in groups that a run lacks
};

/// A variable that every result file has, or every one with answers.
struct ResultField : FieldTraits {
  std::string name;
  FieldMember member;
  std::string long_name;

  bool of_answers() const { return belongs_to<AnswerGroups>(); }
  bool per_optimizer() const { return belongs_to<Trajectory>(); }

 private:
  template <class Wanted>
  bool belongs_to() const {
    return std::visit([]<class T, class Holder>(T Holder::*) { return std::is_same_v<Holder, Wanted>; },
                      member);
  }
};

/// True if a field has a number, or text, per group.
template <class T>
inline constexpr bool of_groups = std::is_same_v<std::remove_const_t<T>, std::vector<double>> ||
                                  std::is_same_v<std::remove_const_t<T>, std::vector<std::string>>;

/// Calls f with the field of a run and one of its trajectories, a value or one per group; not for answers if there are
/// none.
template <class AnyRun, class AnyTrajectory, class Function>
void visit_field(const ResultField& field, AnyRun& run, AnyTrajectory& trajectory, const Function& f) {
  std::visit(
      [&]<class T, class Holder>(T Holder::*member) {
        if constexpr (std::is_same_v<Holder, Trajectory>) {
          f(trajectory.*member);
        } else if constexpr (std::is_same_v<Holder, Run>) {
          f(run.*member);
        } else if (run.answers) {
          f((*run.answers).*member);
        }
      },
      field.member);
}

/// The same for all trajectories if the field is per optimizer.
template <class AnyRun, class Function>
void visit_field(const ResultField& field, AnyRun& run, const Function& f) {
  Trajectory none;
  if (!field.per_optimizer()) return visit_field(field, run, none, f);
  for (auto& trajectory : run.trajectories) visit_field(field, run, trajectory, f);
}

/// The same, for fields per group only.
template <class AnyRun, class Function>
void visit_groups(const ResultField& field, AnyRun& run, const Function& f) {
  visit_field(field, run, [&]<class T>(T& values) {
    if constexpr (of_groups<T>) f(values);
  });
}

/// Describes a field of a run whose numbers do not fit its groups, or a matrix its rows; empty if there is none.
std::string group_flaw(const Run& run);

/// The length of every dimension of a result, and its optional fields.
struct ResultShape {
  std::size_t runs = 0, optimizers = 0, steps = 0, classes = 0;
  std::size_t answers = 0, bands = 0;              ///< 0: no run has any
  std::size_t outputs = 0, inputs = 0, inner = 0;  ///< of stored weights
  bool many_steps = false, table = false;

  /// True if a result with these recorded steps has fields for many steps.
  static bool has_many_steps(const std::vector<std::int64_t>& steps);
  bool has(const ResultField& field) const {
    return (answers > 0 || !field.of_answers()) && (bands > 0 || field.along != Along::bands) &&
           (many_steps || !field.of_many_steps) && (table || !field.of_table) &&
           std::ranges::all_of(field.matrix, [&](const std::string& name) { return length(name) > 0; });
  }
  /// The length of a row, including padding.
  std::size_t width(Along along) const {
    return along == Along::nothing        ? 1
           : along == Along::class_groups ? classes
           : along == Along::bands        ? bands
                                          : answers;
  }
  std::size_t length(const std::string& dimension) const;
  /// The numbers of a field in a row of run, or of run and optimizer.
  std::size_t width(const ResultField& field) const {
    return field.matrix.empty() ? width(field.along) : length(field.matrix[0]) * length(field.matrix[1]);
  }
  void widen(const Run& run);
};

ResultShape shape_of(const Result& result);

/// All fields, in the order of the file.
const std::vector<ResultField>& result_fields();

/// A dimension; its coordinate variable has the same name.
struct ResultDimension {
  std::string name, long_name;
  std::size_t ResultShape::*length;
  bool optional = false;  ///< files without such groups or matrices do not have it
};

/// run, optimizer, step, class_group; in results with answers answer_group, with bands band, with weights output and input.
const std::vector<ResultDimension>& result_dimensions();

inline constexpr std::pair<const char*, std::string Variable::*> variable_texts[] = {
    {"name", &Variable::name},
    {"long_name", &Variable::long_name},
    {"units", &Variable::units},
    {"source", &Variable::source},
    {"validity", &Variable::validity}};

/// The name of the dimension: class_group, answer_group or band; empty for Along::nothing.
std::string dimension_of(Along along);

/// (run), (run, class_group), (run, answer_group), (run, band), (run, optimizer), or that and those of a matrix.
DimensionNames dimensions_of(const ResultField& field);

/// (run, optimizer, step) and the further dimension, if any.
DimensionNames series_dimensions(Along along);

/// The series that every result file has: loss, excess_loss, gap, error, class_loss.
const std::vector<std::string>& required_series(const std::vector<Variable>& variables);

}  // namespace rarefact
