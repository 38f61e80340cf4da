#include "model/answer_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/random.hpp"
#include "model/answer_law_rows.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

AnswerLaw identity(const AnswerLawRequest& request) {
  AnswerLaw law;
  if (request.classes.groups) law.queries = *request.classes.groups;
  return law;
}

/// A law with one answer per query: query x, in the order of ranks, has answer(x).
template <class Answer>
AnswerLaw one_by_one(const AnswerLawRequest& request, const char* law, const Answer& answer) {
  const auto answers = static_cast<Index>(request.parameters.number("count"));
  return in_components([answers, answer, classes = written_classes(request, law)] {
    Pairs pairs;
    pairs.answers = answers;
    for (const Index g : classes.group_of_each()) {
      pairs.answer.push_back(answer(pairs.probability.size()));
      pairs.add_query(classes.probability[g]);
    }
    pairs.share.assign(pairs.answer.size(), 1);
    pairs.right.assign(pairs.answer.size(), 1);
    return pairs;
  });
}

AnswerLaw modulo(const AnswerLawRequest& request) {
  const auto count = static_cast<std::uint64_t>(request.parameters.number("count"));
  const auto power = static_cast<std::uint64_t>(request.parameters.integer("power"));
  return one_by_one(request, "modulo", [=](std::uint64_t x) {
    std::uint64_t result = 1 % count, square = x % count;
    for (std::uint64_t left = power; left > 0; left /= 2, square = square * square % count) {
      if (left % 2 == 1) result = result * square % count;
    }
    return static_cast<Index>(result);
  });
}

AnswerLaw hash(const AnswerLawRequest& request) {
  const double count = request.parameters.number("count");
  const RandomStream stream(request.seed, "answers");
  // The draw is below 1, but its product with the count may be rounded up to the count.
  return one_by_one(request, "hash", [=](std::uint64_t x) {
    return static_cast<Index>(std::min(std::floor(stream.uniform(0, x) * count), count - 1));
  });
}

AnswerLaw right_set(const AnswerLawRequest& request) {
  const double size = request.parameters.number("size");
  const ClassGroups& classes = written_classes(request, "right_set");
  Components components;
  for (std::size_t g = 0; g < classes.size(); ++g) {
    const QueryType query{1, classes.probability[g], {{0, 1 / size, true}}};
    components.groups.push_back({classes.count[g], {size}, {query}});
  }
  return in_components(std::move(components));
}

Parameter answer_count(const std::string& meaning, double max_answers) {
  return {.name = "count", .kind = Kind::count, .meaning = meaning, .legal = {2, max_answers}, .symbol = "K"};
}

/// Problems of laws whose queries are written out explicitly.
std::vector<ParameterProblem> too_many(const ParameterValues&, std::optional<double> classes) {
  if (!classes || *classes <= max_written_out) return {};
  return {
      {"law",
       fmt::format(
           "answers.law: the answers of {:g} queries are written out one by one; at most {:g} are possible",
           *classes, max_written_out)}};
}

std::vector<ParameterProblem> modulo_problems(const ParameterValues& parameters,
                                              std::optional<double> classes) {
  const double count = parameters.number("count");
  if (!classes || count <= *classes) return too_many(parameters, classes);
  return {{"count",
           fmt::format("answers.count: got {}, more answers than the {} queries have; expected at most {}",
                       count, *classes, *classes)}};
}

std::vector<ParameterProblem> right_set_problems(const ParameterValues& parameters,
                                                 std::optional<double> classes) {
  const double size = parameters.number("size");
  if (!classes || size * *classes <= max_classes) return {};
  return {{"size",
           fmt::format("answers.size: got {}, for {:g} queries {:g} answers in all; expected at most {:g}",
                       size, *classes, size * *classes, max_classes)}};
}

}  // namespace

const std::vector<AnswerLawRow>& answer_law_catalogue() {
  static const std::vector<AnswerLawRow> rows = {
      {{"identity", "every query has its own answer", "π₀(k|l) = 1[k = l]", "wang2025"},
       "queries",
       true,
       "law = \"identity\"",
       identity},
      {{"modulo",
        "few answers, assigned round-robin",
        "query x = 0, 1, ... of the spectrum has the answer x^power mod K",
        "",
        {answer_count("number of answers K, at most as many as there are queries", max_classes),
         {.name = "power",
          .kind = Kind::integer,
          .meaning = "power of x",
          .default_value = std::int64_t{1},
          .legal = {1, 1e6}}}},
       "queries",
       false,
       "law = \"modulo\"\ncount = 5",
       modulo,
       modulo_problems},
      {{"hash",
        "every query has one of K answers at random; some answers may belong to no query",
        "answer of query l uniform on 1..K, from the random stream \"answers\" of the seed",
        "",
        {answer_count("number of answers K", max_written_out)}},
       "queries",
       false,
       "law = \"hash\"\ncount = 1000",
       hash,
       too_many},
      fan_in_row(),
      {{"right_set",
        "every query has r right answers, equally likely and different from those of other queries",
        "π₀(k|l) = 1/r for the r answers of query l; K = N r",
        "",
        {{.name = "size",
          .kind = Kind::count,
          .meaning = "right answers r of every query",
          .legal = {1, max_classes},
          .symbol = "r"}}},
       "queries",
       true,
       "law = \"right_set\"\nsize = 3",
       right_set,
       right_set_problems},
      zipf_row(),
      counts_row(),
  };
  return rows;
}

const AnswerLawRow& answer_law_row(const std::string& law) {
  return row_named(answer_law_catalogue(), law, "answer law");
}

AnswerLaw answer_law_of(const std::string& law, const AnswerLawRequest& request) {
  const AnswerLawRow& row = answer_law_row(law);
  if (row.problems) {
    const double classes = request.classes.classes;
    std::vector<Problem> problems;
    for (const ParameterProblem& problem :
         row.problems(request.parameters, classes > 0 ? std::optional(classes) : std::nullopt))
      problems.push_back(
          problem_about("answers." + (problem.key.empty() ? "law" : problem.key), problem.message));
    raise(std::move(problems));
  }
  return row.make(request);
}

}  // namespace rarefact
