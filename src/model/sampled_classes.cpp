#include <algorithm>

#include "core/compensated_sum.hpp"
#include "model/sampler.hpp"

namespace rarefact {

namespace {

void keep_distinct(std::vector<Index>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

std::vector<Index> shown(const DrawsOfStep& draws, std::int64_t steps) {
  std::vector<Index> numbers;
  std::size_t distinct = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    for (const Draw& draw : draws(step)) {
      numbers.push_back(draw.query);
      if (draw.answer != draw.query) numbers.push_back(draw.answer);
    }
    if (numbers.size() < 2 * distinct + 100'000) continue;
    keep_distinct(numbers);
    distinct = numbers.size();
  }
  keep_distinct(numbers);
  return numbers;
}

}  // namespace

ClassGroups dyadic_groups(const SmoothLaw& law) {
  ClassGroups groups;
  const double total = weight_of_ranks(law, law.classes);
  double before = 0;
  for (double first = 1; first <= law.classes; first *= 2) {
    const double last = std::min(2 * first - 1, law.classes), up_to = weight_of_ranks(law, last);
    groups.count.push_back(last - first + 1);
    groups.probability.push_back((up_to - before) / groups.count.back() / total);
    before = up_to;
  }
  return groups;
}

Index SampledClasses::group_of(Index class_number) const {
  const auto found = std::ranges::lower_bound(number, class_number);
  const auto at = found != number.end() && *found == class_number ? found : number.end();
  return at - number.begin();
}

SampledClasses sampled_classes(const DrawsOfStep& draws, std::int64_t steps, const ClassGroups& groups,
                               const SmoothLaw* law) {
  SampledClasses sampled{.number = shown(draws, steps), .groups = {}};
  const double total = law ? weight_of_ranks(*law, law->classes) : 1;
  CompensatedSum others, mass;
  double first = 0;
  auto next = sampled.number.begin();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double end = first + groups.count[g];
    const auto begin = next;
    CompensatedSum seen;
    for (; next != sampled.number.end() && static_cast<double>(*next) < end; ++next) {
      const double p = law ? law->weight(static_cast<double>(*next) + 1) / total : groups.probability[g];
      sampled.groups.count.push_back(1);
      sampled.groups.probability.push_back(p);
      seen.add(p);
    }
    const double unseen = groups.count[g] - static_cast<double>(next - begin);
    others.add(unseen);
    if (!law) {
      mass.add(unseen * groups.probability[g]);
    } else if (unseen > 0 && unseen < static_cast<double>(next - begin)) {
      // Summed one by one, because a difference of sums would lose digits.
      auto at = begin;
      for (double l = first; l < end; ++l) {
        if (at != next && static_cast<double>(*at) == l) {
          ++at;
        } else {
          mass.add(law->weight(l + 1) / total);
        }
      }
    } else if (unseen > 0) {
      mass.add(groups.count[g] * groups.probability[g] - seen.value());
    }
    first = end;
  }
  if (others.value() > 0) {
    sampled.groups.count.push_back(others.value());
    sampled.groups.probability.push_back(mass.value() / others.value());
  }
  return sampled;
}

double expected_sampled(const Spectrum& spectrum, double label_noise, double draws) {
  const SamplingLaw& law = spectrum.sampling;
  const ClassGroups of_law =
      spectrum.groups ? ClassGroups() : dyadic_groups(with_power(*spectrum.law, law.exponent));
  const ClassGroups& groups = spectrum.groups ? *spectrum.groups : of_law;
  const double as_answer = draws * std::log1p(-label_noise / spectrum.classes);
  const auto drawn_from = [&](double p) { return spectrum.groups ? law(p) : p; };
  const auto expected = [&](double missed) { return -missed * (1 + missed / 2); };
  // Most of many classes are rarely drawn, and two terms of each series are enough.
  const auto of_rare = [&](double p) { return expected(-draws * p * (1 + p / 2) + as_answer); };
  const double rare = std::min(1e-6, (1e-4 + as_answer) / (1.001 * draws));
  const auto share = [&](double p) {
    const double missed = draws * std::log1p(-std::min(p, 1 - 1e-16)) + as_answer;
    return missed > -1e-4 ? expected(missed) : -std::expm1(missed);
  };
  // A block of rare classes is summed without a call, so that a million classes take a millisecond.
  constexpr std::size_t block = 64;
  double sampled = 0;
  for (std::size_t begin = 0; begin < groups.size(); begin += block) {
    const std::size_t end = std::min(begin + block, groups.size());
    double sum = 0, largest = 0;
    for (std::size_t g = begin; g < end; ++g) {
      const double p = drawn_from(groups.probability[g]);
      largest = std::max(largest, p);
      sum += groups.count[g] * of_rare(p);
    }
    if (largest > rare) {
      sum = 0;
      for (std::size_t g = begin; g < end; ++g)
        sum += groups.count[g] * share(drawn_from(groups.probability[g]));
    }
    sampled += sum;
  }
  return sampled;
}

}  // namespace rarefact
