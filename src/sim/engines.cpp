#include "sim/engines.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "model/embedding.hpp"

namespace rarefact {

namespace {

struct Sides {
  const EmbeddingRow& query;
  const EmbeddingRow& answer;

  explicit Sides(const Experiment& experiment)
      : query(embedding_row(experiment.query_embedding.kind)),
        answer(embedding_row(experiment.answer_embedding.kind)) {}
  bool identity() const { return query.identity && answer.identity; }
  bool orthonormal() const { return query.orthonormal && answer.orthonormal; }
  /// The kind that stands in the way, for a message.
  const std::string& first_without(bool EmbeddingRow::*property) const {
    return query.*property ? answer.name : query.name;
  }
  /// Orthonormal embeddings leave a rotation-equivariant rule's run unchanged; identity ones leave every
  /// rule's.
  bool drop_out(const OptimizerRow& rule) const {
    return identity() || (orthonormal() && rule.symmetries.rotation_equivariant);
  }
};

std::string not_equivariant(const Sides& sides, const OptimizerRow& rule) {
  return fmt::format("{} acts entry by entry in the coordinates of W, which embedding '{}' mixes", rule.name,
                     sides.first_without(&EmbeddingRow::identity));
}

std::string not_whole(const ClassGroups& groups) {
  for (const double n : groups.count) {
    if (n != std::floor(n)) return fmt::format("a group has {:g} classes, not a whole number", n);
  }
  return "";
}

std::string reads_curvature(const OptimizerRow& rule) {
  return fmt::format("{} solves with the Hessian of the loss, which the dense engine alone has", rule.name);
}

/// The column matrices, whatever the groups are.
Reducibility reduce_to_column_matrices(const EngineCase& asked) {
  const Sides sides(asked.experiment);
  if (asked.rule.reads_curvature) return reads_curvature(asked.rule);
  if (!asked.rule.symmetries.keeps_columns) {
    return fmt::format("{} couples the columns, so the wrong answers of a column do not stay equal",
                       asked.rule.name);
  }
  if (sides.drop_out(asked.rule))
    return Reduction{.engine = Engine::columns, .task_basis = !sides.identity()};
  if (!sides.orthonormal()) {
    return fmt::format("embedding '{}' is not orthonormal", sides.first_without(&EmbeddingRow::orthonormal));
  }
  return not_equivariant(sides, asked.rule);
}

Reducibility reduce_to_columns(const EngineCase& asked) {
  if (asked.experiment.sampled()) {
    if (asked.experiment.label_noise > 0)
      return "label noise draws some wrong answers of a query and not others, so those of a column do not stay "
             "equal";
    if (const std::string objection = not_whole(*asked.spectrum.groups); !objection.empty()) return objection;
  }
  return reduce_to_column_matrices(asked);
}

/// In blocks of the size that both embeddings share; 1 where they drop out or the rule does not see them.
Reducibility reduce_to_blocks(const EngineCase& asked, const Sides& sides) {
  Reduction reduction{.engine = Engine::symmetric};
  for (const EmbeddingRow* side : {&sides.query, &sides.answer}) {
    if (side->identity) continue;
    if (!side->block) return not_equivariant(sides, asked.rule);
    const bool is_query = side == &sides.query;
    const Component& component =
        is_query ? asked.experiment.query_embedding : asked.experiment.answer_embedding;
    const Index size = rotation_block(component.parameters, is_query ? "query" : "answer").rows();
    if (reduction.block != 1 && size != reduction.block) {
      return fmt::format("the blocks of the two embeddings differ in size ({} and {})", reduction.block,
                         size);
    }
    reduction.block = size;
  }
  return reduction;
}

/// The symmetric algebra, whatever the groups are.
Reducibility reduce_to_algebra(const EngineCase& asked) {
  const Sides sides(asked.experiment);
  if (asked.rule.reads_curvature) return reads_curvature(asked.rule);
  if (sides.drop_out(asked.rule))
    return Reduction{.engine = Engine::symmetric, .task_basis = !sides.identity()};
  if (!asked.rule.symmetries.rotation_equivariant) return reduce_to_blocks(asked, sides);
  for (const EmbeddingRow* side : {&sides.query, &sides.answer}) {
    if (!side->orthonormal && !side->equicorrelated)
      return fmt::format("embedding '{}' treats classes of equal probability differently", side->name);
  }
  return Reduction{.engine = Engine::symmetric};
}

Reducibility reduce_to_symmetric(const EngineCase& asked) {
  const Reducibility outcome = reduce_to_algebra(asked);
  const auto* reduction = std::get_if<Reduction>(&outcome);
  if (reduction == nullptr) return outcome;
  const std::vector<double>& count = asked.spectrum.groups->count;
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (std::fmod(count[i], static_cast<double>(reduction->block)) != 0) {
      return fmt::format("group {} has {:.17g} classes, not a multiple of the block size {}", i, count[i],
                         reduction->block);
    }
  }
  return outcome;
}

Reducibility reduce_to_quadrature(const EngineCase& asked) {
  if (!asked.spectrum.law) {
    return fmt::format("spectrum '{}' is not a smooth function of the rank with distinct classes",
                       asked.experiment.spectrum.kind);
  }
  if (asked.experiment.removes_recovered)
    return "a gradient that recovered facts drop out of is not a smooth function of the rank (data.recovered)";
  if (asked.experiment.spectral_metrics == "on")
    return "quantiles and the largest of the singular values are not smooth functions of the rank "
           "(run.spectral_metrics)";
  Reducibility outcome = reduce_to_column_matrices(asked);
  if (!std::holds_alternative<Reduction>(outcome)) outcome = reduce_to_algebra(asked);
  if (auto* reduction = std::get_if<Reduction>(&outcome)) {
    reduction->by_columns = reduction->engine == Engine::columns;
    reduction->engine = Engine::quadrature;
  }
  return outcome;
}

Reducibility reduce_to_dense(const EngineCase& asked) {
  if (const std::string objection = not_whole(*asked.spectrum.groups); !objection.empty()) return objection;
  const Sides sides(asked.experiment);
  return Reduction{.engine = Engine::dense, .task_basis = sides.drop_out(asked.rule) && !sides.identity()};
}

std::string held_columns(const EngineCase& asked, const Reduction&) {
  const bool classes = asked.experiment.sampled();
  return fmt::format("wrong answers of a column stay equal: two numbers for each of {:.17g} {}",
                     classes ? asked.spectrum.classes : static_cast<double>(asked.spectrum.groups->size()),
                     classes ? "classes" : "class groups");
}

std::string held_symmetric(const EngineCase& asked, const Reduction&) {
  return fmt::format("exact in the symmetric algebra of {} class groups", asked.spectrum.groups->size());
}

std::string held_nodes(const EngineCase& asked, const Reduction& reduction) {
  return fmt::format("a few nodes stand for {:g} distinct classes, held {}", asked.spectrum.classes,
                     reduction.by_columns ? "as columns" : "in the symmetric algebra");
}

std::string held_entries(const EngineCase& asked, const Reduction&) {
  return fmt::format("every entry of W for K = {:.17g} classes", asked.spectrum.classes);
}

}  // namespace

