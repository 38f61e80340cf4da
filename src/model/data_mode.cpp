#include "model/data_mode.hpp"

#include "model/sampler.hpp"

namespace rarefact {

namespace {

Parameter draws_parameter(const char* name, const char* meaning) {
  return {.name = name, .kind = Kind::count, .meaning = meaning, .legal = {1, most_draws}};
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
       .parameters = {draws_parameter("batch", "pairs B drawn at each step")}},
      {.name = "dataset",
       .summary = "pairs drawn once: training on the empirical law",
       .formula = "as minibatch, with the same n pairs in the place of B at every step",
       .source = "",
       .parameters = {draws_parameter("size", "pairs n drawn in all")}},
  };
  return rows;
}

double draws_of(const std::string& mode, const ParameterValues& parameters) {
  if (mode == "population") return 0;
  return parameters.number(mode == "minibatch" ? "batch" : "size");
}

}  // namespace rarefact
