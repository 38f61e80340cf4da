#include <fmt/format.h>

#include <algorithm>

#include "sim/cost.hpp"
#include "sim/inputs.hpp"

namespace rarefact {

namespace {

/// The stored state in words, to explain a choice.
std::string stored(const EngineQuery& query, const Reduction& reduction) {
  const Spectrum& spectrum = query.spectrum;
  const AnswerLaw* law = query.answers();
  const bool sampled = query.experiment.sampled();
  const bool signs = reduction.of_columns() && query.by_signs();
  if (signs)
    return fmt::format(
        "every entry walks to its share (over data.query_scale) by steps of the step size: one number for each of {} for all queries",
        reduction.exact() ? fmt::format("{:.17g} shares", spectrum.answer_count())
                          : "the shares beyond one step, and nodes for the others");
  if (reduction.of_columns() && query.along_answers())
    return fmt::format("columns of W stay along the mean answers of their queries: one number for each of {}",
                       reduction.exact()
                           ? fmt::format("{} kinds of queries", spectrum.groups->size())
                           : fmt::format("a few nodes, which represent {:g} queries", spectrum.classes));
  if (!reduction.exact())
    return fmt::format("a few nodes represent {:g} distinct {}, stored {}", spectrum.answer_count(),
                       law ? "answers" : "classes",
                       reduction.of_columns() ? "as columns" : "in the symmetric algebra");
  if (reduction.way == Way::dense && law)
    return fmt::format("every entry of W for {:.17g} queries and {:.17g} answers", spectrum.classes,
                       spectrum.answer_count());
  if (reduction.way == Way::dense)
    return fmt::format("every entry of W for K = {:.17g} classes", spectrum.classes);
  if (reduction.way == Way::symmetric && sampled)
    return fmt::format(
        "exact in the symmetric algebra of the sampled classes, about {:.0f}, and one group of all others",
        expected_sampled(spectrum, query.experiment.label_noise, all_draws(query.experiment)));
  const std::size_t groups = spectrum.groups->size();
  if (reduction.way == Way::symmetric && law) {
    std::size_t answers = 0;
    for (const ComponentGroup& group : law->components->groups) answers += group.answer_multiplicity.size();
    return fmt::format(
        "exact in the symmetric algebra of {} groups of components, {} types of answers and {} of queries",
        law->components->groups.size(), answers, law->queries.size());
  }
  if (reduction.way == Way::symmetric)
    return fmt::format("exact in the symmetric algebra of {} class groups", groups);
  if (law)
    return fmt::format(
        "answers of a column with equal π stay equal: one number for each π in {} kinds of queries", groups);
  const double number = sampled ? spectrum.classes : static_cast<double>(groups);
  if (reduction.way == Way::modes)
    return fmt::format(
        "each mode depends only on its own gradient and a common factor: one number for each of {:.17g} {}",
        number, sampled ? "modes" : "groups of modes");
  return fmt::format("wrong answers of a column stay equal: two numbers for each of {:.17g} {}", number,
                     sampled ? "classes" : "class groups");
}

}  // namespace

Reduction form_of(const EngineQuery& query, Way way) {
  const Sides sides(query);
  if (!sides.equal_classes() && way != Way::dense) return {.way = way, .block = sides.block()};
  // Noise of queries and random targets are in all dimensions of W; if embeddings dropped out, only their
  // span would be left.
  const bool whole = way == Way::dense && query.experiment.loss->of_outputs &&
                     (draws_normals(query) || query.experiment.squares.random_target());
  return {.way = way, .task_basis = !whole && sides.drop_out() && !sides.identity()};
}

std::string reason_text(const EngineQuery& query, const Reduction& reduction, const std::string& why) {
  const Sides sides(query);
  std::string text = stored(query, reduction);
  if (reduction.block > 1) text += fmt::format(" in blocks of {}", reduction.block);
  if (reduction.task_basis)
    text += fmt::format("; orthonormal embeddings ({}) do not affect the run",
                        std::ranges::find_if_not(sides, &EmbeddedSide::identity)->chosen.kind);
  return why.empty() ? text : text + "; " + why;
}

}  // namespace rarefact
