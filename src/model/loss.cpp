#include "model/loss.hpp"

namespace rarefact {

const std::vector<LossRow>& loss_catalogue() {
  static const std::vector<LossRow> rows = {
      {{.name = "softmax",
        .summary = "cross-entropy of the answers",
        .formula = "L = Σ_l p_l Σ_k -π(k|l) ln p̂(k|l)",
        .source = {}}},
      {{.name = "least_squares",
        .summary = "squared distance of W x from an answer y",
        .formula = "L = ½ E‖y - Wx‖², see data.queries and docs/variants.md",
        .source = {}},
       true}};
  return rows;
}

const LossRow& loss_row(const std::string& name) {
  return row_named(loss_catalogue(), name, "loss");
}

}  // namespace rarefact
