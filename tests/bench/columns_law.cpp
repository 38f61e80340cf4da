/// A GD step on the law of the bigrams of a text, on columns.

#include <fmt/format.h>

#include "model/column_layout.hpp"
#include "steps.hpp"

namespace {

using namespace rarefact;

constexpr double queries = 12038, answers = 12488, pairs = 147558;

/// One unit of N queries and K answers with as many pairs as the King James Version has bigrams. Query l has about
/// pairs/(l ln N) followers; the j-th of them counts ∝ 1/(l j), rounded, and at least once: about
/// as many distinct numbers as those bigrams have, 43,729.
Units bigrams() {
  Units units{{{1, std::vector<double>(static_cast<std::size_t>(answers), 1), {}}}};
  double harmonic = 0, total = 0, left = pairs;
  for (double l = 1; l <= queries; ++l) harmonic += 1 / l;
  std::vector<QueryType>& types = units.groups[0].queries;
  for (double l = 1; l <= queries; ++l) {
    const double share = std::round((pairs - queries) / (harmonic * l));
    const double followers = std::min({1 + share, answers, left - (queries - l)});
    left -= followers;
    QueryType query;
    double sum = 0;
    for (double j = 0; j < followers; ++j) {
      const double count = std::max(1.0, std::round(0.3 * followers / (j + 1)));
      query.answers.push_back({static_cast<Index>(j), count, j == 0});
      sum += count;
    }
    for (AnswerShare& one : query.answers) {
      one.right = one.probability == query.answers.front().probability;
      one.probability /= sum;
    }
    query.probability = sum;
    total += sum;
    types.push_back(std::move(query));
  }
  for (QueryType& query : types) query.probability /= total;
  return units;
}

void gd_bigrams(benchmark::State& state) {
  const Units units = bigrams();
  ClassGroups groups;
  for (const TypeAt& at : query_types(units)) {
    groups.count.push_back(1);
    groups.probability.push_back(units.groups[at.group].queries[at.type].probability);
  }
  const ColumnMemory memory({groups, 0, &units});
  const ColumnMatrix zero = memory.zero();
  const Workers workers(static_cast<int>(state.range(0)));
  const auto rule = optimizer_row("gd").columns({});
  state.counters["numbers"] = static_cast<double>(zero.own.size() + zero.other.size() + zero.middle.size());
  time_steps(state, memory, *rule, 1.0, 2, workers);
  state.SetLabel(fmt::format("{} queries, {} answers; goal: at most 6 ms", queries, answers));
}
BENCHMARK(gd_bigrams)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(1);

}  // namespace