const EngineRow& engine_row(Engine engine) {
  static const std::array<EngineRow, engine_names.size()> rows = {{
      {.reduce = reduce_to_columns, .held = held_columns},
      {.takes_samples = false, .precise = true, .reduce = reduce_to_symmetric, .held = held_symmetric},
      {.exact = false, .takes_samples = false, .reduce = reduce_to_quadrature, .held = held_nodes},
      {.reduce = reduce_to_dense, .held = held_entries},
  }};
  return rows[static_cast<std::size_t>(engine)];
}

Reducibility reduce(const EngineCase& asked, Engine engine) {
  const EngineRow& row = engine_row(engine);
  if (asked.experiment.precision == 50 && !row.precise)
    return "50 significant digits (run.precision) are for the engine symmetric alone";
  if (asked.experiment.sampled() && !row.takes_samples)
    return "a sample tells apart classes that are equally, or nearly equally, likely (data.mode)";
  if (row.exact && !asked.spectrum.groups)
    return fmt::format("{:g} distinct classes are too many to write out", asked.spectrum.classes);
  return row.reduce(asked);
}

bool runs_in_task_basis(const Experiment& experiment, const OptimizerRow& rule) {
  return Sides(experiment).drop_out(rule);
}

std::string impossible_embedding(const Component& side, const char* name, double classes) {
  const EmbeddingRow& row = embedding_row(side.kind);
  if (row.block) {
    const Index size = rotation_block(side.parameters, name).rows();
    if (std::fmod(classes, static_cast<double>(size)) != 0) {
      return fmt::format(
          "{} embedding '{}' has blocks of {} classes, and {:.17g} classes are no multiple of it", name,
          side.kind, size, classes);
    }
  }
  if (row.orthonormal && row.dimension(side.parameters, classes) < classes) {
    return fmt::format(
        "{} embedding '{}' has dimension {:g}, fewer than the {:.17g} classes that are to be orthonormal",
        name, side.kind, row.dimension(side.parameters, classes), classes);
  }
  return "";
}

std::string reason_text(const EngineCase& asked, const Reduction& reduction, const std::string& why) {
  std::string text = engine_row(reduction.engine).held(asked, reduction);
  if (reduction.block > 1) text += fmt::format(" in blocks of {}", reduction.block);
  if (reduction.task_basis)
    text += fmt::format("; orthonormal embeddings ({}) drop out",
                        Sides(asked.experiment).first_without(&EmbeddingRow::identity));
  return why.empty() ? text : text + "; " + why;
}

}  // namespace rarefact
