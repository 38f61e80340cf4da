#pragma once

/// The data of one experiment that claims read: variables of the result, numbers of the problem, and keys.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiment/setting.hpp"
#include "theory/closed_form.hpp"
#include "verify/claim_array.hpp"
#include "verify/evidence.hpp"

namespace rarefact::claims {

/// Changes the values of a variable, in tests.
using Tamper = std::function<void(const std::string& variable, Array& values)>;

class ExperimentData {
 public:
  /// The points must outlive the data. `rehearsal`: nothing has run, and entries of variables are absent.
  explicit ExperimentData(const EvidencePoints& points, bool rehearsal = false, Tamper tamper = {});

  /// The dimensions of every array: the axes of the sweep, optimizer, step, class.
  std::size_t dimensions() const { return points_.axes.size() + 3; }
  std::size_t optimizer() const { return points_.axes.size(); }
  std::size_t step() const { return points_.axes.size() + 1; }
  std::size_t row() const { return points_.axes.size() + 2; }
  /// The axis of a key; nullopt if it is not swept.
  std::optional<std::size_t> axis_of(const std::string& key) const;
  /// All axes except that of the seed.
  Dimensions point_axes() const;
  bool rehearsal() const { return rehearsal_; }
  const std::vector<std::string>& labels() const { return labels_; }
  const std::vector<std::int64_t>& steps() const { return steps_; }

  /// A number, constant along all dimensions.
  Array number(double x) const { return constant(Shape(dimensions(), 1), x); }
  Array text(const std::string& text) const;
  /// A variable, or a number of the problem (docs/reference.md); nullopt if there is none of this name.
  std::optional<Array> named(const std::string& name) const;
  /// A key of the experiment, a number or a text; InputError if there is none.
  Array key(const std::string& key) const;
  bool has_key(const std::string& key) const { return axis_of(key) || setting_of(key); }
  /// A closed form of numbers.
  double value_of(const ClosedForm& form, const double* x, bool precise) const;
  /// A closed form of the classes of every point: one number, or a number per class row. NaN outside of its
  /// domain, absent for points that `where` excludes. Throws InputError if arguments differ within a point.
  Array of_classes(const ClosedForm& form, const std::vector<Array>& arguments, bool precise,
                   const Array& where) const;
  /// The variables that have been read.
  const std::set<std::string>& read() const { return read_; }
  /// The names of all numbers and variables.
  std::vector<std::string> names() const;

 private:
  template <class F>
  Array of_points(std::size_t optimizers, std::size_t steps, std::size_t rows, const F& numbers) const;
  Array variable(const std::string& name, std::size_t rows) const;
  std::optional<ConfigNode> setting_of(const std::string& key) const;
  /// The array without axes along which nothing differs.
  Array collapsed(Array array) const;

  const EvidencePoints& points_;
  bool rehearsal_;
  Tamper tamper_;
  std::vector<std::string> labels_;
  std::vector<std::int64_t> steps_;
  std::size_t rows_ = 0;
  mutable std::set<std::string> read_ = {};
  /// Cached values of closed forms.
  mutable std::map<std::tuple<const ClosedForm*, const EvidencePoint*, std::vector<double>>,
                   std::vector<double>>
      known_forms_ = {};
};

}  // namespace rarefact::claims
