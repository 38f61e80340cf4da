// Laws of answers: every engine that claims to hold a run gives what the dense engine gives, for every rule.

#include <catch2/catch.hpp>
#include <map>

#include "laws/experiments.hpp"
#include "model/answer_law.hpp"
#include "sim/resolve.hpp"

using namespace laws;

namespace {

/// Queries with one answer and with several, twins among both, answers that are likely and not right.
PairCounts some_pairs() {
  const std::vector<std::array<int, 3>> rows = {{0, 0, 5}, {0, 1, 3}, {1, 0, 2}, {1, 2, 2}, {2, 3, 7},
                                                {3, 3, 7}, {4, 4, 4}, {4, 5, 4}, {4, 6, 1}, {5, 7, 3},
                                                {5, 8, 3}, {6, 9, 3}, {6, 10, 3}};
  PairCounts counts;
  counts.queries = 7;
  counts.answers = 11;
  for (const auto& [query, answer, count] : rows) {
    counts.query.push_back(query);
    counts.answer.push_back(answer);
    counts.count.push_back(count);
  }
  return counts;
}

FileReaders readers() {
  FileReaders all;
  all.pairs = [](const std::string&) { return some_pairs(); };
  return all;
}

struct Case {
  std::string name;
  Component spectrum, law;
};

Component law_of(const std::string& law, ParameterValues given) {
  return {law, with_defaults(answer_law_row(law).parameters, std::move(given))};
}

std::vector<Case> cases() {
  const Component grouped{"grouped_power_law", {{"groups", 3.0}, {"group_size", 4.0}, {"exponent", 1.0}}},
      power{"power_law", {{"count", 10.0}, {"exponent", 1.0}}};
  return {{"three queries an answer", grouped, law_of("fan_in", {{"fan_in", 3.0}})},
          {"queries of an answer that differ", grouped, law_of("fan_in", {{"fan_in", 2.0}, {"within", 1.0}})},
          {"fan-ins 4, 2, 1", grouped, law_of("fan_in", {{"fan_in", std::vector<double>{1, 4}}})},
          {"modulo", power, law_of("modulo", {{"count", 4.0}})},
          {"three right answers", grouped, law_of("right_set", {{"size", 3.0}})},
          {"counts", {}, law_of("counts", {{"path", std::string("pairs")}})}};
}

/// Of the largest entry of a series. Adam divides by the roots of squares whose digits have cancelled in small entries.
double largest_difference(const Result& x, const Result& y) {
  double worst = 0;
  for (const auto& [name, values] : x.runs[0].trajectories[0].series) {
    const auto& others = y.runs[0].trajectories[0].series;
    if (name == "twin_gain" || others.count(name) == 0) continue;
    const std::vector<double>& other = others.at(name);
    REQUIRE(values.size() == other.size());
    double size = 0;
    for (const double v : values) size = std::max(size, std::abs(v));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (std::isnan(values[i]) && std::isnan(other[i])) continue;
      const double off = std::abs(values[i] - other[i]) / std::max(size, 0.05);  // gaps may be rounding alone
      worst = off <= worst ? worst : std::isnan(off) ? INFINITY : off;
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("of laws of answers every engine gives what the dense one does") {
  std::map<Engine, int> compared;
  for (const Case& one : cases()) {
    for (const OptimizerRow& rule : complete_rules()) {
      if (rule.reads_curvature) continue;
      for (const auto& [query, answer] :
           {std::pair{embedding("identity"), embedding("identity")},
            {embedding("orthogonal"), embedding("orthogonal")},
            {embedding("clustered", {{"similarity", 0.4}}), embedding("identity")},
            {embedding("equicorrelated", {{"rho", 0.3}}), embedding("orthogonal")}}) {
        for (const double noise : {0.0, 0.2}) {
          Experiment e = experiment(one.spectrum, query, answer, noise, rule);
          e.answers = one.law;
          e.steps = 12;
          e.optimizers[0].step_size = std::min(e.optimizers[0].step_size, 0.2);
          if (one.spectrum.kind.empty()) e.spectrum = {};
          e.noise_answers =
              noise > 0 && rule.name.size() % 2 == 0 ? NoiseAnswers::frequency : NoiseAnswers::uniform;
          e.engine = Engine::dense;
          const Result dense = simulate(e, readers(), 1);
          for (const Engine engine : {Engine::columns, Engine::symmetric}) {
            const Spectrum learned_law = learned(e, readers());
            if (!std::holds_alternative<Reduction>(reduce({e, learned_law, e.optimizers.front()}, engine)))
              continue;
            e.engine = engine;
            const Result other = simulate(e, readers(), 1);
            CAPTURE(one.name, rule.name, query.kind, answer.kind, noise, name_of(engine));
            CHECK(other.runs[0].trajectories[0].status == dense.runs[0].trajectories[0].status);
            CHECK(largest_difference(dense, other) < (rule.name == "adam" ? 1e-8 : 1e-12));
            ++compared[engine];
          }
        }
      }
    }
  }
  CHECK(compared[Engine::columns] > 40);
  CHECK(compared[Engine::symmetric] > 100);
}
