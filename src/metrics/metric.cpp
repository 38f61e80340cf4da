#include "metrics/metric.hpp"

#include <fmt/format.h>

#include "metrics/probe.hpp"
#include "metrics/update_digits.hpp"

namespace rarefact {

namespace {

/// The digits that rounding leaves; computed from repetitions of the run if run.digits requests them.
std::vector<MetricRow> digits_rows() {
  const std::string formula =
      "from one repetition rounded at random, where it leaves 10 or more everywhere: -log10(relative difference) "
      "- 2, at most 13; else from three: -log10(largest relative difference) - 1, at most 15; the least so far";
  const auto row = [&](const std::string& name, const std::string& summary,
                       MetricTraits traits = {}) -> MetricRow {
    return {{name, summary, formula, "vignes1993; parker1997"}, summary, traits};
  };
  return {row("digits", "digits that rounding leaves of the loss, the excess loss and the errors, the least",
              {.predicted = true}),
          row("loss_digits", "digits that rounding leaves of the loss"),
          row("excess_loss_digits", "digits that rounding leaves of the excess loss"),
          row("error_digits", "digits that rounding leaves of the errors of all classes shown"),
          row("class_loss_digits", "digits that rounding leaves of the class losses of least squares",
              {.predicted = true, .losses = Losses::least_squares}),
          row("loss_drop_digits", "digits that rounding leaves of the relative drop of the loss"),
          row("push_digits", "digits that rounding leaves of the pushes of all classes shown"),
          row("alignment_digits", "digits that rounding leaves of the alignment"),
          row("balance_digits", "digits that rounding leaves of the balance"),
          row("root_balance_digits", "digits that rounding leaves of the balance of roots"),
          row("update_digits", "digits that rounding leaves of measures of the update"),
          row("nds_predicted_digits", "digits that rounding leaves of the predicted nds")};
}

/// Of queries that are sums of attributes, filled in by recorders.
MetricRow attribute_row(std::size_t attribute) {
  const std::string name = attribute_names[attribute];
  return {{attribute_error_name(attribute),
           "probability of all answers with the wrong " + name + ", mean over the group's classes",
           fmt::format("Σ_k p̂(k|l) over the answers k whose {} is not that of l", name), "li2026c"},
          "error of the " + name,
          {.along = Along::class_groups, .share = true}};
}

/// Metrics of shared answers and of attributes, filled in by recorders.
std::vector<MetricRow> answer_rows() {
  return {
      {{"top1_error",
        "how often the answer with the largest logit is wrong; tied answers share the places evenly",
        "Σ_l p_l (1 - π₀(k̂_l|l)), k̂_l the answer with the largest logit"},
       "top-1 error",
       {.certified = Certified::alone, .share = true}},
      attribute_row(0),
      attribute_row(1),
      {{"answer_error", "error of the queries of an answer, mean by probability",
        "Σ_l p_l π₀(k|l) error_l / q_k, q_k = Σ_l p_l π₀(k|l)"},
       "error of the answer",
       {.along = Along::answer_groups, .certified = Certified::alone, .share = true}},
      {{"answer_loss", "loss of an answer, mean over its queries by probability",
        "-Σ_l p_l π(k|l) ln p̂(k|l) / Σ_l p_l π(k|l)"},
       "loss of the answer",
       {.units = "nat", .along = Along::answer_groups, .certified = Certified::alone}},
  };
}

/// Errors of the k largest logits, and means over bands, filled in by recorders.
std::vector<MetricRow> requested_rows() {
  const std::string mean = "plain mean over the classes of the band";
  std::vector<MetricRow> rows = {
      {{"top_error", "how often the right answer is not among those with the k largest logits (run.top)",
        "1 - Σ π₀(j|l) over the k largest logits S_jl; tied answers share the places evenly"},
       "top-k error of the class",
       {.along = Along::class_groups,
        .certified = Certified::alone,
        .losses = Losses::softmax,
        .of_tops = true,
        .share = true}},
      {{"total_top_error", "the same, mean over the classes by probability", "Σ_l p_l top_error_l"},
       "top-k error",
       {.certified = Certified::alone, .losses = Losses::softmax, .of_tops = true, .share = true}},
      {{"band_top_error", "top_error of a band of classes (run.bands), " + mean, "mean of top_error"},
       "top-k error of the band",
       {.along = Along::bands,
        .certified = Certified::alone,
        .losses = Losses::softmax,
        .of_tops = true,
        .share = true}}};
  for (const MetricRow& row : class_metric_rows())
    if (row.per_class())
      rows.push_back({{"band_" + row.name, row.name + " of a band of classes (run.bands), " + mean,
                       "mean of " + row.name},
                      row.long_name.substr(0, row.long_name.rfind(' ')) + " band",
                      {.units = row.units,
                       .along = Along::bands,
                       .certified = row.certified,
                       .losses = row.losses,
                       .share = row.share}});
  return rows;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> MetricRow::stored_in(
    const std::map<std::string, std::vector<double>>& series) const {
  std::vector<std::pair<std::string, std::string>> all;
  const auto add = [&](const std::string& stored, const std::string& of) {
    if (series.contains(stored)) all.emplace_back(stored, of);
  };
  if (of_matrices) {
    add("update_" + name, " of the update");
    add("weight_" + name, " of the weight");
  } else if (of_tops) {
    for (auto at = series.lower_bound(name + "_"); at != series.end() && at->first.starts_with(name + "_");
         ++at)
      add(at->first, ", k = " + at->first.substr(name.size() + 1));
  } else {
    add(name, "");
  }
  return all;
}

const std::vector<MetricRow>& metric_catalogue() {
  static const std::vector<MetricRow> rows = [] {
    std::vector<MetricRow> all = class_metric_rows();
    const auto append = [&](const std::vector<MetricRow>& more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    for (const Probe& probe : probes()) append(probe.rows);
    append(answer_rows());
    append(requested_rows());
    append(digits_rows());
    return all;
  }();
  return rows;
}

const std::vector<double>* update_digits(const Trajectory& trajectory, const std::string& variable) {
  // The distance of the update from the identity is not small where the update is, and the gain is of the gradient.
  if (variable.ends_with("digits") || variable == "update_identity_deviation" || variable == "twin_gain")
    return nullptr;
  if (variable == "nds_predicted") return trajectory.find("nds_predicted_digits");
  const auto is_named = [&](const MetricRow& row) { return row.name == variable; };
  const bool of_update =
      variable.starts_with("update_") || std::ranges::any_of(probes(), [&](const Probe& probe) {
        return probe.needs.update && !variable.starts_with("weight_") &&
               std::ranges::any_of(probe.rows, is_named);
      });
  return of_update ? trajectory.find("update_digits") : nullptr;
}

bool is_share(const std::string& variable) {
  return std::ranges::any_of(metric_catalogue(), [&](const MetricRow& row) {
    return row.share && (row.of_tops ? variable.starts_with(row.name + "_") : variable == row.name);
  });
}

const MetricRows& class_metrics(bool squares, bool predicted) {
  static const auto chosen = [](bool of_squares, bool of_predicted) {
    MetricRows rows;
    for (const MetricRow& row : metric_catalogue())
      if (row.of_classes && row.is_of(of_squares) && (row.predicted || !of_predicted)) rows.push_back(&row);
    return rows;
  };
  static const MetricRows all[] = {chosen(false, false), chosen(false, true), chosen(true, false),
                                   chosen(true, true)};
  return all[2 * squares + predicted];
}

}  // namespace rarefact
