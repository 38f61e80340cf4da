// The rows of the table of requirements.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/keys.hpp"
#include "experiment/requirements.hpp"
#include "model/column_values.hpp"
#include "model/met_classes.hpp"

namespace rarefact {

namespace {

const LeastSquares* squares(const EngineCase& c) {
  return c.experiment.least_squares() ? &c.experiment.squares : nullptr;
}

using Words = std::vector<std::string>;

/// Of the first group whose number is not whole.
Words not_whole(const EngineCase& c) {
  for (const double n : c.spectrum.groups->count) {
    if (n != std::floor(n))
      return {fmt::format("{:.17g}", n), c.answers() ? "queries (answers.rounded = false)" : "classes"};
  }
  return {};
}

/// Where a side neither drops out nor does the rule rotate on it.
Words entry_by_entry(const EngineCase& c) {
  const Sides sides(c);
  const auto side = std::ranges::find_if(sides, [](const EmbeddedSide& s) { return !s.equal_classes(); });
  const bool both = !sides[0].rotates && !sides[1].rotates;
  return {both ? "" : fmt::format("on {} ", side->name), side->component.kind};
}

/// The kind of the first embedding of which this holds.
template <class Wrong>
Words embedding_that(const EngineCase& c, const Wrong& wrong) {
  for (const EmbeddedSide& side : Sides(c))
    if (wrong(side)) return {side.component.kind};
  return {};
}

/// Whether two classes have the same probability, so that the population's gradient has equal singular values.
/// Of queries with answers of their own.
bool equally_likely(const EngineCase& c) {
  if (!c.spectrum.groups || c.answers() || c.experiment.sampled()) return false;
  if (std::ranges::any_of(c.spectrum.groups->count, [](double n) { return n > 1; })) return true;
  std::vector<double> sorted = c.spectrum.groups->probability;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

Words too_many(const EngineCase& c) {
  if (c.spectrum.groups) return {};
  return {fmt::format("{:g}", c.spectrum.answer_count()), c.answers() ? "answers" : "classes"};
}

bool some_twins(const AnswerLaw& law) {
  if (!law.units) return law.law->queries(1) > 1;
  return std::ranges::any_of(law.units->groups, [](const UnitGroup& unit) {
    return std::ranges::any_of(unit.queries, [](const QueryType& type) { return type.twins > 1; });
  });
}

bool several_answers(const EngineCase& c) {
  return c.answers() && c.answers()->units && !deterministic(*c.answers()->units);
}

/// The sizes of the blocks of both sides.
std::array<Index, 2> blocks(const EngineCase& c) {
  const Sides sides(c);
  return {sides[0].block(), sides[1].block()};
}
Index block(const EngineCase& c) {
  return Sides(c).block();
}

/// Of the first group that is no whole number of blocks.
Words broken_block(const EngineCase& c) {
  const Index size = block(c);
  for (std::size_t i = 0; size > 1 && i < c.spectrum.groups->size(); ++i) {
    const double n = c.spectrum.groups->count[i];
    if (std::fmod(n, static_cast<double>(size)) != 0)
      return {std::to_string(i), fmt::format("{:.17g}", n), std::to_string(size)};
  }
  return {};
}

/// Why no nodes stand for the answers of a law.
Words rough_law(const Component& law) {
  if (law.kind != "fan_in") return {law.kind, "not a", "a node is an answer with queries of its own"};
  const bool within = law.parameters.number("within") > 0;
  return {law.kind, "here no",
          within ? "the queries of an answer differ (answers.within)"
                 : "one number for all answers, or answers.rounded = false, on a smooth spectrum is one"};
}

/// Whether nobody knows which queries run.classes asks for.
bool unknown_order(const EngineCase& c) {
  return !c.spectrum.groups && c.experiment.classes.kind != ClassRule::Kind::groups &&
         !likeliest_first(*c.spectrum.law);
}

using Case = const EngineCase&;

const Experiment& of(const Part& part) {
  return *part.experiment;
}
bool facts(const Part& part) {
  return of(part).least_squares() && !of(part).squares.gaussian();
}
bool gaussian(const Part& part) {
  return of(part).least_squares() && of(part).squares.gaussian();
}

/// A key that must not be given, or not with a value.
Requirement early(const std::string& key, Unmet (*unmet)(const Part&), const std::string& sentence) {
  return {.id = key, .rules_out = {}, .unmet = nullptr, .sentence = sentence, .early = unmet};
}

/// What can be told while the file is read.
std::vector<Requirement> early_rows() {
  using P = const Part&;
  static const std::string of_facts = "this is of queries that are facts, and data.queries is \"gaussian\"",
                           of_gaussian = "this is of Gaussian queries, and data.queries is \"facts\"",
                           of_softmax = "this is of the softmax, and the loss here is least_squares";
  std::vector<Requirement> rows = {
      early(
          "model.measurement", [](P p) -> Unmet { return facts(p) && of(p).squares.bilinear(); },
          of_gaussian),
      early(
          "data.query_scale", [](P p) -> Unmet { return gaussian(p) && of(p).squares.query_scale != 1; },
          of_facts),
      early(
          "data.answer_noise", [](P p) -> Unmet { return facts(p) && of(p).squares.answer_noise > 0; },
          of_gaussian),
      early(
          "data.label_noise", [](P p) -> Unmet { return gaussian(p) && of(p).label_noise > 0; }, of_facts),
      early(
          "data.noise_answers",
          [](P p) -> Unmet { return of(p).least_squares() && of(p).noise_answers != NoiseAnswers::uniform; },
          of_softmax),
      early(
          "data.recovered", [](P p) -> Unmet { return of(p).least_squares() && of(p).removes_recovered; },
          of_softmax),
      early(
          "answers.law", [](P p) -> Unmet { return of(p).least_squares() && !of(p).own_answers(); },
          of_softmax),
      early(
          "embedding.tied",
          [](P p) -> Unmet { return of(p).tied && of(p).query_embedding != of(p).answer_embedding; },
          "this needs [embedding.query] and [embedding.answer] to be equal"),
      early(
          "embedding.tied", [](P p) -> Unmet { return of(p).tied && !of(p).own_answers(); },
          "this needs a query for every answer, and answers.law gives other ones"),
      early(
          "target.directions", [](P p) -> Unmet { return facts(p); }, of_gaussian),
      early(
          "target.exponent", [](P p) -> Unmet { return facts(p); }, of_gaussian),
      early(
          "run.rho_epsilon", [](P p) -> Unmet { return of(p).least_squares() && of(p).rho_epsilon > 0; },
          of_softmax),
      early(
          "run.arithmetic", [](P p) -> Unmet { return of(p).least_squares() && of(p).single(); }, of_softmax),
      early(
          "run.precision", [](P p) -> Unmet { return of(p).least_squares() && of(p).precision == 50; },
          of_softmax),
      early(
          "optimizer.schedule_offset",
          [](P p) -> Unmet {
            const OptimizerChoice& choice = *p.optimizer;
            const bool wrong =
                p.knows("schedule") && choice.schedule != "inverse_sqrt" && choice.schedule_offset != 1;
            return wrong ? Words{choice.schedule} : Words{};
          },
          "the schedule {} has no offset; it belongs to inverse_sqrt"),
  };
  for (const ExperimentKey& key : experiment_keys()) {
    if (key.of_squares)
      rows.push_back(early(
          key.name(), [](P p) -> Unmet { return !of(p).least_squares(); },
          "this belongs to [model] loss = \"least_squares\", and the loss here is softmax"));
  }
  return rows;
}

}  // namespace

bool draws_normals(const EngineCase& asked) {
  const LeastSquares* data = squares(asked);
  return data && asked.experiment.sampled() && (data->gaussian() || data->query_noise > 0);
}

const std::vector<Requirement>& requirements() {
  static constexpr Ways nodes = {Way::node_columns, Way::node_symmetric},
                        columns = {Way::columns, Way::node_columns},
                        algebra = {Way::symmetric, Way::node_symmetric},
                        of_modes_and_columns = {Way::modes, Way::columns},
                        of_classes = {Way::modes, Way::columns, Way::symmetric},
                        exact = of_classes | Way::dense, all = exact | nodes, but_dense = of_classes | nodes,
                        but_symmetric = of_modes_and_columns | nodes | Way::dense;
  constexpr const char* whole = "a group has {} {}, not a whole number";
  constexpr const char* entries =
      "{rule} acts entry by entry {}in the coordinates of W, which embedding '{}' mixes";
  constexpr const char* twins_apart =
      "{rule} reads the second moment of the queries, in which twin queries are apart";
  static const std::vector<Requirement> ways = {
      // Of every run.
      {"loss", Way::modes, [](Case c, Way) -> Unmet { return !squares(c); },
       "it holds least squares alone (model.loss)", true},
      {"softmax", nodes, [](Case c, Way) -> Unmet { return squares(c) != nullptr; },
       "it holds the softmax alone (model.loss)", true},
      {"precision", but_symmetric, [](Case c, Way) -> Unmet { return c.experiment.precision == 50; },
       "50 significant digits (run.precision) are for the engine symmetric alone"},
      {"single", all,
       [](Case c, Way way) -> Unmet {
         return c.experiment.single() && (way != Way::dense || Sides(c).identity() || Sides(c).drop_out());
       },
       "single precision is of products with embeddings on the engine dense (run.arithmetic)"},
      {"population", nodes, [](Case c, Way) -> Unmet { return c.experiment.sampled(); },
       "a sample tells apart classes that are equally, or nearly equally, likely (data.mode)"},
      {"alignment", columns | nodes, [](Case c, Way) -> Unmet { return c.experiment.alignment; },
       "polar factors are of all entries, which the engines modes, symmetric and dense hold (run.alignment)"},
      {"written-out", exact,
       [](Case c, Way way) -> Unmet {
         const bool met = way == Way::symmetric && c.experiment.sampled() && !squares(c);
         return met ? Words{} : too_many(c);
       },
       "{} distinct {} are too many to write out"},
      {"distinct", all, [](Case c, Way) -> Unmet { return c.symmetries.needs_gaps && equally_likely(c); },
       "equally likely classes have equal singular values, and {rule} is defined only where they differ"},
      {"gaps", but_dense, [](Case c, Way) -> Unmet { return c.symmetries.needs_gaps; },
       "{rule} is defined only where singular values differ, which the dense engine alone sees"},

      {"modes-noise", Way::modes, [](Case c, Way) -> Unmet { return c.experiment.label_noise > 0; },
       "label noise draws the answers of other modes (data.label_noise)"},
      {"modes-apart", Way::modes,
       [](Case c, Way) -> Unmet {
         const bool rotates = c.symmetries.answers_rotate && c.symmetries.queries_rotate;
         return !rotates && !c.symmetries.keeps_columns;
       },
       "{rule} couples the modes"},

      {"sampled-answer", Way::columns,
       [](Case c, Way) -> Unmet { return c.experiment.sampled() && several_answers(c); },
       "samples draw some of the answers of a query and not others, so those of a column do not stay equal"},
      {"sampled-noise", Way::columns,
       [](Case c, Way) -> Unmet { return c.experiment.sampled() && c.experiment.label_noise > 0; },
       "label noise draws some wrong answers of a query and not others, so those of a column do not stay equal"},
      {"sampled-whole", of_modes_and_columns,
       [](Case c, Way) -> Unmet { return c.experiment.sampled() ? not_whole(c) : Words{}; }, whole},

      {"smooth-law", nodes,
       [](Case c, Way) -> Unmet {
         return c.answers() && !c.spectrum.law ? rough_law(c.experiment.answers) : Words{};
       },
       "law of answers '{}' is {} smooth function of the rank: {}"},
      {"known-order", nodes, [](Case c, Way) -> Unmet { return c.answers() && unknown_order(c); },
       "the likeliest queries are not those of the first answers, so that nobody knows which ones run.classes asks for"},
      {"smooth-spectrum", nodes,
       [](Case c, Way) -> Unmet { return c.spectrum.law ? Words{} : Words{c.experiment.spectrum.kind}; },
       "spectrum '{}' is not a smooth function of the rank with distinct classes"},
      {"rho-of-law", nodes, [](Case c, Way) -> Unmet { return c.answers() && c.experiment.rho_epsilon > 0; },
       "ϱ of nodes is of classes that each have an answer of their own (run.rho_epsilon)"},
      {"recovered", nodes, [](Case c, Way) -> Unmet { return c.experiment.removes_recovered; },
       "a gradient that recovered facts drop out of is not a smooth function of the rank (data.recovered)"},
      {"spectral", nodes, [](Case c, Way) -> Unmet { return c.experiment.spectral_metrics == "on"; },
       "quantiles and the largest of the singular values are not smooth functions of the rank (run.spectral_metrics)"},

      {"hessian", columns | algebra,
       [](Case c, Way) -> Unmet { return c.rule.reads_curvature && !squares(c); },
       "{rule} solves with the Hessian of the loss, which the dense engine alone has"},
      {"columns-apart", columns, [](Case c, Way) -> Unmet { return !c.symmetries.keeps_columns; },
       "{rule} couples the columns, so the wrong answers of a column do not stay equal"},
      {"frequency-noise", columns,
       [](Case c, Way) -> Unmet {
         return c.answers() && c.experiment.noise_answers == NoiseAnswers::frequency &&
                c.experiment.label_noise > 0;
       },
       "noise that draws answers by frequency (data.noise_answers) tells the wrong answers of a column apart"},
      {"column-values", columns,
       [](Case c, Way) -> Unmet {
         return c.answers() && (c.experiment.spectral_metrics == "on" || c.symmetries.spectrum_of_columns);
       },
       "columns of few numbers do not tell which answers they are of, so they have no singular values"},

      {"squares-hessian", exact,
       [](Case c, Way) -> Unmet { return squares(c) && c.rule.reads_curvature && c.experiment.sampled(); },
       "{rule} solves with the second moment of the population, and gradients are of samples"},
      {"squares-second-moment", exact,
       [](Case c, Way) -> Unmet { return squares(c) && c.symmetries.reads_second_moment; },
       "{rule} reads the second moment of the queries without their noise"},
      {"squares-task-basis", exact,
       [](Case c, Way) -> Unmet {
         const std::string* other = Sides(c).first_without(&EmbeddingRow::orthonormal);
         return squares(c) && c.symmetries.reads_task && other ? Words{*other} : Words{};
       },
       "{rule} reads the gradient in the task basis, which least squares has for orthonormal embeddings alone, not for "
       "'{}'"},
      {"random-target", exact,
       [](Case c, Way) -> Unmet {
         const EmbeddedSide query = Sides(c)[0];
         const bool wrong = squares(c) && squares(c)->random_target() && !query.embedding.orthonormal;
         return wrong ? Words{query.component.kind} : Words{};
       },
       "a random target is made of orthonormal queries, and not of embedding '{}'"},
      {"diagonal-target", of_classes,
       [](Case c, Way) -> Unmet { return squares(c) && squares(c)->random_target(); },
       "a target in random directions is diagonal in no basis (target.directions)"},
      {"target-of-groups", of_classes,
       [](Case c, Way) -> Unmet {
         return squares(c) && squares(c)->gaussian() && squares(c)->exponent != 0 &&
                std::ranges::any_of(c.spectrum.groups->count, [](double n) { return n > 1; });
       },
       "a target that goes by the rank tells the classes of a group apart (target.exponent)"},
      {"squares-population", Way::symmetric,
       [](Case c, Way) -> Unmet { return squares(c) && c.experiment.sampled(); },
       "samples tell apart what the groups of the symmetric algebra hold as one (data.mode)"},
      {"target-of-blocks", Way::symmetric,
       [](Case c, Way) -> Unmet { return squares(c) && squares(c)->exponent != 0 && block(c) > 1; },
       "a target that goes by the rank tells the classes of a block apart (target.exponent)"},

      {"twins", algebra,
       [](Case c, Way) -> Unmet {
         return c.answers() && c.symmetries.reads_second_moment && some_twins(*c.answers());
       },
       twins_apart},
      {"equal-classes", algebra,
       [](Case c, Way) -> Unmet {
         return embedding_that(c, [](const EmbeddedSide& s) {
           const EmbeddingRow& row = s.embedding;
           return s.rotates && !row.orthonormal && !row.equicorrelated && !row.clustered;
         });
       },
       "embedding '{}' treats classes of equal probability differently"},
      {"orthonormal", columns,
       [](Case c, Way) -> Unmet {
         if (squares(c) || Sides(c).drop_out()) return false;
         return embedding_that(c, [](const EmbeddedSide& s) { return !s.embedding.orthonormal; });
       },
       "embedding '{}' is not orthonormal"},
      {"modes-mixed", of_modes_and_columns,
       [](Case c, Way) -> Unmet {
         if (!squares(c)) return false;
         return embedding_that(
             c, [](const EmbeddedSide& s) { return !s.drops_out() && !s.embedding.orthonormal; });
       },
       "embedding '{}' mixes the modes"},
      {"drop-out", Way::modes | columns,
       [](Case c, Way) -> Unmet { return Sides(c).drop_out() ? Words{} : entry_by_entry(c); }, entries},
      {"normal-queries", of_modes_and_columns, [](Case c, Way) -> Unmet { return draws_normals(c); },
       "normal queries are of all modes at once"},
      {"in-blocks", algebra,
       [](Case c, Way) -> Unmet {
         const Sides sides(c);
         const auto whole_side = [](const EmbeddedSide& s) { return s.drops_out() || s.embedding.block; };
         return sides.equal_classes() || std::ranges::all_of(sides, whole_side) ? Words{} : entry_by_entry(c);
       },
       entries},
      {"block-classes", algebra,
       [](Case c, Way) -> Unmet { return !Sides(c).equal_classes() && c.answers(); },
       "blocks of an embedding are of classes that each have an answer of their own"},
      {"one-block", algebra,
       [](Case c, Way) -> Unmet {
         const auto [query, answer] = blocks(c);
         const bool differ = query > 1 && answer > 1 && query != answer;
         return differ ? Words{std::to_string(query), std::to_string(answer)} : Words{};
       },
       "the blocks of the two embeddings differ in size ({} and {})"},

      // What the symmetric algebra of the classes that samples show, and that of blocks, ask.
      {"met-law", Way::symmetric, [](Case c, Way) -> Unmet { return c.experiment.sampled() && c.answers(); },
       "samples of a law of answers are held by the dense engine alone"},
      {"met-alignment", Way::symmetric,
       [](Case c, Way) -> Unmet { return c.experiment.sampled() && c.experiment.alignment; },
       "in the population's gradient the classes that samples never show differ (run.alignment)"},
      {"met-second-moment", Way::symmetric,
       [](Case c, Way) -> Unmet { return c.experiment.sampled() && c.symmetries.reads_second_moment; },
       "{rule} reads the second moment of the queries, in which classes that samples never show differ"},
      {"told-apart", Way::symmetric,
       [](Case c, Way) -> Unmet {
         const bool wrong = c.experiment.sampled() && c.spectrum.classes > most_told_apart;
         return wrong ? Words{fmt::format("{:g}", most_told_apart)} : Words{};
       },
       "draws of 52 bits tell at most {} classes apart"},
      {"met-whole", Way::symmetric,
       [](Case c, Way) -> Unmet {
         return c.experiment.sampled() && c.spectrum.groups ? not_whole(c) : Words{};
       },
       whole},
      {"met-blocks", Way::symmetric,
       [](Case c, Way) -> Unmet { return c.experiment.sampled() && block(c) > 1; },
       "samples tell the blocks of an embedding apart (data.mode)"},
      {"whole-blocks", Way::symmetric, [](Case c, Way) -> Unmet { return broken_block(c); },
       "group {} has {} classes, not a multiple of the block size {}"},
      {"whole", Way::dense, [](Case c, Way) -> Unmet { return not_whole(c); }, whole},

      // What many updates at once ask.
      {"many-steps", Way::leap, [](Case c, Way) -> Unmet { return !c.experiment.many_steps(); },
       "they are not many"},
      {"leaps-off", Way::leap, [](Case c, Way) -> Unmet { return c.experiment.fast_forward == "off"; },
       "run.fast_forward is \"off\""},
      {"leap-margins", Way::leap, [](Case c, Way) -> Unmet { return squares(c) != nullptr; },
       "least squares has no margins (model.loss)"},
      {"leap-rule", Way::leap, [](Case c, Way) -> Unmet { return c.rule.margins == nullptr; },
       "run.fast_forward supports gd, momentum and ngd, not {rule}"},
      {"leap-noise", Way::leap,
       [](Case c, Way) -> Unmet {
         return c.rule.margins(c.parameters).normalised && c.experiment.label_noise > 0;
       },
       "strides of one norm go to and fro where label noise ends the learning"},
      {"leap-schedule", Way::leap, [](Case c, Way) -> Unmet { return c.schedule != "constant"; },
       "the step size changes (schedule)"},
      {"leap-population", Way::leap, [](Case c, Way) -> Unmet { return c.experiment.sampled(); },
       "every sample is another one (data.mode)"},
      {"leap-recovered", Way::leap, [](Case c, Way) -> Unmet { return c.experiment.removes_recovered; },
       "facts that are recovered drop out (data.recovered)"},
      {"leap-updates", Way::leap,
       [](Case c, Way) -> Unmet {
         const Experiment& e = c.experiment;
         return (e.push || e.curvature || e.spectral_metrics == "on") &&
                c.rule.margins(c.parameters).momentum > 0;
       },
       "a leap leaves the momentum behind, of which updates are made (run.push, curvature, spectral_metrics)"},
      {"leap-columns", Way::leap,
       [](Case, Way held) -> Unmet { return columns.has(held) ? Words{} : Words{name_of(engine_of(held))}; },
       "the engine {} does not hold single margins"},
      {"leap-answers", Way::leap, [](Case c, Way) -> Unmet { return several_answers(c); },
       "queries have several answers"},
  };
  static const std::vector<Requirement> rows = [] {
    std::vector<Requirement> both = early_rows();
    both.insert(both.end(), ways.begin(), ways.end());
    return both;
  }();
  return rows;
}

}  // namespace rarefact
