#pragma once

/// The rules by which a number is judged. Each returns a finding with verdict and the numbers that led there;
/// not-a-number never passes. Exponents are fitted by theory/power_fit.hpp, whose errors are errors of the
/// program here: a check hands over at least three points, x positive. y that are not positive and finite are
/// what a wrong rule measures: fails.
///
/// Where numbers differ from seed to seed and claims are asymptotic, exponents are evidence, never a pass; what
/// a sound program cannot miss at the sizes of the runs is judged.

#include <string>
#include <vector>

#include "theory/power_fit.hpp"
#include "verify/check_row.hpp"

namespace rarefact::judge {

/// |measured/sharp - 1| <= tolerance (for sharp = 0: |measured|): sharp, else fails.
Finding equals(std::string quantity, double measured, double sharp, double tolerance);

/// The largest relative difference of two series, which have to agree to `tolerance`: sharp, else fails. The
/// finding's number is that difference.
Finding agree(std::string quantity, const std::vector<double>& measured, const std::vector<double>& exact,
              double tolerance);

/// The same with one exact number for all.
Finding agree(std::string quantity, const std::vector<double>& measured, double exact, double tolerance);
inline Finding agree(std::string quantity, const Comparison& all, double tolerance) {
  return agree(std::move(quantity), all.measured, all.exact, tolerance);
}

/// measured <= bound (published): holds, else fails.
Finding at_most(std::string quantity, double measured, double bound);
Finding at_least(std::string quantity, double measured, double bound);

LineFit fit_of(const Points& points);

/// Whether an exponent is a published one.
struct ExponentClaim {
  enum class Kind { equal, at_most, at_least } kind = Kind::equal;
  double published = 0;
  double tolerance = 0.02;           ///< how far a fit may be off: ranges are finite
  std::optional<double> sharp = {};  ///< known better than published
  double sharp_tolerance = 0.005;
};

/// y ∝ x^exponent. sharp where the fit is within sharp_tolerance of the sharp exponent (or, where the claim
/// is an equality without one, of the published one); holds where it is within `tolerance` of, or on the
/// right side of, the published one; else fails. `rule` states the range and the local slopes at its ends.
Finding exponent(std::string quantity, const Points& points, const ExponentClaim& claim);

/// An exponent that is known, and published so: sharp within `tolerance` of it, else fails.
Finding exponent(std::string quantity, const Points& points, double known, double tolerance);

/// A claim with an O(.): the positive ratio measured/claimed is bounded over the range of x. It counts as
/// growing, and the claim fails, where over the upper half of the range (in ln x) its fitted exponent is
/// above `most_growth` and its interval is above 0, or every local slope above `most_growth`. The finding's
/// number is the greatest ratio; `rule` states range, least, greatest and trend. With a `sharp` limit: sharp
/// where the last ratio is within `tolerance` of it.
Finding bounded(std::string quantity, const Points& ratio, double most_growth = 0.01,
                std::optional<double> sharp = {}, double tolerance = 0.01);

/// A number of every seed over an abscissa: seed -> x -> y.
using SeedCurves = std::map<std::int64_t, Points>;
/// The mean over the seeds that have an abscissa.
Points mean_over_seeds(const SeedCurves& curves);

/// The mean of independent numbers, one a seed, with its 95 % interval (Student t, n - 1 degrees of freedom), as
/// evidence. Infinite ends for one number; std::invalid_argument for none.
Finding seed_mean(std::string quantity, const std::vector<double>& numbers);

/// The mean of independent numbers, one a seed, is a number that is known: sharp where its 95 % interval has
/// `sharp` in it; holds where it meets `sharp` ± `tolerance`, which is what a finite size leaves; else fails. Inconclusive where the interval is wider than
/// `widest`, which would meet anything.
Finding seed_mean_equals(std::string quantity, const std::vector<double>& numbers, double sharp,
                         double tolerance, double widest);

/// What a sound program cannot miss at the sizes of the runs: the interval of an exponent lies above or below
/// a bound, holds, else fails. Inconclusive where `exponent` is.
Finding interval_above(std::string quantity, const Finding& exponent, double bound);
Finding interval_below(std::string quantity, const Finding& exponent, double bound);
/// The same of two exponents: the interval of `larger` lies above that of `smaller`. The finding's number is
/// the distance of the intervals.
Finding intervals_apart(std::string quantity, const Finding& larger, const Finding& smaller);

/// What a judge says of a finding that is to be added to a report: each rule above as a member.
class Judging {
 public:
  Judging(CheckReport& report, std::string id, std::string of, bool headline)
      : report_(report), id_(std::move(id)), of_(std::move(of)), headline_(headline) {}

  /// Nothing counts as published: no paper has the number.
  Judging& ours() {
    ours_ = true;
    return *this;
  }
  Finding& is(Finding finding) {
    if (ours_) finding.published.clear();
    return report_.add(id_, of_, std::move(finding), headline_);
  }
  Finding& exponent(std::string quantity, const Points& points, const ExponentClaim& claim) {
    return is(judge::exponent(std::move(quantity), points, claim));
  }
  Finding& exponent(const auto&... of) { return is(judge::exponent(of...)); }
  Finding& equals(const auto&... of) { return is(judge::equals(of...)); }
  Finding& agree(const auto&... of) { return is(judge::agree(of...)); }
  Finding& at_most(const auto&... of) { return is(judge::at_most(of...)); }
  Finding& at_least(const auto&... of) { return is(judge::at_least(of...)); }
  Finding& bounded(const auto&... of) { return is(judge::bounded(of...)); }
  Finding& seed_mean_equals(const auto&... of) { return is(judge::seed_mean_equals(of...)); }
  Finding& interval_above(const auto&... of) { return is(judge::interval_above(of...)); }
  Finding& interval_below(const auto&... of) { return is(judge::interval_below(of...)); }
  Finding& intervals_apart(const auto&... of) { return is(judge::intervals_apart(of...)); }

 private:
  CheckReport& report_;
  std::string id_, of_;
  bool headline_, ours_ = false;
};

}  // namespace rarefact::judge
