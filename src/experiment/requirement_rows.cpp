// The rows of the table of requirements that rule out ways.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/predicates.hpp"
#include "model/column_values.hpp"
#include "model/sampled_classes.hpp"

namespace rarefact {

// In key_rows.cpp: requirements reported before any way is tried.
std::vector<Requirement> key_rows();

namespace {

using namespace predicates;

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
  return {both ? "" : fmt::format("on {} ", side->name), side->chosen.kind};
}

/// True if an embedding is unsuitable, with its kind as word.
Predicate embedding_that(bool (*wrong)(const EmbeddedSide&)) {
  return [wrong](C c) {
    for (const EmbeddedSide& side : Sides(c))
      if (wrong(side)) return Words{side.chosen.kind};
    return Words{};
  };
}

/// True if two classes have the same probability, so that the population's gradient has equal singular
/// values. For queries with their own answers.
bool equally_likely(C c) {
  if (!c.spectrum.groups || c.answers() || c.experiment.sampled()) return false;
  if (std::ranges::any_of(c.spectrum.groups->count, [](double n) { return n > 1; })) return true;
  std::vector<double> sorted = c.spectrum.groups->probability;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

/// Words for too many classes; the symmetric algebra stores only sampled classes under the softmax.
Words too_many(C c, Way way) {
  const bool sampled = way == Way::symmetric && c.experiment.sampled() && !c.experiment.loss->of_outputs;
  if (sampled || c.spectrum.groups) return {};
  return {fmt::format("{:g}", c.spectrum.answer_count()), c.answers() ? "answers" : "classes"};
}

/// Words that say why products with embeddings cannot be in single precision.
Words without_products(C c, Way way) {
  if (Sides(c).identity() || Sides(c).drop_out()) return {", and here are none"};
  return way == Way::dense ? Words{} : Words{" on the engine dense"};
}

bool some_identical(C c) {
  if (!c.answers()) return false;
  const AnswerLaw& law = *c.answers();
  if (!law.components) return law.law->queries(1) > 1;
  return std::ranges::any_of(law.components->groups, [](const ComponentGroup& group) {
    return std::ranges::any_of(group.queries, [](const QueryType& type) { return type.multiplicity > 1; });
  });
}

bool several_answers(C c) {
  return c.answers() && c.answers()->components && !deterministic(*c.answers()->components);
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

/// Words: why nodes cannot represent the answers of a law.
Words rough_law(C c) {
  if (!c.answers() || c.spectrum.law) return {};
  const ChosenRow& law = c.experiment.answers;
  if (law.kind != "fan_in") return {law.kind, "not a", "a node is an answer with its own queries"};
  const bool within = law.parameters.number("within") > 0;
  return {law.kind, "here no",
          within ? "the queries of an answer differ (answers.within)"
                 : "one number for all answers, or answers.rounded = false, on a smooth spectrum is one"};
}

/// True if the queries requested by run.classes cannot be determined.
bool unknown_order(C c) {
  return c.answers() && !c.spectrum.groups && c.experiment.classes.kind != ClassRule::Kind::groups &&
         !likeliest_first(*c.spectrum.law);
}

const Predicate sampled = [](E e) { return e.sampled(); },
                gaussian = [](E e) { return e.squares.gaussian(); },
                random_target = [](E e) { return e.squares.random_target(); },
                ranked_target = [](E e) { return e.squares.exponent != 0; },
                alignment = [](E e) { return e.alignment; },
                spectral = [](E e) { return e.spectral_metrics == "on"; };

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
                  hessian = [](C c) { return c.rule.reads_hessian; },
                  drop_out = [](C c) { return Sides(c).drop_out(); },
                  equal_classes = [](C c) { return Sides(c).equal_classes(); },
                  in_blocks = [](C c) { return Sides(c).block() > 1; },
                  not_orthonormal =
                      embedding_that([](const EmbeddedSide&s) { return !s.embedding.orthonormal; });
  return {
      // For every run.
      {"loss", Way::modes, logits, "it is only for least squares (model.loss)", true},
      {"softmax", nodes, outputs, "it is only for the softmax (model.loss)", true},
      {"run.precision", but_symmetric, precise,
       "50 significant digits (run.precision) are only for the engine symmetric"},
      {"run.arithmetic", all, single && without_products,
       "single precision is for products with embeddings{ on the engine dense} (run.arithmetic)"},
      {"population", nodes, sampled,
       "a sample distinguishes classes that are equally, or nearly equally, likely (data.mode)"},
      {"alignment", columns | nodes, alignment,
       "polar factors need all entries, which the engines modes, symmetric and dense have (run.alignment)"},
      {"written-out", exact, too_many, "{K} distinct {classes} are too many to write out"},
      {"distinct", all, needs_gaps && equally_likely,
       "equally likely classes have equal singular values, and {rule} is defined only if they differ"},
      {"gaps", but_dense, needs_gaps,
       "{rule} is defined only if singular values differ, which only the dense engine can check"},

      {"modes-noise", Way::modes, noisy, "label noise draws the answers of other modes (data.label_noise)"},
      {"modes-apart", Way::modes, !rotates && !keeps_wrong_ties, "{rule} couples the modes"},

      {"sampled-answer", Way::columns, sampled && several_answers,
       "samples draw only some of a query's answers, so the answers of a column do not stay equal"},
      {"sampled-noise", Way::columns, sampled && noisy,
       "label noise draws only some of a query's wrong answers, so the wrong answers of a column do not stay equal"},
      {"sampled-whole", of_modes_and_columns, sampled && not_whole, whole},

      {"smooth-law", nodes, rough_law, "answer law '{law}' is {not a} smooth function of the rank: {reason}"},
      {"known-order", nodes, unknown_order,
       "the most likely queries are not those of the first answers, so the classes requested by "
       "run.classes are unknown"},
      {"smooth-spectrum", nodes,
       [](C c) { return c.spectrum.law ? Words{} : Words{c.experiment.spectrum.kind}; },
       "spectrum '{kind}' is not a smooth function of the rank with distinct classes"},
      {"rho-of-law", nodes, of_law && rho,
       "ϱ on nodes requires classes that each have their own answer (run.rho_epsilon)"},
      {"recovered", nodes, recovered,
       "a gradient without recovered facts is not a smooth function of the rank (data.recovered)"},
      {"spectral", nodes, spectral,
       "quantiles and the largest of the singular values are not smooth functions of the rank (run.spectral_metrics)"},

      {"hessian", columns | algebra, hessian && logits,
       "{rule} solves with the Hessian of the loss, which only the dense engine has"},
      {"columns-apart", columns, !keeps_wrong_ties,
       "{rule} couples the columns, so the wrong answers of a column do not stay equal"},
      {"frequency-noise", columns, of_law && by_frequency && noisy,
       "noise that draws answers by frequency (data.noise_answers) distinguishes the wrong answers of a "
       "column"},
      {"column-values", columns,
       of_law &&
           [](C c) { return c.experiment.spectral_metrics == "on" || c.symmetries.spectrum_of_columns; },
       "columns of few numbers do not determine their answers, so they have no singular values"},

      {"squares-hessian", exact, outputs && hessian && sampled,
       "{rule} solves with the second moment of the population, and gradients are of samples"},
      {"squares-second-moment", exact, outputs && second_moment,
       "{rule} reads the second moment of the queries without their noise"},
      {"squares-task-basis", exact,
       outputs && Predicate([](C c) { return c.symmetries.reads_task; }) && not_orthonormal,
       "{rule} uses the gradient in the task basis, which least squares has only for orthonormal "
       "embeddings, not for '{kind}'"},
      {"random-target", exact,
       outputs && random_target &&
           [](C c) {
             const EmbeddedSide query = Sides(c)[0];
             return query.embedding.orthonormal ? Words{} : Words{query.chosen.kind};
           },
       "a random target needs orthonormal queries, not embedding '{kind}'"},
      {"diagonal-target", of_classes, outputs && random_target,
       "a target in random directions is not diagonal in any basis (target.directions)"},
      {"target-of-groups", of_classes,
       outputs && gaussian && ranked_target &&
           [](C c) { return std::ranges::any_of(c.spectrum.groups->count, [](double n) { return n > 1; }); },
       "a target that depends on the rank distinguishes the classes of a group (target.exponent)"},
      {"squares-population", Way::symmetric, outputs && sampled,
       "samples distinguish classes that the symmetric algebra stores as one (data.mode)"},
      {"target-of-blocks", Way::symmetric, outputs && ranked_target && in_blocks,
       "a target that depends on the rank distinguishes the classes of a block (target.exponent)"},

      {"identical-queries", algebra, second_moment && some_identical,
       "{rule} uses the second moment of the queries, which distinguishes identical queries"},
      {"equal-classes", algebra, embedding_that([](const EmbeddedSide& s) {
         const EmbeddingRow& row = s.embedding;
         return s.rotates && !row.orthonormal && !row.equicorrelated;
       }),
       "embedding '{kind}' treats classes of equal probability differently"},
      {"orthonormal", columns, logits && !drop_out && not_orthonormal,
       "embedding '{kind}' is not orthonormal"},
      {"modes-mixed", of_modes_and_columns, outputs && embedding_that([](const EmbeddedSide& s) {
                                              return !s.drops_out() && !s.embedding.orthonormal;
                                            }),
       "embedding '{kind}' mixes the modes"},
      {"drop-out", Way::modes | columns, !drop_out && entry_by_entry, entries},
      {"normal-queries", of_modes_and_columns, draws_normals, "normal queries mix all modes"},
      {"in-blocks", algebra,
       [](C c) {
         const auto whole_side = [](const EmbeddedSide& s) { return s.drops_out() || s.embedding.block; };
         return std::ranges::all_of(Sides(c), whole_side) ? Words{} : entry_by_entry(c);
       },
       entries},
      {"block-classes", algebra, !equal_classes && of_law,
       "blocks of an embedding require classes that each have their own answer"},
      {"one-block", algebra, two_sizes,
       "the blocks of the two embeddings differ in size ({one} and {other})"},

      {"node-blocks", Way::node_symmetric, in_blocks,
       "nodes represent single classes, not the blocks of an embedding"},

      // Requirements of the symmetric algebra with sampled classes, and with blocks.
      {"sampled-law", Way::symmetric, sampled && of_law,
       "only the dense engine supports samples of an answer law"},
      {"sampled-alignment", Way::symmetric, sampled && alignment,
       "in the population's gradient classes that are never sampled differ (run.alignment)"},
      {"sampled-second-moment", Way::symmetric, sampled && second_moment,
       "{rule} uses the second moment of the queries, in which classes that are never sampled differ"},
      {"told-apart", Way::symmetric,
       sampled &&
           [](C c) {
             return c.spectrum.classes > max_distinguished ? Words{fmt::format("{:g}", max_distinguished)}
                                                           : Words{};
           },
       "draws of 52 bits distinguish at most {number} classes"},
      {"sampled-symmetric-whole", Way::symmetric, sampled && not_whole, whole},
      {"sampled-blocks", Way::symmetric, sampled && in_blocks,
       "samples distinguish the blocks of an embedding (data.mode)"},
      {"whole-blocks", Way::symmetric, broken_block,
       "group {number} has {n} classes, not a multiple of the block size {b}"},
      {"whole", Way::dense, not_whole, whole},

      // Requirements of fast-forwarding.
      {"many-steps", Way::leap, [](E e) { return !e.many_steps(); }, "the run has few steps"},
      {"leaps-off", Way::leap, [](E e) { return e.fast_forward == "off"; }, "run.fast_forward is \"off\""},
      {"leap-margins", Way::leap, outputs, "{loss} has no margins (model.loss)"},
      {"leap-rule", Way::leap, [](C c) { return c.rule.margins == nullptr; },
       "run.fast_forward supports gd, momentum and ngd, not {rule}"},
      {"leap-noise", Way::leap, noisy && [](C c) { return c.rule.margins(c.choice.parameters).normalised; },
       "with label noise, steps of fixed norm end in an oscillation"},
      {"leap-schedule", Way::leap, [](C c) { return c.choice.schedule != "constant"; },
       "the step size changes (schedule)"},
      {"leap-population", Way::leap, sampled, "every step has another sample (data.mode)"},
      {"leap-recovered", Way::leap, recovered, "facts that are recovered drop out (data.recovered)"},
      {"leap-updates", Way::leap,
       [](C c) {
         const Experiment& e = c.experiment;
         return (e.push || e.curvature || e.spectral_metrics == "on") &&
                c.rule.margins(c.choice.parameters).momentum > 0;
       },
       "a leap does not keep the momentum, from which the next update is measured (run.push, curvature, spectral_metrics)"},
      {"leap-columns", Way::leap,
       [](C, Way layout) { return columns.has(layout) ? Words{} : Words{engine_of(layout).name}; },
       "the engine {name} does not store single margins"},
      {"leap-answers", Way::leap, several_answers, "queries have several answers"},
  };
}

}  // namespace

bool draws_normals(C c) {
  const LeastSquares& data = c.experiment.squares;
  return c.experiment.loss->of_outputs && c.experiment.sampled() && (data.gaussian() || data.query_noise > 0);
}

const std::vector<Requirement>& requirements() {
  static const std::vector<Requirement> rows = [] {
    std::vector<Requirement> all = key_rows();
    std::ranges::move(way_rows(), std::back_inserter(all));
    return all;
  }();
  return rows;
}

}  // namespace rarefact
