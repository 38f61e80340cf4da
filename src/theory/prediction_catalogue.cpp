#include "theory/prediction.hpp"

namespace rarefact {

PredictionRow gd_recursion();        // discrete gradient descent, exact
PredictionRow momentum_recursion();  // the same with momentum, exact
PredictionRow ngd_recursion();       // normalised, exact
PredictionRow adam_recursion();      // Adam in the task basis, exact
PredictionRow gram_first_step();     // the first step under any embeddings, exact
PredictionRow gd_flow();             // gradient flow, exact for infinitely small steps
PredictionRow muon_descent();        // Muon without label noise (li2026, Theorem 4.2)
PredictionRow muon_cycle();          // Muon with label noise (li2026, Theorem 5.1)
PredictionRow muon_units();          // Muon if queries share answers (rarefact2026, docs/variants.md)
PredictionRow sign_descent();        // signs in the task basis, exact (li2026, Theorem 6.3)
PredictionRow sign_binomial();       // signs of minibatches, the mean over samples, exact
PredictionRow newton_recursion();    // Newton's method without damping, exact
std::vector<PredictionRow> attribute_predictions();  // sums of uniform attributes, exact
std::vector<PredictionRow> mode_predictions();       // least squares
std::vector<PredictionRow> product_predictions();    // W = U V
PredictionRow sign_svd();                            // Muon on minibatches of bilinear least squares

const std::vector<PredictionRow>& prediction_catalogue() {
  static const std::vector<PredictionRow> rows = [] {
    std::vector<PredictionRow> all{gd_recursion(),     gd_flow(),         muon_descent(),
                                   muon_cycle(),       muon_units(),      sign_descent(),
                                   newton_recursion(), ngd_recursion(),   momentum_recursion(),
                                   adam_recursion(),   gram_first_step(), sign_binomial()};
    for (PredictionRow& row : attribute_predictions()) all.push_back(std::move(row));
    for (PredictionRow& row : mode_predictions()) all.push_back(std::move(row));
    all.push_back(sign_svd());
    for (PredictionRow& row : product_predictions()) all.push_back(std::move(row));
    return all;
  }();
  return rows;
}

}  // namespace rarefact
