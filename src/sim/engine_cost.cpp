#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/real50.hpp"
#include "model/data_mode.hpp"
#include "model/embedding.hpp"
#include "sim/engine_choice.hpp"
#include "sim/quadrature_run.hpp"

namespace rarefact {

namespace {

/// Rows above which spectral_metrics = "auto" leaves the singular values out: they would dominate a step.
constexpr double most_spectral_rows = 128, most_spectral_rows50 = 32;

double nodes_of(const Experiment& experiment) {
  return static_cast<double>(experiment.nodes.value_or(2 * first_nodes));
}

/// Bytes of the draws of a sample and of what is made of them.
double sample_bytes(const Experiment& experiment) {
  return 48 * draws_of(experiment.data_mode, experiment.data_parameters);
}

/// d_out and d_in where the coordinates are those of W.
std::pair<double, double> weight_shape(const Experiment& experiment, double classes) {
  const auto dimension = [classes](const Component& side) {
    return embedding_row(side.kind).dimension(side.parameters, classes);
  };
  return {dimension(experiment.answer_embedding), dimension(experiment.query_embedding)};
}

/// Numbers that the dense engine holds at a time.
double dense_numbers(const Experiment& experiment, const OptimizerRow& rule, double classes,
                     bool task_basis) {
  double rows = classes, columns = classes, embeddings = 0;
  if (!task_basis) {
    std::tie(rows, columns) = weight_shape(experiment, classes);
    embeddings = (rows + columns) * classes;
  }
  // W, gradient, direction and momenta; the polar factor's basis.
  double numbers = embeddings + 10 * rows * columns;
  if (task_basis || rule.reads_task_gradient || experiment.rho_epsilon > 0 ||
      measures_spectrum(experiment, std::min(rows, columns))) {
    numbers += 3 * classes * classes + 2 * rows * classes;  // logits, residual and a product of each
  } else {
    const double tiles = 8 * 4 * (1 << 21);  // of some threads
    numbers += std::min(tiles, 3 * classes * classes) + 4 * rows * classes;
  }
  // Vectors of the conjugate gradients, eigenvectors, queries by the roots of their weights.
  if (rule.reads_curvature) numbers += 6 * rows * columns + embeddings;
  if (rule.reads_curvature && !task_basis) numbers += 2 * (rows * rows + columns * columns);
  return numbers;
}

double state_bytes(const Experiment& experiment, const OptimizerRow& rule, const Spectrum& spectrum,
                   const Reduction& reduction) {
  const double number = experiment.precision == 50 ? sizeof(Real50) : sizeof(double),
               classes = spectrum.classes;
  if (reduction.engine == "quadrature") {
    const double panels = std::log2(classes) + 1, nodes = nodes_of(experiment);
    const double ranks =
        experiment.classes.kind == ClassRule::Kind::all ? classes : usual_panel_order * panels;
    if (reduction.by_columns) return number * (24 * panels * std::max(32.0, nodes) + 24 * ranks);
    const double rows = nodes * static_cast<double>(reduction.block);
    return number * (40 * rows * rows + 2 * ranks * nodes);  // the second: interpolation to the ranks
  }
  const auto groups = static_cast<double>(spectrum.groups->size());
  if (reduction.engine == "columns") {
    // One column a class makes one cell a class as well.
    return experiment.sampled() ? 28 * number * classes : 12 * number * groups;
  }
  if (reduction.engine == "symmetric") {
    const double rows = groups * static_cast<double>(reduction.block);
    return 20 * number * rows * rows;
  }
  return number * dense_numbers(experiment, rule, classes, reduction.task_basis);
}

}  // namespace

bool measures_spectrum(const Experiment& experiment, double rows) {
  const double most_rows = experiment.precision == 50 ? most_spectral_rows50 : most_spectral_rows;
  return experiment.spectral_metrics == "on" || (experiment.spectral_metrics == "auto" && rows <= most_rows);
}

double memory_bytes(const Experiment& experiment, const OptimizerRow& rule, const Spectrum& spectrum,
                    const Reduction& reduction) {
  return state_bytes(experiment, rule, spectrum, reduction) + sample_bytes(experiment);
}

double record_bytes(const Experiment& experiment, double rows) {
  // error and class_loss: measured, predicted, flow
  const double per_class_variables = experiment.push ? 7 : 6;
  const auto steps = recorded_steps(experiment.record, experiment.steps).size();
  return sizeof(double) * rows * per_class_variables *
         static_cast<double>(steps * experiment.optimizers.size());
}

double seconds_guess(const Experiment& experiment, const OptimizerRow& rule, const Spectrum& spectrum,
                     const Reduction& reduction) {
  const auto steps = static_cast<double>(experiment.steps);
  const double panels = std::log2(spectrum.classes) + 1;
  if (reduction.engine == "columns" && experiment.sampled()) {
    const bool remembers = !rule.parameters.empty();
    const auto records = static_cast<double>(recorded_steps(experiment.record, experiment.steps).size());
    const double draws = draws_of(experiment.data_mode, experiment.data_parameters);
    return steps * (1.5e-7 * draws + (remembers ? 1e-8 * spectrum.classes : 0)) +
           records * 2e-7 * spectrum.classes;
  }
  if (reduction.engine == "columns") return steps * 5e-9 * static_cast<double>(spectrum.groups->size());
  if (reduction.by_columns) return 0.005 + steps * 1e-8 * 24 * panels;
  // A product with the Hessian costs some three gradients.
  const double gradients = rule.reads_curvature ? 30 : 1;
  // Products of embeddings, or a polar factor, are cubic; everything else quadratic.
  const bool identity = embedding_row(experiment.query_embedding.kind).identity &&
                        embedding_row(experiment.answer_embedding.kind).identity;
  if (reduction.engine == "dense" && !reduction.task_basis && !identity) {
    const auto [rows, columns] = weight_shape(experiment, spectrum.classes);
    const double polar = rule.symmetries.keeps_columns ? 0 : 2e-10 * rows * columns * std::min(rows, columns);
    const double squared = spectrum.classes * spectrum.classes;
    return 0.005 + steps * (gradients * (1e-9 + 3e-11 * rows) * squared + polar);
  }
  const double rows = reduction.engine == "dense" ? spectrum.classes
                                                  : static_cast<double>(reduction.block) *
                                                        (reduction.engine == "quadrature"
                                                             ? nodes_of(experiment)
                                                             : static_cast<double>(spectrum.groups->size()));
  const bool cubic = !rule.symmetries.keeps_columns;
  return 0.005 + steps * gradients * (5e-9 * rows * rows + (cubic ? 2e-10 * rows * rows * rows : 0));
}

}  // namespace rarefact
