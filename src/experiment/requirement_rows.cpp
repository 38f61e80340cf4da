// The rows of the table of requirements.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/keys.hpp"
#include "experiment/precision.hpp"
#include "experiment/requirements.hpp"
#include "model/column_values.hpp"
#include "model/met_classes.hpp"

namespace rarefact {

namespace {

using E = const Experiment&;
using C = const EngineQuery&;
using Words = std::vector<std::string>;

/// Words for the first group whose number of classes is not whole.
Words not_whole(C c) {
  if (!c.spectrum.groups) return {};
  for (const double n : c.spectrum.groups->count) {
    if (n != std::floor(n))
      return {fmt::format("{:.17g}", n), c.answers() ? "queries (answers.rounded = false)" : "classes"};
  }
  return {};
}

/// Words for a side that does not drop out and on which the rule is not rotation-equivariant.
Words entry_by_entry(C c) {
  const Sides sides(c);
  const auto side = std::ranges::find_if(sides, [](const EmbeddedSide& s) { return !s.equal_classes(); });
  if (side == sides.end()) return {};
  const bool both = !sides[0].rotates && !sides[1].rotates;
  return {both ? "" : fmt::format("on {} ", side->name), side->component.kind};
}

/// Whether the kind of an embedding is unsuitable, with the first such kind as word.
Predicate embedding_that(bool (*wrong)(const EmbeddedSide&)) {
  return [wrong](C c) {
    for (const EmbeddedSide& side : Sides(c))
      if (wrong(side)) return Words{side.component.kind};
    return Words{};
  };
}

/// Whether two classes have the same probability, so that the population's gradient has equal singular values.
/// Of queries with answers of their own.
bool equally_likely(C c) {
  if (!c.spectrum.groups || c.answers() || c.experiment.sampled()) return false;
  if (std::ranges::any_of(c.spectrum.groups->count, [](double n) { return n > 1; })) return true;
  std::vector<double> sorted = c.spectrum.groups->probability;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

/// Words for too many classes; the symmetric algebra stores only sampled classes under the softmax.
Words too_many(C c, Way way) {
  const bool met = way == Way::symmetric && c.experiment.sampled() && !c.experiment.least_squares();
  if (met || c.spectrum.groups) return {};
  return {fmt::format("{:g}", c.spectrum.answer_count()), c.answers() ? "answers" : "classes"};
}

bool some_twins(C c) {
  if (!c.answers()) return false;
  const AnswerLaw& law = *c.answers();
  if (!law.units) return law.law->queries(1) > 1;
  return std::ranges::any_of(law.units->groups, [](const ComponentGroup& unit) {
    return std::ranges::any_of(unit.queries, [](const QueryType& type) { return type.twins > 1; });
  });
}

bool several_answers(C c) {
  return c.answers() && c.answers()->units && !deterministic(*c.answers()->units);
}

/// Words: the block sizes of both sides.
Words two_sizes(C c) {
  const Sides sides(c);
  const Index query = sides[0].block(), answer = sides[1].block();
  if (query == 1 || answer == 1 || query == answer) return {};
  return {std::to_string(query), std::to_string(answer)};
}

/// Words for the first group that is not a whole number of blocks.
Words broken_block(C c) {
  const Index size = Sides(c).block();
  for (std::size_t i = 0; size > 1 && i < c.spectrum.groups->size(); ++i) {
    const double n = c.spectrum.groups->count[i];
    if (std::fmod(n, static_cast<double>(size)) != 0)
      return {std::to_string(i), fmt::format("{:.17g}", n), std::to_string(size)};
  }
  return {};
}

/// Why the answers of a law cannot be represented by nodes.
Words rough_law(C c) {
  if (!c.answers() || c.spectrum.law) return {};
  const Component& law = c.experiment.answers;
  if (law.kind != "fan_in") return {law.kind, "not a", "a node is an answer with queries of its own"};
  const bool within = law.parameters.number("within") > 0;
  return {law.kind, "here no",
          within ? "the queries of an answer differ (answers.within)"
                 : "one number for all answers, or answers.rounded = false, on a smooth spectrum is one"};
}

/// Whether the queries requested by run.classes cannot be determined.
bool unknown_order(C c) {
  return c.answers() && !c.spectrum.groups && c.experiment.classes.kind != ClassRule::Kind::groups &&
         !likeliest_first(*c.spectrum.law);
}

const Predicate sampled = [](E e) { return e.sampled(); }, squares = [](E e) { return e.least_squares(); },
                gaussian = [](E e) { return e.squares.gaussian(); },
                random_target = [](E e) { return e.squares.random_target(); },
                ranked_target = [](E e) { return e.squares.exponent != 0; },
                noisy = [](E e) { return e.label_noise > 0; },
                by_frequency = [](E e) { return e.noise_answers == NoiseAnswers::frequency; },
                recovered = [](E e) { return e.removes_recovered; },
                own_answers = [](E e) { return e.own_answers(); }, tied = [](E e) { return e.tied; },
                precise = [](E e) { return e.precision == 50; }, single = [](E e) { return e.single(); },
                rho = [](E e) { return e.rho_epsilon > 0; }, alignment = [](E e) { return e.alignment; },
                spectral = [](E e) { return e.spectral_metrics == "on"; };

/// The experiment names the file of its result.
Words no_file_name(const Part& part) {
  constexpr std::size_t longest = 200;
  const std::string& name = part.experiment->name;
  const bool good = name.find('/') == std::string::npos && !name.starts_with('.') && name.size() <= longest;
  return good || !part.knows("name") ? Words{} : Words{std::to_string(longest)};
}

std::vector<Requirement> told(Told when, std::vector<Requirement> rows) {
  for (Requirement& row : rows) row.told = when;
  return rows;
}

/// Requirements that can be checked while the file is read.
std::vector<Requirement> early_rows() {
  static const std::string
      of_facts = "this is of queries that are facts, and data.queries is \"gaussian\"",
      of_gaussian = "this is of Gaussian queries, and data.queries is \"facts\"",
      of_softmax = "this is of the softmax, and the loss here is least_squares",
      of_squares = "this belongs to [model] loss = \"least_squares\", and the loss here is softmax";
  const Predicate facts = squares && !gaussian;
  std::vector<Requirement> rows = {
      {"name",
       {},
       no_file_name,
       "it names the result file; expected a text of at most {n} bytes without \"/\" that does not begin with a dot"},
      {"model.measurement", {}, facts && [](E e) { return e.squares.bilinear(); }, of_gaussian},
      {"data.query_scale",
       {},
       squares && gaussian && [](E e) { return e.squares.query_scale != 1; },
       of_facts},
      {"data.answer_noise", {}, facts && [](E e) { return e.squares.answer_noise > 0; }, of_gaussian},
      {"data.label_noise", {}, squares && gaussian && noisy, of_facts},
      {"data.noise_answers", {}, squares && by_frequency, of_softmax},
      {"data.noise_answers",
       {},
       by_frequency && [](const Part& part) { return part.knows("label_noise"); } && !noisy,
       "data.label_noise is 0, so that there is no noise whose answers it could say; expected label_noise > 0 beside it"},
      {"data.recovered", {}, squares && recovered, of_softmax},
      {"answers.law", {}, squares && !own_answers, of_softmax},
      {"embedding.tied",
       {},
       tied && [](E e) { return e.query_embedding != e.answer_embedding; },
       "this needs [embedding.query] and [embedding.answer] to be equal"},
      {"embedding.tied",
       {},
       tied && !own_answers,
       "this needs a query for every answer, and answers.law gives other ones"},
      {"target.directions", {}, facts, of_gaussian},
      {"target.exponent", {}, facts, of_gaussian},
      {"run.rho_epsilon", {}, squares && rho, of_softmax},
      {"run.arithmetic", {}, squares && single, of_softmax},
      {"run.precision", {}, squares && precise, of_softmax},
      {"optimizer.schedule_offset",
       {},
       [](const Part& part) {
         const OptimizerChoice& choice = *part.optimizer;
         const bool other = part.knows("schedule") && choice.schedule != "inverse_sqrt";
         return other && choice.schedule_offset != 1 ? Words{choice.schedule} : Words{};
       },
       "the schedule {name} has no offset; it belongs to inverse_sqrt"},
  };
  for (const ExperimentKey& key : experiment_keys())
    if (key.of_squares) rows.push_back({key.name(), {}, !squares, of_squares});
  return told(Told::reading, std::move(rows));
}

/// Words where queries have several answers: how many there are, and how many have.
Words several(C c) {
  double several = 0;
  for (const ComponentGroup& unit :
       c.answers() && c.answers()->units ? c.answers()->units->groups : std::vector<ComponentGroup>()) {
    for (const QueryType& query : unit.queries) {
      const auto& first = query.answers.front();
      const bool one = query.answers.size() == 1 && unit.answer_twins[first.type] == 1;
      if (!one) several += unit.count * query.twins;
    }
  }
  if (several == 0) return {};
  return {fmt::format("{:g}", c.spectrum.classes), fmt::format("{:g}", several)};
}

/// Words for requested classes that do not exist, and the number of classes.
Words missing_classes(C c) {
  std::string missing;
  for (const ClassAt& at : c.experiment.classes.list) {
    if (at.kind == ClassAt::Kind::rank && at.value > c.spectrum.classes)
      missing += fmt::format("{}{:.17g}", missing.empty() ? "" : ", ", at.value);
  }
  return missing.empty() ? Words{} : Words{missing, fmt::format("{:.17g}", c.spectrum.classes)};
}

/// Words for label noise of which an answer gets less than doubles hold. Even if α/K fits the exponents of the computation,
/// L* is stored as a double.
Words faint_noise(C c) {
  constexpr double min_noise = 1e-300;
  const double noise = c.experiment.label_noise, answers = c.spectrum.answer_count();
  const double least =
      min_noise * (precision_of(c.experiment).underflows ? std::max(1.0, answers * 1e-8) : 1);
  if (noise == 0 || noise >= least) return {};
  return {fmt::format("{:g}", noise), fmt::format("{:g}", answers), fmt::format("{:g}", least)};
}

/// Signs, ratios and polar factors depend on the smallest entries of the gradient as much as on the largest:
/// p_l/K of the rarest class must not underflow relative to the largest p_l. In a sample the least weight of
/// a query is one draw.
Words underflow(C c) {
  constexpr double min_entry = 1e-303;  // of a residual, safely above the smallest double
  if (c.experiment.sampled() || !precision_of(c.experiment).underflows) return {};
  if (!c.symmetries.amplifies_small_entries) return {};
  std::pair<double, double> ends;
  if (c.spectrum.groups) {
    const auto [least, most] = std::ranges::minmax(c.spectrum.groups->probability);
    ends = {least, most};
  } else {
    ends = query_probabilities(*c.spectrum.law);
  }
  const double log_entry = std::log(ends.first / ends.second) - std::log(c.spectrum.answer_count());
  if (!(log_entry < std::log(min_entry))) return {};
  return {fmt::format("{:.0f}", -log_entry / std::log(10.0)), fmt::format("{:.0f}", -std::log10(min_entry))};
}

/// Requirements of every experiment, once its classes are known.
std::vector<Requirement> class_rows() {
  std::vector<Requirement> rows = {
      {"run.rho_epsilon",
       {},
       rho && several,
       "run.rho_epsilon: ϱ is of queries that have one answer each, of which p̂ may come near 1; of {K} queries {n} have "
       "several answers; expected 0"}};
  for (const std::size_t number : {0, 1}) {
    const std::string name = number == 0 ? "query" : "answer", key = fmt::format("embedding.{}.kind", name);
    const auto add = [&](Words (*wrong)(const EmbeddedSide&, double), const std::string& sentence) {
      const auto of_side = [number, wrong](C c) {
        return wrong(Sides(c)[number], number == 0 ? c.spectrum.classes : c.spectrum.answer_count());
      };
      rows.push_back({key, {}, of_side, sentence});
    };
    add(
        [](const EmbeddedSide& side, double classes) {
          if (!side.embedding.block) return Words{};
          const Index size = rotation_block(side.component.parameters, side.key).rows();
          if (std::fmod(classes, static_cast<double>(size)) == 0) return Words{};
          return Words{side.component.kind, std::to_string(size), fmt::format("{:.17g}", classes)};
        },
        name + " embedding '{kind}' has blocks of {b} classes, and {K} classes are no multiple of it");
    add(
        [](const EmbeddedSide& side, double classes) {
          const double dimension = side.embedding.dimension(side.component.parameters, classes);
          if (!side.embedding.orthonormal || dimension >= classes) return Words{};
          return Words{side.component.kind, fmt::format("{:g}", dimension), fmt::format("{:.17g}", classes)};
        },
        name +
            " embedding '{kind}' has dimension {d}, fewer than the {K} classes that are to be orthonormal");
    const auto alone = [number](C c) { return Sides(c)[number].embedding.clustered && !c.spectrum.answers; };
    rows.push_back(
        {key,
         {},
         alone,
         fmt::format("{}: clustered makes what is of one unit similar, and without [answers] every {} is a "
                     "unit of its own; expected another kind, such as orthogonal",
                     key, name)});
  }
  rows.push_back({"run.classes", {}, missing_classes, "run.classes: got class {k}; expected 1 to {K}"});
  rows.push_back(
      {"data.label_noise",
       {},
       faint_noise,
       "data.label_noise = {α} is too small beside 1: with K = {K} classes expected 0 or at least {least}, so "
       "that doubles hold what falls to each answer"});
  return told(Told::classes, std::move(rows));
}

std::vector<Requirement> rule_rows() {
  return told(
      Told::rule,
      {{"optimizer.rule",
        {},
        underflow,
        "the gradient's entries span a factor 1e{n} (K times the ratio of the largest to the least class "
        "probability), and {rule} needs the smallest as much as the largest; doubles hold 1e{n}"}});
}

std::vector<Requirement> way_rows() {
  static constexpr Ways nodes = {Way::node_columns, Way::node_symmetric},
                        columns = {Way::columns, Way::node_columns},
                        algebra = {Way::symmetric, Way::node_symmetric},
                        of_modes_and_columns = {Way::modes, Way::columns},
                        of_classes = {Way::modes, Way::columns, Way::symmetric},
                        exact = of_classes | Way::dense, all = exact | nodes, but_dense = of_classes | nodes,
                        but_symmetric = of_modes_and_columns | nodes | Way::dense;
  const char
      *whole = "a group has {n} {classes}, not a whole number",
      *entries =
          "{rule} acts entry by entry {on a side }in the coordinates of W, which embedding '{kind}' mixes";
  const Predicate of_law = [](C c) { return c.answers() != nullptr; },
                  keeps_wrong_ties = [](C c) { return c.symmetries.keeps_wrong_ties; },
                  rotates = [](C c) { return c.symmetries.answers_rotate && c.symmetries.queries_rotate; },
                  needs_gaps = [](C c) { return c.symmetries.needs_gaps; },
                  second_moment = [](C c) { return c.symmetries.reads_second_moment; },
                  hessian = [](C c) { return c.rule.reads_curvature; },
                  drop_out = [](C c) { return Sides(c).drop_out(); },
                  equal_classes = [](C c) { return Sides(c).equal_classes(); },
                  in_blocks = [](C c) { return Sides(c).block() > 1; },
                  not_orthonormal =
                      embedding_that([](const EmbeddedSide&s) { return !s.embedding.orthonormal; });
  return {
      // For every run.
      {"loss", Way::modes, !squares, "it holds least squares alone (model.loss)", true},
      {"softmax", nodes, squares, "it holds the softmax alone (model.loss)", true},
      {"precision", but_symmetric, precise,
       "50 significant digits (run.precision) are for the engine symmetric alone"},
      {"single", all,
       single && [](C c, Way way) { return way != Way::dense || Sides(c).identity() || Sides(c).drop_out(); },
       "single precision is of products with embeddings on the engine dense (run.arithmetic)"},
      {"population", nodes, sampled,
       "a sample tells apart classes that are equally, or nearly equally, likely (data.mode)"},
      {"alignment", columns | nodes, alignment,
       "polar factors are of all entries, which the engines modes, symmetric and dense hold (run.alignment)"},
      {"written-out", exact, too_many, "{K} distinct {classes} are too many to write out"},
      {"distinct", all, needs_gaps && equally_likely,
       "equally likely classes have equal singular values, and {rule} is defined only where they differ"},
      {"gaps", but_dense, needs_gaps,
       "{rule} is defined only where singular values differ, which the dense engine alone sees"},

      {"modes-noise", Way::modes, noisy, "label noise draws the answers of other modes (data.label_noise)"},
      {"modes-apart", Way::modes, !rotates && !keeps_wrong_ties, "{rule} couples the modes"},

      {"sampled-answer", Way::columns, sampled && several_answers,
       "samples draw some of the answers of a query and not others, so those of a column do not stay equal"},
      {"sampled-noise", Way::columns, sampled && noisy,
       "label noise draws some wrong answers of a query and not others, so those of a column do not stay equal"},
      {"sampled-whole", of_modes_and_columns, sampled && not_whole, whole},

      {"smooth-law", nodes, rough_law,
       "law of answers '{law}' is {not a} smooth function of the rank: {reason}"},
      {"known-order", nodes, unknown_order,
       "the likeliest queries are not those of the first answers, so that nobody knows which ones run.classes asks for"},
      {"smooth-spectrum", nodes,
       [](C c) { return c.spectrum.law ? Words{} : Words{c.experiment.spectrum.kind}; },
       "spectrum '{kind}' is not a smooth function of the rank with distinct classes"},
      {"rho-of-law", nodes, of_law && rho,
       "ϱ of nodes is of classes that each have an answer of their own (run.rho_epsilon)"},
      {"recovered", nodes, recovered,
       "a gradient that recovered facts drop out of is not a smooth function of the rank (data.recovered)"},
      {"spectral", nodes, spectral,
       "quantiles and the largest of the singular values are not smooth functions of the rank (run.spectral_metrics)"},

      {"hessian", columns | algebra, hessian && !squares,
       "{rule} solves with the Hessian of the loss, which the dense engine alone has"},
      {"columns-apart", columns, !keeps_wrong_ties,
       "{rule} couples the columns, so the wrong answers of a column do not stay equal"},
      {"frequency-noise", columns, of_law && by_frequency && noisy,
       "noise that draws answers by frequency (data.noise_answers) tells the wrong answers of a column apart"},
      {"column-values", columns,
       of_law &&
           [](C c) { return c.experiment.spectral_metrics == "on" || c.symmetries.spectrum_of_columns; },
       "columns of few numbers do not tell which answers they are of, so they have no singular values"},

      {"squares-hessian", exact, squares && hessian && sampled,
       "{rule} solves with the second moment of the population, and gradients are of samples"},
      {"squares-second-moment", exact, squares && second_moment,
       "{rule} reads the second moment of the queries without their noise"},
      {"squares-task-basis", exact,
       squares && Predicate([](C c) { return c.symmetries.reads_task; }) && not_orthonormal,
       "{rule} reads the gradient in the task basis, which least squares has for orthonormal embeddings alone, not for "
       "'{kind}'"},
      {"random-target", exact,
       squares && random_target &&
           [](C c) {
             const EmbeddedSide query = Sides(c)[0];
             return query.embedding.orthonormal ? Words{} : Words{query.component.kind};
           },
       "a random target is made of orthonormal queries, and not of embedding '{kind}'"},
      {"diagonal-target", of_classes, squares && random_target,
       "a target in random directions is diagonal in no basis (target.directions)"},
      {"target-of-groups", of_classes,
       squares && gaussian && ranked_target &&
           [](C c) { return std::ranges::any_of(c.spectrum.groups->count, [](double n) { return n > 1; }); },
       "a target that goes by the rank tells the classes of a group apart (target.exponent)"},
      {"squares-population", Way::symmetric, squares && sampled,
       "samples tell apart what the groups of the symmetric algebra hold as one (data.mode)"},
      {"target-of-blocks", Way::symmetric, squares && ranked_target && in_blocks,
       "a target that goes by the rank tells the classes of a block apart (target.exponent)"},

      {"twins", algebra, second_moment && some_twins,
       "{rule} reads the second moment of the queries, in which twin queries are apart"},
      {"equal-classes", algebra, embedding_that([](const EmbeddedSide& s) {
         const EmbeddingRow& row = s.embedding;
         return s.rotates && !row.orthonormal && !row.equicorrelated && !row.clustered;
       }),
       "embedding '{kind}' treats classes of equal probability differently"},
      {"orthonormal", columns, !squares && !drop_out && not_orthonormal,
       "embedding '{kind}' is not orthonormal"},
      {"modes-mixed", of_modes_and_columns, squares && embedding_that([](const EmbeddedSide& s) {
                                              return !s.drops_out() && !s.embedding.orthonormal;
                                            }),
       "embedding '{kind}' mixes the modes"},
      {"drop-out", Way::modes | columns, !drop_out && entry_by_entry, entries},
      {"normal-queries", of_modes_and_columns, draws_normals, "normal queries are of all modes at once"},
      {"in-blocks", algebra,
       [](C c) {
         const auto whole_side = [](const EmbeddedSide& s) { return s.drops_out() || s.embedding.block; };
         return std::ranges::all_of(Sides(c), whole_side) ? Words{} : entry_by_entry(c);
       },
       entries},
      {"block-classes", algebra, !equal_classes && of_law,
       "blocks of an embedding are of classes that each have an answer of their own"},
      {"one-block", algebra, two_sizes,
       "the blocks of the two embeddings differ in size ({one} and {other})"},

      // Requirements of the symmetric algebra with sampled classes, and with blocks.
      {"met-law", Way::symmetric, sampled && of_law,
       "samples of a law of answers are held by the dense engine alone"},
      {"met-alignment", Way::symmetric, sampled && alignment,
       "in the population's gradient the classes that samples never show differ (run.alignment)"},
      {"met-second-moment", Way::symmetric, sampled && second_moment,
       "{rule} reads the second moment of the queries, in which classes that samples never show differ"},
      {"told-apart", Way::symmetric,
       sampled &&
           [](C c) {
             return c.spectrum.classes > most_told_apart ? Words{fmt::format("{:g}", most_told_apart)}
                                                         : Words{};
           },
       "draws of 52 bits tell at most {number} classes apart"},
      {"met-whole", Way::symmetric, sampled && not_whole, whole},
      {"met-blocks", Way::symmetric, sampled && in_blocks,
       "samples tell the blocks of an embedding apart (data.mode)"},
      {"whole-blocks", Way::symmetric, broken_block,
       "group {number} has {n} classes, not a multiple of the block size {b}"},
      {"whole", Way::dense, not_whole, whole},

      // Requirements of fast-forwarding.
      {"many-steps", Way::leap, [](E e) { return !e.many_steps(); }, "they are not many"},
      {"leaps-off", Way::leap, [](E e) { return e.fast_forward == "off"; }, "run.fast_forward is \"off\""},
      {"leap-margins", Way::leap, squares, "least squares has no margins (model.loss)"},
      {"leap-rule", Way::leap, [](C c) { return c.rule.margins == nullptr; },
       "run.fast_forward supports gd, momentum and ngd, not {rule}"},
      {"leap-noise", Way::leap, noisy && [](C c) { return c.rule.margins(c.parameters).normalised; },
       "strides of one norm go to and fro where label noise ends the learning"},
      {"leap-schedule", Way::leap, [](C c) { return c.schedule != "constant"; },
       "the step size changes (schedule)"},
      {"leap-population", Way::leap, sampled, "every sample is another one (data.mode)"},
      {"leap-recovered", Way::leap, recovered, "facts that are recovered drop out (data.recovered)"},
      {"leap-updates", Way::leap,
       [](C c) {
         const Experiment& e = c.experiment;
         return (e.push || e.curvature || e.spectral_metrics == "on") &&
                c.rule.margins(c.parameters).momentum > 0;
       },
       "a leap leaves the momentum behind, of which updates are made (run.push, curvature, spectral_metrics)"},
      {"leap-columns", Way::leap,
       [](C, Way held) { return columns.has(held) ? Words{} : Words{name_of(engine_of(held))}; },
       "the engine {name} does not hold single margins"},
      {"leap-answers", Way::leap, several_answers, "queries have several answers"},
  };
}

}  // namespace

bool draws_normals(C c) {
  const LeastSquares& data = c.experiment.squares;
  return c.experiment.least_squares() && c.experiment.sampled() && (data.gaussian() || data.query_noise > 0);
}

const std::vector<Requirement>& requirements() {
  static const std::vector<Requirement> rows = [] {
    std::vector<Requirement> all = early_rows();
    for (auto* more : {class_rows, rule_rows, way_rows}) std::ranges::move(more(), std::back_inserter(all));
    return all;
  }();
  return rows;
}

}  // namespace rarefact
