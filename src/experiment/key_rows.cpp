// The rows of the table of requirements that are reported for a key, before any way is tried.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/keys.hpp"
#include "experiment/precision.hpp"
#include "experiment/predicates.hpp"

namespace rarefact {

namespace {

using namespace predicates;

struct KeyRow {
  std::string key;
  Predicate unmet;
  std::string sentence;
};

/// The experiment names the file of its result.
Words no_file_name(const Part& part) {
  constexpr std::size_t longest = 200;
  const std::string& name = part.experiment->name;
  const bool good = name.find('/') == std::string::npos && !name.starts_with('.') && name.size() <= longest;
  return good || !part.knows("name") ? Words{} : Words{std::to_string(longest)};
}

Words other_schedule(const Part& part) {
  const OptimizerChoice& choice = *part.optimizer;
  const bool other = part.knows("schedule") && choice.schedule != "inverse_sqrt";
  return other && choice.schedule_offset != 1 ? Words{choice.schedule} : Words{};
}

/// Combinations of keys that must not be in a file.
std::vector<KeyRow> reading_rows() {
  static const std::string
      of_facts = "this key is for queries that are facts, and data.queries is \"gaussian\"",
      of_gaussian = "this key is for Gaussian queries, and data.queries is \"facts\"",
      of_softmax = "this key is for the softmax, and the loss here is {loss}",
      of_squares = "this belongs to [model] loss = \"least_squares\", and the loss here is {loss}";
  const Predicate gaussian = outputs && [](E e) { return e.squares.gaussian(); },
                  facts = outputs && [](E e) { return !e.squares.gaussian(); },
                  law = [](E e) { return !e.own_answers(); }, tied = [](E e) { return e.tied; };
  std::vector<KeyRow> rows = {
      {"name", no_file_name,
       "it names the result file; expected a text of at most {n} bytes without \"/\" that does not begin with a dot"},
      {"model.measurement", facts && [](E e) { return e.squares.bilinear(); }, of_gaussian},
      {"data.query_scale", gaussian && [](E e) { return e.squares.query_scale != 1; }, of_facts},
      {"data.answer_noise", facts && [](E e) { return e.squares.answer_noise > 0; }, of_gaussian},
      {"data.label_noise", gaussian && noisy, of_facts},
      {"data.noise_answers", by_frequency && outputs, of_softmax},
      {"data.noise_answers",
       by_frequency && !noisy && [](const Part& part) { return part.knows("label_noise"); },
       "data.label_noise is 0, so no answers are noisy; expected label_noise > 0"},
      {"data.recovered", recovered && outputs, of_softmax},
      {"answers.law", law && outputs, of_softmax},
      {"embedding.tied", tied && [](E e) { return e.query_embedding != e.answer_embedding; },
       "this needs [embedding.query] and [embedding.answer] to be equal"},
      {"embedding.tied", tied && law, "this needs one query for every answer, unlike answers.law"},
      {"target.directions", facts, of_gaussian},
      {"target.exponent", facts, of_gaussian},
      {"run.rho_epsilon", rho && outputs, of_softmax},
      {"run.arithmetic", single && outputs, of_softmax},
      {"run.precision", precise && outputs, of_softmax},
      {"optimizer.schedule_offset", other_schedule,
       "the schedule {name} has no offset; it belongs to inverse_sqrt"},
  };
  for (const ExperimentKey& key : experiment_keys())
    if (key.of_squares) rows.push_back({key.name(), logits, of_squares});
  return rows;
}

/// Words if queries have several answers: the number of all queries, and of these.
Words several(C c) {
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
  return {fmt::format("{:g}", c.spectrum.classes), fmt::format("{:g}", several)};
}

/// Words for requested classes that do not exist, and the number of classes.
Words missing_classes(C c) {
  std::string missing;
  for (const ClassAt& at : c.experiment.classes.list) {
    if (at.kind == ClassAt::Kind::rank && at.value > c.spectrum.classes)
      missing += fmt::format("{}{:.17g}", missing.empty() ? "" : ", ", at.value);
  }
  return missing.empty() ? Words{} : Words{missing, fmt::format("{:.17g}", c.spectrum.classes)};
}

/// Words for label noise of which each answer gets less than a double can represent. Even if the computation
/// has a wider range, L* is stored as a double.
Words faint_noise(C c) {
  constexpr double min_noise = 1e-300;
  const double noise = c.experiment.label_noise, answers = c.spectrum.answer_count();
  const double least_noise =
      min_noise * (precision_of(c.experiment).underflows ? std::max(1.0, answers * 1e-8) : 1);
  if (noise == 0 || noise >= least_noise) return {};
  return {fmt::format("{:g}", noise), fmt::format("{:g}", answers), fmt::format("{:g}", least_noise)};
}

/// Signs, ratios and polar factors depend on the smallest entries of the gradient as much as on the largest:
/// p_l/K of the rarest class must not underflow relative to the largest p_l. In a sample the least weight of
/// a query is one draw.
Words underflow(C c) {
  constexpr double min_entry = 1e-303;  // of a residual, safely above the smallest double
  if (c.experiment.sampled() || !precision_of(c.experiment).underflows) return {};
  if (!c.symmetries.amplifies_small_entries) return {};
  std::pair<double, double> ends;
  if (c.spectrum.groups) {
    const auto [lowest, highest] = std::ranges::minmax(c.spectrum.groups->probability);
    ends = {lowest, highest};
  } else {
    ends = query_probabilities(*c.spectrum.law);
  }
  const double log_entry = std::log(ends.first / ends.second) - std::log(c.spectrum.answer_count());
  if (!(log_entry < std::log(min_entry))) return {};
  return {fmt::format("{:.0f}", -log_entry / std::log(10.0)), fmt::format("{:.0f}", -std::log10(min_entry))};
}

/// An embedding of one side for a number of classes, even if the run does not need its matrix.
struct SideRow {
  Words (*wrong)(const EmbeddedSide&, double classes, bool law);
  std::string sentence;
};

const SideRow side_rows[] = {
    {[](const EmbeddedSide& side, double classes, bool) {
       if (!side.embedding.block) return Words{};
       const Index size = rotation_block(side.chosen.parameters, side.key).rows();
       if (std::fmod(classes, static_cast<double>(size)) == 0) return Words{};
       return Words{side.key, side.chosen.kind, std::to_string(size), fmt::format("{:.17g}", classes)};
     },
     "{query} embedding '{kind}' has blocks of {b} classes, and {K} classes are not a multiple of it"},
    {[](const EmbeddedSide& side, double classes, bool) {
       const double dimension = side.embedding.dimension(side.chosen.parameters, classes);
       if (!side.embedding.orthonormal || dimension >= classes) return Words{};
       return Words{side.key, side.chosen.kind, fmt::format("{:g}", dimension),
                    fmt::format("{:.17g}", classes)};
     },
     "{query} embedding '{kind}' has dimension {d}, fewer than the {K} classes that are to be orthonormal"}};

/// Requirements of the classes, for every experiment.
std::vector<KeyRow> class_rows() {
  std::vector<KeyRow> rows = {
      {"run.rho_epsilon", several,
       "run.rho_epsilon: ϱ requires queries with one answer, whose p̂ can come near 1; of {K} queries {n} have several; expected 0"}};
  for (const std::size_t side : {0, 1}) {
    for (const SideRow& row : side_rows) {
      const auto wrong = [side, &row](C c) {
        const double classes = side == 0 ? c.spectrum.classes : c.spectrum.answer_count();
        return row.wrong(Sides(c)[side], classes, c.answers() != nullptr);
      };
      rows.push_back({side == 0 ? "embedding.query.kind" : "embedding.answer.kind", wrong, row.sentence});
    }
  }
  rows.push_back({"run.classes", missing_classes, "run.classes: got class {k}; expected 1 to {K}"});
  rows.push_back(
      {"data.label_noise", faint_noise,
       "data.label_noise = {α} is too small beside 1: with K = {K} classes expected 0 or at least {least}, "
       "so that the noise of each answer is a double"});
  return rows;
}

std::vector<KeyRow> rule_rows() {
  return {{"optimizer.rule", underflow,
           "the gradient's entries span a factor 1e{n} (K times the ratio of the largest to the least class "
           "probability), and {rule} needs the smallest as much as the largest; doubles span 1e{n}"}};
}

}  // namespace

std::vector<Requirement> key_rows() {
  std::vector<Requirement> all;
  const auto add = [&](CheckedAt time, const std::vector<KeyRow>& rows) {
    for (const KeyRow& row : rows)
      all.push_back(
          {.id = row.key, .rules_out = {}, .unmet = row.unmet, .sentence = row.sentence, .checked_at = time});
  };
  add(CheckedAt::reading, reading_rows());
  add(CheckedAt::classes, class_rows());
  add(CheckedAt::rule, rule_rows());
  return all;
}

}  // namespace rarefact
