#include <algorithm>

#include "model/dense_memory.hpp"

namespace rarefact {

/// All logits are equal: no column needs to be looked at twice, and no K x K array of them exists.
void DenseMemory::evaluate_at_zero(Gradient<State>* gradient, Observation* observation,
                                   const Workers& workers) const {
  if (observation) {
    const Vector logits = Vector::Zero(classes());
    Vector ratios = logits;
    observe(0, to_wrong_ratios(ratios, 0), logits, *observation);
    for (std::vector<double>* seen :
         {&observation->log_odds, &observation->error, &observation->advantage, &observation->excess_loss})
      std::fill(seen->begin(), seen->end(), seen->front());
  }
  if (!gradient) return;

  const Columns columns{.count = classes()};
  gradient->exponent = exponent_of(columns);
  Vector weight(classes());
  for (Index l = 0; l < classes(); ++l)
    weight(l) = -(1 - label_noise_) * std::ldexp(weight_of(columns, l), -gradient->exponent);
  const double total = static_cast<double>(classes());
  if (answer_) {
    const Vector mean = answer_->rowwise().sum() / total;
    to_coordinates_of_w((answer_->colwise() - mean) * weight.asDiagonal(), columns, *gradient, workers);
  } else {
    // Ẽ = I: rows of E, less the mean query.
    Matrix image = weight.asDiagonal() * query_->transpose();
    const Eigen::RowVectorXd mean = image.colwise().sum() / total;
    image.rowwise() -= mean;
    gradient->image = State{std::move(image)};
  }
}

}  // namespace rarefact
