#include "verify/check.hpp"

namespace rarefact::checks::li2026b {

namespace {

constexpr const char* classes_key = "classes.count";

/// Mean push of every class over all seeds and the steps from `first` on.
std::vector<double> mean_push(const EvidencePoints& points, const std::string& optimizer,
                              std::int64_t first) {
  std::vector<double> mean(points.front().run().class_count.size(), 0);
  for (const EvidencePoint& point : points) {
    for (std::size_t row = 0; row < mean.size(); ++row) {
      const std::vector<double> all = point.series(optimizer, "push", row);
      for (std::size_t i = static_cast<std::size_t>(first); i < all.size(); ++i)
        mean[row] +=
            all[i] / static_cast<double>((all.size() - static_cast<std::size_t>(first)) * points.size());
    }
  }
  return mean;
}

/// 1 - (1-p)^B: how likely B pairs have a query of probability p. To all digits for small p.
double covered(double probability, double batch) {
  return -std::expm1(batch * std::log1p(-probability));
}

/// What a batch covers, class by class.
std::vector<double> law_of(const EvidencePoint& point, double batch) {
  return collect(point.run().class_probability, [=](double p) { return covered(p, batch); });
}

double largest_distance(const std::vector<double>& a, const std::vector<double>& b) {
  Largest largest;
  for (std::size_t i = 0; i < a.size(); ++i) largest.add(std::abs(a[i] - b[i]));
  return largest;
}

Points over_probability(const EvidencePoint& point, const std::vector<double>& numbers) {
  Points points;
  for (std::size_t i = 0; i < numbers.size(); ++i) points[point.run().class_probability[i]] = numbers[i];
  return points;
}

/// Means over the ranks 8-15, 16-31 ..., where B p is small, against the mean p of each.
Points octaves(const EvidencePoint& point, const std::vector<double>& numbers) {
  Points points;
  for (std::size_t first = 8; 2 * first <= numbers.size(); first *= 2) {
    double p = 0, mean = 0;
    for (std::size_t row = first - 1; row < 2 * first - 1; ++row) {
      p += point.run().class_probability[row] / static_cast<double>(first);
      mean += numbers[row] / static_cast<double>(first);
    }
    points[p] = mean;
  }
  return points;
}

/// Each batch on its own, and the average of its factors: many steps.
void judge_batches(const EvidencePoints& points, CheckReport& report) {
  const EvidencePoint& first = points.front();
  const std::vector<double> law = law_of(first, batch_of(first));
  std::vector<std::pair<std::string, Points>> curves = {{"1 - (1-p)^B", over_probability(first, law)}};
  for (const std::string order : {"polar-only", "after"}) {
    // An average is there after some 1/(1-μ) steps.
    const std::vector<double> push = mean_push(points, order, order == "after" ? 100 : 0);
    report.headline("law", order)
        .equals("largest |push - (1-(1-p)^B)| of a class", largest_distance(push, law), 0, 0.02);
    curves.push_back({order, over_probability(first, push)});
    if (order == "after") continue;
    const double slope = judge::fit_of(octaves(first, law)).slope;
    report.headline("tail").ours().exponent("exponent of push in p, polar-only, by octaves of the rank",
                                            octaves(first, push), slope, 0.05);
  }
  report.curve("push of each class, mean over steps and seeds", "p", curves);
}

/// The polar factor of a momentum pushes each class that was drawn in any step so far, however long ago.
void judge_memory(const EvidencePoints& points, CheckReport& report) {
  Largest off;
  for (const EvidencePoint& point : points) {
    std::vector<double> seen(point.run().class_count.size(), 0);
    for (const std::int64_t step : point.result.steps) {
      const std::vector<double> one = point.classes("polar-only", "push", step),
                                all = point.classes("before", "push", step);
      for (std::size_t row = 0; row < seen.size(); ++row) {
        seen[row] = std::max(seen[row], std::round(one[row]));
        off.add(std::abs(all[row] - seen[row]));
      }
    }
  }
  report.headline("before").ours().at_most(
      "largest |push - 1| of a class drawn in some step so far, |push| of others", off,
      4 / points.front().class_total());
}

/// Any K: heads and tails of two levels.
void judge_scale(const EvidencePoints& points, CheckReport& report) {
  for (const double total : values_of(points, classes_key)) {
    const PointList list = where(points, classes_key, total);
    const EvidencePoint& first = *list.front();
    for (const std::string order : {"polar-only", "before"}) {
      // What was drawn in a step; what was drawn in any up to the last.
      const bool before = order == "before";
      const double batch = batch_of(first) * (before ? static_cast<double>(first.last_step() + 1) : 1);
      for (const std::size_t row : {std::size_t{0}, std::size_t{1}}) {
        const std::vector<double> found = collect(list, [&](const auto* point) {
          const double push = before ? point->at(order, "push", point->last_step(), row)
                                     : late_mean(*point, order, "push", 0, row);
          return push / covered(point->run().class_probability[row], batch);
        });
        report
            .finding("scale", fmt::format("{}, {}, K = {:g}", order, row == 0 ? "head" : "tail", total),
                     row == 1 && total > 1e9)
            .seed_mean_equals("push over what the draws cover", found, 1, 0.02, 0.2);
      }
    }
  }
}

void judge_coverage(const Evidence& evidence, CheckReport& report) {
  judge_batches(evidence[0], report);
  judge_memory(evidence[1], report);
  judge_scale(evidence[2], report);
}

}  // namespace

CheckRow coverage() {
  return {.id = "li2026b/coverage",
          .hypotheses = {four_seeds(), equal_fan_in(), frozen(), samples(), identity(),
                         ranged(
                             "no label noise", [](const auto& point) { return point.experiment.label_noise; },
                             "α up to {1:g}", [](double, double most) { return most == 0; }),
                         complete(), recorded_at_every_step()},
          .further = {"li2026b/coverage-before", "li2026b/coverage-at-scale"},
          .momentum = true,
          .no_precise_runs = no_digits,
          .judge = judge_coverage};
}

}  // namespace rarefact::checks::li2026b
