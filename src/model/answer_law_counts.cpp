// The law `counts`, from a table of pairs of query and answer with their counts.
//
// Queries and answers are ordered by how often they occur in the table, ties by which appears first.

#include <fmt/format.h>

#include "core/compensated_sum.hpp"
#include "core/random.hpp"
#include "core/sorted_order.hpp"
#include "model/answer_law_rows.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// An answer of a query.
struct Counted {
  Index answer;
  double count;
};

/// The counts of every query, with answers in the order of the file.
struct Table {
  std::vector<std::vector<Counted>> queries;
  Index answers = 0;
};

/// number -> rank among the `kept` most frequent, most frequent first; -1 for the others.
std::vector<Index> places(const std::vector<Index>& numbers, const std::vector<double>& count, Index size,
                          double kept) {
  std::vector<CompensatedSum> sum(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < numbers.size(); ++i) sum[numbers[i]].add(count[i]);
  std::vector<Index> place(sum.size(), -1);
  Index next = 0;
  for (const Index number : sorted_order(size, std::greater(), [&](Index i) { return sum[i].value(); })) {
    if (static_cast<double>(next) < kept) place[number] = next++;
  }
  return place;
}

/// The pairs that are kept. Queries that lose all their answers are removed; answers without queries remain,
/// since the model can give them.
Table kept_of(const PairCounts& pairs, double keep) {
  const std::vector<Index> query = places(pairs.query, pairs.count, pairs.queries, keep);
  const std::vector<Index> answer = places(pairs.answer, pairs.count, pairs.answers, keep);
  Table table;
  table.queries.resize(static_cast<std::size_t>(std::min(static_cast<double>(pairs.queries), keep)));
  table.answers = static_cast<Index>(std::min(static_cast<double>(pairs.answers), keep));
  for (std::size_t i = 0; i < pairs.count.size(); ++i) {
    const Index l = query[pairs.query[i]];
    const Index k = answer[pairs.answer[i]];
    if (l >= 0 && k >= 0) table.queries[l].push_back({k, pairs.count[i]});
  }
  std::erase_if(table.queries, [](const auto& column) { return column.empty(); });
  return table;
}

double total(const std::vector<Counted>& column) {
  CompensatedSum sum;
  for (const Counted& answer : column) sum.add(answer.count);
  return sum.value();
}

/// At most `size` most frequent answers; ties are broken by the order of the file.
std::vector<Counted> top(std::vector<Counted> column, double size) {
  std::ranges::stable_sort(column, std::greater<>(), &Counted::count);
  if (static_cast<double>(column.size()) > size) column.resize(static_cast<std::size_t>(size));
  return column;
}

/// The answer at the fraction `part` of the column's cumulative mass.
Counted drawn(const std::vector<Counted>& column, double part) {
  const double mass = total(column);
  CompensatedSum sum;
  for (const Counted& answer : column) {
    sum.add(answer.count);
    if (part * mass < sum.value()) return answer;
  }
  return column.back();
}

std::vector<Counted> reduced(const std::vector<Counted>& column, const ParameterValues& parameters,
                             double draw) {
  const std::string& reduce = parameters.text("reduce");
  if (reduce == "argmax") return top(column, 1);
  if (reduce == "top") return top(column, parameters.number("top"));
  if (reduce == "sample") return {drawn(column, draw)};
  return column;
}

AnswerLaw counts(const AnswerLawRequest& request) {
  const ParameterValues& parameters = request.parameters;
  const std::string& path = parameters.text("path");
  const PairCounts pairs = request.pairs(path);
  const double max_kept = static_cast<double>(std::max(pairs.queries, pairs.answers));
  const double keep = parameters.has("keep") ? parameters.number("keep") : max_kept;
  if (keep > max_kept) {
    throw InputError({problem_about(
        "answers.keep",
        fmt::format("answers.keep: got {}, but {} has {} queries and {} answers; expected at most {}", keep,
                    path, pairs.queries, pairs.answers, max_kept))});
  }
  const Table table = kept_of(pairs, keep);
  if (table.queries.empty() || table.answers < 2) {
    throw InputError(
        {{path, 0, 0,
          fmt::format("{} queries with an answer and {} answers are left; at least 1 and 2 are needed",
                      table.queries.size(), table.answers)}});
  }
  CompensatedSum mass;
  for (const auto& column : table.queries) mass.add(total(column));
  if (!std::isfinite(mass.value()))
    throw InputError({{path, 0, 0, "the counts sum to more than 1.8e308, the largest double"}});
  const RandomStream stream(request.seed, "answers");
  Pairs written;
  written.answers = table.answers;
  for (const auto& column : table.queries) {
    std::vector<Counted> answers = reduced(column, parameters, stream.uniform(0, written.queries()));
    const double sum = total(answers), largest = std::ranges::max(answers, {}, &Counted::count).count;
    std::ranges::sort(answers, {}, &Counted::answer);
    for (const Counted& entry : answers) {
      written.answer.push_back(entry.answer);
      written.share.push_back(entry.count / sum);
      written.right.push_back(entry.count == largest);
    }
    written.add_query(total(column) / mass.value());
  }
  AnswerLaw law = in_components([written = std::move(written)] { return written; });
  law.occurrences = mass.value();
  return law;
}

std::vector<ParameterProblem> counts_problems(const ParameterValues& parameters, std::optional<double>) {
  const bool wanted = parameters.text("reduce") == "top";
  if (wanted == parameters.has("top")) return {};
  if (wanted) {
    return {
        {"reduce",
         "answers.reduce: got \"top\" without answers.top; expected the number of answers to keep for each query"}};
  }
  return {
      {"top", fmt::format("answers.top: reduce is \"{}\", which does not use it; top is for reduce = \"top\"",
                          parameters.text("reduce"))}};
}

}  // namespace

AnswerLawRow counts_row() {
  return {
      {"counts",
       "which answers follow which queries in a table of pairs, and how often",
       "p_l ∝ Σ_k n_kl, π₀(k|l) = n_kl / Σ_j n_jl; the right answers are the most frequent ones, ties included",
       "",
       {{.name = "path",
         .kind = Kind::path,
         .meaning =
             "table with the columns query, answer and count, relative to the experiment file; .gz is fine"},
        {.name = "reduce",
         .kind = Kind::text,
         .meaning = "none: the answers as counted; argmax: each query's most frequent answer, among ties the "
                    "first in the file; top: its `top` most frequent ones, their shares scaled to sum to 1; "
                    "sample: one drawn by its frequency, from the random stream \"answers\" of the seed",
         .default_value = "none",
         .choices = {"none", "argmax", "top", "sample"}},
        {.name = "top",
         .kind = Kind::count,
         .meaning = "number of answers kept for each query, for reduce = \"top\"",
         .legal = {.low = 1},
         .optional = true},
        {.name = "keep",
         .kind = Kind::count,
         .meaning =
             "number of queries, and of answers, to keep: the most frequent ones; pairs of others are dropped; default: all",
         .legal = {.low = 1},
         .optional = true}}},
      "",
      false,
      "law = \"counts\"\npath = \"../data/kjv_bigrams.tsv.gz\"",
      counts,
      counts_problems};
}

}  // namespace rarefact
