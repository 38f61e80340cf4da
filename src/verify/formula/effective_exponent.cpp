#include "optim/formula/graph.hpp"
#include "verify/hypotheses.hpp"
#include "verify/judge.hpp"

namespace rarefact::checks::formulas {

namespace {

const std::string label = "rule";

const std::string& direction_of(const EvidencePoint& point) {
  static const std::string none;
  const ParameterValues& parameters = point.optimizer(label).parameters;
  return parameters.has("direction") ? parameters.text("direction") : none;
}

/// ln(p_1/p_K).
double log_spread(const EvidencePoint& point) {
  const std::vector<double>& p = point.run().class_probability;
  return std::log(p.front() / p.back());
}

/// q: the first update moves the margin of class l in proportion to p_l^q between the first class and the last.
double effective_exponent(const EvidencePoint& point) {
  const std::vector<double> push = point.classes(label, "push", 0);
  return std::log(push.front() / push.back()) / log_spread(point);
}

/// The first step with an error of the class below 0.1; not a number where there is none.
double steps_of(const EvidencePoint& point, std::size_t row) {
  const std::vector<double> error = point.series(label, "error", row);
  for (std::size_t i = 0; i < error.size(); ++i) {
    if (error[i] < 0.1) return static_cast<double>(point.result.steps[i]);
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double steps_ratio(const EvidencePoint& point) {
  return steps_of(point, point.run().class_probability.size() - 1) / steps_of(point, 0);
}

/// Of exponents: the faster class is there after twenty whole steps, and the flow is followed in steps up to 0.7 of a margin.
constexpr double tolerance = 0.02;

void judge_exponent(const Evidence& evidence, CheckReport& report) {
  Points ratio, predicted;
  for (const EvidencePoint& point : evidence[0]) {
    const double q = effective_exponent(point), found = steps_ratio(point);
    ratio[q] = found;
    predicted[q] = std::exp(q * log_spread(point));
    Finding finding = judge::equals("exponent of the ratio of steps in p_1/p_K",
                                    std::log(found) / log_spread(point) - q, 0, tolerance);
    finding.measured += q;
    finding.agrees_to = {};
    finding.sharp = q;
    finding.rule = fmt::format("ratio {:.4g}, (p_1/p_K)^q = {:.4g}; exponents differ by at most {:g}", found,
                               predicted[q], tolerance);
    if (finding.verdict == Verdict::sharp) finding.verdict = Verdict::holds;
    report.headline("exponent", direction_of(point)).is(finding);
  }
  report.curve("steps of the rarest class over steps of the most frequent one", "q",
               {{"measured", ratio}, {"(p_1/p_K)^q", predicted}});
}

}  // namespace

CheckRow effective_exponent() {
  using namespace hypothesis;
  const auto memoryless = [](const EvidencePoint& point) {
    if (point.optimizer(label).rule != "formula") return true;
    std::vector<ParameterProblem> problems;
    return formula::graph_of(point.optimizer(label).parameters, problems).states.empty();
  };
  const auto longest = [](const EvidencePoint& point) {
    const std::vector<double> push = point.classes(label, "push", 0);
    return point.optimizer(label).step_size * *std::ranges::max_element(push);
  };
  return {.id = "formula/effective-exponent",
          .hypotheses = {identity(),
                         population_without_noise(),
                         equal_fan_in(),
                         complete(),
                         recorded_at_every_step(),
                         every("rules that remember nothing", memoryless, "no state in any formula",
                               "a formula has a state"),
                         ranged("a first step that moves no margin by more than 1", longest,
                                "η push at most {1:.3g}", [](double, double most) { return most <= 1; }),
                         ranged("unequal classes", log_spread, "ln(p_1/p_K) at least {:.4g}",
                                [](double least, double) { return least > 1; }),
                         {"exponents from -0.4 to 1",
                          [=](const PointList& points) {
                            double least = INFINITY, most = -INFINITY;
                            for (const EvidencePoint* point : points) {
                              least = std::min(least, effective_exponent(*point));
                              most = std::max(most, effective_exponent(*point));
                            }
                            return Outcome{least < -0.4 && most > 0.99,
                                           fmt::format("q from {:.3g} to {:.3g}", least, most)};
                          }}},
          .judge = judge_exponent};
}

}  // namespace rarefact::checks::formulas
