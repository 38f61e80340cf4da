#include "sim/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/embedding.hpp"

namespace rarefact {

namespace {

using Outcome = std::variant<Reduction, std::string>;

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
};

/// Orthonormal embeddings leave a rotation-equivariant rule's run unchanged; identity ones leave every
/// rule's.
bool drops_out(const Sides& sides, const OptimizerRow& rule) {
  return sides.identity() || (sides.orthonormal() && rule.symmetries.rotation_equivariant);
}

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

/// Why samples do not leave the columns of single classes as they are; empty where they do.
std::string no_sampled_columns(const Experiment& experiment, const ClassGroups& groups) {
  if (experiment.label_noise == 0) return not_whole(groups);
  return "label noise draws some wrong answers of a query and not others, so those of a column do not stay "
         "equal";
}

/// Why the algebras other than dense do not hold a rule; empty where they may.
std::string dense_only(const OptimizerRow& rule) {
  if (!rule.reads_curvature) return "";
  return fmt::format("{} solves with the Hessian of the loss, which the dense engine alone has", rule.name);
}

Outcome reduce_to_columns(const Sides& sides, const OptimizerRow& rule) {
  if (const std::string objection = dense_only(rule); !objection.empty()) return objection;
  if (!rule.symmetries.keeps_columns) {
    return fmt::format("{} couples the columns, so the wrong answers of a column do not stay equal",
                       rule.name);
  }
  if (drops_out(sides, rule)) return Reduction{.engine = "columns", .task_basis = !sides.identity()};
  if (!sides.orthonormal()) {
    return fmt::format("embedding '{}' is not orthonormal", sides.first_without(&EmbeddingRow::orthonormal));
  }
  return not_equivariant(sides, rule);
}

/// The block size that both embeddings share; 1 where they drop out or the rule does not see them.
std::variant<Index, std::string> shared_block(const Experiment& experiment, const Sides& sides,
                                              const OptimizerRow& rule) {
  Index block = 1;
  for (const EmbeddingRow* side : {&sides.query, &sides.answer}) {
    if (side->identity) continue;
    if (!side->block) return not_equivariant(sides, rule);
    const bool is_query = side == &sides.query;
    const Component& component = is_query ? experiment.query_embedding : experiment.answer_embedding;
    const Index size = rotation_block(component.parameters, is_query ? "query" : "answer").rows();
    if (block != 1 && size != block) {
      return fmt::format("the blocks of the two embeddings differ in size ({} and {})", block, size);
    }
    block = size;
  }
  return block;
}

/// The symmetric algebra, whatever the groups are.
Outcome reduce_to_algebra(const Experiment& experiment, const Sides& sides, const OptimizerRow& rule) {
  if (const std::string objection = dense_only(rule); !objection.empty()) return objection;
  if (drops_out(sides, rule)) return Reduction{.engine = "symmetric", .task_basis = !sides.identity()};
  if (rule.symmetries.rotation_equivariant) {
    for (const EmbeddingRow* side : {&sides.query, &sides.answer}) {
      if (!side->orthonormal && !side->equicorrelated) {
        return fmt::format("embedding '{}' treats classes of equal probability differently", side->name);
      }
    }
    return Reduction{.engine = "symmetric"};
  }
  const auto block = shared_block(experiment, sides, rule);
  if (const auto* objection = std::get_if<std::string>(&block)) return *objection;
  return Reduction{.engine = "symmetric", .block = std::get<Index>(block)};
}

Outcome reduce_to_symmetric(const Experiment& experiment, const Sides& sides, const OptimizerRow& rule,
                            const ClassGroups& groups) {
  const Outcome outcome = reduce_to_algebra(experiment, sides, rule);
  const auto* reduction = std::get_if<Reduction>(&outcome);
  if (reduction == nullptr) return outcome;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (std::fmod(groups.count[i], static_cast<double>(reduction->block)) != 0) {
      return fmt::format("group {} has {:.17g} classes, not a multiple of the block size {}", i,
                         groups.count[i], reduction->block);
    }
  }
  return outcome;
}

