#pragma once

/// Experiment files with a [sweep]: the grid of their experiments.
///
/// Every key of [sweep] is an axis: a list of values, {range = [a, b]} (whole numbers from a up to but
/// excluding b; [a, b, step] in steps), {linspace = [a, b, n]} or {logspace = [a, b, n]} (n values from a to
/// b inclusive, with equal differences or ratios, rounded to 15 digits). Several keys separated by commas are
/// a joint axis, along which they vary together: a list of lists, each with a value for each key. The plan is
/// the product of all axes in the order of the file, the last axis fastest. Its points are the experiments of
/// the file with the values inserted, read like any experiment.
///
/// If an axis chooses the row of a table (embedding.kind, classes.spectrum, optimizer.NAME.rule), a
/// parameter that only some of these rows have is omitted from the points whose row does not have it.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string_view>

#include "experiment/experiment.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

/// The largest sweep whose points measure their digits (digits = "auto"), and singular values that take longer than a short
/// run (spectral_metrics = "auto").
inline constexpr std::size_t max_measured_points = 16;

struct SweepPoint {
  std::map<std::string, SweptValue> parameters;  ///< swept key -> value
  Experiment experiment;
};

/// A plan: the number of points, and a function that makes a point from its index on request, so that a plan
/// of any length takes no memory. `point` may be called from several threads.
struct SweepPlan {
  std::size_t size = 0;
  std::function<SweepPoint(std::size_t index)> point;
};

struct SweepAxis {
  /// Dotted names, as in results; those of a joint axis in alphabetical order.
  std::vector<std::string> keys;
  /// values[k][i] is the value of keys[k] at place i: a number (true is 1, false 0), or for all values of a
  /// key a text if one is not a number, with lists and tables as TOML.
  std::vector<std::vector<SweptValue>> values;

  /// "classes.exponent", or "classes.group_size, optimizer.gd.step_size".
  std::string name() const;
  std::size_t size() const { return values.front().size(); }
};

/// A plan stores its file and axes, not its points. Copies share both; members may be called from several threads.
class ExperimentPlan {
 public:
  const std::vector<SweepAxis>& axes() const { return axes_; }
  /// The product of the lengths of the axes; 1 without axes.
  std::size_t size() const { return size_; }
  /// Precondition: index < size().
  SweepPoint point(std::size_t index) const;
  std::map<std::string, SweptValue> parameters(std::size_t index) const;
  /// The plan in the form for sim; contains a copy of the plan.
  SweepPlan points() const;
  /// Gives the problem of a point the position where its key is written, on an axis or not, or else of its table; the
  /// message names another file that it is about. Without a key it keeps its position, or gets the file as a whole.
  Problem placed(std::size_t index, Problem problem) const;

 private:
  struct Source;
  friend ExperimentPlan parse_plan(std::string_view, const std::string&, const std::vector<std::string>&);
  friend std::string resolved_text(const ExperimentPlan&);
  std::shared_ptr<const Source> source_;
  std::vector<SweepAxis> axes_;
  std::size_t size_ = 1;
};

/// The plan of a text with `overrides` as for parse_experiment; one of a swept key replaces its axis, and "sweep.KEY=[...]"
/// sets an axis; one key of a joint axis is a problem. Without [sweep] a plan has one point and no axes. Throws InputError
/// with all problems of the text and of every point.
ExperimentPlan parse_plan(std::string_view text, const std::string& file,
                          const std::vector<std::string>& overrides = {});

/// The plan of a file. Throws FileError if it cannot be read; otherwise as parse_plan.
ExperimentPlan read_plan(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

/// The canonical text of a plan, which determines its result: that of an experiment, with a [sweep] at the end if it has
/// axes. It is the same for files of the same meaning, and parse_plan of it gives the same points.
std::string resolved_text(const ExperimentPlan& plan);

}  // namespace rarefact
