#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/column_values.hpp"
#include "model/met_classes.hpp"
#include "sim/embedding_reduction.hpp"
#include "sim/inputs.hpp"

namespace rarefact {

namespace {

std::string reads_curvature(const OptimizerRow& rule) {
  return fmt::format("{} solves with the Hessian of the loss, which the dense engine alone has", rule.name);
}

/// Why columns do not hold a law of answers; empty where they do.
std::string columns_of_law(const EngineCase& asked) {
  const Experiment& experiment = asked.experiment;
  if (experiment.noise_answers == NoiseAnswers::frequency && experiment.label_noise > 0)
    return "noise that draws answers by frequency (data.noise_answers) tells the wrong answers of a column apart";
  if (experiment.spectral_metrics == "on" || asked.symmetries.spectrum_of_columns)
    return "columns of few numbers do not tell which answers they are of, so they have no singular values";
  return "";
}

/// The column matrices, whatever the groups are.
Reducibility reduce_to_column_matrices(const EngineCase& asked) {
  const Sides sides(asked);
  if (asked.rule.reads_curvature) return reads_curvature(asked.rule);
  if (!asked.symmetries.keeps_columns) {
    return fmt::format("{} couples the columns, so the wrong answers of a column do not stay equal",
                       asked.rule.name);
  }
  if (asked.answers()) {
    if (const std::string objection = columns_of_law(asked); !objection.empty()) return objection;
  }
  if (sides.drop_out()) return Reduction{.engine = Engine::columns, .task_basis = !sides.identity()};
  if (const std::string* kind = sides.first_without(&EmbeddingRow::orthonormal))
    return fmt::format("embedding '{}' is not orthonormal", *kind);
  return entry_by_entry(sides, asked.rule);
}

Reducibility reduce_to_columns(const EngineCase& asked) {
  if (asked.experiment.sampled()) {
    if (const AnswerLaw* law = asked.answers(); law && !deterministic(*law->units))
      return "samples draw some of the answers of a query and not others, so those of a column do not stay equal";
    if (asked.experiment.label_noise > 0)
      return "label noise draws some wrong answers of a query and not others, so those of a column do not stay "
             "equal";
    if (const std::string objection = not_whole(asked.spectrum); !objection.empty()) return objection;
  }
  return reduce_to_column_matrices(asked);
}

/// In blocks of the size that the embeddings share which do not drop out.
Reducibility reduce_to_blocks(const EngineCase& asked, const Sides& sides) {
  Reduction reduction{.engine = Engine::symmetric};
  for (const EmbeddedSide& side : sides) {
    if (side.drops_out()) continue;
    if (!side.embedding.block) return entry_by_entry(sides, asked.rule);
    if (asked.answers()) return "blocks of an embedding are of classes that each have an answer of their own";
    const bool is_query = &side == &sides.front();
    const Index size = rotation_block(side.component.parameters, is_query ? "query" : "answer").rows();
    if (reduction.block != 1 && size != reduction.block) {
      return fmt::format("the blocks of the two embeddings differ in size ({} and {})", reduction.block,
                         size);
    }
    reduction.block = size;
  }
  return reduction;
}

/// C = E diag(p) Eᵀ has a part among twin queries, which the symmetric algebra does not hold.
std::string twins_apart(const EngineCase& asked) {
  const AnswerLaw* answers = asked.answers();
  if (!answers || !asked.symmetries.reads_second_moment) return "";
  const auto twins = [](const QueryType& type) { return type.twins > 1; };
  const bool some = answers->units ? std::ranges::any_of(answers->units->groups,
                                                         [&](const UnitGroup& unit) {
                                                           return std::ranges::any_of(unit.queries, twins);
                                                         })
                                   : answers->law->queries(1) > 1;
  if (!some) return "";
  return fmt::format("{} reads the second moment of the queries, in which twin queries are apart",
                     asked.rule.name);
}

}  // namespace

Reducibility reduce_to_algebra(const EngineCase& asked) {
  const Sides sides(asked);
  if (asked.rule.reads_curvature && !asked.experiment.least_squares()) return reads_curvature(asked.rule);
  bool classes = true;  // no blocks are needed
  if (const std::string objection = twins_apart(asked); !objection.empty()) return objection;
  for (const EmbeddedSide& side : sides) {
    const EmbeddingRow& row = side.embedding;
    if (side.rotates && !row.orthonormal && !row.equicorrelated && !row.clustered)
      return fmt::format("embedding '{}' treats classes of equal probability differently", row.name);
    classes = classes && (side.drops_out() || side.rotates);
  }
  if (!classes) return reduce_to_blocks(asked, sides);
  return Reduction{.engine = Engine::symmetric, .task_basis = sides.drop_out() && !sides.identity()};
}

namespace {

/// The classes that samples show one by one, and all others as one group.
Reducibility reduce_to_met_classes(const EngineCase& asked, const Reducibility& outcome) {
  if (asked.answers()) return "samples of a law of answers are held by the dense engine alone";
  if (asked.experiment.alignment)
    return "in the population's gradient the classes that samples never show differ (run.alignment)";
  if (asked.symmetries.reads_second_moment)
    return fmt::format(
        "{} reads the second moment of the queries, in which classes that samples never show differ",
        asked.rule.name);
  if (asked.spectrum.classes > most_told_apart)
    return fmt::format("draws of 52 bits tell at most {:g} classes apart", most_told_apart);
  if (asked.spectrum.groups) {
    if (const std::string objection = not_whole(asked.spectrum); !objection.empty()) return objection;
  }
  if (std::get<Reduction>(outcome).block > 1)
    return "samples tell the blocks of an embedding apart (data.mode)";
  return outcome;
}

Reducibility reduce_to_symmetric(const EngineCase& asked) {
  const Reducibility outcome = reduce_to_algebra(asked);
  const auto* reduction = std::get_if<Reduction>(&outcome);
  if (reduction == nullptr) return outcome;
  if (asked.experiment.sampled()) return reduce_to_met_classes(asked, outcome);
  const std::vector<double>& count = asked.spectrum.groups->count;
  for (std::size_t i = 0; i < count.size(); ++i) {
    // Of a law of answers counts may be real: no blocks are cut.
    if (reduction->block > 1 && std::fmod(count[i], static_cast<double>(reduction->block)) != 0) {
      return fmt::format("group {} has {:.17g} classes, not a multiple of the block size {}", i, count[i],
                         reduction->block);
    }
  }
  return outcome;
}

/// Why no nodes stand for the answers of a law.
std::string not_smooth(const Component& law) {
  const auto rough = [&law]() -> std::string {
    if (law.kind != "fan_in") return "a node is an answer with queries of its own";
    if (law.parameters.number("within") > 0) return "the queries of an answer differ (answers.within)";
    return "one number for all answers, or answers.rounded = false, on a smooth spectrum is one";
  };
  return fmt::format("law of answers '{}' is {} smooth function of the rank: {}", law.kind,
                     law.kind == "fan_in" ? "here no" : "not a", rough());
}

/// Why nobody knows which queries run.classes asks for; empty where it is known.
std::string unknown_order(const EngineCase& asked) {
  const SmoothLaw& law = *asked.spectrum.law;
  if (asked.spectrum.groups || asked.experiment.classes.kind == ClassRule::Kind::groups ||
      likeliest_first(law))
    return "";
  return "the likeliest queries are not those of the first answers, so that nobody knows which ones run.classes asks for";
}

Reducibility reduce_to_quadrature(const EngineCase& asked) {
  if (asked.answers()) {
    if (!asked.spectrum.law) return not_smooth(asked.experiment.answers);
    if (const std::string objection = unknown_order(asked); !objection.empty()) return objection;
  }
  if (!asked.spectrum.law) {
    return fmt::format("spectrum '{}' is not a smooth function of the rank with distinct classes",
                       asked.experiment.spectrum.kind);
  }
  if (asked.answers() && asked.experiment.rho_epsilon > 0)
    return "ϱ of nodes is of classes that each have an answer of their own (run.rho_epsilon)";
  if (asked.experiment.removes_recovered)
    return "a gradient that recovered facts drop out of is not a smooth function of the rank (data.recovered)";
  if (asked.experiment.spectral_metrics == "on")
    return "quantiles and the largest of the singular values are not smooth functions of the rank "
           "(run.spectral_metrics)";
  Reducibility outcome = reduce_to_column_matrices(asked);
  if (!std::holds_alternative<Reduction>(outcome)) {
    outcome = reduce_to_algebra(asked);
  }
  if (auto* reduction = std::get_if<Reduction>(&outcome)) {
    reduction->by_columns = reduction->engine == Engine::columns;
    reduction->engine = Engine::quadrature;
  }
  return outcome;
}

Reducibility reduce_to_dense(const EngineCase& asked) {
  if (const std::string objection = not_whole(asked.spectrum); !objection.empty()) return objection;
  const Sides sides(asked);
  return Reduction{.engine = Engine::dense, .task_basis = sides.drop_out() && !sides.identity()};
}

/// Whether two classes have the same probability, so that the population's gradient has equal singular values.
/// Of queries with answers of their own.
bool equally_likely(const ClassGroups& groups) {
  if (std::ranges::any_of(groups.count, [](double n) { return n > 1; })) return true;
  std::vector<double> sorted = groups.probability;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) != sorted.end();
}

/// Why an engine does not take a rule that needs gaps between singular values; empty where it does.
std::string without_gaps(const EngineCase& asked, Engine engine) {
  const auto& groups = asked.spectrum.groups;
  if (groups && !asked.answers() && !asked.experiment.sampled() && equally_likely(*groups))
    return fmt::format(
        "equally likely classes have equal singular values, and {} is defined only where they differ",
        asked.rule.name);
  if (engine == Engine::dense) return "";
  return fmt::format("{} is defined only where singular values differ, which the dense engine alone sees",
                     asked.rule.name);
}

std::string held_columns(const EngineCase& asked, const Reduction& reduction) {
  const bool classes = asked.experiment.sampled();
  if (asked.answers())
    return fmt::format(
        "answers of a column with equal π stay equal: one number for each of them in {} kinds of queries",
        asked.spectrum.groups->size());
  if (reduction.engine == Engine::modes)
    return fmt::format(
        "the update of each mode is of its own gradient, or a common factor: one number for each of {:.17g} {}",
        classes ? asked.spectrum.classes : static_cast<double>(asked.spectrum.groups->size()),
        classes ? "modes" : "groups of modes");
  return fmt::format("wrong answers of a column stay equal: two numbers for each of {:.17g} {}",
                     classes ? asked.spectrum.classes : static_cast<double>(asked.spectrum.groups->size()),
                     classes ? "classes" : "class groups");
}

std::string held_symmetric(const EngineCase& asked, const Reduction&) {
  if (asked.experiment.sampled())
    return fmt::format(
        "exact in the symmetric algebra of the classes that samples show, about {:.0f}, and one group of all others",
        expected_met(asked.spectrum, asked.experiment.label_noise, all_draws(asked.experiment)));
  if (const AnswerLaw* law = asked.answers()) {
    std::size_t answers = 0;
    for (const UnitGroup& unit : law->units->groups) answers += unit.answer_twins.size();
    return fmt::format(
        "exact in the symmetric algebra of {} unit groups, {} types of answers and {} of queries",
        law->units->groups.size(), answers, law->queries.size());
  }
  return fmt::format("exact in the symmetric algebra of {} class groups", asked.spectrum.groups->size());
}

std::string held_nodes(const EngineCase& asked, const Reduction& reduction) {
  return fmt::format("a few nodes stand for {:g} distinct {}, held {}", asked.spectrum.answer_count(),
                     asked.answers() ? "answers" : "classes",
                     reduction.by_columns ? "as columns" : "in the symmetric algebra");
}

std::string held_entries(const EngineCase& asked, const Reduction&) {
  if (asked.answers())
    return fmt::format("every entry of W for {:.17g} queries and {:.17g} answers", asked.spectrum.classes,
                       asked.spectrum.answer_count());
  return fmt::format("every entry of W for K = {:.17g} classes", asked.spectrum.classes);
}

}  // namespace

