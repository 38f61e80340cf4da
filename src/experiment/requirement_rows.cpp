// The table of requirements that rule out ways.

#include "core/transform.hpp"
#include "experiment/requirements.hpp"
#include "experiment/step_sizes.hpp"
#include "model/sampler.hpp"

namespace rarefact {

namespace {

using C = const Case&;

Wording not_whole(C c) {
  if (!c.spectrum.groups) return {};
  for (const double n : c.spectrum.groups->count) {
    if (n != std::floor(n))
      return {{"n", fmt::format("{:.17g}", n)},
              {"classes", c.answers() ? "queries (answers.rounded = false)" : "classes"}};
  }
  return {};
}

/// A side that does not drop out and on which the rule is not rotation-equivariant.
Wording entry_by_entry(C c) {
  const Sides sides(c);
  const auto side = std::ranges::find_if(sides, [](const EmbeddedSide& s) { return !s.equal_classes(); });
  if (side == sides.end()) return {};
  const bool both = !sides[0].rotates && !sides[1].rotates;
  return {{"on a side ", both ? "" : fmt::format("on {} ", side->name)}, {"kind", side->chosen.kind}};
}

/// The kind of the first unsuitable embedding.
template <class Wrong>
Wording embedding_that(C c, const Wrong& wrong) {
  for (const EmbeddedSide& side : Sides(c))
    if (wrong(side)) return {{"kind", side.chosen.kind}};
  return {};
}

Wording not_orthonormal(C c) {
  return embedding_that(c, [](const EmbeddedSide& side) { return !side.embedding.orthonormal; });
}

/// True if two classes are equally likely in training, so that singular values are equal; for queries with their own
/// answers.
bool equally_likely(C c) {
  if (!c.spectrum.groups || c.answers() || c.experiment.sampled()) return false;
  if (std::ranges::any_of(c.spectrum.groups->count, [](double n) { return n > 1; })) return true;
  std::vector<double> sorted = mapped(c.spectrum.groups->probability, c.spectrum.sampling);
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

/// The symmetric algebra stores only sampled classes under the softmax.
Wording too_many(C c) {
  const bool common = c.way == Way::modes || (c.way == Way::columns && c.by_signs() && c.spectrum.groups);
  if (c.answers() && !c.answers()->tells() && !common)
    return {{"K", fmt::format("{:.4g}", c.spectrum.classes * c.spectrum.answer_count())},
            {"classes", "pairs of query and answer"},
            {" out", fmt::format(" out; at most {:g} are possible", max_written_pairs)}};
  const bool sampled = c.way == Way::symmetric && c.experiment.sampled() && !c.experiment.loss->of_outputs;
  if (sampled || c.spectrum.groups) return {};
  return {{"K", fmt::format("{:g}", c.spectrum.answer_count())},
          {"classes", c.answers() ? "answers" : "classes"},
          {" out", " out"}};
}

/// Why products with embeddings cannot be in single precision.
Wording without_products(C c) {
  if (Sides(c).identity() || Sides(c).drop_out()) return {{" on the engine dense", ", and here are none"}};
  return c.way == Way::dense ? Wording{} : Wording{{" on the engine dense", " on the engine dense"}};
}

bool some_identical(C c) {
  if (!c.answers()) return false;
  const AnswerLaw& law = *c.answers();
  if (!law.components) return law.law && law.law->queries(1) > 1;
  return std::ranges::any_of(law.components->groups, [](const ComponentGroup& group) {
    return std::ranges::any_of(group.queries, [](const QueryType& type) { return type.multiplicity > 1; });
  });
}

bool several_answers(C c) {
  return c.answers() && !c.answers()->law &&
         !(c.answers()->components && deterministic(*c.answers()->components));
}

Wording two_sizes(C c) {
  const Sides sides(c);
  const Index query = sides[0].block(), answer = sides[1].block();
  if (query == 1 || answer == 1 || query == answer) return {};
  return {{"one", std::to_string(query)}, {"other", std::to_string(answer)}};
}

/// The first group that is not a whole number of blocks.
Wording broken_block(C c) {
  const Index size = Sides(c).block();
  for (std::size_t i = 0; size > 1 && i < c.spectrum.groups->size(); ++i) {
    const double n = c.spectrum.groups->count[i];
    if (std::fmod(n, static_cast<double>(size)) != 0)
      return {{"number", std::to_string(i)}, {"n", fmt::format("{:.17g}", n)}, {"b", std::to_string(size)}};
  }
  return {};
}

/// Why nodes cannot represent the answers of a law.
Wording rough_law(C c) {
  const bool whole = c.answers() && c.answers()->alike && !c.experiment.loss->of_outputs;
  if (!c.answers() || (c.spectrum.law && !whole)) return {};
  const ChosenRow& law = c.experiment.answers;
  if (law.kind != "fan_in")
    return {{"law", law.kind}, {"not a", "not a"}, {"reason", "a node is an answer with its own queries"}};
  const bool within = law.parameters.number("within") > 0;
  return {{"law", law.kind},
          {"not a", "here no"},
          {"reason",
           within ? "the queries of an answer differ (answers.within)"
                  : "one number for all answers, or answers.rounded = false, on a smooth spectrum is one"}};
}

/// Why queries that are sums of attributes are not kept in orbits (AttributeView).
Wording without_orbits(C c) {
  if (!c.experiment.of_attributes()) return {};
  const auto because = [](const std::string& reason) { return Wording{{"reason", reason}}; };
  if (!c.spectrum.grid) return because("classes are not pairs of attributes");
  const std::array<bool, 2>& uniform = c.spectrum.grid->uniform;
  const Symmetries& rule = c.symmetries;
  if (!uniform[0] && !uniform[1])
    return because("no subjects and no relations are equally likely, so no entries of W are equal");
  if (c.experiment.loss->of_outputs)
    return because("orbits of attributes are only for the softmax (model.loss)");
  if (c.experiment.sampled()) return because("a sample distinguishes equally likely attributes (data.mode)");
  if (!Sides(c)[1].drops_out())
    return because(fmt::format("answer embedding '{}' distinguishes equally likely attributes",
                               c.experiment.answer_embedding.kind));
  if (rule.reads_second_moment)
    return because(c.rule.name +
                   " uses the second moment of the queries, which is not built for orbits of attributes");
  if (rule.reads_task)
    return because(c.rule.name + " uses the gradient of each query, of which orbits of attributes keep sums");
  if (rule.reads_answers)
    return because(c.rule.name + " reads probabilities of answers, which orbits of attributes do not store");
  if (!uniform[0] || !uniform[1] || rule.answers_rotate) return {};
  if (c.rule.name == "formula")
    return because(
        "with equally likely subjects and relations a formula that does not rotate on the side of answers is not exact on "
        "four numbers");
  if (c.experiment.spectral_metrics == "on")
    return because(fmt::format(
        "columns of W under {} do not sum to zero, so that its singular values are not those of its "
        "orbits (run.spectral_metrics)",
        c.rule.name));
  return {};
}

/// True if the queries requested by run.classes cannot be determined.
bool unknown_order(C c) {
  return c.answers() && !c.spectrum.groups && c.experiment.classes.kind != ClassRule::Kind::groups &&
         !likeliest_first(*c.spectrum.law);
}

constexpr auto outputs = [](C c) { return c.experiment.loss->of_outputs; };
constexpr auto logits = [](C c) { return !c.experiment.loss->of_outputs; };
constexpr auto sampled = [](C c) { return c.experiment.sampled(); };
constexpr auto two_factors = [](C c) { return c.experiment.is_product(); };
constexpr auto noisy = [](C c) { return c.experiment.label_noise > 0; };
constexpr auto decaying = [](C c) { return decays(c.choice, c.experiment, c.spectrum); };
constexpr auto of_law = [](C c) { return c.answers() != nullptr; };
constexpr auto recovered = [](C c) { return c.experiment.removes_recovered(); };
constexpr auto random_target = [](C c) { return outputs(c) && c.experiment.squares.random_target(); };
constexpr auto ranked_target = [](C c) { return outputs(c) && c.experiment.squares.exponent != 0; };
constexpr auto spectral = [](C c) { return c.experiment.spectral_metrics == "on"; };
constexpr auto second_moment = [](C c) { return c.symmetries.reads_second_moment; };
constexpr auto reads_probabilities = [](C c) {
  return c.symmetries.reads_queries || c.symmetries.reads_answers;
};
constexpr auto in_blocks = [](C c) { return Sides(c).block() > 1; };

/// The shares a step or more away from 0, if they are too many for signs on nodes.
Wording many_shares(C c) {
  constexpr double max_shares = 1e8;
  if (!c.by_signs() || c.alike()->uniform()) return {};
  const StepSize& size = c.choice.search ? c.choice.search->low : c.choice.step_size;
  const double above = c.walked_shares(step_size_value(size, c.choice, c.experiment, c.spectrum));
  return above <= max_shares ? Wording{} : Wording{{"n", fmt::format("{:.3g}", above)}};
}

/// Least squares of which queries, or shares, are smooth functions of the rank.
bool smooth_squares(C c) {
  return c.way == Way::node_columns && (c.along_answers() || c.by_signs());
}

constexpr auto test_noise = [](C c) { return c.experiment.test_noise > 0; };

/// True if a column has one logit for the right answer and one for all others, in the task basis of orthonormal queries.
bool two_numbers(C c) {
  if (of_law(c) || !not_orthonormal(c).empty() || !start_row(c.experiment.init.kind).in_task_basis)
    return false;
  const bool one_group = c.spectrum.groups && c.spectrum.groups->size() == 1 && !in_blocks(c) &&
                         !sampled(c) && Sides(c).equal_classes();
  return one_group || (!two_factors(c) && c.symmetries.keeps_wrong_ties && Sides(c).drop_out() &&
                       !(sampled(c) && noisy(c)));
}

constexpr auto sampled_not_whole = [](C c) { return sampled(c) ? not_whole(c) : Wording{}; };

}  // namespace

bool draws_normals(const EngineQuery& c) {
  const LeastSquares& data = c.experiment.squares;
  return c.experiment.loss->of_outputs && c.experiment.sampled() && (data.gaussian() || data.query_noise > 0);
}

const std::vector<Requirement>& requirements() {
  static constexpr Ways nodes = {Way::node_columns, Way::node_symmetric},
                        columns = {Way::columns, Way::node_columns},
                        algebra = {Way::symmetric, Way::node_symmetric},
                        of_modes_and_columns = {Way::modes, Way::columns},
                        of_classes = {Way::modes, Way::columns, Way::symmetric},
                        exact = of_classes | Way::dense, all = exact | nodes, but_dense = of_classes | nodes,
                        but_symmetric = of_modes_and_columns | nodes | Way::dense;

  const char *
      noisy_queries =
         "the integral over noisy test queries needs orthonormal embeddings, a query for every answer, and a rule "
         "on columns or equally likely classes; other runs need run.test_draws, on the engine dense "
         "(run.test_noise)",
     *whole = "a group has {n} {classes}, not a whole number",
     *entries =
         "{rule} acts entry by entry {on a side }in the coordinates of W, which embedding '{kind}' mixes";
  static const std::vector<Requirement> rows = {
      // For every run.
      {"loss", Way::modes, logits, "it is only for least squares (model.loss)", true},
      {"init.kind", but_dense,
       [](C c) {
         const StartRow& start = start_row(c.experiment.init.kind);
         return !start.in_task_basis && !(start.of_attributes && c.way == Way::symmetric);
       },
       "a start with all entries of W is only on the engine dense (init.kind)"},
      {"run.weights", but_dense, [](C c) { return c.experiment.weights; },
       "only the engine dense has all entries of W (run.weights)"},
      {"model.factors", columns, two_factors, "products of factors mix the columns (model.factors)"},
      {"product-hessian", all, [](C c) { return two_factors(c) && c.rule.reads_hessian; },
       "{rule} solves with the Hessian of the loss in W, and the factors of a product have another one (model.factors)"},
      {"product-second-moment", all, [](C c) { return two_factors(c) && second_moment(c); },
       "{rule} reads the second moment of the queries, which only W sees and not its factors (model.factors)"},
      {"product-probabilities", all, [](C c) { return two_factors(c) && reads_probabilities(c); },
       "{rule} reads probabilities of queries or answers, of which a factor has one or the other (model.factors)"},
      {"product-task", all,
       [](C c) {
         const auto turned = [](const EmbeddedSide& s) { return !s.identity(); };
         return two_factors(c) && c.symmetries.reads_task ? embedding_that(c, turned) : Wording{};
       },
       "{rule} uses the gradient in the task basis, which those of factors have only for identity embeddings, not for "
       "'{kind}' (model.factors)"},
      {"product-entries", algebra,
       [](C c) {
         const auto fixed = [](const EmbeddedSide& s) { return !s.identity() && !s.rotates; };
         return two_factors(c) ? embedding_that(c, fixed) : Wording{};
       },
       "{rule} acts entry by entry in the coordinates of the factors, which embedding '{kind}' mixes (model.factors)"},
      {"softmax", nodes, [](C c) { return outputs(c) && !smooth_squares(c); },
       "it is only for the softmax, and for least squares of the population under the answer law zipf (model.loss)",
       true},
      {"run.precision", but_symmetric, [](C c) { return c.experiment.precision == 50; },
       "50 significant digits (run.precision) are only for the engine symmetric"},
      {"run.arithmetic", all, [](C c) { return c.experiment.single() ? without_products(c) : Wording{}; },
       "single precision is for products with embeddings{ on the engine dense} (run.arithmetic)"},
      {"population", nodes, sampled,
       "a sample distinguishes classes that are equally, or nearly equally, likely (data.mode)"},
      {"alignment", columns | nodes, [](C c) { return c.experiment.alignment; },
       "polar factors need all entries, which the engines modes, symmetric and dense have (run.alignment)"},
      {"written-out", exact, too_many, "{K} distinct {classes} are too many to write{ out}"},
      {"distinct", all, [](C c) { return c.symmetries.needs_gaps && equally_likely(c); },
       "equally likely classes have equal singular values, and {rule} is defined only if they differ"},
      {"gaps", but_dense, [](C c) { return c.symmetries.needs_gaps; },
       "{rule} is defined only if singular values differ, which only the dense engine can check"},

      {"probabilities", all,
       [](C c) {
         const Sides sides(c);
         const auto apart = [&](bool reads, const EmbeddedSide& side) {
           return reads && !c.symmetries.reads_task && !side.identity();
         };
         return apart(c.symmetries.reads_queries, sides[0])   ? Wording{{"kind", sides[0].chosen.kind}}
                : apart(c.symmetries.reads_answers, sides[1]) ? Wording{{"kind", sides[1].chosen.kind}}
                                                              : Wording{};
       },
       "the coordinates of W have probabilities only for identity embeddings, not for '{kind}'; with T in the formula they are "
       "those of the task basis"},
      {"sampled-probabilities", Way::symmetric, [](C c) { return sampled(c) && reads_probabilities(c); },
       "{rule} reads probabilities, in which classes that are never sampled differ"},
      {"modes-noise", Way::modes, [](C c) { return noisy(c) && !c.alike(); },
       "label noise draws the answers of other modes (data.label_noise)"},
      {"modes-law", Way::modes, [](C c) { return of_law(c) && !c.along_answers(); },
       "columns of W stay along the mean answers of their queries only under the law zipf, with order = \"same\" or a rule "
       "that acts on columns alone"},
      {"modes-law-alignment", Way::modes, [](C c) { return of_law(c) && c.experiment.alignment; },
       "the polar factor of a law's gradient needs all entries (run.alignment)"},
      {"modes-apart", Way::modes,
       [](C c) {
         const Symmetries& rule = c.symmetries;
         return !(rule.answers_rotate && rule.queries_rotate) && !rule.keeps_wrong_ties;
       },
       "{rule} mixes the modes"},

      {"sampled-answer", Way::columns, [](C c) { return sampled(c) && several_answers(c); },
       "samples draw only some of a query's answers, so logits of a query do not stay equal"},
      {"sampled-noise", Way::columns, [](C c) { return sampled(c) && noisy(c); },
       "label noise draws only some of a query's wrong answers, so wrong logits of a query do not stay equal"},
      {"sampled-whole", of_modes_and_columns, sampled_not_whole, whole},

      {"smooth-law", nodes, rough_law, "answer law '{law}' is {not a} smooth function of the rank: {reason}"},
      {"known-order", nodes, unknown_order,
       "the most likely queries are not those of the first answers, so the classes requested by "
       "run.classes are unknown"},
      {"smooth-spectrum", nodes,
       [](C c) {
         return words_if(!c.spectrum.law, {{"kind", c.experiment.spectrum.kind}});
       },
       "it needs distinct, smoothly decreasing frequencies, such as power_law, not spectrum '{kind}'"},
      {"rho-of-law", nodes, [](C c) { return of_law(c) && c.experiment.rho_epsilon > 0; },
       "ϱ on nodes requires classes that each have their own answer (run.rho_epsilon)"},
      {"recovered", nodes, recovered,
       "a gradient without recovered facts is not a smooth function of the rank (data.recovered)"},
      {"spectral", nodes, spectral,
       "quantiles and the largest of the singular values are not smooth functions of the rank (run.spectral_metrics)"},

      {"run.top", Way::node_symmetric,
       [](C c) { return !c.experiment.top.empty() && c.experiment.top.back() > 1; },
       "how many answers have a larger logit is not a smooth function of the rank, except whether any has "
       "(run.top = [1])"},
      {"run.test_noise", all,
       [](C c) {
         return test_noise(c) && !two_numbers(c) && (c.way != Way::dense || c.experiment.test_draws == 0);
       },
       noisy_queries},
      {"run.test_draws", but_dense, [](C c) { return c.experiment.test_draws > 0; },
       "noisy test queries are drawn only on the engine dense (run.test_draws)"},
      {"noisy-answers", Way::dense, [](C c) { return test_noise(c) && several_answers(c); },
       "noisy test queries need one answer for every query (run.test_noise)"},
      {"run.bands", nodes, [](C c) { return of_law(c) && !c.experiment.bands.empty(); },
       "bands are of queries, and nodes of an answer law are answers (run.bands)"},

      {"hessian", columns | algebra, [](C c) { return c.rule.reads_hessian && logits(c); },
       "{rule} solves with the Hessian of the loss, which only the dense engine has"},
      {"columns-apart", columns,
       [](C c) { return !c.symmetries.keeps_wrong_ties && !(smooth_squares(c) && c.along_answers()); },
       "it needs equal wrong logits within a query, which {rule} breaks"},
      {"frequency-noise", columns,
       [](C c) { return of_law(c) && noisy(c) && c.experiment.noise() == NoiseAnswers::frequency; },
       "noise that draws answers by frequency (data.noise_answers) distinguishes the wrong answers of a "
       "column"},
      {"column-values", columns | Way::modes,
       [](C c) { return of_law(c) && (spectral(c) || c.symmetries.spectrum_of_columns); },
       "columns of few numbers do not determine their answers, so they have no singular values"},

      {"squares-hessian", exact, [](C c) { return outputs(c) && c.rule.reads_hessian && sampled(c); },
       "{rule} solves with the second moment of the population, and gradients are of samples"},
      {"squares-second-moment", exact, [](C c) { return outputs(c) && second_moment(c); },
       "{rule} reads the second moment of the queries without their noise"},
      {"squares-task-basis", exact,
       [](C c) { return outputs(c) && c.symmetries.reads_task ? not_orthonormal(c) : Wording{}; },
       "{rule} uses the gradient in the task basis, which least squares has only for orthonormal "
       "embeddings, not for '{kind}'"},
      {"coupled-task-basis", all,
       [](C c) {
         return c.choice.coupled() && c.symmetries.reads_task && decaying(c) ? not_orthonormal(c) : Wording{};
       },
       "{rule} uses the gradient in the task basis, where λW of coupled decay has a form only for orthonormal "
       "embeddings, not for '{kind}' (weight_decay_kind)"},
      {"random-target", exact,
       [](C c) {
         const EmbeddedSide query = Sides(c)[0];
         return words_if(random_target(c) && !query.embedding.orthonormal, {{"kind", query.chosen.kind}});
       },
       "a random target needs orthonormal queries, not embedding '{kind}'"},
      {"diagonal-target", of_classes, random_target,
       "a target in random directions is not diagonal in any basis (target.directions)"},
      {"target-of-groups", of_classes,
       [](C c) {
         return ranked_target(c) && c.experiment.squares.gaussian() &&
                std::ranges::any_of(c.spectrum.groups->count, [](double n) { return n > 1; });
       },
       "a target that depends on the rank distinguishes the classes of a group (target.exponent)"},
      {"squares-population", Way::symmetric, [](C c) { return outputs(c) && sampled(c); },
       "samples distinguish classes that the symmetric algebra stores as one (data.mode)"},
      {"one-order", Way::symmetric,
       [](C c) {
         return outputs(c) && of_law(c) && c.answers()->alike && c.answers()->alike->same &&
                !c.symmetries.keeps_wrong_ties;
       },
       "all queries have one mean answer, and rounding would add directions to a gradient of rank one"},
      {"target-of-blocks", Way::symmetric, [](C c) { return ranked_target(c) && in_blocks(c); },
       "a target that depends on the rank distinguishes the classes of a block (target.exponent)"},

      {"identical-queries", algebra, [](C c) { return second_moment(c) && some_identical(c); },
       "{rule} uses the second moment of the queries, which distinguishes identical queries"},
      {"squares-identical-queries", algebra,
       [](C c) { return outputs(c) && some_identical(c) && !Sides(c)[0].drops_out(); },
       "least squares with correlated queries uses their second moment, which distinguishes identical queries"},
      {"equal-classes", algebra,
       [](C c) {
         return embedding_that(c, [](const EmbeddedSide& s) {
           return s.rotates && !s.embedding.orthonormal && !s.embedding.equicorrelated &&
                  !s.embedding.attributes;
         });
       },
       "embedding '{kind}' treats classes of equal probability differently"},
      {"orthonormal", columns,
       [](C c) { return logits(c) && !Sides(c).drop_out() ? not_orthonormal(c) : Wording{}; },
       "embedding '{kind}' is not orthonormal"},
      {"sign-steps", nodes, [](C c) { return c.by_signs() && (!constant_steps(c.choice) || decaying(c)); },
       "entries that change direction at different steps are no smooth function of the rank (schedule, weight_decay)"},
      {"sign-shares", nodes, many_shares,
       "{n} entries of a query are a step or more away from 0, where each has a number of its own; at most 1e8 are possible"},
      {"modes-mixed", of_modes_and_columns | Way::node_columns,
       [](C c) {
         const auto mixes = [](const EmbeddedSide& s) { return !s.drops_out() && !s.embedding.orthonormal; };
         return outputs(c) ? embedding_that(c, mixes) : Wording{};
       },
       "embedding '{kind}' mixes the modes"},
      {"drop-out", Way::modes | columns,
       [](C c) { return Sides(c).drop_out() ? Wording{} : entry_by_entry(c); }, entries},
      {"normal-queries", of_modes_and_columns, [](C c) { return draws_normals(c); },
       "normal queries mix all modes"},
      {"in-blocks", algebra,
       [](C c) {
         const auto whole_side = [](const EmbeddedSide& s) {
           return s.drops_out() || s.embedding.block || s.in_attributes();
         };
         return std::ranges::all_of(Sides(c), whole_side) ? Wording{} : entry_by_entry(c);
       },
       entries},
      {"attributes", Way::symmetric, without_orbits, "{reason}"},
      {"block-classes", algebra, [](C c) { return !Sides(c).equal_classes() && of_law(c); },
       "blocks of an embedding require classes that each have their own answer"},
      {"one-block", algebra, two_sizes,
       "the blocks of the two embeddings differ in size ({one} and {other})"},

      {"node-blocks", Way::node_symmetric, in_blocks,
       "nodes represent single classes, not the blocks of an embedding"},

      // Requirements of the symmetric algebra with sampled classes, and with blocks.
      {"sampled-law", Way::symmetric, [](C c) { return sampled(c) && of_law(c); },
       "only the dense engine supports samples of an answer law"},
      {"sampled-alignment", Way::symmetric, [](C c) { return sampled(c) && c.experiment.alignment; },
       "in the population's gradient classes that are never sampled differ (run.alignment)"},
      {"sampled-second-moment", Way::symmetric, [](C c) { return sampled(c) && second_moment(c); },
       "{rule} uses the second moment of the queries, in which classes that are never sampled differ"},
      {"told-apart", Way::symmetric,
       [](C c) {
         return words_if(sampled(c) && c.spectrum.classes > max_distinguished,
                         {{"number", fmt::format("{:g}", max_distinguished)}});
       },
       "draws of 52 bits distinguish at most {number} classes"},
      {"sampled-symmetric-whole", Way::symmetric, sampled_not_whole, whole},
      {"sampled-blocks", Way::symmetric, [](C c) { return sampled(c) && in_blocks(c); },
       "samples distinguish the blocks of an embedding (data.mode)"},
      {"whole-blocks", Way::symmetric, broken_block,
       "group {number} has {n} classes, not a multiple of the block size {b}"},
      {"whole", Way::dense, not_whole, whole},

      // Requirements of fast-forwarding.
      {"many-steps", Way::leap, [](C c) { return !c.experiment.many_steps() && !c.alike(); },
       "the run has few steps"},
      {"leaps-off", Way::leap, [](C c) { return c.experiment.fast_forward == "off"; },
       "run.fast_forward is \"off\""},
      {"leap-start", Way::leap, [](C c) { return !c.experiment.starts_at_zero(); },
       "the run does not start at W = 0 (init.kind)"},
      {"leap-margins", Way::leap,
       [](C c) {
         return words_if(outputs(c) && !c.alike(), {{"loss", c.experiment.loss->name}});
       },
       "{loss} has no margins (model.loss)"},
      {"leap-squares", Way::leap,
       [](C c) {
         const MarginRecursion rule = c.rule.margins_of(c.choice.parameters);
         return outputs(c) && (rule.normalised || rule.momentum > 0 || (c.by_signs() && decaying(c)));
       },
       "under least squares only gradient descent without momentum, and signs without decay, are fast-forwarded"},
      {"leap-rule", Way::leap, [](C c) { return c.rule.margins == nullptr && !c.by_signs(); },
       "run.fast_forward supports gd, momentum, ngd and, for least squares under zipf, signgd, not {rule}"},
      {"leap-noise", Way::leap,
       [](C c) { return noisy(c) && c.rule.margins_of(c.choice.parameters).normalised; },
       "with label noise, steps of fixed norm end in an oscillation"},
      {"leap-schedule", Way::leap, [](C c) { return !constant_steps(c.choice); },
       "the step size changes (schedule, warmup)"},
      {"leap-decay", Way::leap,
       [](C c) {
         const MarginRecursion rule = c.rule.margins_of(c.choice.parameters);
         return decaying(c) && (rule.normalised || rule.momentum > 0);
       },
       "with decay (weight_decay) only gradient descent without momentum is fast-forwarded"},
      {"leap-population", Way::leap, sampled, "every step has another sample (data.mode)"},
      {"leap-recovered", Way::leap, recovered, "recovered facts no longer act (data.recovered)"},
      {"leap-updates", Way::leap,
       [](C c) {
         const Experiment& e = c.experiment;
         return (e.push || e.curvature || spectral(c)) && c.rule.margins_of(c.choice.parameters).momentum > 0;
       },
       "fast-forward does not keep the momentum, from which the next update is measured (run.push, curvature, spectral_metrics)"},
      {"leap-columns", Way::leap,
       [](C c) {
         return (columns | Way::modes).has(c.way) ? Wording{} : Wording{{"name", engine_of(c.way).name}};
       },
       "the engine {name} does not store single margins"},
      {"leap-answers", Way::leap, [](C c) { return logits(c) && several_answers(c); },
       "queries have several answers"},
  };
  return rows;
}

}  // namespace rarefact
