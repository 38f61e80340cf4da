#include "sim/answer_groups.hpp"

#include <limits>

#include "core/compensated_sum.hpp"
#include "core/sorted_order.hpp"
#include "core/transform.hpp"

namespace rarefact {

namespace {

/// Every answer type of the components.
struct AnswerTypes {
  std::vector<double> count, frequency, fan_in;
  std::vector<std::size_t> order;  ///< most frequent first

  explicit AnswerTypes(const Components& components)
      : frequency(answer_frequencies(components)), fan_in(frequency.size(), 0) {
    for (const ComponentGroup& group : components.groups) {
      const std::size_t first = count.size();
      for (const double multiplicity : group.answer_multiplicity) count.push_back(group.count * multiplicity);
      for (const QueryType& query : group.queries) {
        for (const AnswerShare& share : query.answers)
          fan_in[first + static_cast<std::size_t>(share.type)] += query.multiplicity;
      }
    }
    order = sorted_order(count.size(), std::greater(), [&](std::size_t i) { return frequency[i]; });
  }

  std::vector<std::size_t> groups() const {
    std::vector<std::size_t> of(order.size());
    for (std::size_t g = 0; g < order.size(); ++g) of[order[g]] = g;
    return of;
  }
  std::vector<double> ordered(const std::vector<double>& values) const {
    return mapped(order, [&](std::size_t type) { return values[type]; });
  }
};

/// The answers of a law that is written out, a group per type. Class group members refer to query types.
AnswerGroups all_answers(const AnswerLaw& law, double least_loss) {
  const AnswerTypes types(*law.components);
  const std::vector<std::size_t> group = types.groups();
  AnswerGroups groups{.query_count = law.components->queries(),
                      .answer_count = law.components->answers(),
                      .loss_floor = least_loss,
                      .count = types.ordered(types.count),
                      .probability = types.ordered(types.frequency),
                      .fan_in = types.ordered(types.fan_in)};
  CompensatedSum error;  // Σ_l p_l (1 - max_k π₀(k|l))
  for (const auto& [component, query, number, first_answer] : query_types(*law.components)) {
    const auto right = std::ranges::find(query.answers, true, &AnswerShare::right);
    const std::size_t of = first_answer + static_cast<std::size_t>(right->type);
    groups.class_fan_in.push_back(types.fan_in[of]);
    groups.class_answer.push_back(static_cast<double>(group[of]));
    const auto likeliest = std::ranges::max_element(query.answers, {}, &AnswerShare::probability);
    for (auto share = query.answers.begin(); share != query.answers.end(); ++share) {
      const double others = component.answer_multiplicity[share->type] - (share == likeliest);
      error.add(component.count * query.multiplicity * query.probability * others * share->probability);
    }
  }
  groups.top1_floor = error.value();
  return groups;
}

/// The answers of rows that are panel nodes, each once, most frequent first. An answer represents as many
/// answers as its node does.
AnswerGroups node_answers(const Spectrum& spectrum, const ClassRows& rows, double least_loss) {
  const SmoothLaw& law = *spectrum.law;
  AnswerGroups groups{.query_count = spectrum.classes, .answer_count = law.classes, .loss_floor = least_loss};
  std::vector<double> ranks = mapped(rows, &ClassRow::answer_rank);
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  const double total = weight_of_ranks(law, law.classes);
  groups.count.resize(ranks.size());
  for (const double rank : ranks) {
    groups.probability.push_back(law.weight(rank) / total);
    groups.fan_in.push_back(law.queries(rank));
  }
  for (const ClassRow& row : rows) {
    const auto at = std::ranges::lower_bound(ranks, row.answer_rank) - ranks.begin();
    groups.count[at] += row.count / groups.fan_in[at];
    groups.class_fan_in.push_back(groups.fan_in[at]);
    groups.class_answer.push_back(static_cast<double>(at));
  }
  // A requested query represents only itself, and so does its answer.
  for (double& count : groups.count) count = std::max(count, 1.0);
  return groups;
}

}  // namespace

ShownAnswers shown_answers(const Spectrum& spectrum, const ClassRows& rows, double least_loss) {
  AnswerGroups all;
  if (spectrum.groups) {
    all = all_answers(*spectrum.answers, least_loss);
    for (std::vector<double>* of_types : {&all.class_fan_in, &all.class_answer})
      *of_types = mapped(rows, [&](const ClassRow& row) { return (*of_types)[row.group]; });
  }
  if (shows_groups(spectrum)) return {std::move(all)};
  ShownAnswers shown{node_answers(spectrum, rows, least_loss)};
  if (!spectrum.groups) return shown;
  shown.among_all.resize(shown.groups.count.size());
  for (std::size_t row = 0; row < rows.size(); ++row)
    shown.among_all[static_cast<std::size_t>(shown.groups.class_answer[row])] =
        static_cast<std::size_t>(all.class_answer[row]);
  return shown;
}

AnswerMeasures::AnswerMeasures(const AnswerLaw& law, const Experiment& experiment,
                               const std::vector<Cell>& cells, const TypedPairs* written,
                               std::vector<std::size_t> shown)
    : label_noise_(experiment.label_noise), shown_(std::move(shown)) {
  const AnswerTypes types(*law.components);
  const std::vector<std::size_t> group_of = types.groups();
  frequency_ = types.ordered(types.frequency);
  const double answers = law.components->answers();
  for (const double q : frequency_)
    background_.push_back(label_noise_ * (experiment.noise() == NoiseAnswers::uniform ? 1 / answers : q));
  // The numbers of a group are means over its answers.
  const auto add = [&](std::size_t cell, std::size_t type, double number, double share) {
    const double mass = cells[cell].classes * cells[cell].probability;
    shares_.push_back({cell, group_of[type], mass * share * number / types.count[type]});
  };
  if (written) {
    const auto& [pairs, types_of] = *written;
    const std::vector<Index>& type_of = types_of.answer;
    for (std::size_t l = 0; l < cells.size(); ++l) {
      for (std::size_t i = pairs.begin[l]; i < pairs.begin[l + 1]; ++i)
        add(l, static_cast<std::size_t>(type_of[pairs.answer[i]]), 1, pairs.share[i]);
    }
    for (std::size_t k = 0; k < type_of.size(); ++k)
      means_.push_back({k, group_of[type_of[k]], 1 / types.count[type_of[k]]});
    return;
  }
  const std::vector<TypeAt> queries = query_types(*law.components);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const auto& [component, query, number, first_answer] = queries[cells[cell].group];
    for (const AnswerShare& share : query.answers)
      add(cell, first_answer + static_cast<std::size_t>(share.type),
          component.answer_multiplicity[share.type], share.probability);
  }
  for (std::size_t i = 0; i < group_of.size(); ++i) means_.push_back({i, group_of[i], 1});
}