const EngineRow& engine_row(Engine engine) {
  static const std::array<EngineRow, engine_names.size()> rows = {{
      {.aligns = true, .reduce_squares = reduce_to_modes, .held = held_columns},
      {.reduce = reduce_to_columns, .reduce_squares = squares_on_columns, .held = held_columns},
      {.precise = true,
       .aligns = true,
       .holds_met_classes = true,
       .reduce = reduce_to_symmetric,
       .reduce_squares = squares_on_symmetric,
       .held = held_symmetric},
      {.exact = false, .takes_samples = false, .reduce = reduce_to_quadrature, .held = held_nodes},
      {.aligns = true, .reduce = reduce_to_dense, .reduce_squares = squares_on_dense, .held = held_entries},
  }};
  return rows[static_cast<std::size_t>(engine)];
}

Reducibility reduce(const EngineCase& asked, Engine engine) {
  const EngineRow& row = engine_row(engine);
  const auto reduction = row.reduction(asked.experiment);
  if (!reduction)
    return fmt::format("it holds {} alone (model.loss)",
                       asked.experiment.least_squares() ? "the softmax" : "least squares");
  if (asked.experiment.precision == 50 && !row.precise)
    return "50 significant digits (run.precision) are for the engine symmetric alone";
  if (asked.experiment.single()) {
    const Sides sides(asked);
    if (engine != Engine::dense || sides.identity() || sides.drop_out())
      return "single precision is of products with embeddings on the engine dense (run.arithmetic)";
  }
  if (asked.experiment.sampled() && !row.takes_samples)
    return "a sample tells apart classes that are equally, or nearly equally, likely (data.mode)";
  if (asked.experiment.alignment && !row.aligns)
    return "polar factors are of all entries, which the engines modes, symmetric and dense hold (run.alignment)";
  const bool met = row.holds_met_classes && asked.experiment.sampled() && !asked.experiment.least_squares();
  if (row.exact && !asked.spectrum.groups && !met) {
    return fmt::format("{:g} distinct {} are too many to write out", asked.spectrum.answer_count(),
                       asked.answers() ? "answers" : "classes");
  }
  if (asked.symmetries.needs_gaps) {
    if (const std::string reason = without_gaps(asked, engine); !reason.empty()) return reason;
  }
  return reduction(asked);
}

