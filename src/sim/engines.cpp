#include "sim/engines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/column_values.hpp"
#include "model/met_classes.hpp"
#include "sim/inputs.hpp"

namespace rarefact {

namespace {

/// Precondition: the way is not refused.
Reduction form_of(const EngineQuery& query, Way way) {
  const Sides sides(query);
  if (!sides.equal_classes() && way != Way::dense) return {.way = way, .block = sides.block()};
  // Noise of queries and random targets are in all dimensions of W; if embeddings dropped out, only their
  // span would be left.
  const bool whole = way == Way::dense && query.experiment.loss->of_outputs &&
                     (draws_normals(query) || query.experiment.squares.random_target());
  return {.way = way, .task_basis = !whole && sides.drop_out() && !sides.identity()};
}

std::string held_columns(const EngineQuery& query, const Reduction& reduction) {
  const bool classes = query.experiment.sampled();
  if (query.answers())
    return fmt::format(
        "answers of a column with equal π stay equal: one number for each of them in {} kinds of queries",
        query.spectrum.groups->size());
  if (reduction.way == Way::modes)
    return fmt::format(
        "the update of each mode is of its own gradient, or a common factor: one number for each of {:.17g} {}",
        classes ? query.spectrum.classes : static_cast<double>(query.spectrum.groups->size()),
        classes ? "modes" : "groups of modes");
  return fmt::format("wrong answers of a column stay equal: two numbers for each of {:.17g} {}",
                     classes ? query.spectrum.classes : static_cast<double>(query.spectrum.groups->size()),
                     classes ? "classes" : "class groups");
}

std::string held_symmetric(const EngineQuery& query) {
  if (query.experiment.sampled())
    return fmt::format(
        "exact in the symmetric algebra of the classes that samples show, about {:.0f}, and one group of all others",
        expected_met(query.spectrum, query.experiment.label_noise, all_draws(query.experiment)));
  if (const AnswerLaw* law = query.answers()) {
    std::size_t answers = 0;
    for (const ComponentGroup& unit : law->units->groups) answers += unit.answer_twins.size();
    return fmt::format(
        "exact in the symmetric algebra of {} unit groups, {} types of answers and {} of queries",
        law->units->groups.size(), answers, law->queries.size());
  }
  return fmt::format("exact in the symmetric algebra of {} class groups", query.spectrum.groups->size());
}

std::string held_nodes(const EngineQuery& query, const Reduction& reduction) {
  return fmt::format("a few nodes stand for {:g} distinct {}, held {}", query.spectrum.answer_count(),
                     query.answers() ? "answers" : "classes",
                     reduction.of_columns() ? "as columns" : "in the symmetric algebra");
}

std::string held_entries(const EngineQuery& query) {
  if (query.answers())
    return fmt::format("every entry of W for {:.17g} queries and {:.17g} answers", query.spectrum.classes,
                       query.spectrum.answer_count());
  return fmt::format("every entry of W for K = {:.17g} classes", query.spectrum.classes);
}

/// What is stored, in words, for the reason of a choice.
std::string held(const EngineQuery& query, const Reduction& reduction) {
  switch (reduction.engine()) {
    case Engine::modes:
    case Engine::columns:
      return held_columns(query, reduction);
    case Engine::symmetric:
      return held_symmetric(query);
    case Engine::quadrature:
      return held_nodes(query, reduction);
    case Engine::dense:
      return held_entries(query);
  }
  return "";
}

}  // namespace

ReductionOrRefusal reduce(const EngineQuery& query, Engine engine) {
  Refusal refusal;
  for (const Way way : ways_of(engine)) {
    refusal = first_refusal(query, way);
    if (refusal.requirement == nullptr) return form_of(query, way);
  }
  return refusal;
}

std::string embeddings_text(const EngineQuery& query, const Reduction& reduction) {
  const Sides sides(query);
  const auto side_text = [&](const EmbeddedSide& side) {
    return fmt::format("{} {}", side.name,
                       side.rotates && side.drops_out() ? "drop out"
                       : side.embedding.identity        ? "are identity"
                       : reduction.block > 1            ? fmt::format("come in blocks of {}", reduction.block)
                       : reduction.way != Way::dense
                           ? "have one cosine and turn with rotations"
                           : fmt::format("are held as they are ({})", side.component.kind));
  };
  return fmt::format("{} and {}", side_text(sides[1]), side_text(sides[0]));
}

std::string reason_text(const EngineQuery& query, const Reduction& reduction, const std::string& why) {
  std::string text = held(query, reduction);
  if (reduction.block > 1) text += fmt::format(" in blocks of {}", reduction.block);
  if (reduction.task_basis)
    text += fmt::format("; orthonormal embeddings ({}) drop out",
                        *Sides(query).first_without(&EmbeddingRow::identity));
  return why.empty() ? text : text + "; " + why;
}

}  // namespace rarefact
