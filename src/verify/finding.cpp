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

std::vector<double> keys(const Points& points) {
  std::vector<double> all;
  for (const auto& [x, y] : points) all.push_back(x);
  return all;
}

std::vector<double> values(const Points& points) {
  std::vector<double> all;
  for (const auto& [x, y] : points) all.push_back(y);
  return all;
}

Finding& CheckReport::add(std::string name, Finding finding, bool headline) {
  finding.id = std::move(name);
  finding.headline = finding.headline || headline;
  return findings.emplace_back(std::move(finding));
}

Finding& CheckReport::add(const std::string& name, const std::string& of, Finding finding, bool headline) {
  if (of.empty()) return add(name, std::move(finding), headline);
  finding.quantity += ", " + of;
  return add(name + "/" + of, std::move(finding), headline);
}

void CheckReport::curve(std::string title, std::string x_label,
                        const std::vector<std::pair<std::string, Points>>& series) {
  Curve curve{.title = std::move(title), .x_label = std::move(x_label), .x = keys(series.front().second)};
  for (const auto& [label, points] : series) curve.series.push_back({label, values(points)});
  curves.push_back(std::move(curve));
}

std::vector<const Finding*> CheckReport::of(const std::string& name) const {
  std::vector<const Finding*> found;
  for (const Finding& one : findings) {
    if (one.id == name || one.id.starts_with(name + "/") || one.id.starts_with(name + ","))
      found.push_back(&one);
  }
  return found;
}

void CheckReport::assume(std::string text, bool met, std::string detail) {
  hypotheses.push_back({std::move(text), met, std::move(detail)});
}

bool CheckReport::all_met() const {
  return std::all_of(hypotheses.begin(), hypotheses.end(), [](const Hypothesis& one) { return one.met; });
}

Verdict CheckReport::verdict() const {
  const auto any = [this](Verdict verdict) {
    return std::any_of(findings.begin(), findings.end(),
                       [verdict](const Finding& finding) { return finding.verdict == verdict; });
  };
  if (any(Verdict::fails)) return Verdict::fails;
  if (!all_met() || findings.empty() || any(Verdict::inconclusive)) return Verdict::inconclusive;
  if (any(Verdict::evidence)) return Verdict::evidence;
  return any(Verdict::sharp) ? Verdict::sharp : Verdict::holds;
}

}  // namespace rarefact
