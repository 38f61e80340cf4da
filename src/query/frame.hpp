#pragma once

/// The data of an expression: arrays by name, over the axes of a sweep, optimizer, step and class row; or single numbers.

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

#include "query/array.hpp"
#include "theory/closed_form.hpp"

namespace rarefact::query {

/// True for the key of a seed, that of the run or of one stream.
bool is_seed(std::string_view key);

class Frame {
 public:
  std::vector<std::vector<std::string>> keys = {};  ///< that vary along each axis of the sweep
  Shape points = {};                                ///< the length of each axis
  std::vector<std::string> labels = {};             ///< of the optimizers
  std::vector<std::int64_t> steps = {};             ///< that are recorded
  std::size_t rows = 1;                             ///< the largest number of class rows

  virtual ~Frame() = default;

  /// The array of a name; nullopt if there is none. "step", if present, has the recorded steps, "optimizer"
  /// the labels, "row" the numbers of the class rows from 1.
  virtual std::optional<Array> read(const std::string& name) const = 0;
  virtual std::vector<std::string> names() const = 0;
  /// A key of the experiment, a number or a text; InputError if there is none.
  virtual Array key(const std::string& key) const;
  virtual bool has_key(const std::string&) const { return false; }
  /// True for names that no run measures: step, optimizer, and numbers of the problem.
  virtual bool is_given(const std::string&) const { return true; }
  virtual FormClasses classes(std::size_t point) const;
  /// Class rows are classes; groups of equal classes; weighted nodes that stand for all classes; or some of the classes.
  enum class Rows { all, groups, nodes, some };
  virtual Rows class_rows() const { return Rows::all; }

  /// Called with every name that is read; `chosen` selects the entries that are read of an array.
  virtual void reading(const std::string&, const std::function<Array(Array)>& /*chosen*/) const {}

  /// The dimensions of every array: the axes of the sweep, optimizer, step, class.
  std::size_t dimensions() const { return points.size() + 3; }
  std::size_t optimizer() const { return points.size(); }
  std::size_t step() const { return points.size() + 1; }
  std::size_t row() const { return points.size() + 2; }
  /// The axis of a key; nullopt if it is not swept.
  std::optional<std::size_t> axis_of(const std::string& key) const;
  std::size_t length(std::size_t dimension) const;
  /// Counts numbers that are computed; throws InputError if all together are more than allowed.
  void spend(std::size_t numbers) const;
  std::size_t work() const { return work_; }
  static constexpr std::size_t max_work = 2'000'000'000;
  static constexpr std::size_t max_held = 50'000'000;
  /// Counts numbers that are kept while others are computed; throws InputError if they are more than allowed.
  class Held {
   public:
    Held(const Frame& frame, std::size_t numbers);
    ~Held() { frame_.held_ -= numbers_; }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    const Frame& frame_;
    std::size_t numbers_;
  };
  /// Allows so many numbers from now on.
  void allow(std::size_t numbers) { allowed_ = work_ + numbers; }
  /// The axes of the sweep that have seeds, and the others.
  Dimensions seed_axes() const { return axes_of(true); }
  Dimensions point_axes() const { return axes_of(false); }

  /// A number or a text, constant along all dimensions.
  Array number(double x) const { return constant(Shape(dimensions(), 1), x); }
  Array text(const std::string& text) const;

  double value_of(const ClosedForm& form, const double* x, bool precise) const;
  /// A closed form of the classes of every point: one number, or a number per class row. NaN outside of its range, or
  /// OutsideRange if all points are; absent for points that `where` excludes. Throws InputError if arguments differ within a point.
  Array of_classes(const ClosedForm& form, const std::vector<Array>& arguments, bool precise,
                   const Array& where) const;

 private:
  Dimensions axes_of(bool seeds) const;

  mutable std::size_t work_ = 0, held_ = 0;
  std::size_t allowed_ = max_work;
  /// Cached values of closed forms, by point and arguments.
  mutable std::map<std::tuple<const ClosedForm*, std::optional<std::size_t>, std::vector<double>>,
                   std::vector<double>>
      known_forms_ = {};
};

}  // namespace rarefact::query
