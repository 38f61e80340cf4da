#include <algorithm>
#include <cmath>

#include "rarefact/core/real50.hpp"
#include "rarefact/model/data_mode.hpp"
#include "rarefact/model/embedding.hpp"
#include "rarefact/sim/engine_choice.hpp"
#include "rarefact/sim/quadrature_run.hpp"

namespace rarefact {

namespace {

double nodes_of(const Experiment& experiment) {
  return static_cast<double>(experiment.nodes.value_or(2 * first_nodes));
}

}  // namespace

namespace {

/// Bytes of the draws of a sample and of what is made of them.
double sample_bytes(const Experiment& experiment) {
  return 48 * draws_of(experiment.data_mode, experiment.data_parameters);
}

double state_bytes(const Experiment& experiment, const Spectrum& spectrum, const Reduction& reduction) {
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
  double rows = classes, columns = classes, embeddings = 0;
  if (!reduction.task_basis) {
    const auto dimension = [&](const Component& side) {
      return embedding_row(side.kind).dimension(side.parameters, classes);
    };
    rows = dimension(experiment.answer_embedding);
    columns = dimension(experiment.query_embedding);
    embeddings = (rows + columns) * classes;
  }
  // Logits, residual and a product of each; W, gradient, direction and momenta; the polar factor's basis.
  return number * (3 * classes * classes + 2 * rows * classes + 10 * rows * columns + embeddings);
}

}  // namespace

double memory_bytes(const Experiment& experiment, const Spectrum& spectrum, const Reduction& reduction) {
  return state_bytes(experiment, spectrum, reduction) + sample_bytes(experiment);
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
  const double rows = reduction.engine == "dense" ? spectrum.classes
                                                  : static_cast<double>(reduction.block) *
                                                        (reduction.engine == "quadrature"
                                                             ? nodes_of(experiment)
                                                             : static_cast<double>(spectrum.groups->size()));
  // Products of embeddings, or a polar factor, are cubic; everything else quadratic.
  const bool cubic = !rule.symmetries.keeps_columns || (reduction.engine == "dense" && !reduction.task_basis);
  return 0.005 + steps * (5e-9 * rows * rows + (cubic ? 2e-10 * rows * rows * rows : 0));
}

}  // namespace rarefact
