#include <algorithm>

#include "theory/modes.hpp"
#include "theory/sign_svd.hpp"

namespace rarefact {

namespace {

/// Largest ratio of B to the number of entries of W at which sampling noise counts as dominating the gradient.
constexpr double largest_share = 0.125;
/// Least number of inputs and outputs: with 64 the error against simulations is below 5 %, with 6 it is 40 %.
constexpr double min_dimension = 64;
/// With smaller batches relative to d_out the residual is nearly normal, as the theory takes it, only if many modes share
/// the risk.
constexpr double large_batch = 4, min_modes = 10;

/// (2R)²/Σ(λe)² at the start: the number of modes that share the risk.
double effective_modes(const PredictionInput& input) {
  const SquareModes modes = modes_of(input);
  double risk = std::pow(input.squares->answer_noise, 2), squares = 0;
  for (std::size_t g = 0; g < modes.curvature.size(); ++g) {
    const double part = modes.curvature[g] * std::pow(modes.coefficient[g], 2);
    risk += input.class_count[g] * part;
    squares += input.class_count[g] * part * part;
  }
  return risk * risk / squares;
}

Objection require_samples(const PredictionInput& input) {
  const LeastSquares& data = *input.squares;
  if (!data.bilinear()) return "the measurement is vector, the prediction is for bilinear measurements";
  if (!data.random_target()) return "the target is aligned, the prediction is for random directions";
  if (data.query_noise > 0) return "the prediction is for queries without noise";
  if (input.batch == 0) return "the prediction is for fresh samples at every step";
  if (input.batch > largest_share * input.outputs * input.class_total)
    return "batches are so large that sampling noise does not dominate the gradient";
  if (std::min(input.outputs, input.class_total) < min_dimension)
    return fmt::format("with fewer than {:g} inputs or outputs the error of the prediction is unknown",
                       min_dimension);
  const bool alike = std::ranges::any_of(input.class_count, [](double n) { return n > 1; });
  if (data.exponent != 0 && alike) return "the target distinguishes classes that are stored as one";
  const double modes = effective_modes(input);
  if (input.batch < large_batch * input.outputs && modes < min_modes)
    return fmt::format(
        "{:.2g} modes share the risk at the start, and with fewer than {:g} samples a batch for each output the "
        "prediction needs {:g}",
        modes, large_batch, min_modes);
  return std::nullopt;
}

Margins distances(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const SquareModes modes = modes_of(input);
  std::vector<double> curvature, start;
  std::vector<std::size_t> first;  // the first class of every group
  for (std::size_t g = 0; g < modes.curvature.size(); ++g) {
    first.push_back(curvature.size());
    curvature.resize(curvature.size() + static_cast<std::size_t>(input.class_count[g]), modes.curvature[g]);
    start.resize(curvature.size(), modes.coefficient[g] * modes.coefficient[g]);
  }
  const auto array_of = [](const std::vector<double>& x) {
    return Eigen::ArrayXd(Eigen::Map<const Eigen::ArrayXd>(x.data(), static_cast<Index>(x.size())));
  };
  const BilinearProblem problem{array_of(curvature), input.outputs, input.batch, input.squares->answer_noise};
  const BilinearPath path = follow(
      sign_svd_rates(problem), problem, array_of(start),
      [&](std::int64_t t) { return input.schedule.at(t).size; }, steps);
  Margins table;
  for (std::size_t t = 0; t < steps.size(); ++t) {
    for (const std::size_t c : first)
      table.push_back({NAN, std::sqrt(path.distance[t * curvature.size() + c])});
  }
  return table;
}

}  // namespace

PredictionRow sign_svd() {
  PredictionRow row{{"sign-svd", "distance of the columns of W from the target under Muon on minibatches",
                     "e_l ← e_l - 2η b_l √e_l + η² q_l, b and q of the batch's resolvents (docs/variants.md)",
                     "paquette2026; docs/variants.md"}};
  row.validity =
      "within 5 % of simulations while more than a tenth of the excess loss is left, then within 0.5 % of the initial "
      "excess loss; for muon without momentum; bilinear least squares of fresh samples with Gaussian queries without noise "
      "(query_noise = 0), a random target, orthonormal embeddings, constant step size, at least 64 inputs and outputs, "
      "at most d_out d/8 samples per batch and, if fewer than 10 modes share the risk (participation ratio of λe at the "
      "start), at least 4 d_out; no coefficients";
  row.rules = {"muon"};
  row.tolerated = plain_muon();
  row.hypotheses = {require_orthonormal, require_samples};
  row.margins = {distances};
  row.of_squares = true;
  return row;
}

}  // namespace rarefact
