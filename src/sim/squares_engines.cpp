// Which engines hold a run on least squares (model/squares_memory.hpp).
//
//   modes       nothing mixes the modes: both embeddings drop out, no label noise, what is drawn are facts themselves
//   columns     the same with label noise, of the population, for rules that keep columns
//   symmetric   the population, as of the softmax
//   dense       always

#include "sim/embedding_reduction.hpp"

namespace rarefact {

namespace {

const LeastSquares& data_of(const EngineCase& asked) {
  return asked.experiment.squares;
}

/// Samples of queries that are normal, or have normal noise.
bool draws_normals(const EngineCase& asked) {
  return asked.experiment.sampled() && (data_of(asked).gaussian() || data_of(asked).query_noise > 0);
}

/// What no engine holds, dense included; empty where there is nothing.
std::string impossible(const EngineCase& asked) {
  const Sides sides(asked);
  if (asked.rule.reads_curvature && asked.experiment.sampled())
    return fmt::format("{} solves with the second moment of the population, and gradients are of samples",
                       asked.rule.name);
  if (asked.symmetries.reads_second_moment)
    return fmt::format("{} reads the second moment of the queries without their noise", asked.rule.name);
  const std::string* other = sides.first_without(&EmbeddingRow::orthonormal);
  if (asked.symmetries.reads_task && other)
    return fmt::format(
        "{} reads the gradient in the task basis, which least squares has for orthonormal embeddings alone, "
        "not for '{}'",
        asked.rule.name, *other);
  if (data_of(asked).random_target() && !sides[0].embedding.orthonormal)
    return fmt::format("a random target is made of orthonormal queries, and not of embedding '{}'",
                       sides[0].component.kind);
  return "";
}

/// What groups of equally likely classes do not hold.
std::string classes_apart(const EngineCase& asked) {
  const LeastSquares& data = data_of(asked);
  const auto& groups = *asked.spectrum.groups;
  if (data.random_target())
    return "a target in random directions is diagonal in no basis (target.directions)";
  if (data.gaussian() && data.exponent != 0 &&
      std::ranges::any_of(groups.count, [](double n) { return n > 1; }))
    return "a target that goes by the rank tells the classes of a group apart (target.exponent)";
  return "";
}

/// Diagonal matrices of the modes, or columns.
Reducibility on_columns(const EngineCase& asked, Engine engine) {
  if (const std::string objection = impossible(asked); !objection.empty()) return objection;
  if (const std::string objection = classes_apart(asked); !objection.empty()) return objection;
  const Sides sides(asked);
  if (!sides.drop_out()) {
    for (const EmbeddedSide& side : sides)
      if (!side.drops_out() && !side.embedding.orthonormal)
        return fmt::format("embedding '{}' mixes the modes", side.component.kind);
    return entry_by_entry(sides, asked.rule);
  }
  if (draws_normals(asked)) return "normal queries are of all modes at once";
  if (asked.experiment.sampled()) {
    if (const std::string objection = not_whole(asked.spectrum); !objection.empty()) return objection;
  }
  return Reduction{.engine = engine, .task_basis = !sides.identity()};
}

}  // namespace

Reducibility reduce_to_modes(const EngineCase& asked) {
  if (asked.experiment.label_noise > 0)
    return "label noise draws the answers of other modes (data.label_noise)";
  const bool both = asked.symmetries.answers_rotate && asked.symmetries.queries_rotate;
  if (!both && !asked.symmetries.keeps_columns) return fmt::format("{} couples the modes", asked.rule.name);
  return on_columns(asked, Engine::modes);
}

Reducibility squares_on_columns(const EngineCase& asked) {
  if (!asked.symmetries.keeps_columns)
    return fmt::format("{} couples the columns, so the wrong answers of a column do not stay equal",
                       asked.rule.name);
  if (asked.experiment.sampled() && asked.experiment.label_noise > 0)
    return "label noise draws some wrong answers of a query and not others, so those of a column do not stay equal";
  return on_columns(asked, Engine::columns);
}

Reducibility squares_on_symmetric(const EngineCase& asked) {
  if (const std::string objection = impossible(asked); !objection.empty()) return objection;
  if (const std::string objection = classes_apart(asked); !objection.empty()) return objection;
  if (asked.experiment.sampled())
    return "samples tell apart what the groups of the symmetric algebra hold as one (data.mode)";
  const Reducibility outcome = reduce_to_algebra(asked);
  const auto* reduction = std::get_if<Reduction>(&outcome);
  if (reduction == nullptr || reduction->block == 1) return outcome;
  if (data_of(asked).exponent != 0)
    return "a target that goes by the rank tells the classes of a block apart (target.exponent)";
  for (const double n : asked.spectrum.groups->count)
    if (std::fmod(n, static_cast<double>(reduction->block)) != 0)
      return fmt::format("a group has {:.17g} classes, not a multiple of the block size {}", n,
                         reduction->block);
  return outcome;
}

/// Noise of queries, and random targets, are in all dimensions of W, of which embeddings that dropped out would leave the
/// part that they span.
Reducibility squares_on_dense(const EngineCase& asked) {
  if (const std::string objection = impossible(asked); !objection.empty()) return objection;
  if (const std::string objection = not_whole(asked.spectrum); !objection.empty()) return objection;
  const Sides sides(asked);
  const bool whole = draws_normals(asked) || data_of(asked).random_target();
  return Reduction{.engine = Engine::dense, .task_basis = !whole && sides.drop_out() && !sides.identity()};
}

}  // namespace rarefact
