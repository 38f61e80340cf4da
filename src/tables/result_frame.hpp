#pragma once

/// The frame of results: variables, numbers of the problem, and keys, of the points of a sweep.

#include <set>

#include "experiment/plan.hpp"
#include "experiment/setting.hpp"
#include "query/frame.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// A point of a sweep. What it refers to must outlive it.
struct FramePoint {
  const Run* run;
  const std::vector<std::int64_t>* steps;         ///< that the run recorded
  const std::vector<Variable>* variables;         ///< that were recorded
  std::function<const Experiment&()> experiment;  ///< resolved, with the step sizes that ran
  std::shared_ptr<const Run> all_classes = {};    ///< cached by problem()

  /// The run, or, if run.classes chose its class rows, the rows of all classes: numbers of the problem are of these.
  const Run& problem();
};

/// Numbers of a point by the names that expressions use (docs/claims.md): a single one, or one per optimizer or class row.
struct PointNumbers {
  enum class Of { point, optimizers, rows };
  Of of;
  std::function<std::vector<double>(FramePoint&)> numbers;
};
const std::map<std::string, PointNumbers>& point_numbers();

/// For every class row p/σ, σ = (Σ p²)^½ over the queries of its answer. InputError if a class of run.classes is no such
/// row.
FormClasses classes_of(FramePoint& point);

class ResultFrame : public query::Frame {
 public:
  /// All points of the axes, in the order of the plan; at least one.
  ResultFrame(std::vector<FramePoint> all, std::vector<SweepAxis> axes);

  std::optional<query::Array> read(const std::string& name) const override;
  std::vector<std::string> names() const override;
  bool is_given(const std::string& name) const override;
  query::Array key(const std::string& key) const override;
  bool has_key(const std::string& key) const override { return axis_of(key) || setting_of(key); }
  FormClasses classes(std::size_t point) const override;
  Rows class_rows() const override;
  const std::set<std::string>& variables_read() const { return read_; }
  void forget_read() { read_.clear(); }

 protected:
  /// Changes the values of a variable that is read.
  std::function<void(const std::string& variable, query::Array& values)> tamper_ = {};

 private:
  template <class F>
  query::Array of_points(std::size_t optimizers, std::size_t width, std::size_t class_rows,
                         const F& numbers) const;
  query::Array variable(const std::string& name, bool predicted, std::size_t width) const;
  std::optional<ConfigNode> setting_of(const std::string& key) const;

  mutable std::vector<FramePoint> all_;  ///< they cache the rows of all classes
  std::vector<SweepAxis> axes_;
  mutable std::set<std::string> read_ = {};
  mutable std::optional<Rows> class_rows_ = {};
};

}  // namespace rarefact
