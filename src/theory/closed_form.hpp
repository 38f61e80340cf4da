#pragma once

/// Closed forms by name, which claims may call. They never see a result.

#include "core/real50.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

struct FormClasses {
  /// Groups of identical answers: their number, and as `probability` σ = (Σ p²)^½ over the queries of one, p of training.
  ClassGroups answers;
  struct Query {
    Index answer;  ///< its group of answers
    double part;   ///< p/σ
  };
  std::vector<Query> queries;   ///< of each class row
  bool measured_apart = false;  ///< measured means weight classes differently from training
};

/// A function of numbers; with `of_classes` also of the classes of a point, with one value or one per class row.
struct ClosedForm : CatalogueRow {
  std::vector<std::string> arguments;
  double (*of)(const double* numbers) = nullptr;
  Real50 (*of50)(const Real50* numbers) = nullptr;  ///< null: in double only
  std::function<std::vector<double>(const FormClasses&, const double* numbers, bool precise)> of_classes = {};
  double (*work)(const double* numbers) = nullptr;  ///< about how many terms it sums; null: few

  /// In 50 digits if `precise` and available, rounded to a double. InputError outside of the range.
  double value(const double* numbers, bool precise) const;
  std::vector<double> values(const FormClasses& classes, const double* numbers, bool precise) const;
};

const std::vector<ClosedForm>& closed_forms();
/// Further rows: spikes in noise, SignGD with rotated blocks, forms of the classes of a point, and of zipf.
std::vector<ClosedForm> spike_forms();
std::vector<ClosedForm> sign_block_forms();
std::vector<ClosedForm> class_forms();
std::vector<ClosedForm> min_squares_forms();
std::vector<ClosedForm> zipf_forms();

}  // namespace rarefact
