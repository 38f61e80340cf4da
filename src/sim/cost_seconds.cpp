// The processor time of a training and of what is recorded of it.

#include <algorithm>
#include <cmath>

#include "model/quadrature_rule.hpp"
#include "sim/fast_forward.hpp"
#include "sim/inputs.hpp"
#include "sim/run_size.hpp"

namespace rarefact {

namespace {

/// Seconds of all steps of a training on column matrices, and of observing the last state. A leap takes a
/// microsecond per margin; if a norm couples all margins, there are many strides. With label noise every
/// column also has the loss of its wrong answers.
double column_seconds(const RunSize& run) {
  const double strides =
      run.leaps && run.query.rule.margins_of(run.query.choice.parameters).normalised ? 1e5 : 0;
  const double leaping = usual_single_steps + 1e2 * run.records + strides,
               steps = run.leaps ? std::min(leaping, run.steps + 1) : run.steps + 1;
  if (run.experiment.sampled())
    return steps * (1e-6 + 5e-8 * run.draws + (run.work.matrices > 0 ? 1e-9 * run.rows : 0));
  const bool several = run.experiment.label_noise > 0 || run.query.answers();
  return steps * ((run.leaps ? 1e-7 : 5e-7) + (several ? 3.3e-8 : run.leaps ? 8e-9 : 1.2e-8) * run.rows);
}

/// Time of a polar factor from scratch, relative to one refined from the previous step's.
constexpr double from_scratch = 2.7;

/// Seconds of a polar factor refined from the previous step's; if columns > rows, also of the null space.
double polar_seconds(const RunSize& run, double rows, double columns) {
  return run.precision.slowness * 2.3e-8 * rows * columns +
         run.precision.product_slowness * 3e-10 * columns * columns * (rows + columns);
}

/// In how many steps polar factors are computed from scratch and not refined from the previous step's: in 50
/// digits, if a step moves logits by more than 1 or gradients are of samples, in all; else in the first, and
/// with label noise also once logits have their optimal size.
double steps_from_scratch(const RunSize& run) {
  const double steps = run.steps + run.needs.update, noise = run.experiment.label_noise,
               moved = run.query.choice.step_size.number;
  const bool far = run.query.symmetries.scale_invariant && moved > 1;
  if (!run.precision.underflows || run.experiment.sampled() || far) return steps;
  if (noise == 0) return 1;
  const double optimum = std::log(run.query.spectrum.classes * (1 - noise) / noise);
  return std::fmax(1, steps - optimum / moved);
}

/// Seconds of the decompositions of all steps. The gradient of a sample has `drawn` nonzero columns; sums of
/// gradients grow with t (0.63³ is 1/4, the mean of (t/T)³).
double decomposition_seconds(const RunSize& run, double drawn) {
  const auto& [matrices, polar_factors, decompositions, of_gradient] = run.work;
  const auto [rows, columns] = run.shape;
  const bool sampled = run.experiment.sampled();
  const double steps = run.steps + run.needs.update,
               polars = steps + (from_scratch - 1) * steps_from_scratch(run),
               factors = polars * polar_factors + steps * decompositions;
  if (!sampled || run.products || factors == 0) return factors * polar_seconds(run, rows, columns);
  const double whole = run.reduction.way == Way::dense ? 1e-8 * run.entries : 0;
  double seconds = of_gradient * (whole + polar_seconds(run, drawn, drawn));
  if (of_gradient < 1) {
    const double part = 0.63 * all_draws(run.experiment),
                 grown = distinct(run.query, part) / run.distinct_draws;
    seconds += (1 - of_gradient) * polar_seconds(run, grown * rows, grown * columns);
  }
  return factors * seconds;
}

/// Seconds of the products with the embeddings for a column of logits and of the gradient, in the cheaper
/// order.
double product_seconds(const RunSize& run) {
  if (!run.products) return 0;
  const double queries = run.query.spectrum.classes, answers = run.query.spectrum.answer_count();
  const auto [rows, columns] = run.shape;
  return 9e-11 * std::min(rows * (columns + answers), answers * columns * (1 + rows / queries));
}

/// Seconds of a column of logits, and of the gradient.
double logit_seconds(const RunSize& run) {
  const double rows = run.reduction.way == Way::dense ? run.query.spectrum.answer_count() : run.rows;
  return run.precision.slowness * (1.4e-7 + 6e-9 * rows + product_seconds(run)) *
         (run.products && run.experiment.single() ? 0.5 : 1);
}

/// Seconds of all steps on matrices: columns of logits, of the gradient and of W, and decompositions; and of
/// observing the population if steps do not. A product with the Hessian takes about three gradients, and a
/// solve about three products.
double matrix_seconds(const RunSize& run) {
  const double all = run.reduction.way == Way::dense ? run.query.spectrum.classes : run.rows,
               columns = run.experiment.sampled() ? std::min(all, distinct(run.query, run.draws)) : all,
               observed = (run.experiment.sampled() ? run.records : 1) * all,
               gradients = run.query.rule.reads_hessian ? 10 : 1,
               w = run.precision.slowness * 8e-10 * (2 + run.work.matrices) * run.entries;
  return (gradients * run.steps * columns + observed) * logit_seconds(run) + run.steps * (6e-6 + w) +
         decomposition_seconds(run, columns);
}

/// Seconds of the draws of samples on matrices; column_seconds includes its own.
double draw_seconds(const RunSize& run) {
  if (run.reduction.of_columns()) return 0;
  const double normals = draws_normals(run.query)
                             ? run.shape.columns + (run.experiment.squares.bilinear() ? run.shape.rows : 0)
                             : 0;
  return run.steps * run.draws * (2e-7 + 3e-8 * normals);
}

}  // namespace

double afresh_seconds(const RunSize& run) {
  return (from_scratch - 1) * (run.steps + run.needs.update - steps_from_scratch(run)) *
         run.work.polar_factors * polar_seconds(run, run.shape.rows, run.shape.columns);
}

double step_seconds(const RunSize& run) {
  return (run.reduction.of_columns() ? column_seconds(run) : matrix_seconds(run)) + draw_seconds(run);
}

double loss_seconds(const RunSize& run) {
  const bool noisy = run.experiment.label_noise > 0 && !run.reduction.of_columns();
  return run.records * (9e-6 + (run.reduction.of_columns() ? 5e-8 * run.rows : 0) +
                        run.precision.slowness * 1.5e-7 * row_count(run.experiment, run.query.spectrum) +
                        (noisy ? run.precision.product_slowness * 1.4e-8 * run.entries : 0));
}

double spectral_seconds(const RunSize& run) {
  if (!run.needs.singular_values) return 0;
  constexpr double stored = 1.8e-5;
  if (run.reduction.of_columns()) {
    const double columns = different_columns(run);
    return run.records * (stored + columns * columns * (run.centred ? 1e-8 : 8e-8 + 8e-10 * columns));
  }
  const double logits =
      run.products
          ? run.query.spectrum.classes * (1e-9 * run.query.spectrum.answer_count() + product_seconds(run) / 2)
          : 0;
  // Both factors of W need polar factors from scratch, which then multiply them.
  double roots = 0;
  if (run.experiment.in_factors()) {
    const double inner =
        run.reduction.way == Way::dense ? inner_dimension(run.experiment, run.query.spectrum) : run.rows;
    for (const double outer : {run.shape.rows, run.shape.columns})
      roots += 2 * from_scratch * polar_seconds(run, std::max(inner, outer), std::min(inner, outer)) +
               3e-10 * inner * inner * outer;
  }
  return run.records * (stored + run.precision.slowness * (6e-6 + 1.5e-6 * run.side) +
                        2 * polar_seconds(run, run.side, run.side) + 2 * logits + roots);
}

double probe_seconds(const RunSize& run) {
  const bool columns = run.reduction.of_columns();
  const double height = run.products ? run.shape.rows : 0;
  double recording = 0;
  if (run.needs.polar_factor)
    recording += from_scratch * polar_seconds(run, run.shape.rows, run.shape.columns);
  if (run.needs.expansion)
    recording += columns ? 4e-7 * run.rows : (2e-8 + 4e-11 * height) * run.rows * run.rows;
  if (run.experiment.test_noise > 0) {
    const auto draws = static_cast<double>(run.experiment.test_draws);
    // The integral is predicted as well.
    recording += draws > 0 ? 5e-10 * draws * run.rows * run.rows : 1e-4 * run.rows;
  }
  return run.records * recording;
}

double begun_seconds(const RunSize& run) {
  const Spectrum& spectrum = run.query.spectrum;
  const auto embedding = [](double dimension, double classes) {
    return dimension * classes * (3e-8 + 5e-11 * std::min(dimension, classes));
  };
  double seconds = 5e-4 + (spectrum.groups ? 2e-7 * static_cast<double>(spectrum.groups->size()) : 0);
  seconds += (run.reduction.of_columns() ? 1.2e-6 : 2e-6) * run.pairs;
  if (run.products)
    seconds +=
        embedding(run.shape.rows, spectrum.answer_count()) + embedding(run.shape.columns, spectrum.classes);
  return seconds / static_cast<double>(run.experiment.optimizers.size());
}

}  // namespace rarefact
