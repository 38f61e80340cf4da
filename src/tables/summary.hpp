#pragma once

/// What a person is told of a result: the table that closes a run, and the description of a file.

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rarefact/result.hpp"

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

/// The same, made run by run from results too large for memory.
class EndTable {
 public:
  /// `head`: steps and optimizers; `runs`: how many will be added.
  EndTable(const Result& head, std::size_t runs);
  void add(const Run& run);
  std::string text() const;

 private:
  struct Shown {
    std::string name;
    std::map<std::string, SweptValue> parameters;
    std::vector<std::vector<std::string>> lines;
    std::string endings;
  };
  std::string run_tables() const;
  std::string list() const;

  std::vector<std::int64_t> steps_;
  std::size_t runs_, most_shown_, incomplete_ = 0;
  std::vector<Shown> shown_;
  std::set<std::string> keys_;
  std::string endings_;  ///< the first few
  bool any_quadrature_ = false;
  double largest_error_ = 0;
};

/// A swept value for a person: numbers with 12 digits, texts as they are.
std::string swept_text(const SweptValue& value);

/// What is in a result file: title, shape, every optimizer with engine and status, its loss at the last step
/// measured and predicted, and the program that wrote it. Errors as read_result.
std::string describe_result(const std::filesystem::path& path);

}  // namespace rarefact
