#include <cmath>
#include <ranges>

#include "core/status.hpp"
#include "core/text.hpp"
#include "experiment/requirements.hpp"
#include "optim/formula/calculus.hpp"
#include "sim/comparison.hpp"
#include "sim/outcome.hpp"
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

/// The largest number of a series; 0 if there is none.
double largest(const Trajectory& trajectory, const std::string& name) {
  double most = 0;
  if (const std::vector<double>* series = trajectory.find(name))
    for (const double x : *series) most = std::fmax(most, x);
  return most;
}

constexpr double visible = 1e-6;     ///< the least gap that a figure could show
constexpr double noticeable = 0.01;  ///< the least relative change

/// The record at which the gaps of two runs are furthest apart, if by more than this share of the larger one and by a
/// number that a figure could show.
std::optional<std::size_t> gap_apart(const Trajectory& run, const Trajectory& other, double share) {
  const auto *a = run.find("gap"), *b = other.find("gap");
  if (a == nullptr || b == nullptr) return std::nullopt;
  std::optional<std::size_t> furthest;
  double most = visible;
  for (std::size_t i = 0; i < std::min(a->size(), b->size()); ++i) {
    const double x = a->at(i), y = b->at(i), apart = std::abs(x - y);
    if (!(apart > most) || !(apart > share * std::max(std::abs(x), std::abs(y)))) continue;
    most = apart;
    furthest = i;
  }
  return furthest;
}

/// False if ε cannot change what a run shows. Entries of the gradient start at (1 - α) p_l/K or more if W is one matrix that
/// starts at 0 and its columns are classes with an answer each; √v forgets them by √β₂ a step. A gap changes by at most ten times the share of ε in
/// √v + ε.
bool epsilon_may_matter(const Attempted& kept, double epsilon) {
  constexpr double far_below = 1e-4, most = 10;
  const Experiment& experiment = kept.unit.problem->experiment;
  if (experiment.in_factors() || !experiment.starts_at_zero() || experiment.of_attributes() ||
      !experiment.own_answers() || !Sides(kept.unit.query()).identity())
    return true;
  const Spectrum& spectrum = kept.unit.problem->spectrum;
  const ParameterValues& given = kept.unit.choice->parameters;
  const double beta2 = given.has("beta2") ? given.number("beta2") : 0,
               steps = static_cast<double>(experiment.steps),
               left = std::sqrt((1 - beta2) * std::pow(beta2, steps - 1) / (1 - std::pow(beta2, steps))),
               share = epsilon / (left * (1 - experiment.label_noise) * spectrum.training_range().first /
                                  spectrum.answer_count());
  if (!(share < far_below)) return true;
  const auto* gap = kept.trajectory.find("gap");
  return gap == nullptr ||
         std::ranges::any_of(*gap, [&](double x) { return x > visible && noticeable * x < most * share; });
}

/// The series that ε may change, up to the step at which a run loses its digits.
Trajectory with_digits(const Attempted& kept) {
  const std::vector<std::int64_t>& steps = kept.unit.problem->steps;
  const Trajectory& run = kept.trajectory;
  const auto records =
      run.status == Status::digits_lost
          ? static_cast<std::size_t>(std::ranges::lower_bound(steps, run.status_step) - steps.begin())
          : steps.size();
  Trajectory first;
  for (const std::string name : {"gap", "error", "class_loss"})
    if (const std::vector<double>* series = run.find(name))
      first.series[name].assign(series->begin(), series->begin() + series->size() / steps.size() * records);
  return first;
}

