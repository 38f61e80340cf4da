#include "model/sampler.hpp"

#include <algorithm>

#include "core/compensated_sum.hpp"

namespace rarefact {

namespace {

constexpr Index draw_tile = 4096;  // draws; about 50 µs

Parameter draws_parameter(const char* name, const char* symbol, const char* meaning) {
  return {.name = name, .kind = Kind::count, .meaning = meaning, .legal = {1, max_draws}, .symbol = symbol};
}

/// The mass of each group and those before it, in all 1.
std::vector<double> cumulative(const ClassGroups& groups, const SamplingLaw& law) {
  CompensatedSum total, mass;
  for (std::size_t i = 0; i < groups.size(); ++i) total.add(groups.count[i] * law(groups.probability[i]));
  std::vector<double> all;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    mass.add(groups.count[i] * law(groups.probability[i]));
    all.push_back(mass.value() / total.value());
  }
  all.back() = 1;
  return all;
}

/// The answer of a query for a uniform number in [0, 1), by its shares.
Index answer_at(const Pairs& pairs, Index query, double number) {
  const auto l = static_cast<std::size_t>(query);
  std::size_t i = pairs.begin[l];
  for (double mass = pairs.share[i]; mass <= number && i + 1 < pairs.begin[l + 1]; mass += pairs.share[++i]) {
  }
  return pairs.answer[i];
}

}  // namespace

const std::vector<CatalogueRow>& data_mode_catalogue() {
  static const std::vector<CatalogueRow> rows = {
      {.name = "population",
       .summary = "the exact expectation over queries and answers",
       .formula = "G_kl = p_l (p̂(k|l) - π(k|l))",
       .source = ""},
      {.name = "minibatch",
       .summary = "fresh query-answer pairs at every step, the same ones for every optimizer",
       .formula = "G_kl = (n_l/B) p̂(k|l) - n_kl/B, n_kl of B pairs with query l and answer k, n_l = Σ_k n_kl",
       .source = "kim2026",
       .parameters = {draws_parameter("batch", "B", "pairs B drawn at each step")}},
      {.name = "dataset",
       .summary = "pairs drawn once: training on the empirical law",
       .formula = "as minibatch, with the same n pairs instead of B at every step",
       .source = "",
       .parameters = {draws_parameter("size", "n", "pairs n drawn in all")}},
  };
  return rows;
}

double draws_of(const std::string& mode, const ParameterValues& parameters) {
  if (mode == "population") return 0;
  return parameters.number(mode == "minibatch" ? "batch" : "size");
}

Sampler::Sampler(const Population& population, const RandomStream& stream, std::optional<SmoothLaw> within)
    : stream_(stream),
      within_(std::move(within)),
      label_noise_(population.label_noise),
      pairs_(population.pairs),
      by_frequency_(population.noise == NoiseAnswers::frequency) {
  const ClassGroups& groups =
      pairs_ ? ClassGroups{std::vector<double>(pairs_->probability.size(), 1), pairs_->probability}
             : population.queries;
  for (const double count : groups.count) {
    begin_.push_back(queries_);
    queries_ += static_cast<Index>(count);
  }
  begin_.push_back(queries_);
  answers_ = pairs_ ? pairs_->answers : queries_;
  mass_ = cumulative(groups, population.sampling);
  if (by_frequency_) noise_mass_ = cumulative(groups, {});
  guide_.resize(groups.size() + 1);
  std::size_t group = 0;
  for (std::size_t cell = 0; cell < guide_.size(); ++cell) {
    while (cell_of(mass_[group]) < cell) ++group;
    guide_[cell] = static_cast<std::uint32_t>(group);
  }
}

std::size_t Sampler::cell_of(double mass) const {
  return static_cast<std::size_t>(mass * static_cast<double>(mass_.size()));
}

std::size_t Sampler::group_at(double mass) const {
  // Cells are monotone in the mass in spite of rounding, so the guide never points beyond the group.
  std::size_t group = guide_[cell_of(mass)];
  while (mass_[group] <= mass) ++group;
  return group;
}