Outcome reduce_to_quadrature(const Experiment& experiment, const Sides& sides, const OptimizerRow& rule,
                             const Spectrum& spectrum) {
  if (!spectrum.law) {
    return fmt::format("spectrum '{}' is not a smooth function of the rank with distinct classes",
                       experiment.spectrum.kind);
  }
  if (experiment.removes_recovered)
    return "a gradient that recovered facts drop out of is not a smooth function of the rank "
           "(data.recovered)";
  if (experiment.spectral_metrics == "on") {
    return "quantiles and the largest of the singular values are not smooth functions of the rank "
           "(run.spectral_metrics)";
  }
  Outcome outcome = reduce_to_columns(sides, rule);
  if (!std::holds_alternative<Reduction>(outcome)) outcome = reduce_to_algebra(experiment, sides, rule);
  if (auto* reduction = std::get_if<Reduction>(&outcome)) {
    reduction->by_columns = reduction->engine == "columns";
    reduction->engine = "quadrature";
  }
  return outcome;
}

Outcome reduce_to_dense(const Sides& sides, const OptimizerRow& rule, const ClassGroups& groups) {
  if (const std::string objection = not_whole(groups); !objection.empty()) return objection;
  const bool drop = drops_out(sides, rule);
  return Reduction{.engine = "dense", .task_basis = drop && !sides.identity()};
}

}  // namespace

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

std::string reason_text(const Experiment& experiment, const Spectrum& spectrum, const Reduction& reduction,
                        const std::string& why) {
  const Sides sides(experiment);
  std::string text;
  if (reduction.engine == "quadrature") {
    text = fmt::format("a few nodes stand for {:g} distinct classes, held {}", spectrum.classes,
                       reduction.by_columns ? "as columns" : "in the symmetric algebra");
  } else if (reduction.engine == "columns") {
    const bool classes = experiment.sampled();
    text = fmt::format("wrong answers of a column stay equal: two numbers for each of {:.17g} {}",
                       classes ? spectrum.classes : static_cast<double>(spectrum.groups->size()),
                       classes ? "classes" : "class groups");
  } else if (reduction.engine == "symmetric") {
    text = fmt::format("exact in the symmetric algebra of {} class groups", spectrum.groups->size());
  } else {
    text = fmt::format("every entry of W for K = {:.17g} classes", spectrum.classes);
  }
  if (reduction.block > 1) text += fmt::format(" in blocks of {}", reduction.block);
  if (reduction.task_basis) {
    text +=
        fmt::format("; orthonormal embeddings ({}) drop out", sides.first_without(&EmbeddingRow::identity));
  }
  if (!why.empty()) text += "; " + why;
  return text;
}

std::variant<Reduction, std::string> reduce(const Experiment& experiment, const OptimizerRow& rule,
                                            const Spectrum& spectrum, const std::string& engine) {
  const Sides sides(experiment);
  if (experiment.sampled() && (engine == "quadrature" || engine == "symmetric"))
    return "a sample tells apart classes that are equally, or nearly equally, likely (data.mode)";
  if (engine == "quadrature") return reduce_to_quadrature(experiment, sides, rule, spectrum);
  if (!spectrum.groups) {
    return fmt::format("{:g} distinct classes are too many to write out", spectrum.classes);
  }
  if (engine == "columns") {
    const std::string objection =
        experiment.sampled() ? no_sampled_columns(experiment, *spectrum.groups) : "";
    return objection.empty() ? reduce_to_columns(sides, rule) : objection;
  }
  if (engine == "symmetric") return reduce_to_symmetric(experiment, sides, rule, *spectrum.groups);
  return reduce_to_dense(sides, rule, *spectrum.groups);
}

}  // namespace rarefact
