#pragma once

/// An update rule of your own, W <- W - η D, written once and run on every engine on which it stays exact.
///
///     class Damped : public rarefact::Rule {
///      public:
///       explicit Damped(const rarefact::ParameterValues& values) : mu_(values.number("mu")) {}
///       rarefact::RuleMatrix direction(const rarefact::RuleMatrix& gradient, const rarefact::RuleTools&) override {
///         memory_ = mu_ * memory_ + gradient;
///         return normalised(memory_);
///       }
///       std::vector<rarefact::RuleMatrix*> memory() override { return {&memory_}; }
///      ...
///     rarefact::add_rule(
///         {.name = "damped", ..., .make = [](const auto& values) { return std::make_unique<Damped>(values); }});
///
/// Its parameters are keys of [[optimizer]] like those of the program's own rules, in files, --set and sweeps.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rarefact/catalogue.hpp"

namespace rarefact {

/// A matrix as a rule sees it, whatever holds it: all its entries, or two numbers for a million equal columns.
/// Values are 2^exponent times what is stored, so that gradients of 1e-400 are not lost. Default: zero.
class RuleMatrix {
 public:
  class Storage;  ///< the program's own

  RuleMatrix() = default;
  RuleMatrix(std::shared_ptr<const Storage> storage, int exponent)
      : storage_(std::move(storage)), exponent_(exponent) {}

  const std::shared_ptr<const Storage>& storage() const { return storage_; }
  int exponent() const { return exponent_; }

 private:
  std::shared_ptr<const Storage> storage_;
  int exponent_ = 0;
};

/// a X + c Y.
RuleMatrix combined(double a, const RuleMatrix& x, double c, const RuleMatrix& y);
inline RuleMatrix operator+(const RuleMatrix& x, const RuleMatrix& y) {
  return combined(1, x, 1, y);
}
inline RuleMatrix operator-(const RuleMatrix& x, const RuleMatrix& y) {
  return combined(1, x, -1, y);
}
inline RuleMatrix operator*(double a, const RuleMatrix& x) {
  return combined(a, x, 0, {});
}

/// ‖X‖_F; 0 where it is below the least double.
double norm(const RuleMatrix& x);
/// X/‖X‖_F, also where the norm is no double; 0 of 0.
RuleMatrix normalised(const RuleMatrix& x);
/// Entrywise sign, also of entries below the least double; sign(0) = 0.
RuleMatrix sign(const RuleMatrix& x);
/// Entrywise f with f(0) = 0, of values as doubles: what is below 1e-308 reads 0.
RuleMatrix map(const RuleMatrix& x, const std::function<double(double)>& f);
/// Entrywise f(x, y) with f(0, 0) = 0, as Adam's moments need it.
RuleMatrix map(const RuleMatrix& x, const RuleMatrix& y, const std::function<double(double, double)>& f);

/// What a rule may ask besides.
class RuleTools {
 public:
  virtual ~RuleTools() = default;
  /// msgn(X) = U_r V_rᵀ over the nonzero singular values. std::logic_error in a rule that keeps columns.
  virtual RuleMatrix polar(const RuleMatrix& x) const = 0;
  /// d_out x d_in of W; real, because K may be 1e15.
  double rows = 1, columns = 1;
};

class Rule {
 public:
  virtual ~Rule() = default;
  /// D of the gradient at W. Called once a step, in order.
  virtual RuleMatrix direction(const RuleMatrix& gradient, const RuleTools& tools) = 0;
  /// What it remembers from one step to the next, for checkpoints: always the same matrices in the same order.
  virtual std::vector<RuleMatrix*> memory() { return {}; }
};

/// A rule under its name. What it declares decides which engines run it; declare only what holds.
struct RuleRow {
  std::string name, summary, formula;
  std::vector<Parameter> parameters = {};
  /// D(Q X) = Q D(X) for orthogonal Q: orthonormal answers drop out, equicorrelated ones reduce.
  bool answers_rotate = false;
  /// D(X Qᵀ) = D(X) Qᵀ for orthogonal Q: the same of queries.
  bool queries_rotate = false;
  /// Acts on each column alone, or entry by entry: two numbers for each class hold a run.
  bool keeps_columns = false;
  /// D(c X) = D(X) for c > 0.
  bool scale_invariant = false;
  /// The smallest entries of the gradient move W as much as the largest.
  bool equalises = false;
  /// Called once for every run, with the parameters of the experiment; never empty.
  std::function<std::unique_ptr<Rule>(const ParameterValues&)> make;
};

/// Adds a rule to those that experiments may name. Before the first experiment is read: std::logic_error after that,
/// where the name is taken, and where nothing makes the rule.
void add_rule(RuleRow row);

}  // namespace rarefact