bool runs_in_task_basis(const Experiment& experiment, const Symmetries& rule) {
  return Sides(experiment, rule).drop_out();
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

std::string embeddings_text(const EngineCase& asked, const Reduction& reduction) {
  const Sides sides(asked);
  const auto side_text = [&](const EmbeddedSide& side) {
    return fmt::format("{} {}", side.name,
                       side.rotates && side.drops_out() ? "drop out"
                       : side.embedding.identity        ? "are identity"
                       : reduction.block > 1            ? fmt::format("come in blocks of {}", reduction.block)
                       : reduction.engine != Engine::dense
                           ? "have one cosine and turn with rotations"
                           : fmt::format("are held as they are ({})", side.component.kind));
  };
  return fmt::format("{} and {}", side_text(sides[1]), side_text(sides[0]));
}

std::string reason_text(const EngineCase& asked, const Reduction& reduction, const std::string& why) {
  std::string text = engine_row(reduction.engine).held(asked, reduction);
  if (reduction.block > 1) text += fmt::format(" in blocks of {}", reduction.block);
  if (reduction.task_basis)
    text += fmt::format("; orthonormal embeddings ({}) drop out",
                        *Sides(asked).first_without(&EmbeddingRow::identity));
  return why.empty() ? text : text + "; " + why;
}

}  // namespace rarefact
