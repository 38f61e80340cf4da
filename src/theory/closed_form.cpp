#include "theory/closed_form.hpp"

#include <limits>
#include <stdexcept>

#include "model/margin.hpp"
#include "theory/margin_paths.hpp"
#include "theory/one_step.hpp"
#include "theory/recovery.hpp"

namespace rarefact {

namespace {

/// A row from a function template of double or Real50.
template <class F>
ClosedForm form(CatalogueRow row, std::vector<std::string> arguments, F) {
  return {std::move(row), std::move(arguments), [](const double* x) { return F()(x); },
          [](const Real50* x) { return F()(x); }};
}

}  // namespace

double ClosedForm::value(const double* numbers, bool precise) const {
  try {
    if (!precise || of50 == nullptr) return of(numbers);
    const std::vector<Real50> exact(numbers, numbers + arguments.size());
    return static_cast<double>(of50(exact.data()));
  } catch (const std::logic_error&) {  // outside of the domain
    return std::numeric_limits<double>::quiet_NaN();
  }
}

namespace {

std::vector<ClosedForm> number_forms() {
  return {
      form({.name = "error_of_margin",
            .summary = "error of a class of margin m whose K - 1 wrong logits are equal",
            .formula = "(K-1) e^-m / (1 + (K-1) e^-m)",
            .source = {}},
           {"m", "K"}, []<class Real>(const Real* x) { return error_of_margin<Real>(x[0], x[1]); }),
      form({.name = "optimal_margin",
            .summary = "the margin of least loss; infinite at α = 0",
            .formula = "ln(π₁ (K-1)/(1-π₁)), π₁ = 1 - α + α/K",
            .source = {}},
           {"K", "alpha"}, []<class Real>(const Real* x) { return optimal_margin<Real>(x[0], x[1]); }),
      form({.name = "excess_loss_of_margin",
            .summary = "excess loss of a class of margin m",
            .formula = "KL(π || p̂)",
            .source = {}},
           {"m", "K", "alpha"},
           []<class Real>(const Real* x) { return excess_loss_of_margin<Real>(x[0], x[1], x[2]); }),
      form({.name = "flow_margin",
            .summary = "margin of a class of probability p after time t of gradient flow from W = 0",
            .formula = "α = 0: c - W₀(e^c/(K-1)), c = (p K t + 1)/(K-1)",
            .source = {}},
           {"p", "K", "alpha", "t"},
           []<class Real>(const Real* x) { return flow_margin<Real>(x[0], x[1], x[2], x[3]); }),
      form({.name = "sign_walk",
            .summary = "the walk m ← m + h sign(m* - m) from 0 after n steps",
            .formula = "h n for n <= ⌈m*/h⌉, then alternating between h ⌈m*/h⌉ and one step less",
            .source = {}},
           {"h", "optimum", "n"},
           []<class Real>(const Real* x) {
             return sign_walk<Real>(x[0], x[1], static_cast<std::int64_t>(x[2]));
           }),
      form({.name = "rho_gd",
            .summary = "ϱ of one step of GD",
            .formula = "1/(1 + (K-1)^(1-r) (ε/(1-ε))^r)",
            .source = "wang2025, Theorem 5.3"},
           {"K", "r", "eps"},
           []<class Real>(const Real* x) { return Real(rho_gd<Real>(x[0], x[1], x[2]).value); }),
      {{.name = "flat_recovery",
        .summary = "tr msgn(s I + N/√m)/m of a signal of full rank and normal noise, in the limit of large m",
        .formula = "1 - 1/(4s²) for s >= 1",
        .source = {}},
       {"s"},
       [](const double* x) { return flat_recovery(x[0]); }},
  };
}

}  // namespace

const std::vector<ClosedForm>& closed_forms() {
  static const std::vector<ClosedForm> rows = [] {
    std::vector<ClosedForm> all = number_forms();
    for (const auto& more : {spike_forms(), sign_block_forms()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return rows;
}

}  // namespace rarefact
