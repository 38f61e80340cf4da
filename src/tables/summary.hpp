#pragma once

/// Results as aligned plain text.

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/result.hpp"

namespace rarefact {

/// What closes a run, one table for each run of the result, a row for each optimizer: engine; the total loss
/// at the last recorded step; error and loss of the head (the first class group, the most frequent) and the
/// tail (the last one); and the first recorded step at which every class has error below 0.1, or "not reached
/// (> last step)". A diverged optimizer shows its last finite record. Losses in nats. Lines below say what
/// ended otherwise than complete, the certified error of quadratures, and where not every step was recorded.
///
/// More than four runs are one table, a row for each run and optimizer with the values of the swept keys,
/// without the losses of head and tail; at most 2,000 rows of it.
std::string end_table(const Result& result);

/// The same, made run by run from results too large for memory. Up to four runs are kept; of more, the lines
/// that are shown.
class EndTable {
 public:
  /// `head`: steps and optimizers; `runs`: how many will be added.
  EndTable(Result head, std::size_t runs);
  void add(const Run& run);
  std::string text() const;

 private:
  struct Row {
    std::map<std::string, SweptValue> parameters;
    std::vector<std::string> cells;
  };
  std::string list() const;

  Result result_;
  std::size_t runs_, shown_ = 0, added_ = 0, incomplete_ = 0;
  std::set<std::string> keys_;
  std::vector<Row> rows_;
  std::vector<std::string> endings_;  ///< the first few
  bool any_quadrature_ = false;
  double largest_error_ = 0;
};

/// A swept value for a person: numbers with 12 digits, texts as they are.
std::string swept_text(const SweptValue& value);

/// How a trajectory ended that is not complete: "muon diverged after step 7; its numbers are the last finite
/// ones recorded". Empty if it is complete.
std::string ending_text(const Trajectory& trajectory);

/// The last record of a variable's series that has no NaN in it, as an index into the steps; -1 if there is
/// none.
std::ptrdiff_t last_record(const std::vector<double>& series, std::size_t row);

}  // namespace rarefact
