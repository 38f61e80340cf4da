#pragma once

/// Expressions of claims over the numbers of one experiment.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/syntax.hpp"
#include "theory/power_fit.hpp"
#include "verify/claim_data.hpp"
#include "verify/claim_text.hpp"

namespace rarefact::claims {

/// Evaluates trees (core/syntax, parsed_condition). What `where` and `at` say is applied to every variable and number that
/// is read. SyntaxError, with the byte of the tree, for what it may not ask; InputError with a place for what a define may not.
class Evaluator {
 public:
  Evaluator(const ExperimentData& data, const Defines& defines, bool precise)
      : data_(data), defines_(defines), precise_(precise) {}

  Array operator()(const Syntax& tree);
  /// The same of numbers: InputError for texts.
  Array number(const Syntax& tree);
  /// The same with fewer numbers to read.
  Evaluator at(const Array& step) const;
  Evaluator where(const Array& condition) const;
  /// A further number, along none of the axes.
  void give(const std::string& name, double number);

  const ExperimentData& data() const { return data_; }
  /// The lines of the last slopes: of which a single one has an interval.
  const std::vector<LineFit>& fits() const { return fits_; }
  /// True if a slope here, or of a copy of this, had fewer than three points.
  bool few_points() const { return *few_points_; }

 private:
  struct Selection {
    std::vector<bool> dimensions;
    std::optional<Array> condition = {};
    std::vector<Array> values = {};
  };
  Array evaluated(const Syntax& tree);
  Array leaf(Array array) const;
  Array named(const std::string& name);
  Array called(const Syntax& call);
  Array operation(const Syntax& tree);
  Array chosen(const Syntax& tree);
  /// Dimensions, conditions and other values among the arguments from `first` on.
  Selection selection(const Syntax& call, std::size_t first, std::vector<bool> usual);
  bool is_condition(const Syntax& tree, std::size_t depth = 0) const;
  std::vector<bool> only(std::size_t dimension) const;

  // claim_functions.cpp
  struct Function {
    std::size_t least, most;  ///< numbers of arguments
    const char* takes;
    Array (Evaluator::*of)(const Syntax& call);
  };
  static const std::map<std::string, Function>& functions();
  Array reduction(const Syntax& call);
  Array slope(const Syntax& call);
  Array prev(const Syntax& call);
  Array max_so_far(const Syntax& call);
  Array ema(const Syntax& call);
  Array reaches(const Syntax& call);
  Array octaves(const Syntax& call);
  Array spectral(const Syntax& call);
  Array choice(const Syntax& call);
  Array key(const Syntax& call);
  Array at_step(const Syntax& call);
  Array first_where(const Syntax& call);
  Array closed_form(const Syntax& call);
  /// The one dimension of prev and max_so_far.
  std::size_t dimension_of(const Syntax& call);

  const ExperimentData& data_;
  const Defines& defines_;
  bool precise_;
  std::optional<Array> at_ = {}, where_ = {};
  std::optional<std::size_t> optimizer_ = {};
  std::map<std::string, double> given_ = {};
  std::map<std::string, Array> known_ = {};  ///< defines that have been evaluated
  std::vector<std::string> within_ = {};     ///< defines that are being evaluated
  std::vector<LineFit> fits_ = {};
  std::shared_ptr<bool> few_points_ = std::make_shared<bool>(false);
};

}  // namespace rarefact::claims