/// How much ε changes the errors or losses of classes, or the gap, by a run with ε = 0, where it is more than 1 %.
std::string epsilon_note(const Attempted& kept, const UnitRunner& run) {
  Unit without = kept.unit;
  const std::string key = epsilon_key(without.choice->parameters);
  if (key.empty()) return {};
  const double epsilon = without.choice->parameters.number(key);
  // A sweep that measures the digits of some points compares these.
  if (without.problem->experiment.digits == "noted")
    return epsilon_may_matter(kept, epsilon)
               ? fmt::format("the effect of ε = {:g} was not measured (run.digits = \"on\" does)", epsilon)
               : "";
  const EngineCost cost = without.cost();
  if (!cost.compares_epsilon)
    return fmt::format("the effect of ε = {:g} is unknown, since a run with ε = 0 takes some {:.0f} minutes",
                       epsilon, std::ceil(cost.repetition / 60));
  OptimizerChoice choice = *without.choice;
  choice.parameters.set(key, 0.0);
  without.choice = &choice;
  without.variant.no_epsilon = true;
  const Trajectory compared = run(without), shown = with_digits(kept);
  if (compared.status == Status::diverged &&
      (kept.trajectory.status == Status::complete || compared.status_step <= kept.trajectory.status_step))
    return fmt::format("ε = {:g} matters: with {} = 0 the run diverges at step {}", epsilon, key,
                       compared.status_step);
  if (compared.status != Status::complete) return {};
  const double change = class_difference(shown, compared);
  const std::optional<std::size_t> apart = gap_apart(shown, compared, noticeable);
  const bool has_gap = shown.series.contains("gap");
  std::string effect;
  if (change > noticeable) {
    effect = fmt::format("changes the loss of a class by up to {:.0f} %; ", 100 * change);
    if (has_gap)
      effect += fmt::format("the largest gap is {:.2g}, and {:.2g} with ε = 0; ", largest(shown, "gap"),
                            largest(compared, "gap"));
  } else if (apart) {
    effect = fmt::format("changes the gap: at step {} it is {:.2g}, and {:.2g} with ε = 0; ",
                         kept.unit.problem->steps[*apart], shown.series.at("gap")[*apart],
                         compared.series.at("gap")[*apart]);
  } else {
    return {};
  }
  return fmt::format("ε = {:g} {}set {} = 0 to avoid this", epsilon, effect, key);
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

/// A rank that grows where few digits are left, or none were measured. Signs of entries may have any rank, and the first
/// step may leave a symmetry of W = 0.
std::string growth_note(const Attempted& kept) {
  constexpr double plenty = 8;
  const Symmetries symmetries = kept.unit.symmetries();
  if (!symmetries.answers_rotate && !symmetries.queries_rotate) return {};
  const std::vector<double>* digits = kept.trajectory.find("digits");
  if (digits && std::ranges::all_of(*digits, [](double left) { return !(left < plenty); })) return {};
  const std::optional<RankGrowth> growth = rank_growth(kept);
  return growth && growth->step > 1 ? text_of(*growth) : "";
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

/// The first step at which rounding may have hidden a direction of the gradient, if digits do not judge it.
std::string lost_note(const Unit& unit, const Trajectory& trajectory) {
  const Experiment& experiment = unit.problem->experiment;
  if (trajectory.series.contains("digits") || experiment.sampled() || experiment.removes_recovered())
    return {};
  const std::vector<RankFrom> none = {RankFrom()};
  std::optional<std::int64_t> lost;
  const RuleWork work = unit.query().work;
  if (mixes_columns(experiment) && work.polar_factors + work.decompositions > 0)
    lost = lost_direction(ranks_shown(*unit.problem, trajectory), none, true);
  if (!experiment.own_answers()) lost = earlier(lost, hidden_direction(trajectory.ranks));
  if (!lost) return {};
  return fmt::format(
      "at step {} rounding may hide a direction of the gradient from the rule, and later numbers may be wrong: "
      "run.digits = \"on\" tells",
      *lost);
}

/// True if a function in the formula of D may set singular values to 0.
bool chooses_values(const OptimizerChoice& choice) {
  const auto definitions = optimizer_row(choice.rule).definitions;
  if (!definitions) return false;
  std::vector<ParameterProblem> problems;
  return std::ranges::any_of(formula::graph_of(definitions(choice.parameters), problems).nodes,
                             [](const formula::Node& node) { return node.op == formula::op::spectral; });
}

/// The size, relative to the largest, of singular values that polynomials in the formula of D make of rounding: each step
/// of a polynomial multiplies small ones by its first coefficient.
double polynomial_rounding(const OptimizerChoice& choice, bool of_update) {
  const auto definitions = optimizer_row(choice.rule).definitions;
  if (!definitions) return 0;
  std::vector<ParameterProblem> problems;
  const formula::Graph graph = formula::graph_of(definitions(choice.parameters), problems);
  const std::vector<bool> needed = formula::needed_nodes(graph, false);
  std::vector<double> growths;  // of what each node reads and does
  double most = 1;
  for (const formula::Node& node : graph.nodes) {
    double growth = 1;
    if (!node.op->leaf)
      for (const int a : node.arguments) growth = std::max(growth, growths[static_cast<std::size_t>(a)]);
    // The rank of an update that is a polynomial itself is that of its argument.
    const auto place = growths.size();
    const bool itself = of_update && static_cast<int>(place) == graph.direction && growth == 1;
    if (node.op == formula::op::polynomial && !itself)
      for (const Quintic& step : node.polynomial.steps) growth *= std::abs(step[0]);
    growths.push_back(growth);
    if (needed[place]) most = std::max(most, growth);
  }
  return most > 1 ? most * std::numeric_limits<double>::epsilon() : 0;
}

/// True if decay removes the start of W exactly: (1 - ηλ) W = 0 at some update.
bool forgets_start(const Unit& unit) {
  const StepSchedule schedule = unit.schedule();
  const auto removes = [&](std::int64_t t) { return schedule.at(t).size * schedule.decay == 1; };
  if (schedule.coupled || schedule.decay == 0) return false;
  if (schedule.constant()) return removes(0);
  return std::ranges::any_of(std::views::iota(std::int64_t{0}, unit.problem->experiment.steps), removes);
}

/// The first step at which rounding decides recorded singular values, of updates or of W (`of` is "update_" or "weight_"):
/// those of polynomials; one far below the others appears; one goes that embeddings mix with larger ones, or, of W, that is
/// left of its start, though the exact gradient trains; or W, or a part of it, has shrunk to the rounding of its past.
std::optional<std::int64_t> rounded_rank(const Unit& unit, const Trajectory& trajectory,
                                         const std::string& of) {
  const auto *rank = trajectory.find(of + "rank"), *least = trajectory.find(of + "condition_ratio"),
             *size = trajectory.find(of + "spectral_norm");
  if (!rank || !least || !size) return {};
  const Experiment& experiment = unit.problem->experiment;
  const bool of_weight = of == "weight_", exact = !experiment.sampled(),
             growing = exact && !experiment.removes_recovered(), started = !experiment.starts_at_zero();
  // Elsewhere columns keep digits of their own, and small singular values are right, unless queries that share answers have
  // parallel columns.
  const bool mixed = unit.reduction.way == Way::dense && !unit.reduction.task_basis &&
                     !Sides(unit.query()).identity(),
             mixing = mixed || !experiment.own_answers() || experiment.of_attributes() ||
                      experiment.in_factors() || started;
  // Signs of entries may have any rank, and functions of singular values may leave some out.
  const Symmetries symmetries = unit.symmetries();
  const bool keeps = growing && (symmetries.answers_rotate || symmetries.queries_rotate) &&
                     !chooses_values(*unit.choice) &&
                     (mixed || (of_weight && started && !forgets_start(unit)));
  constexpr double tiny = 1e-11, fall = 1e-4, rounding = 3e-14, of_steps = 1e-12;
  const double of_sums = of_weight && mixing ? of_steps
                         : mixed             ? std::numeric_limits<double>::epsilon()
                                             : 0,
               polynomial =
                   mixing ? polynomial_rounding(*unit.choice, !of_weight && !unit.choice->decays()) : 0;
  double largest = 0, most = 0, smallest = 0;  // so far; of as many values as there have been
  for (std::size_t i = 0; i < rank->size(); ++i) {
    const double now = least->at(i) * size->at(i);
    const bool appears = growing && i > 0 && rank->at(i) > rank->at(i - 1) && least->at(i) < tiny &&
                         least->at(i) < fall * least->at(i - 1),
               goes = keeps && rank->at(i) > 0 && rank->at(i) < most,
               shrunk = exact && of_weight && size->at(i) > 0 &&
                        (size->at(i) < rounding * largest || now < rounding * smallest);
    largest = std::fmax(largest, size->at(i));
    if (rank->at(i) > most) most = rank->at(i), smallest = 0;
    if (rank->at(i) == most) smallest = std::fmax(smallest, now);
    if (appears || goes || shrunk || least->at(i) < std::max(of_sums, polynomial))
      return unit.problem->steps[static_cast<Index>(i)];
  }
  return {};
}

std::string facts_note(const Attempted& kept) {
  if (!kept.undecided) return {};
  return fmt::format("from step {} on rounding decides which facts are recovered", *kept.undecided);
}

std::string rank_note(const Unit& unit, const Trajectory& trajectory) {
  std::string note;
  if (unit.problem->experiment.precision > 16) return note;
  for (const std::string of : {"update_", "weight_"}) {
    if (const auto step = rounded_rank(unit, trajectory, of))
      note += fmt::format(
          "{}from step {} on rounding may decide {}rank and the measures of singular values with it",
          note.empty() ? "" : "; ", *step, of);
  }
  return note;
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
