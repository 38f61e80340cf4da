// Digits of Muon on queries that share attributes: columns of the gradient are sums over queries, may cancel, and have a
// lower rank at W = 0 than later.

#include <catch2/catch.hpp>

#include "claims.hpp"
#include "laws/experiments.hpp"
#include "reference/plain_law.hpp"
#include "reference/precise_run.hpp"

using namespace laws;

namespace {

/// The attributes of queries and of answers, empty if each answer has its own, and the count of every answer and query.
struct Shared {
  const char* name;
  Matrix query, answer, joint;
  double step_size;
  int steps = 5;
  double momentum = 0;
  std::string direction = {};  ///< empty: muon
};

Result result_of(const Shared& shared) {
  Experiment e = identity_run({"uniform", {{"count", 8.0}}}, "muon");
  e.engine = "dense";
  e.answers = law_of("counts", {{"path", std::string("pairs")}});
  e.query_embedding = embedding("file", {{"path", std::string("query")}});
  if (shared.answer.size() > 0) e.answer_embedding = embedding("file", {{"path", std::string("answer")}});
  e.steps = shared.steps;
  e.record = {RecordRule::Kind::every, 1, {}};
  e.spectral_metrics = "auto";
  e.digits = "on";
  OptimizerChoice& choice = e.optimizers[0];
  choice.step_size = shared.step_size;
  choice.parameters.set("momentum", shared.momentum);
  if (!shared.direction.empty()) {
    choice.rule = "formula";
    choice.parameters = {{"direction", shared.direction}};
  }
  FileReaders readers = reference::readers_of(shared.joint);
  readers.arrays = [&](const std::string& path) { return path == "query" ? shared.query : shared.answer; };
  return simulate(e, readers, 1);
}

Matrix rows(std::initializer_list<std::initializer_list<double>> all) {
  Matrix x(static_cast<Index>(all.size()), static_cast<Index>(all.begin()->size()));
  Index i = 0;
  for (const auto& row : all) {
    Index j = 0;
    for (const double entry : row) x(i, j++) = entry;
    ++i;
  }
  return x;
}

/// `kept`: and no digits that are there are lost.
void check_claims(const Shared& shared, bool kept = false) {
  const Result result = result_of(shared);
  const auto truth = reference::precise_run<400>({shared.query, shared.answer, shared.joint}, "muon",
                                                 shared.step_size, shared.momentum, shared.steps);
  for (std::size_t t = 0; t < truth.size(); ++t) {
    CAPTURE(shared.name, t);
    check_claim(series(result, "loss_digits")[t], digits_in(series(result, "loss")[t], truth[t].loss), kept);
  }
}

}  // namespace

TEST_CASE("facts that share answers claim no digits once a direction that W = 0 does not have is lost") {
  for (const Shared& shared :
       {Shared{"two queries of one answer", rows({{1, 1}, {0, 0}, {0, 1}, {1, 1}}),
               rows({{1, 0, 1}, {0, 0, 1}, {0, 1, 1}, {0, 0, 1}, {1, 1, 0}}), rows({{2, 0}, {0, 1}, {0, 1}}),
               63.93398135878672, 5},
        Shared{"an answer of its own",
               rows({{0, 1, 1}, {1, 0, 0}, {1, 0, 0}, {0, 1, 1}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}}),
               rows({{1, 0, 0, 0}, {1, 1, 1, 0}, {0, 1, 0, 1}, {0, 0, 0, 0}, {0, 0, 1, 0}}),
               rows({{0, 1000000, 0}, {1000000, 0, 0}, {1000000, 0, 0}, {0, 0, 957340}}), 62.359287606926344,
               5},
        Shared{"with momentum",
               rows({{0, 0, 1, 0}, {0, 0, 0, 0}, {0, 1, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 1}, {1, 1, 0, 1}}),
               Matrix(), rows({{0, 2, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 0}, {0, 0, 0, 1}}), 77.89879308606791, 5,
               0.5}})
    check_claims(shared);
}

TEST_CASE("digits in which repetitions agree by chance after a growth of the rank are not claimed") {
  for (const Shared& shared : {Shared{"a direction that rounding chose",
                                      rows({{0, 1, 0, 1},
                                            {1, 1, 0, 0},
                                            {1, 1, 1, 0},
                                            {0, 0, 0, 0},
                                            {0, 1, 0, 1},
                                            {0, 1, 0, 1},
                                            {0, 0, 1, 0},
                                            {1, 1, 0, 1}}),
                                      Matrix(),
                                      rows({{0, 549834, 1000000, 0},
                                            {0, 0, 0, 1000000},
                                            {549834, 0, 0, 0},
                                            {0, 549834, 0, 0},
                                            {549834, 0, 0, 0}}),
                                      74.41580726915912, 5, 0, "polar(G)"}})
    check_claims(shared);
}

TEST_CASE(
    "columns of the gradient that cancel to less than their rounding have no directions that are claimed") {
  for (const Shared& shared :
       {Shared{"two queries that cancel",
               rows({{0, 1, 0}, {3, 0, 3}, {0, 0, 0}, {0, 0, 0}, {1, 0, 1}, {0, 0, 0}, {2, 0, 2}, {2, 0, 2}}),
               Matrix(), rows({{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}), 34.8009104907607, 5},
        Shared{"attributes of all queries", rows({{0, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}}),
               Matrix(), rows({{0, 1, 2, 1}, {2, 0, 0, 0}, {0, 1, 0, 0}}), 66.01978673105232, 5}})
    check_claims(shared);
}

TEST_CASE(
    "zeros of the gradient and of embeddings in other coordinates are no directions, and cost no digits") {
  for (const Shared& shared :
       {Shared{"a column of zeros", rows({{0, 0, 1, 1, 1}, {1, 1, 0, 0, 0}}),
               rows({{1, 0, 0}, {0, 0, 1}, {1, 1, 0}, {0, 0, 0}, {0, 0, 1}, {1, 0, 1}}),
               rows({{1, 1, 0, 0, 1}, {1, 0, 1, 0, 0}, {0, 0, 0, 1, 0}}), 24.05569268543694, 5, 0,
               "polar(G/norm(G))"},
        Shared{"queries in a plane", rows({{0, 0, 0, 3}, {3, 2, 2, 3}, {2, 0, 3, 0}}), Matrix(),
               rows({{1000000, 0, 0, 297927},
                     {0, 1000000, 0, 0},
                     {1000000, 0, 0, 0},
                     {0, 0, 595854, 0},
                     {0, 1000, 0, 0},
                     {1000, 0, 0, 0}}),
               44.1068925801373, 5, 0, "polar(G/norm(G))"},
        Shared{"a rank that does not grow",
               rows({{0, 1, 1, 1},
                     {1, 1, 1, 0},
                     {0, 0, 0, 1},
                     {1, 0, 0, 1},
                     {1, 1, 1, 1},
                     {0, 0, 0, 1},
                     {1, 0, 0, 0},
                     {0, 1, 1, 1}}),
               Matrix(),
               rows({{957406, 957406, 1000000, 0},
                     {0, 0, 0, 1000000},
                     {957406, 0, 0, 0},
                     {0, 957406, 0, 0},
                     {0, 0, 1000, 0}}),
               1.8933857802951928, 15}})
    check_claims(shared, true);
}
