#include "verify/check.hpp"

namespace rarefact::checks::li2026 {

namespace {

/// Two points of the plan: the same experiment over all entries and in the algebra.
struct Pair {
  const EvidencePoint* dense = nullptr;
  const EvidencePoint* reduced = nullptr;
};

std::vector<Pair> pairs_of(const PointList& points) {
  std::map<std::vector<double>, Pair> pairs;
  for (const EvidencePoint* point : points) {
    Pair& pair = pairs[{point->parameter("classes.groups"), point->parameter("classes.group_size"),
                        point->parameter("data.label_noise")}];
    (point->experiment.engine == Engine::dense ? pair.dense : pair.reduced) = point;
  }
  std::vector<Pair> list;
  for (const auto& [key, pair] : pairs) {
    if (pair.dense != nullptr && pair.reduced != nullptr) list.push_back(pair);
  }
  return list;
}

Outcome twins(const PointList& points) {
  const std::size_t pairs = pairs_of(points).size();
  return {2 * pairs == points.size() && pairs > 0,
          fmt::format("{} pairs of {} points", pairs, points.size())};
}

bool single_classes(const EvidencePoint& point) {
  return std::ranges::all_of(point.run().class_count, [](double count) { return count == 1; });
}

/// The largest of (max - min)/max over the classes of any group, at any recorded step.
double spread_in_groups(const EvidencePoint& point, const std::string& optimizer,
                        const std::string& variable) {
  Largest largest;
  const std::vector<double>& p = point.run().class_probability;
  for (const std::int64_t step : point.result.steps) {
    const std::vector<double> values = point.classes(optimizer, variable, step);
    for (std::size_t begin = 0, end = 0; begin < p.size(); begin = end) {
      while (end < p.size() && p[end] == p[begin]) ++end;
      const auto from = values.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto [least, most] = std::minmax_element(from, values.begin() + static_cast<std::ptrdiff_t>(end));
      largest.add((*most - *least) / *most);
    }
  }
  return largest;
}

/// All numbers of some variables that a run has, one behind the other.
std::vector<double> numbers_of(const EvidencePoint& point, const std::string& optimizer,
                               const std::vector<std::string>& variables) {
  return collect(variables, [&](const std::string& variable) {
    return collect(point.result.steps,
                   [&](std::int64_t step) { return point.classes(optimizer, variable, step); });
  });
}

void judge_symmetry(const Evidence& evidence, CheckReport& report) {
  const std::vector<Pair> pairs = pairs_of(evidence.all());
  // Random embeddings are orthonormal to 1e-15 only, and a step of Muon divides by the smallest singular
  // value.
  constexpr double tolerance = 1e-12;
  const std::vector<std::string> losses = {"error", "class_loss"};
  const std::vector<std::string> spectrum = {"weight_stable_rank", "weight_entropy", "weight_frobenius_norm",
                                             "weight_spectral_norm"};
  Largest worst;
  std::map<std::string, Largest> spreads;
  for (const OptimizerChoice& choice : evidence[0].front().experiment.optimizers) {
    for (const Pair& pair : pairs) {
      for (const std::string& variable : losses)
        spreads[choice.name].add(spread_in_groups(*pair.dense, choice.name, variable));
    }
    worst.add(spreads[choice.name]);
  }
  report.headline("spread")
      .equals("spread of error and loss inside groups, all rules", worst, 0, tolerance)
      .published = "0";
  for (const OptimizerChoice& choice : evidence[0].front().experiment.optimizers) {
    const auto of = [&](const EvidencePoint* Pair::*side, const std::vector<std::string>& variables) {
      return collect(pairs,
                     [&](const Pair& pair) { return numbers_of(*(pair.*side), choice.name, variables); });
    };
    // Before the first step a spectrum is all zeros, and its measures are not defined.
    const auto defined = [](std::vector<double> numbers) {
      std::erase_if(numbers, [](double one) { return std::isnan(one); });
      return numbers;
    };
    report.finding(choice.name + "/spread")
        .equals(choice.name + ": spread of error and loss inside groups", spreads[choice.name], 0, tolerance);
    report.finding(choice.name + "/losses")
        .agree(choice.name + ": error and loss, dense against the algebra", of(&Pair::dense, losses),
               of(&Pair::reduced, losses), tolerance);
    report.finding(choice.name + "/singular-values")
        .agree(choice.name + ": singular values of W, dense against the algebra",
               defined(of(&Pair::dense, spectrum)), defined(of(&Pair::reduced, spectrum)), tolerance);
  }
}

}  // namespace

CheckRow block_symmetry() {
  return {.id = "li2026/block-symmetry",
          .hypotheses = {orthonormal(), complete(), equal_fan_in(),
                         HypothesisRow{"every dense run has its twin in the algebra", twins},
                         every("every class is recorded by itself", single_classes, "yes", "no"),
                         assumed("W = 0 at the start"), assumed("a rule that commutes with rotations of W")},
          .no_precise_runs = "runs over all entries of W are in double precision",
          .judge = judge_symmetry};
}

}  // namespace rarefact::checks::li2026
