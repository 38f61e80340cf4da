#pragma once

/// Evaluates expressions over the arrays of a frame.

#include <memory>
#include <set>

#include "core/syntax.hpp"
#include "query/frame.hpp"
#include "theory/power_fit.hpp"

namespace rarefact::query {

// Expressions with names, which other expressions may use.

struct Definition {
  Syntax tree;
  std::function<void(const InputError&)> failed = {};  ///< throws the error with the place of the definition
};
using Definitions = std::map<std::string, Definition>;

/// Largest number of definitions within one another.
inline constexpr std::size_t deepest_definition = 100;

/// Refuses longer chains, in time linear in their length. Definitions that need themselves are left to evaluation.
void refuse_long_chains(const Definitions& definitions);

/// True if `is` is true of a part of an expression, or of the definitions that it uses. Each definition is visited once.
bool any_part(const Syntax& tree, const Definitions& definitions,
              const std::function<bool(const Syntax& part)>& is);

/// Evaluates trees (core/syntax, parsed_condition). The keys `where` and `at` apply to all that is read. Throws
/// SyntaxError, with the byte in the tree, for illegal expressions; InputError with a position for illegal definitions.
class Evaluator {
 public:
  /// The frame and the definitions must outlive the evaluator. `precise`: closed forms in 50 digits.
  Evaluator(const Frame& frame, const Definitions& definitions, bool precise)
      : frame_(&frame), definitions_(&definitions), precise_(precise), where_(frame.number(1)) {}

  Array operator()(const Syntax& tree);
  /// Evaluates an expression of numbers; InputError for texts.
  Array number(const Syntax& tree);
  /// Evaluates a condition; InputError if an entry is neither true (1) nor false (0).
  Array condition(const Syntax& tree);
  /// An evaluator that reads only these steps, or entries that satisfy the condition.
  Evaluator at(const Array& step) const;
  Evaluator where(const Array& condition) const;
  /// An evaluator for a branch of where() that is not taken: what has no value is absent, and mistakes are refused.
  Evaluator unchosen() const;
  /// Defines a further number, constant along all axes.
  void give(const std::string& name, double number);

  const Frame& frame() const { return *frame_; }
  /// The fits of the last slopes (a single one has an interval), whether any had fewer than three points, and the first
  /// record that some points lack: its name, and an entry for each of these points.
  struct Fits {
    std::vector<LineFit> lines = {};
    bool few_points = false;
    std::string lacked = {};
    Array lacking = {};
  };
  const Fits& fits() const { return *fits_; }

  // For functions (functions.hpp).
  Fits& fits() { return *fits_; }
  bool precise() const { return precise_; }
  const Array& where() const { return where_; }
  bool chooses_steps() const { return at_.has_value(); }
  /// The entries of an array of the frame that this evaluator reads.
  Array leaf(Array array) const;
  /// Repeats an array along dimensions on which it is constant, once for each entry that this evaluator reads.
  Array spread(Array array, const Dimensions& along) const;
  const Definitions& definitions() const { return *definitions_; }
  /// The names in an expression and in the definitions that it uses.
  std::set<std::string> names_read(const Syntax& tree) const;
  /// True if an expression reads something that a run measures.
  bool reads_runs(const Syntax& tree) const;
  Array named(const std::string& name);
  struct Selection {
    Dimensions along;
    std::vector<Array> conditions = {}, values = {};
    std::vector<const Syntax*> trees = {};  ///< of the conditions
    bool named = false;                     ///< the call names its dimensions
  };
  /// The arguments of a call from `first` on: dimensions (by default `usual`), conditions, and other values.
  Selection selection(const Syntax& call, std::size_t first, Dimensions usual);
  /// Present for every point and optimizer of which the parts of conditions that name steps, by `step` or `t` and nothing
  /// that a run measures, leave nothing of an array, which has entries there otherwise.
  std::optional<Array> lacking(const std::vector<const Syntax*>& conditions, Array array);
  void note_lacking(const std::string& what, const Array& points);

 private:
  /// The values of definitions, by what the evaluator read at the time.
  struct Context {
    std::optional<std::string> optimizer;
    Shape shape;  ///< of the step
    std::vector<Number> step;
    auto operator<=>(const Context&) const = default;
  };
  using Known = std::map<std::pair<Context, std::string>, Array>;

  Array evaluated(const Syntax& tree);
  Array operation(const Syntax& tree);
  Array chosen(const Syntax& tree);
  bool is_condition(const Syntax& tree, std::size_t depth = 0) const;
  /// The parts that "and" joins, also within definitions, each of which counts once.
  std::vector<const Syntax*> parts_of(const std::vector<const Syntax*>& conditions) const;
  bool names_steps(const Syntax& tree) const;

  const Frame* frame_;
  const Definitions* definitions_;
  bool precise_;
  Array where_;
  bool unchosen_ = false;
  std::optional<Array> optimizer_ = {}, at_ = {};
  std::map<std::string, double> given_ = {};
  Context context_ = {};
  std::shared_ptr<Known> known_ = std::make_shared<Known>();
  std::vector<std::string> within_ = {};  ///< definitions that are being evaluated
  int depth_ = 0;                         ///< of the tree that is being evaluated, with those definitions
  std::shared_ptr<Fits> fits_ = std::make_shared<Fits>();
};

using NamedNumbers = std::map<std::string, double>;

/// The value of an expression of named numbers, "2/p_max" or "sqrt(log(K)) * 1e-2"; infinite or NaN as for doubles. Throws
/// InputError, without a position in the file, if it is no such expression: what was found, where, and what was expected.
double number_value(std::string_view text, const NamedNumbers& names);

}  // namespace rarefact::query
