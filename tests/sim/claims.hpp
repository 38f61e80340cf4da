#pragma once

/// Digits that runs claim, beside those that are there.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "sim/comparison.hpp"

namespace laws {

using namespace rarefact;

/// Digits of x where `truth` is right; numbers that fade are left out of the certificate.
template <class Real>
double digits_in(double x, const Real& truth) {
  using std::abs;
  const Real difference = abs(Real(x - truth));
  if (difference == 0 || abs(truth) < 1e-300) return 17;
  return -std::log10(static_cast<double>(difference / abs(truth)));
}

/// No claim is more than a digit too high. `kept`: and none is below 3 where 8 are there.
inline void check_claim(double claimed, double there, bool kept) {
  CAPTURE(claimed, there);
  CHECK(claimed <= std::clamp(there, 0.0, 15.0) + 1);
  if (kept) CHECK((there < 8 || claimed >= min_digits));
}

/// What became of many claims.
struct Judgement {
  int values = 0, over = 0, alarms = 0,
      lost = 0;                    ///< in all, more than a digit too high, false alarms, without a digit
  double worst = 0, cautious = 0;  ///< the largest claim less the truth; the sum of truth less claim

  void add(double claimed, double there) {
    if (std::isnan(claimed)) return;
    if (std::isnan(there)) there = 0;
    const double beyond = claimed - std::clamp(there, 0.0, 15.0);
    ++values;
    over += beyond > 1;
    alarms += there >= 8 && claimed < min_digits;
    lost += there < 1;
    worst = std::max(worst, beyond);
    cautious -= beyond;
  }

  /// Loss, excess loss and the least right error of a record, beside the state that 80 or 400 digits have.
  template <class State>
  void add(const Result& claimed, std::size_t record, const State& truth) {
    const auto& all = claimed.runs.at(0).trajectories.at(0).series;
    const auto value = [&](const char* name, std::size_t at) { return all.at(name)[at]; };
    add(value("loss_digits", record), digits_in(value("loss", record), truth.loss));
    add(value("excess_loss_digits", record), digits_in(value("excess_loss", record), truth.excess_loss));
    const std::size_t width = truth.error.size();
    double least = 17;
    for (std::size_t l = 0; l < width; ++l)
      least = std::min(least, digits_in(value("error", record * width + l), truth.error[l]));
    add(value("error_digits", record), least);
  }

  std::string words() const {
    return fmt::format(
        "{} values, {} over, at most by {:.2f}; {} have no digit, {} false alarms; {:.2f} digits too few",
        values, over, worst, lost, alarms, cautious / values);
  }
};

}  // namespace laws