LawMeasures AnswerMeasures::operator()(const Observation& seen, const std::vector<double>& mass) const {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  LawMeasures found;
  for (std::size_t c = 0; c < mass.size(); ++c) found.top1_error += mass[c] * seen.top_error[c];
  found.answer_error.assign(frequency_.size(), 0);
  found.answer_loss.assign(frequency_.size(), 0);
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    const auto& [cell, group, weight] = shares_[i];
    found.answer_error[group] += weight * seen.error[cell];
    found.answer_loss[group] -= (1 - label_noise_) * weight * seen.log_answers[i];
  }
  for (std::size_t i = 0; label_noise_ > 0 && i < means_.size(); ++i)
    found.answer_loss[means_[i].group] -= means_[i].weight * background_[means_[i].group] * seen.mean_log[i];
  for (std::size_t g = 0; g < frequency_.size(); ++g) {
    found.answer_error[g] = frequency_[g] > 0 ? found.answer_error[g] / frequency_[g] : nan;
    const double all = (1 - label_noise_) * frequency_[g] + background_[g];
    found.answer_loss[g] = all > 0 ? found.answer_loss[g] / all : nan;
  }
  for (std::vector<double>* of_all : {&found.answer_error, &found.answer_loss}) {
    if (shown_.empty()) break;
    *of_all = mapped(shown_, [&](std::size_t group) { return (*of_all)[group]; });
  }
  return found;
}

}  // namespace rarefact
