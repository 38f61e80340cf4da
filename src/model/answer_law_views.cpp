#include <fmt/format.h>

#include <limits>

#include "core/compensated_sum.hpp"
#include "core/sorted_order.hpp"
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
  if (!is_normal(probability)) throw too_small("the rarest queries have a probability");
}

double term(double p) {
  return p > 0 ? -p * std::log(p) : 0;
}
/// -π ln π, where `others` = 1 - π as a sum of the other probabilities.
double term(double p, double others) {
  return p > 0.5 ? -p * std::log1p(-others) : term(p);
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
  const std::vector<Index> groups = groups_of_types(law);
  law.number = sorted_order(std::ssize(typed.types.query), std::less(),
                            [&](Index l) { return groups[typed.types.query[l]]; });
  if (std::ranges::is_sorted(law.number)) law.number.clear();
  law.pairs = [pairs, types = std::move(typed.types)] { return TypedPairs{pairs(), types}; };
  return law;
}

AnswerLaw unwritten(const SmoothLaw& smooth) {
  require_likely(query_probabilities(smooth).first);
  AnswerLaw law;
  law.law = smooth;
  return law;
}

double AlikeAnswers::first() const {
  return shares.weight(1) / weight_of_ranks(shares, shares.classes);
}

double AlikeAnswers::norm() const {
  const SmoothLaw squares{shares.classes, [&](double k) { return std::pow(shares.weight(k), 2); }};
  return std::sqrt(weight_of_ranks(squares, squares.classes)) / weight_of_ranks(shares, shares.classes);
}

double AlikeAnswers::above(double share) const {
  const double least = share * weight_of_ranks(shares, shares.classes);
  if (!(shares.weight(1) >= least)) return 0;
  if (shares.weight(shares.classes) >= least) return shares.classes;
  double some = 1, all = shares.classes;
  while (all > some * (1 + 4 * std::numeric_limits<double>::epsilon()) && all - some > 0.5) {
    const double middle = all > 4 * some ? std::sqrt(some) * std::sqrt(all) : some + (all - some) / 2;
    (shares.weight(middle) >= least ? some : all) = middle;
  }
  return std::floor(all);
}

AlikeAnswers AlikeAnswers::with_noise(double alpha) const {
  AlikeAnswers noisy = *this;
  const double kept = (1 - alpha) / weight_of_ranks(shares, shares.classes), noise = alpha / shares.classes,
               most = kept * shares.weight(1) + noise;
  noisy.shares.weight = [weight = shares.weight, kept, noise, most](double k) {
    return (kept * weight(k) + noise) / most;
  };
  return noisy;
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

void Spectrum::sample_by(double exponent) {
  sampling = {};
  if (exponent == 1) return;
  sampling.exponent = exponent;
  if (!groups) {
    sampling.log_total = std::log(weight_of_ranks(with_power(*law, exponent), law->classes)) -
                         exponent * std::log(weight_of_ranks(*law, law->classes));
    return;
  }
  // In units of the largest, so that nothing overflows.
  const auto log_power = [&](double p) { return exponent * std::log(p); };
  const auto [least, largest] = std::ranges::minmax(groups->probability);
  const double unit = std::max(log_power(least), log_power(largest));
  CompensatedSum sum;
  for (std::size_t g = 0; g < groups->size(); ++g)
    sum.add(groups->count[g] * std::exp(log_power(groups->probability[g]) - unit));
  sampling.log_total = unit + std::log(sum.value());
}

bool Spectrum::ranks_answers() const {
  return answers && answers->law;
}

std::pair<double, double> Spectrum::training_range() const {
  if (!groups) {
    const auto [least, largest] = query_probabilities(*law);
    return std::minmax({sampling(least), sampling(largest)});
  }
  const auto [least, largest] = std::ranges::minmax(groups->probability);
  return std::minmax({sampling(least), sampling(largest)});
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

std::vector<double> entropies_at(const SmoothLaw& law, const std::vector<double>& ranks, double label_noise,
                                 NoiseAnswers noise) {
  const double total = weight_of_ranks(law, law.classes);
  const auto background = [&](double rank) {
    return label_noise * (noise == NoiseAnswers::uniform ? 1 / law.classes : law.weight(rank) / total);
  };
  CompensatedSum all, entropy;  // of the noise over all answers
  const QuadratureRule rule = panel_rule(law.classes, usual_panel_order);
  for (std::size_t i = 0; i < rule.size(); ++i) {
    all.add(rule.count[i] * background(rule.rank[i]));
    entropy.add(rule.count[i] * term(background(rule.rank[i])));
  }
  return mapped(ranks, [&](double rank) {
    const double b = background(rank);
    return entropy.without(term(b)) + term((1 - label_noise) + b, all.without(b));
  });
}

std::vector<double> type_entropies(const AnswerLaw& law, double label_noise, NoiseAnswers noise) {
  // α b for the answers of every type.
  std::vector<double> background = answer_frequencies(*law.components);
  if (noise == NoiseAnswers::uniform) background.assign(background.size(), 1 / law.components->answers());
  for (double& b : background) b *= label_noise;
  CompensatedSum all, noise_entropy;  // of the noise over all answers
  auto b = background.begin();
  for (const ComponentGroup& component : law.components->groups) {
    for (const double multiplicity : component.answer_multiplicity) {
      all.add(component.count * multiplicity * *b);
      noise_entropy.add(component.count * multiplicity * term(*b++));
    }
  }
  std::vector<double> entropies;
  for (const auto& [component, query, number, first_answer] : query_types(*law.components)) {
    CompensatedSum entropy = noise_entropy, shares;
    for (const AnswerShare& share : query.answers)
      shares.add(component.answer_multiplicity[share.type] * ((1 - label_noise) * share.probability));
    for (const AnswerShare& share : query.answers) {
      const double noisy = background[first_answer + static_cast<std::size_t>(share.type)],
                   kept = (1 - label_noise) * share.probability,
                   times = component.answer_multiplicity[share.type];
      entropy.add(-(times * term(noisy)));
      entropy.add(times * term(kept + noisy, shares.without(kept) + all.without(noisy)));
    }
    entropies.push_back(entropy.value());
  }
  return entropies;
}

}  // namespace rarefact
