#include "sim/notes.hpp"

#include <cmath>

#include "core/status.hpp"
#include "core/text.hpp"
#include "experiment/requirements.hpp"
#include "metrics/update_digits.hpp"
#include "optim/formula/calculus.hpp"
#include "sim/predict.hpp"

namespace rarefact {

namespace {

/// "2/p_max", or "best of 9 in [0.01, 1], loss"; empty if the step size is a number in the file.
std::string step_size_source(const OptimizerChoice& choice) {
  if (!choice.search) return choice.step_size.expression;
  const StepSearch& search = *choice.search;
  const auto end = [](const StepSize& size) {
    return size.expression.empty() ? fmt::format("{:g}", size.number) : size.expression;
  };
  return fmt::format("best of {} in [{}, {}], {}", search.count, end(search.low), end(search.high),
                     search.minimise);
}

std::string edge_note(const Trajectory& trajectory) {
  if (trajectory.step_size_edge == 0) return {};
  return fmt::format("the best step size, {}, is the {} tried; a better one may lie beyond",
                     trajectory.step_size, trajectory.step_size_edge > 0 ? "largest" : "least");
}

/// The first step from which rounding separates identical classes in dense runs, unlike in symmetric ones.
std::string parting_note(const Attempted& kept) {
  const Trajectory& trajectory = kept.trajectory;
  const std::vector<double>* measured = trajectory.find("twin_gain");
  const bool dense = kept.unit.reduction.way == Way::dense;
  if (dense ? trajectory.series.contains("digits") : !measured) return {};
  const std::vector<double>& gains = dense ? kept.twin_gains : *measured;
  constexpr double max_gain = 2;
  const auto first = std::ranges::find_if(gains, [](double gain) { return gain > max_gain; });
  if (first == gains.end()) return {};
  const std::string from = fmt::format("from step {} on", kept.unit.problem->steps[first - gains.begin()]);
  if (dense)
    return fmt::format(
        "{} rounding breaks the symmetry of {}, and later numbers may be wrong: run.digits = \"on\" tells, and engine "
        "symmetric keeps it",
        from,
        kept.unit.problem->experiment.of_attributes() ? "values of an attribute"
                                                      : "identical queries or answers");
  return fmt::format(
      "{} (twin_gain > {:g}) a dense run would give other errors, because rounding breaks the symmetry of identical "
      "queries or answers, which engine {} keeps",
      from, max_gain, trajectory.engine);
}

/// Momentum adds a direction of the order 1/K to what moves a factor of W. Rounding may hide it, in repetitions too, and
/// of what is recorded only the balance of the factors hangs on it.
std::string balance_note(const Unit& unit, Trajectory& trajectory) {
  constexpr double many = 1e8;
  const EngineQuery query = unit.query();
  const auto remembers = [&] {
    return query.rule.definitions &&
           reads(formula::compiled(query.rule.definitions(query.choice.parameters)).graph, formula::op::state,
                 false);
  };
  if (!query.experiment.is_product() || !precision_of(query.experiment).underflows ||
      !(query.spectrum.classes > many) || query.work.polar_factors + query.work.decompositions == 0 ||
      !remembers())
    return {};
  for (const std::string name : {"balance", "root_balance"})
    if (trajectory.series.contains(name))
      trajectory.series[name + "_digits"].assign(unit.problem->steps.size(), 0);
  return "rounding may hide the direction of the order 1/K that momentum adds to a factor, and leaves no digits of the "
         "balance of the factors (run.precision = 50 has them)";
}

/// Coordinates of identity embeddings are classes by frequency; embedding files follow the table of counts.
std::string order_note(const Unit& unit) {
  const Experiment& experiment = unit.problem->experiment;
  const std::vector<Index>& row = unit.query().spectrum.table.row;
  const bool shown = experiment.weights || experiment.init.kind == "file",
             identity = embedding_row(experiment.query_embedding.kind).identity ||
                        embedding_row(experiment.answer_embedding.kind).identity;
  if (!shown || !identity || std::ranges::is_sorted(row)) return {};
  return fmt::format(
      "W is in the order of frequency, not of the table of classes: its first class is row {} there (class_place)",
      row.front() + 1);
}

/// The largest cosine between two columns; by tiles, with no square matrix of all columns.
double largest_cosine(const Matrix& e) {
  constexpr Index tile = 128;
  const Vector inverse = e.colwise().norm().cwiseInverse();
  double largest = 0;
  for (Index begin = 0; begin < e.cols(); begin += tile) {
    const Index width = std::min(tile, e.cols() - begin);
    Matrix products = e.transpose() * e.middleCols(begin, width);
    for (Index j = 0; j < width; ++j) products(begin + j, j) = 0;
    products = (inverse.asDiagonal() * products * inverse.segment(begin, width).asDiagonal()).eval();
    largest = std::max(largest, products.cwiseAbs().maxCoeff());
  }
  return largest;
}

/// Columns of a file that are orthogonal up to rounding are orthogonal for a rule that does not depend on rotations
/// (triangular_factor).
std::string orthogonal_note(const Unit& unit) {
  const LearningProblem& problem = *unit.problem;
  const Experiment& experiment = problem.experiment;
  if (unit.reduction.way != Way::dense || unit.reduction.task_basis || experiment.loss->of_outputs) return {};
  const DenseEmbeddings given = problem.inputs.embeddings({}),
                        used = problem.inputs.embeddings(unit.symmetries());
  for (const auto& [side, chosen] : {std::pair(&DenseEmbeddings::query, &experiment.query_embedding),
                                     std::pair(&DenseEmbeddings::answer, &experiment.answer_embedding)}) {
    const auto &e = given.*side, &r = used.*side;
    if (!embedding_row(chosen->kind).given || !e || e == r) continue;
    const auto entries = (r->array() != 0).cast<Index>().eval();
    if ((entries.colwise().sum() > 1).any() || (entries.rowwise().sum() > 1).any()) continue;
    if (const double cosine = largest_cosine(*e); cosine > 0)
      return fmt::format("the columns of {}, which are orthogonal up to {:.1g}, are taken as orthogonal",
                         chosen->parameters.text("path"), cosine);
  }
  return {};
}

/// The first step at which rounding leaves nothing of the update, such as the sum of a gradient and the decay of W, or of a
/// direction of it. Its digits are kept if they are measured, or lost.
std::string update_note(const Unit& unit, Trajectory& trajectory) {
  const auto found = trajectory.series.find("update_digits");
  if (found == trajectory.series.end()) return {};
  const auto lost = std::ranges::find_if(found->second, [](double left) { return left < min_digits; });
  if (lost != found->second.end())
    return fmt::format("from step {} on rounding leaves no digits of measures of the update",
                       unit.problem->steps[static_cast<std::size_t>(lost - found->second.begin())]);
  if (!trajectory.series.contains("digits")) trajectory.series.erase(found);
  return {};
}

/// Singular values that embeddings make small, and factors and attributes, multiply rounding, of which only digits tell.
std::string digits_note(const Unit& unit, const Trajectory& trajectory) {
  const Experiment& experiment = unit.problem->experiment;
  const EngineQuery query = unit.query();
  if (experiment.digits != "auto" || trajectory.series.contains("digits") ||
      !precision_of(experiment).underflows || unit.reduction.way != Way::dense)
    return {};
  const bool small_values = !unit.reduction.task_basis && !orthonormal_embeddings(experiment) &&
                            query.work.polar_factors + query.work.decompositions > 0;
  if (!small_values && !experiment.is_product() && !experiment.of_attributes()) return {};
  return "digits were not measured: repetitions would have taken longer than the run (run.digits = \"on\" measures them)";
}

std::string spectra_note(const Unit& unit) {
  if (unit.cost().spectra) return {};
  return "singular values were not measured: they would have taken longer than the run "
         "(run.spectral_metrics = \"on\" measures them)";
}

std::string facts_note(const Attempted& kept) {
  if (!kept.undecided) return {};
  return fmt::format("from step {} on rounding decides which facts are recovered", *kept.undecided);
}

}  // namespace

bool shows_lost_digits(const Attempted& kept) {
  return !parting_note(kept).empty() || !lost_note(kept.unit, kept.trajectory).empty();
}

void add_notes(Attempted& kept, const UnitRunner& run) {
  Trajectory& trajectory = kept.trajectory;
  trajectory.step_size_source = step_size_source(*kept.unit.choice);
  std::string& detail = trajectory.status_detail;
  const auto add = [&](const std::string& note) {
    if (!note.empty()) detail += (detail.empty() ? "" : "; ") + note;
  };
  if (trajectory.status == Status::digits_lost) add(epsilon_note(kept, run));
  if (trajectory.status != Status::complete) return;
  for (const std::string& note :
       {edge_note(trajectory), parting_note(kept), epsilon_note(kept, run),
        balance_note(kept.unit, trajectory), update_note(kept.unit, trajectory), order_note(kept.unit),
        orthogonal_note(kept.unit), growth_note(kept), digits_note(kept.unit, trajectory),
        spectra_note(kept.unit), lost_note(kept.unit, trajectory), facts_note(kept),
        rank_note(kept.unit, trajectory)})
    add(note);
}

}  // namespace rarefact
