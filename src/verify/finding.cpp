#include "verify/finding.hpp"

#include <algorithm>

namespace rarefact {

std::string verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::sharp:
      return "holds sharply";
    case Verdict::holds:
      return "holds";
    case Verdict::evidence:
      return "evidence only";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::fails:
      break;
  }
  return "fails";
}

Verdict CheckReport::verdict() const {
  const auto any = [this](Verdict verdict) {
    return std::any_of(findings.begin(), findings.end(),
                       [verdict](const Finding& finding) { return finding.verdict == verdict; });
  };
  if (any(Verdict::fails)) return Verdict::fails;
  const bool met =
      std::all_of(hypotheses.begin(), hypotheses.end(), [](const Hypothesis& one) { return one.met; });
  if (!met || findings.empty() || any(Verdict::inconclusive)) return Verdict::inconclusive;
  if (any(Verdict::evidence)) return Verdict::evidence;
  return any(Verdict::sharp) ? Verdict::sharp : Verdict::holds;
}

}  // namespace rarefact
