#include "rarefact/sim/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rarefact/model/embedding.hpp"

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

Outcome reduce_to_columns(const Sides& sides, const OptimizerRow& rule) {
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

Outcome reduce_to_symmetric(const Experiment& experiment, const Sides& sides, const OptimizerRow& rule,
                            const ClassGroups& groups) {
  if (drops_out(sides, rule)) return Reduction{.engine = "symmetric", .task_basis = !sides.identity()};
  if (rule.symmetries.rotation_equivariant) {
    for (const EmbeddingRow* side : {&sides.query, &sides.answer}) {
      if (!side->orthonormal && !side->equicorrelated) {
        return fmt::format("embedding '{}' treats classes of equal probability differently", side->name);
      }
    }
    return Reduction{.engine = "symmetric"};
  }
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
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (std::fmod(groups.count[i], static_cast<double>(block)) != 0) {
      return fmt::format("group {} has {:.17g} classes, not a multiple of the block size {}", i,
                         groups.count[i], block);
    }
  }
  return Reduction{.engine = "symmetric", .block = block};
}

Outcome reduce_to_dense(const Sides& sides, const OptimizerRow& rule, const ClassGroups& groups) {
  for (const double n : groups.count) {
    if (n != std::floor(n)) return fmt::format("a group has {:g} classes, not a whole number", n);
  }
  const bool drop = drops_out(sides, rule);
  return Reduction{.engine = "dense", .task_basis = drop && !sides.identity()};
}

std::string size_text(double bytes) {
  if (!(bytes < 1e30)) return "more than 1e30 B";
  const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 5) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

/// Why an embedding cannot exist for K classes, whether or not the run would need it written out; empty when
/// it can.
std::string impossible(const Component& side, const char* name, double classes) {
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

std::string reason_text(const Reduction& reduction, const ClassGroups& groups, const Sides& sides,
                        const std::string& why_not_cheaper) {
  std::string text;
  if (reduction.engine == "columns") {
    text = fmt::format("wrong answers of a column stay equal: two numbers for each of {} class groups",
                       groups.size());
  } else if (reduction.engine == "symmetric") {
    text = fmt::format("exact in the symmetric algebra of {} class groups", groups.size());
    if (reduction.block > 1) text += fmt::format(" in blocks of {}", reduction.block);
  } else {
    text = fmt::format("every entry of W for K = {:.17g} classes", groups.total());
  }
  if (reduction.task_basis) {
    text +=
        fmt::format("; orthonormal embeddings ({}) drop out", sides.first_without(&EmbeddingRow::identity));
  }
  if (!why_not_cheaper.empty()) text += "; " + why_not_cheaper;
  return text;
}

}  // namespace

std::variant<Reduction, std::string> reduce(const Experiment& experiment, const OptimizerRow& rule,
                                            const ClassGroups& groups, const std::string& engine) {
  const Sides sides(experiment);
  if (engine == "columns") return reduce_to_columns(sides, rule);
  if (engine == "symmetric") return reduce_to_symmetric(experiment, sides, rule, groups);
  return reduce_to_dense(sides, rule, groups);
}

double memory_bytes(const Experiment& experiment, const ClassGroups& groups, const Reduction& reduction) {
  const double number = sizeof(double), classes = groups.total();
  if (reduction.engine == "columns") return 12 * number * static_cast<double>(groups.size());
  if (reduction.engine == "symmetric") {
    const double rows = static_cast<double>(groups.size()) * static_cast<double>(reduction.block);
    return 20 * number * rows * rows;
  }
  double rows = classes, columns = classes, embeddings = 0;
  if (!reduction.task_basis) {
    const auto dimension = [&](const Component& side) {
      return embedding_row(side.kind).dimension(side.parameters, classes);
    };
    rows = dimension(experiment.answer_embedding);
    columns = dimension(experiment.query_embedding);
    embeddings = (rows + columns) * classes;
  }
  // Logits, residual and a product of each; W, gradient, direction and momenta; the polar factor's basis.
  return number * (3 * classes * classes + 2 * rows * classes + 10 * rows * columns + embeddings);
}

