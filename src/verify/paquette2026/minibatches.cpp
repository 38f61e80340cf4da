#include "verify/paquette2026/drifts.hpp"

namespace rarefact::checks::paquette2026 {

namespace {

constexpr const char* drift_title = "drift of the modes in units of 2e/(2R)^½, means over octaves";
constexpr const char* slope_words = "exponent in λ of the drift, octaves of modes";

void judge_square_root(const Evidence& evidence, CheckReport& report) {
  const OctaveRates muon = octave_rates(list_of(evidence[0]), "muon", sign_svd_rates);
  report.headline("slope").seed_mean_equals(slope_words, slopes(muon), predicted_slope(muon), 0.03, 0.03);
  judge_octaves(report, "", muon, 0.1, 0.1);
  report.curve(drift_title, "λ over its largest", {{"muon", muon.mean()}, {"formula", muon.predicted}});
}

void judge_small_batch(const Evidence& evidence, CheckReport& report) {
  const OctaveRates small = octave_rates(list_of(evidence[0]), "muon", sign_svd_rates),
                    large = octave_rates(list_of(evidence[1]), "muon", sign_svd_rates);
  const std::size_t last_pair = small.predicted.size() - 2;
  const auto local = [&](const OctaveRates& rates, std::size_t first) {
    return judge::seed_mean("", slopes(rates, first, 2));
  };
  const auto equals = [&](const char* id, const char* of, std::size_t first, double tolerance) {
    report.headline(id).seed_mean_equals(fmt::format("exponent in λ of the drift, {} two octaves, B = 8", of),
                                         slopes(small, first, 2), predicted_slope(small, first, 2), tolerance,
                                         3 * tolerance);
  };
  equals("tail", "last", 0, 0.05);
  equals("head", "first", last_pair, 0.15);
  report.finding("rises").intervals_apart("distance of the tail's interval above the head's", local(small, 0),
                                          local(small, last_pair));
  report.finding("batch").intervals_apart("distance of the tail's interval above that of B = 256",
                                          local(small, 0), local(large, 0));
  judge_octaves(report, "B = 8, ", small, 0.15, 0.45);
  report.curve(drift_title, "λ over its largest",
               {{"B = 8", small.mean()},
                {"formula", small.predicted},
                {"B = 256", large.mean()},
                {"formula of 256", large.predicted}});
}

PointList runs_in(PointList points, const std::string& embedding) {
  std::erase_if(points, [&](const auto* p) { return p->experiment.query_embedding.kind != embedding; });
  return points;
}

/// As many in one basis as in the other.
Outcome both_bases(const PointList& points) {
  const std::size_t own = runs_in(points, "identity").size(), random = runs_in(points, "orthogonal").size();
  return {own > 0 && own == random, fmt::format("{} and {} runs", own, random)};
}

void judge_signsgd(const Evidence& evidence, CheckReport& report) {
  std::vector<std::pair<std::string, Points>> curves;
  const auto judge_one = [&](const std::string& of, const PointList& points, const std::string& rule,
                             Rates rates) {
    const OctaveRates found = octave_rates(points, rule, rates);
    report.headline("slope", of)
        .seed_mean_equals(slope_words, slopes(found), predicted_slope(found), 0.08, 0.08);
    judge_octaves(report, of + ", ", found, 0.2, 0.2);
    curves.push_back({of, found.mean()});
    curves.push_back({of + ", formula", found.predicted});
  };
  const auto in = [&](const std::string& embedding) { return runs_in(list_of(evidence[0]), embedding); };
  judge_one("signgd, random basis", in("orthogonal"), "signgd", sign_sgd_rates);
  judge_one("signgd, basis of the modes", in("identity"), "signgd", sign_sgd_eigenbasis_rates);
  const auto muon = [&](const std::string& embedding) {
    return collect(in(embedding), [](const auto* point) {
      const Eigen::ArrayXd rates = measured_rates(*point, "muon");
      return std::vector<double>(rates.begin(), rates.end());
    });
  };
  report.finding("muon").agree("drift of every mode under muon, one basis against the other",
                               muon("orthogonal"), muon("identity"), 1e-3);
  const OctaveRates large = octave_rates(in("identity"), "muon", sign_svd_rates);
  curves.push_back({"muon", large.mean()});
  curves.push_back({"muon, formula", large.predicted});
  report.curve(drift_title, "λ over its largest", curves);
}

void judge_isotropic(const Evidence& evidence, CheckReport& report) {
  const EvidencePoint& first = evidence[0].front();
  const BilinearProblem problem = problem_of(first);
  const auto measured = [&](const std::string& rule, double unit) {
    return collect(evidence[0], [&](const auto& point) { return measured_rates(point, rule).mean() / unit; });
  };
  const auto predicted = [&](Rates rates, double unit) {
    return predicted_rates(first, rates).mean() / unit;
  };
  const double of_muon = std::sqrt(problem.batch / problem.outputs), of_sign = std::sqrt(problem.batch);
  report.headline("drift", "muon, in units of (B/d)^½")
      .seed_mean_equals("drift of all modes", measured("muon", of_muon), predicted(sign_svd_rates, of_muon),
                        0.08, 0.05);
  report.headline("drift", "signgd, in units of B^½")
      .seed_mean_equals("drift of all modes", measured("signgd", of_sign), predicted(sign_sgd_rates, of_sign),
                        0.08, 0.05);
  // Squared norms of an update: d of a polar factor, d² of signs.
  const double sizes = problem.outputs;
  std::vector<double> worth = measured("muon", 1), signs = measured("signgd", 1);
  for (std::size_t i = 0; i < worth.size(); ++i) worth[i] = sizes * std::pow(worth[i] / signs[i], 2);
  report.headline("worth").seed_mean_equals(
      "squared drift for the squared norm of an update, muon over signgd", worth,
      sizes * std::pow(predicted(sign_svd_rates, 1) / predicted(sign_sgd_rates, 1), 2), 0.1, 0.1);
}

/// A statement on bilinear measurements of Gaussian queries and a random target, drawn anew at every step, at least four
/// seeds.
CheckRow of_minibatches(const char* id, void (*judge)(const Evidence&, CheckReport&),
                        std::vector<HypothesisRow> hypotheses) {
  const auto bilinear = [](const EvidencePoint& point) {
    const LeastSquares& data = point.experiment.squares;
    return point.experiment.least_squares() && data.bilinear() && data.random_target() &&
           data.answer_noise == 0 && data.query_noise == 0;
  };
  for (HypothesisRow& one :
       std::vector{needed(every("bilinear least squares of Gaussian queries with a random target", bilinear,
                                "all runs", "a run is another")),
                   needed(samples()), four_seeds(), orthonormal(), complete()})
    hypotheses.push_back(std::move(one));
  return {.id = id, .hypotheses = hypotheses, .no_precise_runs = squares_have_no_digits, .judge = judge};
}

}  // namespace

CheckRow square_root() {
  return of_minibatches("paquette2026/square-root", judge_square_root, {frozen()});
}

CheckRow small_batch() {
  CheckRow row = of_minibatches("paquette2026/small-batch", judge_small_batch, {frozen()});
  row.further = {"paquette2026/square-root"};
  return row;
}

CheckRow signsgd() {
  return of_minibatches("paquette2026/signsgd", judge_signsgd,
                        {needed({"in the basis of the modes and in a random one", both_bases}), frozen()});
}

CheckRow isotropic() {
  return of_minibatches("paquette2026/isotropic", judge_isotropic, {frozen()});
}

}  // namespace rarefact::checks::paquette2026
