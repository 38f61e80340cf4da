#include <algorithm>
#include <cmath>

#include "core/real50.hpp"
#include "model/embedding.hpp"
#include "model/quadrature_rule.hpp"
#include "model/sampler.hpp"
#include "sim/engines.hpp"

namespace rarefact {

namespace {

/// Rows above which spectral_metrics = "auto" leaves the singular values out: they would dominate a step.
constexpr double most_spectral_rows = 128, most_spectral_rows50 = 32;

double number_bytes(const EngineCase& asked) {
  return asked.experiment.precision == 50 ? sizeof(Real50) : sizeof(double);
}

/// Bytes of the draws of a sample and of what is made of them.
double sample_bytes(const EngineCase& asked) {
  return 48 * draws_of(asked.experiment.data_mode, asked.experiment.data_parameters);
}

/// Everything but a polar factor is quadratic. A product with the Hessian costs some three gradients.
double square_seconds(const EngineCase& asked, double rows) {
  const bool cubic = !asked.rule.symmetries.keeps_columns;
  const double gradients = asked.rule.reads_curvature ? 30 : 1,
               steps = static_cast<double>(asked.experiment.steps);
  return 0.005 + steps * gradients * (5e-9 * rows * rows + (cubic ? 2e-10 * rows * rows * rows : 0));
}

}  // namespace

bool measures_spectrum(const Experiment& experiment, double rows) {
  const double most_rows = experiment.precision == 50 ? most_spectral_rows50 : most_spectral_rows;
  return experiment.spectral_metrics == "on" || (experiment.spectral_metrics == "auto" && rows <= most_rows);
}

WeightShape weight_shape(const Experiment& experiment, double classes) {
  const auto dimension = [classes](const Component& side) {
    return embedding_row(side.kind).dimension(side.parameters, classes);
  };
  return {dimension(experiment.answer_embedding), dimension(experiment.query_embedding)};
}

EngineCost columns_cost(const EngineCase& asked, const Reduction&, double) {
  const Experiment& experiment = asked.experiment;
  const auto steps = static_cast<double>(experiment.steps);
  const double groups = static_cast<double>(asked.spectrum.groups->size()), classes = asked.spectrum.classes;
  if (!experiment.sampled()) return {groups, 12 * sizeof(double) * groups, steps * 5e-9 * groups};
  const bool remembers = !asked.rule.parameters.empty();
  const auto records = static_cast<double>(recorded_steps(experiment.record, experiment.steps).size());
  const double draws = draws_of(experiment.data_mode, experiment.data_parameters);
  // One column a class makes one cell a class as well.
  return {classes, 28 * sizeof(double) * classes + sample_bytes(asked),
          steps * (1.5e-7 * draws + (remembers ? 1e-8 * classes : 0)) + records * 2e-7 * classes};
}

EngineCost symmetric_cost(const EngineCase& asked, const Reduction& reduction, double) {
  const double rows =
      static_cast<double>(reduction.block) * static_cast<double>(asked.spectrum.groups->size());
  return {rows, 20 * number_bytes(asked) * rows * rows, square_seconds(asked, rows)};
}

EngineCost quadrature_cost(const EngineCase& asked, const Reduction& reduction, double nodes) {
  const double classes = asked.spectrum.classes, panels = std::log2(classes) + 1;
  const double ranks =
      asked.experiment.classes.kind == ClassRule::Kind::all ? classes : usual_panel_order * panels;
  if (reduction.by_columns) {
    const double columns = panels * std::max(32.0, nodes);
    return {columns, sizeof(double) * 24 * (columns + ranks),
            0.005 + static_cast<double>(asked.experiment.steps) * 1e-8 * 24 * panels};
  }
  const double rows = static_cast<double>(reduction.block) * nodes;
  // The last: interpolation to the ranks.
  return {rows, sizeof(double) * (40 * rows * rows + 2 * ranks * nodes), square_seconds(asked, rows)};
}

EngineCost dense_cost(const EngineCase& asked, const Reduction& reduction, double) {
  const Experiment& experiment = asked.experiment;
  const OptimizerRow& rule = asked.rule;
  const double classes = asked.spectrum.classes;
  const bool identity = embedding_row(experiment.query_embedding.kind).identity &&
                        embedding_row(experiment.answer_embedding.kind).identity;
  double rows = classes, columns = classes, embeddings = 0;
  if (!reduction.task_basis) {
    const WeightShape shape = weight_shape(experiment, classes);
    rows = shape.rows;
    columns = shape.columns;
    embeddings = (rows + columns) * classes;
  }
  // W, gradient, direction and momenta; the polar factor's basis.
  double numbers = embeddings + 10 * rows * columns;
  if (reduction.task_basis || rule.reads_task_gradient || experiment.rho_epsilon > 0 ||
      measures_spectrum(experiment, std::min(rows, columns))) {
    numbers += 3 * classes * classes + 2 * rows * classes;  // logits, residual and a product of each
  } else {
    const double tiles = 8 * 4 * (1 << 21);  // of some threads
    numbers += std::min(tiles, 3 * classes * classes) + 4 * rows * classes;
  }
  // Vectors of the conjugate gradients, eigenvectors, queries by the roots of their weights.
  if (rule.reads_curvature) numbers += 6 * rows * columns + embeddings;
  if (rule.reads_curvature && !reduction.task_basis) numbers += 2 * (rows * rows + columns * columns);
  const double bytes = sizeof(double) * numbers + sample_bytes(asked);
  if (reduction.task_basis || identity) return {classes, bytes, square_seconds(asked, classes)};
  const double gradients = rule.reads_curvature ? 30 : 1;
  const double polar = rule.symmetries.keeps_columns ? 0 : 2e-10 * rows * columns * std::min(rows, columns);
  return {classes, bytes,
          0.005 + static_cast<double>(experiment.steps) *
                      (gradients * (1e-9 + 3e-11 * rows) * (classes * classes) + polar)};
}

}  // namespace rarefact