/// A noise answer by frequency: draws a query by p, and an answer by the rest of the number.
Index Sampler::noise_answer(double number) const {
  if (!by_frequency_)
    return std::min(static_cast<Index>(number * static_cast<double>(answers_)), answers_ - 1);
  const auto query =
      static_cast<std::size_t>(std::ranges::upper_bound(noise_mass_, number) - noise_mass_.begin());
  const double before = query == 0 ? 0 : noise_mass_[query - 1];
  return answer_at(*pairs_, static_cast<Index>(query), (number - before) / (noise_mass_[query] - before));
}

Index Sampler::member_by_law(std::size_t group, std::uint64_t step, std::uint64_t index) const {
  const Index first = begin_[group], members = begin_[group + 1] - first;
  const double max_weight = std::max(within_->weight(static_cast<double>(first) + 1),
                                     within_->weight(static_cast<double>(first + members)));
  for (std::uint64_t attempt = 1;; ++attempt) {
    // There are fewer than 2^32 draws per step.
    const auto numbers = stream_.quadruple(step, index + (attempt << 32));
    const Index member =
        std::min(first + static_cast<Index>(numbers[0] * static_cast<double>(members)), first + members - 1);
    if (numbers[1] * max_weight < within_->weight(static_cast<double>(member) + 1)) return member;
  }
}

Draw Sampler::draw(std::uint64_t step, std::uint64_t index) const {
  const auto [which_group, which_member, is_noise, which_answer] = stream_.quadruple(step, index);
  const std::size_t group = group_at(which_group);
  const auto pick = [](double uniform, Index from, Index to) {
    return std::min(from + static_cast<Index>(uniform * static_cast<double>(to - from)), to - 1);
  };
  const Index query =
      within_ ? member_by_law(group, step, index) : pick(which_member, begin_[group], begin_[group + 1]);
  if (is_noise < label_noise_) return {query, noise_answer(which_answer)};
  return {query, pairs_ ? answer_at(*pairs_, query, which_member) : query};
}

void Sampler::for_draws(std::uint64_t step, std::int64_t count, const Workers& workers,
                        const std::function<void(std::size_t, const Draw&)>& body) const {
  workers.for_tiles(count, draw_tile, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      body(static_cast<std::size_t>(i), draw(step, static_cast<std::uint64_t>(i)));
  });
}

std::vector<Draw> Sampler::draws(std::uint64_t step, std::int64_t count, const Workers& workers) const {
  std::vector<Draw> all(static_cast<std::size_t>(count));
  for_draws(step, count, workers, [&](std::size_t i, const Draw& draw) { all[i] = draw; });
  return all;
}

Sample Sampler::sample(std::uint64_t step, std::int64_t count, const Workers& workers) const {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(count));
  for_draws(step, count, workers, [&](std::size_t i, const Draw& draw) {
    keys[i] = static_cast<std::uint64_t>(draw.query * answers_ + draw.answer);
  });
  Sample sample = counted(keys, answers_);
  sample.step = step;
  sample.draws = count;
  return sample;
}

Sample counted(std::span<std::uint64_t> draws, Index answers) {
  std::sort(draws.begin(), draws.end());
  const auto all = static_cast<double>(draws.size());
  Sample sample;
  for (std::size_t i = 0, next; i < draws.size(); i = next) {
    next = i + 1;
    while (next < draws.size() && draws[next] == draws[i]) ++next;
    const Index query = static_cast<Index>(draws[i]) / answers,
                answer = static_cast<Index>(draws[i]) % answers;
    if (sample.query.empty() || sample.query.back() != query) {
      sample.query.push_back(query);
      sample.weight.push_back(0);
      sample.begin.push_back(sample.answer.size());
    }
    sample.answer.push_back(answer);
    sample.answer_weight.push_back(static_cast<double>(next - i) / all);
    sample.weight.back() += static_cast<double>(next - i);
  }
  sample.begin.push_back(sample.answer.size());
  for (double& weight : sample.weight) weight /= all;
  return sample;
}

}  // namespace rarefact
