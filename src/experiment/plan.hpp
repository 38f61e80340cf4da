#pragma once

/// Experiment files with a [sweep]: the grid of experiments they stand for.
///
/// Every key of [sweep] is an axis: a list of values, {range = [a, b]} (whole numbers from a up to, but
/// without, b; [a, b, step] in steps), {linspace = [a, b, n]} or {logspace = [a, b, n]} (n values from a to
/// b, both included, with equal differences or ratios, rounded to 15 digits). Several keys with commas
/// between them are one axis, along which they move together (a joint axis): a list of lists, each with one
/// value for each key. The plan is the product of all axes in the order of the file, the last axis fastest.
/// Its points are the experiments of the file with the values put in, read as any experiment.
///
/// Where an axis chooses the row of a table (embedding.kind, classes.spectrum, optimizer.NAME.rule), a
/// parameter in the table that some of these rows have is left out of the points whose row has none of it.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

/// One point of a plan.
struct SweepPoint {
  std::map<std::string, SweptValue> parameters;  ///< swept key -> value
  Experiment experiment;
};

/// A plan: how many points, and each by its index. `point` may be called from several threads at once, and is
/// called when a point is about to be needed, so that a plan of any length takes no memory.
struct SweepPlan {
  std::size_t size = 0;
  std::function<SweepPoint(std::size_t index)> point;
};

struct SweepAxis {
  /// Dotted, as a result names them; those of a joint axis in alphabetical order.
  std::vector<std::string> keys;
  /// values[k][i] is that of keys[k] at place i. Numbers (true is 1, false 0); texts if one of the key's
  /// values is no number, and then lists and tables as TOML.
  std::vector<std::vector<SweptValue>> values;

  /// "classes.exponent", or "classes.group_size, optimizer.gd.step_size".
  std::string name() const;
  std::size_t size() const { return values.front().size(); }
};

/// More points than this are a slip.
inline constexpr double most_points = 1e7;

/// A plan holds the text of its file and the values on its axes, never its points. Copies share both; its
/// members may be called from several threads.
class ExperimentPlan {
 public:
  const std::vector<SweepAxis>& axes() const { return axes_; }
  /// The product of the lengths of the axes; 1 without axes.
  std::size_t size() const { return size_; }
  /// Precondition: index < size().
  SweepPoint point(std::size_t index) const;
  /// The swept keys of a point alone.
  std::map<std::string, SweptValue> parameters(std::size_t index) const;
  /// The same as sim takes it. Holds a copy of the plan.
  SweepPlan points() const;
  /// A problem of a point at the place where its key ("embedding.path", "optimizer.LABEL.step_size") is written, on
  /// an axis or not, or else where its table is; a file that it is about is named in the message. One without a key
  /// stays where it is, or is one of the experiment file as a whole.
  Problem placed(std::size_t index, Problem problem) const;

 private:
  struct Source;
  friend ExperimentPlan parse_plan(std::string_view, const std::string&, const std::vector<std::string>&);
  friend std::string resolved_text(const ExperimentPlan&);
  std::shared_ptr<const Source> source_;
  std::vector<SweepAxis> axes_;
  std::size_t size_ = 1;
};

/// The plan of a text, after `overrides` as for parse_experiment were put over it; that of a swept key puts
/// this one value instead of its axis, and "sweep.KEY=[...]" sets an axis. A text without [sweep] is a
/// plan of one point without axes; the override of one key of a joint axis is a problem. InputError with all
/// problems of the text and of every point.
ExperimentPlan parse_plan(std::string_view text, const std::string& file,
                          const std::vector<std::string>& overrides = {});

/// The plan of a file. FileError if it cannot be read; otherwise as parse_plan.
ExperimentPlan read_plan(const std::filesystem::path& path, const std::vector<std::string>& overrides = {});

/// The canonical text of a plan, what its result is a function of: as resolved_text of an experiment, with a
/// [sweep] at its end. Two files that mean the same have the same text, and parse_plan of it gives the same
/// points. Without axes it is resolved_text of the one experiment.
std::string resolved_text(const ExperimentPlan& plan);

}  // namespace rarefact
