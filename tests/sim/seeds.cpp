// Seeds of their own for embeddings, answers and samples. How files have them: tests/experiment/forms.cpp.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

/// A run that draws its embeddings, answers and samples.
Experiment drawn(std::int64_t seed) {
  Experiment e = identity_run(power_law(9.0, 1.0), "gd");
  e.seed = seed;
  e.answers = law_of("hash", {{"count", 6.0}});
  e.query_embedding = e.answer_embedding = embedding("gaussian", {{"dimension", 7.0}});
  e.data_mode = "minibatch";
  e.data_parameters = {{"batch", 12.0}};
  e.steps = 4;
  return e;
}

const std::vector<double>& losses(const Result& result) {
  return series(result, "loss");
}

}  // namespace

TEST_CASE("what has no seed of its own is drawn by that of the run, and each part by its own") {
  const std::vector<double> two = losses(simulate(drawn(2), {}, 1));
  Experiment all = drawn(1);
  all.answers.seed = all.query_embedding.seed = all.answer_embedding.seed = all.data_seed = 2;
  CHECK(losses(simulate(all, {}, 1)) == two);
  CHECK(all.seeds().target == 1);
  for (const int part : {0, 1, 2}) {
    Experiment other = all;
    (part == 0 ? other.answers.seed : part == 1 ? other.query_embedding.seed : other.data_seed).reset();
    CAPTURE(part);
    CHECK(losses(simulate(other, {}, 1)) != two);
  }
}
