#pragma once

/// The true error of a quadrature: against the same run with every class written out.

#include <algorithm>
#include <cmath>

#include "laws/experiments.hpp"

namespace laws {

/// Largest relative difference of loss, and of error and loss of every class, at every recorded step.
inline double largest_relative_difference(const Result& exact, const Result& approximate) {
  double worst = 0;
  for (const char* name : {"loss", "error", "class_loss"}) {
    const auto& x = only_trajectory(exact).series.at(name);
    const auto& y = only_trajectory(approximate).series.at(name);
    if (x.size() != y.size()) return std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] == y[i]) continue;
      const double difference = std::abs(x[i] - y[i]) / std::abs(x[i]);
      worst = std::isnan(difference) ? std::numeric_limits<double>::infinity() : std::max(worst, difference);
    }
  }
  return worst;
}

/// What a quadrature says of its error, and what it is.
struct TrueError {
  double certified = 0, truth = 0;
};

inline TrueError true_error(Experiment e, const std::string& exact_engine) {
  e.classes.kind = ClassRule::Kind::all;
  e.spectral_metrics = "off";
  e.engine = "quadrature";
  const Result approximate = simulate(e, {}, 1);
  e.engine = exact_engine;
  const Result exact = simulate(e, {}, 1);
  return {only_trajectory(approximate).quadrature_error, largest_relative_difference(exact, approximate)};
}

inline double at_end(const Result& result, const std::string& name, std::size_t row = 0) {
  const auto& values = only_trajectory(result).series.at(name);
  return values[values.size() - values.size() / result.steps.size() + row];
}

}  // namespace laws
