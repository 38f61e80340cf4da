#include "verify/assumptions.hpp"

#include <fmt/format.h>

#include <set>

#include "core/status.hpp"
#include "experiment/plan.hpp"
#include "model/embedding.hpp"
#include "optim/formula/graph.hpp"

namespace rarefact {

namespace {

using Outcome = HypothesisRow::Outcome;

/// The same, without which there is nothing to measure.
HypothesisRow needed(HypothesisRow row) {
  row.needed = true;
  return row;
}

/// Met where every point is as `is` says; the details of either case.
HypothesisRow every(std::string words, std::function<bool(const EvidencePoint&)> is, std::string met,
                    std::string unmet) {
  return {std::move(words), [=](const PointList& points) {
            for (const EvidencePoint* point : points) {
              if (!is(*point)) return Outcome{false, unmet};
            }
            return Outcome{true, met};
          }};
}

/// Decided by the least and the greatest of a number over the points, which are {0} and {1} in `detail`.
HypothesisRow ranged(std::string words, double (*number)(const EvidencePoint&), std::string detail,
                     bool (*met)(double least, double greatest)) {
  return {std::move(words), [=](const PointList& points) {
            double least = INFINITY, greatest = -INFINITY;
            for (const EvidencePoint* point : points) {
              least = std::min(least, number(*point));
              greatest = std::max(greatest, number(*point));
            }
            return Outcome{met(least, greatest), fmt::format(fmt::runtime(detail), least, greatest)};
          }};
}

/// Met where every point is as `is` says; the different values that `seen` lists of them are {} in `detail`.
template <class Seen>
HypothesisRow listed(std::string words, std::function<bool(const EvidencePoint&)> is, Seen seen,
                     std::string detail = "{}") {
  return {std::move(words), [=](const PointList& points) {
            bool met = true;
            std::set<typename decltype(seen(*points.front()))::value_type> all;
            for (const EvidencePoint* point : points) {
              met = met && is(*point);
              for (const auto& item : seen(*point)) all.insert(item);
            }
            return Outcome{met, fmt::format(fmt::runtime(detail), fmt::join(all, ", "))};
          }};
}

/// Both embeddings of every point have a property.
HypothesisRow of_embeddings(std::string words, bool (*property)(const Component&)) {
  return listed(
      std::move(words),
      [=](const auto& point) {
        return property(point.experiment.query_embedding) && property(point.experiment.answer_embedding);
      },
      [](const auto& point) {
        return std::set{point.experiment.query_embedding.kind, point.experiment.answer_embedding.kind};
      });
}

/// EᵀE = ẼᵀẼ = I, in this form or by a parameter that is 0.
HypothesisRow orthonormal() {
  return of_embeddings("orthonormal embeddings", [](const Component& side) {
    const EmbeddingRow& row = embedding_row(side.kind);
    return row.orthonormal ||
           (!row.orthonormal_at_zero.empty() && side.parameters.number(row.orthonormal_at_zero) == 0);
  });
}

/// E = Ẽ = I.
HypothesisRow identity() {
  return of_embeddings("identity embeddings",
                       [](const Component& side) { return embedding_row(side.kind).identity; });
}

/// E = I ⊗ R and Ẽ = I ⊗ R̃ with the blocks of wang2025, which rotated blocks have by default.
HypothesisRow rotated_blocks() {
  return {
      "embeddings I ⊗ R with the angles of wang2025", [](const PointList& points) {
        double largest = 0;
        for (const EvidencePoint* point : points) {
          for (const auto& [side, name] : {std::pair{&point->experiment.query_embedding, "query"},
                                           std::pair{&point->experiment.answer_embedding, "answer"}}) {
            if (!embedding_row(side->kind).block)
              return Outcome{false, "an embedding is not made of rotated blocks"};
            const Matrix given = rotation_block(side->parameters, name), published = rotation_block({}, name);
            const bool alike = given.rows() == published.rows();
            largest = std::max(largest, alike ? (given - published).cwiseAbs().maxCoeff() : 2.0);
          }
        }
        return Outcome{largest < 1e-12, fmt::format("blocks differ from those by at most {:.2g}", largest)};
      }};
}

HypothesisRow population() {
  return every(
      "population gradients", [](const auto& point) { return !point.experiment.sampled(); }, "all runs",
      "a run draws samples");
}

HypothesisRow population_without_noise() {
  return {"population gradient without label noise", [](const PointList& points) {
            std::set<std::string> modes;
            bool sampled = false;
            double noise = 0;
            for (const EvidencePoint* point : points) {
              modes.insert(point->experiment.data_mode);
              sampled = sampled || point->experiment.sampled();
              noise = std::max(noise, point->experiment.label_noise);
            }
            return Outcome{!sampled && noise == 0, fmt::format("{}, α {} {:g}", fmt::join(modes, ", "),
                                                               noise > 0 ? "up to" : "=", noise)};
          }};
}

HypothesisRow label_noise() {
  return ranged(
      "label noise above 0", [](const auto& point) { return point.experiment.label_noise; },
      "α from {:g} to {:g}", [](double least, double) { return least > 0; });
}

/// Every fact adds to the gradient; or, thresholded, those that are recovered add nothing (data.recovered).
HypothesisRow gradient(bool thresholded) {
  return every(
      thresholded ? "recovered facts give no gradient" : "the exact gradient",
      [=](const auto& point) { return point.experiment.removes_recovered == thresholded; }, "every run",
      "not every run");
}

HypothesisRow two_levels() {
  const auto levels = [](const auto& point) { return point.run().class_probability; };
  return listed(
      "two levels of p",
      [=](const auto& point) { return levels(point).size() == 2 && levels(point)[0] != levels(point)[1]; },
      [=](const auto& point) { return std::set{levels(point).size()}; },
      "{} groups of equally likely classes");
}

HypothesisRow equal_groups() {
  return {"M >= 2 groups of C >= 2 classes", [](const PointList& points) {
            bool met = true;
            double least = INFINITY, most = 0;
            std::set<std::size_t> groups;
            for (const EvidencePoint* point : points) {
              const std::vector<double>& count = point->run().class_count;
              groups.insert(count.size());
              for (const double value : count) met = met && value == count.front() && value >= 2;
              least = std::min(least, point->class_total());
              most = std::max(most, point->class_total());
            }
            return Outcome{met && *groups.begin() >= 2,
                           fmt::format("M from {} to {}, K from {:.3g} to {:.3g}", *groups.begin(),
                                       *groups.rbegin(), least, most)};
          }};
}

/// No two queries share an answer: Muon's speed falls with an answer's queries (docs/variants.md). Without it there is nothing to
/// measure, as classes are taken for answers.
HypothesisRow equal_fan_in() {
  return needed(every(
      "equal fan-in: one query for every answer",
      [](const auto& point) {
        const auto& answers = point.run().answers;
        if (!answers) return true;
        // Of several right answers each may have one query.
        return answers->query_count == answers->answer_count &&
               std::ranges::all_of(answers->fan_in, [](double value) { return value == 1; });
      },
      "yes", "queries share answers, or have several"));
}

HypothesisRow constant_step_sizes() {
  const auto others = [](const auto& point) {
    std::set<std::string> found;
    for (const OptimizerChoice& choice : point.experiment.optimizers) found.insert(choice.schedule);
    found.erase("constant");
    return found;
  };
  return listed(
      "constant step sizes", [=](const auto& point) { return others(point).empty(); }, others);
}

HypothesisRow no_momentum() {
  return ranged(
      "no momentum",
      [](const auto& point) {
        double most = 0;
        for (const OptimizerChoice& choice : point.experiment.optimizers) {
          if (choice.parameters.has("momentum"))
            most = std::max(most, std::abs(choice.parameters.number("momentum")));
        }
        return most;
      },
      "momentum up to {1:g}", [](double, double most) { return most == 0; });
}

HypothesisRow least_squares(bool gaussian) {
  return every(
      gaussian ? "least squares with Gaussian queries" : "least squares of facts",
      [gaussian](const EvidencePoint& point) {
        return point.experiment.loss->of_outputs && point.experiment.squares.gaussian() == gaussian;
      },
      "all runs", "a run has another loss");
}

HypothesisRow four_seeds() {
  return needed({"four seeds at least", [](const PointList& points) {
                   std::set<std::int64_t> seeds;
                   for (const EvidencePoint* point : points) seeds.insert(point->experiment.seed);
                   return Outcome{seeds.size() >= 4, fmt::format("{} of them", seeds.size())};
                 }});
}

HypothesisRow frozen() {
  return ranged(
      "steps too small to change the gradient",
      [](const auto& point) {
        double most = 0;
        for (const OptimizerChoice& choice : point.experiment.optimizers)
          most = std::max(most, choice.step_size * static_cast<double>(point.experiment.steps));
        return most;
      },
      "η times steps at most {1:.2g}", [](double, double most) { return most <= 1e-8; });
}

HypothesisRow samples() {
  return every(
      "fresh samples at every step",
      [](const auto& point) { return point.experiment.data_mode == "minibatch"; }, "all runs",
      "a run does not draw them");
}

HypothesisRow complete() {
  return {"every run reaches its last step", [](const PointList& points) {
            std::size_t reached = 0, all = 0;
            for (const EvidencePoint* point : points) {
              for (const Trajectory& trajectory : point->run().trajectories) {
                ++all;
                reached += trajectory.status == Status::complete ? 1 : 0;
              }
            }
            return Outcome{reached == all, fmt::format("{} of {}", reached, all)};
          }};
}

HypothesisRow recorded_at_every_step() {
  return every(
      "every step is recorded",
      [](const auto& point) {
        return static_cast<std::int64_t>(point.result.steps.size()) == point.experiment.steps + 1;
      },
      "all runs", "a run leaves steps out");
}

/// msgn itself wherever the rule is muon: neither a polynomial nor smoothed.
bool exact_polar(const EvidencePoint& point) {
  return std::ranges::all_of(point.experiment.optimizers, [](const OptimizerChoice& choice) {
    return choice.rule != "muon" ||
           (choice.parameters.text("polar") == "exact" && choice.parameters.number("smoothing") == 0);
  });
}

bool memoryless(const EvidencePoint& point) {
  return std::ranges::all_of(point.experiment.optimizers, [](const OptimizerChoice& choice) {
    std::vector<ParameterProblem> problems;
    return choice.rule != "formula" || formula::graph_of(choice.parameters, problems).states.empty();
  });
}

HypothesisRow one_answer() {
  return needed(every(
      "every query has one answer, which a law says",
      [](const EvidencePoint& point) {
        const auto& answers = point.run().answers;
        return answers && answers->loss_floor == 0 && std::ranges::min(answers->fan_in) >= 1;
      },
      "all runs", "a run has queries of several answers, answers without queries, or no law"));
}

}  // namespace

const std::vector<AssumptionRow>& assumptions() {
  static const std::vector<AssumptionRow> rows = {
      {"orthonormal", orthonormal()},
      {"identity", identity()},
      {"rotated_blocks", rotated_blocks()},
      {"haar",
       of_embeddings("Haar embeddings", [](const Component& side) { return side.kind == "orthogonal"; })},
      {"gaussian", of_embeddings("independent Gaussian embeddings",
                                 [](const Component& side) { return side.kind == "gaussian"; })},
      {"exact_polar", every("the exact polar factor", exact_polar, "polar = exact, smoothing = 0",
                            "approximate or smoothed")},
      {"population", population()},
      {"no_label_noise", population_without_noise()},
      {"label_noise", label_noise()},
      {"samples", samples()},
      {"exact_gradient", gradient(false)},
      {"thresholded", gradient(true)},
      {"two_levels", two_levels()},
      {"equal_groups", equal_groups()},
      {"equal_fan_in", equal_fan_in()},
      {"constant_step_sizes", constant_step_sizes()},
      {"no_momentum", no_momentum()},
      {"least_squares", least_squares(false)},
      {"gaussian_queries", least_squares(true)},
      {"four_seeds", four_seeds()},
      {"frozen", frozen()},
      {"one_answer", one_answer()},
      {"complete", complete()},
      {"memoryless",
       every("rules that remember nothing", memoryless, "no state in any formula", "a formula has a state")},
      {"every_step", recorded_at_every_step()},
  };
  return rows;
}

Hypothesis own_rules(const CheckRow& row, const Evidence& evidence) {
  std::set<std::string> own, others;
  for (std::size_t e = 0; e < evidence.experiments.size(); ++e) {
    const CheckExperiment& experiment = row.experiments.at(e);
    std::set<std::pair<std::string, std::string>> rules;
    for (const OptimizerChoice& choice :
         parse_plan(experiment.text, experiment.file).point(0).experiment.optimizers)
      rules.insert({choice.name, choice.rule});
    for (const EvidencePoint& point : evidence[e]) {
      for (const OptimizerChoice& choice : point.experiment.optimizers)
        (rules.contains({choice.name, choice.rule}) ? own : others).insert(choice.rule);
    }
  }
  return {"the rules of the statement", others.empty(),
          fmt::format("{}", fmt::join(others.empty() ? own : others, ", "))};
}

}  // namespace rarefact
