#pragma once

/// What a check judges: the results of its experiments, and short ways to their numbers. A name, step or run
/// that is not there is a mistake of the check or of its experiment: std::logic_error that names it.

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "core/real50.hpp"
#include "core/transform.hpp"
#include "experiment/plan.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// One point of a check's experiment: the experiment as resolved and its result. What is asked of a prediction
/// that did not apply to the run is not-a-number throughout: it passes nowhere.
struct EvidencePoint {
  Experiment experiment;
  Result result;  ///< of one run

  const Run& run() const { return result.runs.front(); }
  const Trajectory& trajectory(const std::string& optimizer) const;
  /// The value of a variable at a recorded step; the last recorded one without `step`.
  double at(const std::string& optimizer, const std::string& variable, std::int64_t step,
            std::size_t row = 0) const;
  double last(const std::string& optimizer, const std::string& variable) const;
  /// The values of a variable that has no classes at all recorded steps, or of one class row.
  std::vector<double> series(const std::string& optimizer, const std::string& variable,
                             std::size_t row = 0) const;
  /// All class rows at a recorded step.
  std::vector<double> classes(const std::string& optimizer, const std::string& variable,
                              std::int64_t step) const;
  const OptimizerChoice& optimizer(const std::string& name) const;
  /// The number a swept key has here.
  double parameter(const std::string& key) const;
  /// K, the sum of class_count.
  double class_total() const;
  std::int64_t last_step() const { return result.steps.back(); }
};

/// The points of one experiment in the order of its plan.
struct EvidencePoints : std::vector<EvidencePoint> {
  using vector::vector;
  std::vector<SweepAxis> axes = {};  ///< of the plan: the points are their product
};
/// Some points, of one or of several experiments.
using PointList = std::vector<const EvidencePoint*>;
/// A number of a point.
using Number = std::function<double(const EvidencePoint&)>;

/// All points, a result for each experiment of the check.
struct Evidence {
  std::vector<EvidencePoints> experiments;
  bool precise = false;  ///< runs and closed forms are in 50 digits
  bool full = false;     ///< neither --quick nor --set changed the runs
  const EvidencePoints& operator[](std::size_t experiment) const { return experiments.at(experiment); }
  PointList all() const;

  /// f(Real()) of a closed form in the precision of the evidence, rounded to a double:
  /// exact([&]<class Real>(Real) { return rho_gd<Real>(...).value; }).
  template <class Function>
  double exact(const Function& f) const {
    return precise ? static_cast<double>(f(Real50())) : static_cast<double>(f(double()));
  }
};

PointList list_of(const EvidencePoints& points);
/// The points where a swept key has this value (relative difference below 1e-12).
PointList where(const EvidencePoints& points, const std::string& key, double value);
/// The distinct values of a swept key or of another number, ascending.
std::vector<double> values_of(const EvidencePoints& points, const std::string& key);
std::vector<double> distinct(const PointList& points, const Number& number);

/// f of every element, one behind the other where f gives several numbers.
template <class List, class Function>
std::vector<double> collect(const List& list, const Function& f) {
  std::vector<double> all;
  for (const auto& one : list) {
    if constexpr (std::is_arithmetic_v<decltype(f(one))>) {
      all.push_back(static_cast<double>(f(one)));
    } else {
      const std::vector<double> some = f(one);
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

/// Numbers of runs, and what each has to be.
struct Comparison {
  std::vector<double> measured, exact;
  void add(double one, double other) {
    measured.push_back(one);
    exact.push_back(other);
  }
  void add(const std::vector<double>& ones, const std::vector<double>& others) {
    measured.insert(measured.end(), ones.begin(), ones.end());
    exact.insert(exact.end(), others.begin(), others.end());
  }
};

/// Numbers over an abscissa, ascending whatever the order of the runs.
using Points = std::map<double, double>;
std::vector<double> keys(const Points& points);
std::vector<double> values(const Points& points);

/// y over x of every element.
template <class List, class X, class Y>
Points over(const List& list, const X& x, const Y& y) {
  Points points;
  for (const auto& one : list) points[x(one)] = y(one);
  return points;
}

/// The largest of numbers that are not negative. What is not a number counts as infinitely large.
class Largest {
 public:
  void add(double x) {
    largest_ = std::isnan(x) ? std::numeric_limits<double>::infinity() : std::max(largest_, x);
  }
  operator double() const { return largest_; }

 private:
  double largest_ = 0;
};

}  // namespace rarefact