double record_bytes(const Experiment& experiment, const ClassGroups& groups) {
  const double rows = experiment.classes == "all" ? groups.total() : static_cast<double>(groups.size());
  const double per_class_variables = 6;  // error and class_loss: measured, predicted, flow
  const auto steps = recorded_steps(experiment.record, experiment.steps).size();
  return sizeof(double) * rows * per_class_variables *
         static_cast<double>(steps * experiment.optimizers.size());
}

std::vector<ReducedOptimizer> reduce_all(const Experiment& experiment, const ClassGroups& groups,
                                         double memory_limit_bytes) {
  std::vector<Problem> problems;
  const auto complain = [&](std::string message) { problems.push_back({"", 0, 0, std::move(message)}); };
  if (groups.total() < 2) complain("[classes] must have at least 2 classes in all");
  if (const double bytes = record_bytes(experiment, groups); bytes > memory_limit_bytes) {
    complain(
        fmt::format("the recorded results alone would take {} of {} memory; record fewer steps (run.record) "
                    "or class groups "
                    "(run.classes = \"groups\")",
                    size_text(bytes), size_text(memory_limit_bytes)));
  }
  for (const auto& [side, name] :
       {std::pair{&experiment.query_embedding, "query"}, std::pair{&experiment.answer_embedding, "answer"}}) {
    if (const std::string objection = impossible(*side, name, groups.total()); !objection.empty())
      complain(objection);
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  std::vector<ReducedOptimizer> all;
  for (const OptimizerChoice& optimizer : experiment.optimizers) {
    const OptimizerRow& rule = optimizer_row(optimizer.rule);
    std::vector<std::string> exact;
    std::string objections, asked_objection;
    std::optional<Reduction> chosen;
    for (const std::string& engine : engine_names) {
      const auto outcome = reduce(experiment, rule, groups, engine);
      if (const auto* reduction = std::get_if<Reduction>(&outcome)) {
        exact.push_back(engine);
        if (experiment.engine == engine || (experiment.engine == "auto" && !chosen)) chosen = *reduction;
      } else {
        const std::string& objection = std::get<std::string>(outcome);
        if (!chosen) objections = "not " + engine + ": " + objection;
        if (engine == experiment.engine) asked_objection = objection;
      }
    }
    if (!chosen) {
      complain(fmt::format("optimizer '{}' cannot run on engine '{}' exactly: {}; exact engines: {}",
                           optimizer.name, experiment.engine,
                           asked_objection.empty() ? objections : asked_objection,
                           exact.empty() ? "none" : joined(exact)));
      continue;
    }
    const double bytes = memory_bytes(experiment, groups, *chosen);
    if (bytes > memory_limit_bytes) {
      complain(fmt::format(
          "optimizer '{}' on engine '{}' would take {} of {} memory for K = {:g} classes in {} groups{}",
          optimizer.name, chosen->engine, size_text(bytes), size_text(memory_limit_bytes), groups.total(),
          groups.size(), objections.empty() ? "" : "; " + objections));
      continue;
    }
    const std::string why = experiment.engine == "auto" ? objections : "as asked";
    all.push_back({*chosen, reason_text(*chosen, groups, Sides(experiment), why), bytes});
  }
  double together = 0;  // optimizers may run side by side
  for (const ReducedOptimizer& optimizer : all) together += optimizer.memory;
  if (problems.empty() && together > memory_limit_bytes) {
    complain(fmt::format(
        "the {} optimizers together would take {} of {} memory; give them experiments of their own",
        all.size(), size_text(together), size_text(memory_limit_bytes)));
  }
  if (!problems.empty()) throw InputError(std::move(problems));
  return all;
}

}  // namespace rarefact
