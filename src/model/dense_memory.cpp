#include "rarefact/model/dense_memory.hpp"

#include <algorithm>
#include <cmath>

#include "rarefact/algebra/product.hpp"
#include "rarefact/model/log_odds.hpp"

namespace rarefact {

DenseMemory::DenseMemory(const ClassGroups& groups, double label_noise, std::shared_ptr<const Matrix> query,
                         std::shared_ptr<const Matrix> answer)
    : label_noise_(label_noise), query_(std::move(query)), answer_(std::move(answer)) {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (double n = 0; n < groups.count[i]; ++n) {
      cells_.push_back({static_cast<Index>(i), 0, 1, groups.probability[i]});
    }
  }
  exponent_ = std::ilogb(*std::max_element(groups.probability.begin(), groups.probability.end()));
}

DenseMatrix DenseMemory::zero() const {
  const auto classes = static_cast<Index>(cells_.size());
  return {Matrix::Zero(answer_ ? answer_->rows() : classes, query_ ? query_->rows() : classes)};
}

DenseMatrix DenseMemory::to_ambient(const State& x, const Workers& workers) const {
  Matrix y = x.entries;
  if (answer_) y = product(*answer_, y, workers);
  if (query_) y = product(y, query_->transpose(), workers);
  return {std::move(y)};
}

DenseMatrix DenseMemory::logits(const State& w, const Workers& workers) const {
  Matrix s = w.entries;
  if (query_) s = product(s, *query_, workers);
  if (answer_) s = product(answer_->transpose(), s, workers);
  return {std::move(s)};
}

void DenseMemory::evaluate(const State& w, Gradient<State>* gradient, Observation* observation,
                           const Workers& workers) const {
  const auto classes = static_cast<Index>(cells_.size());
  Matrix s = logits(w, workers).entries;
  if (observation) observation->resize(cells_.size());

  const double total = static_cast<double>(classes);
  const double pi_right = 1 - label_noise_ + label_noise_ / total, pi_wrong = label_noise_ / total;
  const bool noisy = label_noise_ > 0;
  Vector log_peak(classes);
  const Index tile = 16;
  // In place: column l becomes the wrong answers' ratios to the likeliest of them, 0 on the diagonal.
  workers.for_tiles(classes, tile, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l) {
      auto x = s.col(l);
      const double right = x(l);
      x.array() -= right;
      x(l) = -std::numeric_limits<double>::max() / 4;
      const double peak = x.maxCoeff<Eigen::PropagateNaN>();
      const Vector r = (x.array() - peak).exp();
      const double sum = r.sum() - r(l);
      const double log_odds = peak + std::log(sum);
      const double loss_right = softplus(log_odds);
      log_peak(l) = peak - loss_right;
      if (observation) {
        const auto cell = static_cast<std::size_t>(l);
        observation->log_odds[cell] = log_odds;
        observation->error[cell] = logistic(log_odds);
        observation->advantage[cell] = -peak;
        double excess = loss_right;
        if (noisy) {
          excess = pi_right * exp_remainder(-loss_right - std::log(pi_right));
          const double base = loss_right + std::log(pi_wrong);
          for (Index k = 0; k < classes; ++k) {
            if (k != l) excess += pi_wrong * exp_remainder(x(k) - base);
          }
        }
        observation->excess_loss[cell] = excess;
      }
      x = r;
      x(l) = 0;
    }
  });
  if (observation) observation->set_gap([](std::size_t) { return true; });
  if (!gradient) return;

  double largest = log_peak.maxCoeff();
  if (noisy) largest = std::max(largest, std::log(pi_wrong));
  const int shift = underflow_shift(largest, std::log(total));
  gradient->exponent = exponent_ + shift;
  const double shift_nats = shift * std::log(2.0);
  const double pi_wrong_scaled = noisy ? std::ldexp(pi_wrong, -shift) : 0.0;
  workers.for_tiles(classes, tile, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l) {
      const double p = std::ldexp(cells_[static_cast<std::size_t>(l)].probability, -exponent_);
      auto column = s.col(l);
      column = (p * std::exp(log_peak(l) - shift_nats)) * column;
      if (noisy) column.array() -= p * pi_wrong_scaled;
      column(l) = 0;
      column(l) = -column.sum();
    }
  });
  gradient->task.entries = std::move(s);
  if (query_ || answer_) {
    gradient->image = to_ambient(gradient->task, workers);
  } else {
    gradient->image.reset();
  }
}

}  // namespace rarefact
