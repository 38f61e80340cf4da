#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/compensated_sum.hpp"
#include "core/transform.hpp"
#include "model/answer_law_rows.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

const ClassGroups& written_classes(const AnswerLawRequest& request, const char* law) {
  if (request.classes.groups) return *request.classes.groups;
  throw InputError(fmt::format(
      "the law {} needs the classes in groups: {:g} distinct classes are too many, at most {:g} are "
      "possible; equally likely classes are one group",
      law, request.classes.classes, max_groups));
}

namespace {

/// Throws InputError if the probability of a query underflows.
void require_likely(double probability) {
  const double limit = std::numeric_limits<double>::min();
  if (!(probability >= limit))
    throw InputError(
        fmt::format("the rarest queries have a probability below {:.2g}, the smallest normal number", limit));
}

}  // namespace

AnswerLaw in_components(Components components) {
  AnswerLaw law;
  law.components = std::move(components);
  for (const auto& [component, query, number, first_answer] : query_types(*law.components)) {
    require_likely(query.probability);
    law.queries.count.push_back(component.count * query.multiplicity);
    law.queries.probability.push_back(query.probability);
    law.type.push_back(number);
  }
  return law;
}

AnswerLaw in_components(const std::function<Pairs()>& pairs) {
  TypedComponents typed = components_of(pairs());
  AnswerLaw law = in_components(std::move(typed.components));
  law.pairs = [pairs, types = std::move(typed.types)] { return TypedPairs{pairs(), types}; };
  return law;
}

AnswerLaw unwritten(const SmoothLaw& smooth) {
  require_likely(query_probabilities(smooth).first);
  AnswerLaw law;
  law.law = smooth;
  return law;
}

AnswerLaw own_answers(const Spectrum& classes) {
  static const ParameterValues none;
  std::optional<SmoothLaw> law = classes.law;
  if (law) law->fan_in = [](double) { return 1.0; };
  if (law && !classes.groups) {
    AnswerLaw unwritten;
    unwritten.law = std::move(law);
    return unwritten;
  }
  const ClassGroups& groups = written_classes({none, classes}, "identity");
  Components components;
  for (std::size_t g = 0; g < groups.size(); ++g)
    components.groups.push_back({groups.count[g], {1}, {{1, groups.probability[g], {{0, 1, true}}}}});
  AnswerLaw written = in_components(std::move(components));
  written.law = std::move(law);
  return written;
}

double Spectrum::answer_count() const {
  return answers ? answers->answers() : classes;
}

std::vector<Index> groups_of_types(const AnswerLaw& law) {
  std::vector<Index> groups(law.queries.size());
  for (std::size_t g = 0; g < groups.size(); ++g) groups[law.type[g]] = static_cast<Index>(g);
  return groups;
}

WrittenLaw written_out(const AnswerLaw& law) {
  WrittenLaw written{law.pairs ? law.pairs() : written_out(*law.components), {}};
  const std::vector<Index> groups = groups_of_types(law);
  written.group = mapped(written.types.query, [&](Index type) { return groups[type]; });
  return written;
}

namespace {

double term(double p) {
  return p > 0 ? -p * std::log(p) : 0;
}

}  // namespace

std::vector<double> entropies_at(const SmoothLaw& law, const std::vector<double>& ranks, double label_noise,
                                 NoiseAnswers noise) {
  const double total = weight_of_ranks(law, law.classes);
  const auto background = [&](double rank) {
    return label_noise * (noise == NoiseAnswers::uniform ? 1 / law.classes : law.weight(rank) / total);
  };
  const double alone =
      noise == NoiseAnswers::uniform
          ? law.classes * term(background(1))
          : weight_of_ranks({law.classes, [&](double k) { return term(background(k)); }}, law.classes);
  std::vector<double> entropies;
  for (const double rank : ranks) {
    const double b = background(rank);
    entropies.push_back(alone + (term((1 - label_noise) + b) - term(b)));
  }
  return entropies;
}

std::vector<double> type_entropies(const AnswerLaw& law, double label_noise, NoiseAnswers noise) {
  // b for the answers of every type, and the contribution of noise over all answers.
  std::vector<double> background = answer_frequencies(*law.components);
  if (noise == NoiseAnswers::uniform) background.assign(background.size(), 1 / law.components->answers());
  CompensatedSum alone;
  auto b = background.begin();
  for (const ComponentGroup& component : law.components->groups) {
    for (const double multiplicity : component.answer_multiplicity)
      alone.add(component.count * multiplicity * term(label_noise * *b++));
  }
  std::vector<double> entropies;
  for (const auto& [component, query, number, first_answer] : query_types(*law.components)) {
    double entropy = alone.value();
    for (const AnswerShare& share : query.answers) {
      const auto k = static_cast<std::size_t>(share.type);
      const double noisy = label_noise * background[first_answer + k];
      entropy += component.answer_multiplicity[k] *
                 (term((1 - label_noise) * share.probability + noisy) - term(noisy));
    }
    entropies.push_back(entropy);
  }
  return entropies;
}

}  // namespace rarefact
