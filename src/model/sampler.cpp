#include "model/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "core/compensated_sum.hpp"

namespace rarefact {

namespace {

constexpr Index draw_tile = 4096;  // draws; about 50 µs

Parameter draws_parameter(const char* name, const char* symbol, const char* meaning) {
  return {.name = name, .kind = Kind::count, .meaning = meaning, .legal = {1, most_draws}, .symbol = symbol};
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

Sampler::Sampler(const Population& population, const RandomStream& stream)
    : stream_(stream), label_noise_(population.label_noise) {
  const ClassGroups& groups = population.queries;
  CompensatedSum total, mass;
  for (std::size_t i = 0; i < groups.size(); ++i) total.add(groups.count[i] * groups.probability[i]);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    begin_.push_back(classes_);
    classes_ += static_cast<Index>(groups.count[i]);
    mass.add(groups.count[i] * groups.probability[i]);
    mass_.push_back(mass.value() / total.value());
  }
  begin_.push_back(classes_);
  mass_.back() = 1;
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
  // Cells are monotone in the mass, rounding or not, so the guide never leads too far.
  std::size_t group = guide_[cell_of(mass)];
  while (mass_[group] <= mass) ++group;
  return group;
}

Draw Sampler::draw(std::uint64_t step, std::uint64_t index) const {
  const auto [which_group, which_member, is_noise, which_answer] = stream_.quadruple(step, index);
  const std::size_t group = group_at(which_group);
  const auto pick = [](double uniform, Index from, Index to) {
    return std::min(from + static_cast<Index>(uniform * static_cast<double>(to - from)), to - 1);
  };
  const Index query = pick(which_member, begin_[group], begin_[group + 1]);
  return {query, is_noise < label_noise_ ? pick(which_answer, 0, classes_) : query};
}

Sample Sampler::sample(std::uint64_t step, std::int64_t count, const Workers& workers) const {
  std::vector<std::uint64_t> draws(static_cast<std::size_t>(count));
  workers.for_tiles(count, draw_tile, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Draw one = draw(step, static_cast<std::uint64_t>(i));
      draws[static_cast<std::size_t>(i)] = static_cast<std::uint64_t>(one.query * classes_ + one.answer);
    }
  });
  return counted(draws, classes_);
}

Sample counted(std::span<std::uint64_t> draws, Index classes) {
  std::sort(draws.begin(), draws.end());
  const auto all = static_cast<double>(draws.size());
  Sample sample;
  for (std::size_t i = 0, next; i < draws.size(); i = next) {
    next = i + 1;
    while (next < draws.size() && draws[next] == draws[i]) ++next;
    const Index query = static_cast<Index>(draws[i]) / classes,
                answer = static_cast<Index>(draws[i]) % classes;
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
