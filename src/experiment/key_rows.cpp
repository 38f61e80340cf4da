// The requirements that are reported for a key once the classes are known, before any way is tried.

#include "experiment/keys.hpp"
#include "experiment/requirements.hpp"
#include "experiment/step_sizes.hpp"

namespace rarefact {

namespace {

using C = const Case&;
constexpr Ways none;

/// The number of all queries, and of those with several answers.
Wording several(C c) {
  if (!(c.experiment.rho_epsilon > 0)) return {};
  double several = 0;
  for (const ComponentGroup& group : c.answers() && c.answers()->components ? c.answers()->components->groups
                                                                            : std::vector<ComponentGroup>()) {
    for (const QueryType& query : group.queries) {
      const auto& first = query.answers.front();
      const bool single = query.answers.size() == 1 && group.answer_multiplicity[first.type] == 1;
      if (!single) several += group.count * query.multiplicity;
    }
  }
  if (several == 0) return {};
  return {{"K", fmt::format("{:g}", c.spectrum.classes)}, {"n", fmt::format("{:g}", several)}};
}

Wording attributes_without_pairs(C c) {
  const Experiment& e = c.experiment;
  if (!e.of_attributes()) return {};
  const auto needed = [](const std::string& what) { return Wording{{"reason", what}}; };
  if (!e.own_answers())
    return needed("an answer of its own for each, unlike answers.law = \"" + e.answers.kind + "\"");
  if (e.noise() == NoiseAnswers::frequency) return needed("data.noise_answers = \"uniform\"");
  if (!c.spectrum.grid)
    return needed(
        "classes that are pairs of a subject and a relation; expected classes.spectrum = \"product\"");
  return {};
}

/// The first condition of trained gains that a run does not meet.
Wording untrainable_gains(C c) {
  if (!c.experiment.train_gains) return {};
  const auto needed = [](const std::string& what) { return Wording{{"what", what}}; };
  if (!Sides(c)[0].in_attributes())
    return needed("queries that are sums of attributes, not rotated (embedding.query.kind)");
  if (c.experiment.loss->of_outputs) return needed("model.loss = \"softmax\"");
  return c.experiment.is_product() ? needed("model.factors = 1, as the gains are a factor") : Wording{};
}

bool trains_other_gains(C c) {
  if (!c.experiment.train_gains) return false;
  const ParameterValues& own = c.choice.parameters;
  const bool memory = own.has("momentum") && own.number("momentum") > 0,
             inexact = own.has("polar") && (own.text("polar") != "exact" || own.number("smoothing") > 0 ||
                                            own.text("lr_scale") != "none");
  return c.rule.of_gains == nullptr || memory || inexact || decays(c.choice, c.experiment, c.spectrum);
}

/// Requested classes that do not exist, and the number of classes.
Wording missing_classes(C c) {
  std::string missing;
  for (const ClassAt& at : c.experiment.classes.list) {
    if (at.kind == ClassAt::Kind::rank && at.value > c.spectrum.classes)
      missing += fmt::format("{}{:.17g}", missing.empty() ? "" : ", ", at.value);
  }
  if (missing.empty()) return {};
  return {{"k", missing}, {"K", fmt::format("{:.17g}", c.spectrum.classes)}};
}

Wording missing_top(C c) {
  const std::vector<std::int64_t>& top = c.experiment.top;
  if (top.empty() || static_cast<double>(top.back()) <= c.spectrum.answer_count()) return {};
  return {{"k", fmt::format("{}", top.back())}, {"K", fmt::format("{:.17g}", c.spectrum.answer_count())}};
}

/// The paths of a start from files that are missing, or too many.
Wording missing_paths(C c) {
  const ParameterValues& paths = c.experiment.init.parameters;
  if (c.experiment.init.kind != "file") return {};
  const bool product = c.experiment.is_product();
  if (paths.has("path") == !product && paths.has("path_u") == product && paths.has("path_v") == product)
    return {};
  return {{"what", product ? "files of a product" : "a file"},
          {"needed", product ? "init.path_u and init.path_v" : "init.path"}};
}

/// Label noise of which each answer gets less than a double can represent: whatever the precision, L* is stored as one.
Wording faint_noise(C c) {
  constexpr double min_noise = 1e-300;
  const double noise = c.experiment.label_noise, answers = c.spectrum.answer_count();
  const double least_noise =
      min_noise * (precision_of(c.experiment).underflows ? std::max(1.0, answers * 1e-8) : 1);
  if (noise == 0 || noise >= least_noise) return {};
  return {{"α", fmt::format("{:g}", noise)},
          {"K", fmt::format("{:g}", answers)},
          {"least", fmt::format("{:g}", least_noise)}};
}

/// Signs, ratios and polar factors depend on the smallest entries of the gradient as much as on the largest: p_l/K of the
/// rarest class must not underflow relative to the largest p_l. In a sample the least weight is one draw.
Wording underflow(C c) {
  constexpr double min_entry = 1e-303;  // of a residual, safely above the smallest double
  if (c.experiment.sampled() || !precision_of(c.experiment).underflows) return {};
  if (!c.symmetries.amplifies_small_entries) return {};
  const auto [least, largest] = c.spectrum.training_range();
  const double log_entry = std::log(least / largest) - std::log(c.spectrum.answer_count());
  if (!(log_entry < std::log(min_entry))) return {};
  return {{"n", fmt::format("{:.0f}", -log_entry / std::log(10.0))},
          {"doubles", fmt::format("{:.0f}", -std::log10(min_entry))}};
}

/// A law of training in which the rarest query underflows.
Wording faint_training(C c) {
  const double least = c.spectrum.training_range().first;
  if (c.spectrum.sampling.exponent == 1 || least >= std::numeric_limits<double>::min()) return {};
  return {{"τ", fmt::format("{:g}", c.spectrum.sampling.exponent)},
          {"least", fmt::format("{:.2g}", std::numeric_limits<double>::min())}};
}

/// Wording for an embedding of a side that does not suit the number of its classes, and the number that it suits.
Wording misfit(const EmbeddedSide& side, double number, double classes) {
  return {{"query", side.key},
          {"kind", side.chosen.kind},
          {"d", fmt::format("{:g}", number)},
          {"K", fmt::format("{:.17g}", classes)}};
}

Wording uneven_blocks(const EmbeddedSide& side, double classes) {
  if (!side.embedding.block) return {};
  const auto size = static_cast<double>(rotation_block(side.chosen.parameters, side.key).rows());
  return std::fmod(classes, size) == 0 ? Wording{} : misfit(side, size, classes);
}

Wording too_narrow(const EmbeddedSide& side, double classes) {
  const double dimension = side.embedding.dimension(side.chosen.parameters, classes);
  return side.embedding.orthonormal && dimension < classes ? misfit(side, dimension, classes) : Wording{};
}

}  // namespace

const std::vector<Requirement>& class_requirements() {
  static const std::string
      uneven =
          "{query} embedding '{kind}' has blocks of {d} classes, and {K} classes are not a multiple of it",
      narrow =
          "{query} embedding '{kind}' has dimension {d}, fewer than the {K} classes that are to be orthonormal";
  static const std::vector<Requirement> rows = {
      {"run.rho_epsilon", none, several,
       "run.rho_epsilon: ϱ requires queries with one answer, whose p̂ can come near 1; of {K} queries {n} have several; expected 0"},
      {"init.kind", none,
       [](C c) {
         return words_if(c.experiment.init.kind == "aligned" && !c.experiment.own_answers(),
                         {{"law", c.experiment.answers.kind},
                          {"\"zero\", ", c.experiment.is_product() ? "" : "\"zero\", "}});
       },
       "init.kind: an aligned start needs one answer of its own for every query, unlike answers.law = {law}; expected "
       "{\"zero\", }\"gaussian\", \"orthogonal\" or \"file\""},
      {"init.kind", none,
       [](C c) {
         const Sides sides(c);
         return start_row(c.experiment.init.kind).of_attributes &&
                (c.experiment.is_product() || !(sides[0].in_attributes() && sides[1].identity()));
       },
       "init.kind: a manifold start is of one matrix, of queries that are sums of attributes, not rotated, and of identity "
       "answers"},
      {"model.train_gains", none, untrainable_gains, "model.train_gains: trained gains need {what}"},
      {"embedding.query.kind", none, attributes_without_pairs,
       "embedding.query.kind: queries that are sums of attributes need {reason}"},
      {"embedding.answer.kind", none,
       [](C c) { return embedding_row(c.experiment.answer_embedding.kind).attributes; },
       "embedding.answer.kind: only queries are sums of attributes; expected another embedding of answers"},
      {"model.factors", none, [](C c) { return c.experiment.is_product() && c.experiment.starts_at_zero(); },
       "model.factors: a product of zero factors has zero gradients and never moves; expected [init] with scale = 0.01 and "
       "kind = \"gaussian\" or, for square embeddings and an answer for every query, \"aligned\""},
      {"model.inner", none,
       [](C c) {
         const Experiment& e = c.experiment;
         const double answers = c.spectrum.answer_count();
         const bool other = e.init.kind == "aligned" && e.inner && static_cast<double>(*e.inner) != answers;
         return other ? Wording{{"inner", std::to_string(*e.inner)}, {"K", fmt::format("{:.17g}", answers)}}
                      : Wording{};
       },
       "model.inner: got the inner dimension {inner}, and an aligned start needs K = {K}; omit it, or take another init.kind"},
      {"init.kind", none, missing_paths, "init.kind: a start from {what} needs {needed}, and no other path"},
      // Even if the run does not need the matrices of embeddings.
      {"embedding.query.kind", none, [](C c) { return uneven_blocks(Sides(c)[0], c.spectrum.classes); },
       uneven},
      {"embedding.query.kind", none, [](C c) { return too_narrow(Sides(c)[0], c.spectrum.classes); }, narrow},
      {"embedding.answer.kind", none,
       [](C c) { return uneven_blocks(Sides(c)[1], c.spectrum.answer_count()); }, uneven},
      {"embedding.answer.kind", none, [](C c) { return too_narrow(Sides(c)[1], c.spectrum.answer_count()); },
       narrow},
      {"run.classes", none, missing_classes, "run.classes: got class {k}; expected 1 to {K}"},
      {"run.top", none, missing_top, "run.top: got {k}; expected 1 to {K}, the number of answers"},
      {"data.sampling_exponent", none, faint_training,
       "data.sampling_exponent = {τ}: training would draw some queries with a probability below {least}, the "
       "smallest normal number; expected an exponent nearer to 0"},
      {"data.label_noise", none, faint_noise,
       "data.label_noise = {α} is too small beside 1: with K = {K} classes expected 0 or at least {least}, "
       "so that the noise of each answer is a double"}};
  return rows;
}

const std::vector<Requirement>& rule_requirements() {
  static const std::vector<Requirement> rows = {
      {"optimizer.rule", none, underflow,
       "the gradient's entries span a factor 1e{n} (K times the ratio of the largest to the least class "
       "probability), and {rule} needs the smallest as much as the largest; doubles span 1e{doubles}"},
      {"optimizer.rule", none, trains_other_gains,
       "only gd and muon with exact polar factors, without lr_scale, momentum or decay, train gains (model.train_gains)"},
      {"optimizer.direction", none,
       [](C c) { return c.symmetries.needs_start && c.experiment.starts_at_zero(); },
       "the direction is always zero: it is where W is, and the run starts at W = 0; expected another direction or "
       "init.kind"}};
  return rows;
}

}  // namespace rarefact
