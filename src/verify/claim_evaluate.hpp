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
      : data_(&data), defines_(&defines), precise_(precise), where_(data.number(1)) {}

  Array operator()(const Syntax& tree);
  /// The same of numbers: InputError for texts.
  Array number(const Syntax& tree);
  /// The same with fewer numbers to read.
  Evaluator at(const Array& step) const;
  Evaluator where(const Array& condition) const;
  /// A further number, along none of the axes.
  void give(const std::string& name, double number);

  const ExperimentData& data() const { return *data_; }
  /// What the slopes came to: the lines of the last ones, of which a single one has an interval, and whether any had fewer than
  /// three points.
  struct Fits {
    std::vector<LineFit> lines = {};
    bool few_points = false;
  };
  const Fits& fits() const { return *fits_; }

 private:
  struct Functions;  // claim_functions.cpp
  struct Selection {
    Dimensions along;
    std::vector<Array> conditions = {}, values = {};
  };
  Array evaluated(const Syntax& tree);
  Array leaf(Array array) const;
  Array named(const std::string& name);
  Array called(const Syntax& call);
  Array operation(const Syntax& tree);
  Array chosen(const Syntax& tree);
  /// Dimensions, conditions and other values among the arguments from `first` on.
  Selection selection(const Syntax& call, std::size_t first, Dimensions usual);
  bool is_condition(const Syntax& tree, std::size_t depth = 0) const;

  const ExperimentData* data_;
  const Defines* defines_;
  bool precise_;
  Array where_;
  std::optional<Array> at_ = {};
  std::optional<std::size_t> optimizer_ = {};
  std::map<std::string, double> given_ = {};
  std::map<std::string, Array> known_ = {};  ///< defines that have been evaluated
  std::vector<std::string> within_ = {};     ///< defines that are being evaluated
  std::shared_ptr<Fits> fits_ = std::make_shared<Fits>();
};

}  // namespace rarefact::claims
