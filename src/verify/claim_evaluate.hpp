#pragma once

/// Evaluates expressions of claims over the numbers of one experiment.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/syntax.hpp"
#include "theory/power_fit.hpp"
#include "verify/check_row.hpp"
#include "verify/claim_data.hpp"

namespace rarefact::claims {

/// Evaluates trees (core/syntax, parsed_condition). The keys `where` and `at` apply to every variable and
/// number that is read. Throws SyntaxError, with the byte in the tree, for illegal expressions; InputError
/// with a position for illegal definitions.
class Evaluator {
 public:
  Evaluator(const ExperimentData& data, const Defines& defines, bool precise)
      : data_(&data), defines_(&defines), precise_(precise), where_(data.number(1)) {}

  Array operator()(const Syntax& tree);
  /// Evaluates an expression of numbers; InputError for texts.
  Array number(const Syntax& tree);
  /// An evaluator that reads only these steps, or entries that satisfy the condition.
  Evaluator at(const Array& step) const;
  Evaluator where(const Array& condition) const;
  /// Defines a further number, constant along all axes.
  void give(const std::string& name, double number);

  const ExperimentData& data() const { return *data_; }
  /// The fits of the last slopes (a single one has an interval), and whether any had fewer than three points.
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
  /// The arguments from `first` on: dimensions, conditions, and other values.
  Selection selection(const Syntax& call, std::size_t first, Dimensions usual);
  bool is_condition(const Syntax& tree, std::size_t depth = 0) const;

  const ExperimentData* data_;
  const Defines* defines_;
  bool precise_;
  Array where_;
  std::optional<Array> optimizer_ = {}, at_ = {};
  std::map<std::string, double> given_ = {};
  std::map<std::string, Array> known_ = {};  ///< defines that have been evaluated
  std::vector<std::string> within_ = {};     ///< defines that are being evaluated
  std::shared_ptr<Fits> fits_ = std::make_shared<Fits>();
};

}  // namespace rarefact::claims
