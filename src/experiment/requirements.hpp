#pragma once

/// The table of requirements, from which follow refusals, the choice of engines and their explanations.

#include <array>
#include <initializer_list>
#include <variant>

#include "experiment/experiment.hpp"
#include "model/answer_law.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

struct Section;  // keys.hpp

/// The ways to store a run. The engine quadrature has two ways and takes the first possible one. `leap`
/// stores nothing: it makes many updates at once on `columns` or `node_columns`.
enum class Way { modes, columns, symmetric, node_columns, node_symmetric, dense, leap };

class Ways {
 public:
  constexpr Ways() = default;
  constexpr Ways(Way way) : bits_(1U << static_cast<unsigned>(way)) {}  // NOLINT: a way is a set of one
  constexpr Ways(std::initializer_list<Way> ways) {
    for (const Way way : ways) *this = *this | way;
  }
  constexpr friend Ways operator|(Ways a, Ways b) {
    a.bits_ |= b.bits_;
    return a;
  }
  constexpr bool has(Way way) const { return (bits_ >> static_cast<unsigned>(way) & 1U) != 0; }

 private:
  unsigned bits_ = 0;
};

/// An engine: its summary says what it stores, its formula the cost of a step. Its ways are tried in this order.
struct EngineRow : CatalogueRow {
  std::vector<Way> ways;
};
/// All engines, from cheap to general.
const std::vector<EngineRow>& engine_catalogue();
/// The engine of a way (except `leap`).
const EngineRow& engine_of(Way way);

/// The symmetries of a rule that a run can use: where W has its own coordinates none of its sides rotates.
Symmetries symmetries_in(const Experiment& experiment, const OptimizerChoice& choice);

/// An optimizer of an experiment, for which a way is sought.
struct EngineQuery {
  const Experiment& experiment;
  const Spectrum& spectrum;
  const OptimizerChoice& choice;
  const OptimizerRow& rule = optimizer_row(choice.rule);
  Symmetries symmetries = symmetries_in(experiment, choice);
  RuleWork work = rule.work_of(choice.parameters);

  const AnswerLaw* answers() const { return spectrum.answers.get(); }  ///< null: the identity
  /// The shares that all queries of the answer law have; null unless least squares of the population needs nothing else.
  const AlikeAnswers* alike() const;
  /// Columns of W stay along the mean answers of their queries: one number for each query.
  bool along_answers() const;
  /// Every entry moves by the step size towards its share over μ (data.query_scale): one number for each different share.
  bool by_signs() const;
  /// The number of answers towards which an entry takes a step or more; precondition: by_signs().
  double walked_shares(double step_size) const;
};

struct EmbeddedSide {
  const char* name;  ///< in messages: "queries" or "answers"
  const char* key;   ///< of the experiment: "query" or "answer"
  const ChosenRow& chosen;
  bool rotates;  ///< the rule is rotation-equivariant on this side
  const EmbeddingRow& embedding = embedding_row(chosen.kind);

  bool identity() const { return embedding.identity; }
  /// True if the embedding does not affect the run: the identity, or orthonormal ones if the rule is rotation-equivariant.
  bool drops_out() const { return embedding.identity || (embedding.orthonormal && rotates); }
  /// True if the embedding is a sum of attributes that are coordinates of W.
  bool in_attributes() const { return embedding.attributes && !chosen.parameters.boolean("rotated"); }
  /// True if the symmetric algebra without blocks is exact on this side.
  bool equal_classes() const { return rotates || drops_out() || in_attributes(); }
  /// The number of classes per block, if this side needs blocks; else 1.
  Index block() const;
};

struct Sides : std::array<EmbeddedSide, 2> {
  Sides(const Experiment& experiment, const Symmetries& rule)
      : array{{{"queries", "query", experiment.query_embedding, rule.queries_rotate},
               {"answers", "answer", experiment.answer_embedding, rule.answers_rotate}}} {}
  explicit Sides(const EngineQuery& query) : Sides(query.experiment, query.symmetries) {}
  bool identity() const { return both(&EmbeddedSide::identity); }
  bool drop_out() const { return both(&EmbeddedSide::drops_out); }
  /// True if the symmetric algebra needs no blocks.
  bool equal_classes() const { return both(&EmbeddedSide::equal_classes); }
  /// The classes per block of the symmetric algebra; 1 without blocks. Precondition: both sides have the same size.
  Index block() const { return std::max(front().block(), back().block()); }

 private:
  bool both(bool (EmbeddedSide::*is)() const) const { return (front().*is)() && (back().*is)(); }
};

/// An optimizer stored in a way; for requirements of `leap` the way underneath.
struct Case : EngineQuery {
  Way way = Way::dense;
};

/// A text for a name in braces in a sentence.
struct Word {
  std::string name, text;
};
using Wording = std::vector<Word>;

/// The words where a requirement is not met, else none.
inline Wording words_if(bool unmet, const Wording& words) {
  return unmet ? words : Wording{};
}

std::string filled(std::string sentence, const Wording& words);

struct Requirement {
  std::string id;  ///< the key that it is about, if it rules out no way
  Ways rules_out;
  /// True, or words for the sentence, if it is not met. A row may rely on those above it that concern the same way.
  std::variant<bool (*)(const Case&), Wording (*)(const Case&)> unmet;
  /// The reason for a refusal, as a clause; {rule} is the rule's name.
  std::string sentence;
  bool of_loss = false;  ///< the engine is for another loss; reported only if the user requested the engine

  /// The clause for a case; empty if the requirement is met.
  std::string why(const Case& c) const;
  /// The clause for lists.
  std::string shown() const;
};

/// True if samples have normal queries or normal noise (least squares).
bool draws_normals(const EngineQuery& query);

/// Requirements of an experiment once its classes are known, of every optimizer, and of the ways, in the order of checks.
const std::vector<Requirement>& class_requirements();
const std::vector<Requirement>& rule_requirements();
const std::vector<Requirement>& requirements();

/// A key that must not be in a file beside others, checked while it is read.
struct ReadingRow {
  std::string key;
  bool (*wrong)(const Section&);
  std::string sentence;  ///< {loss} and {schedule} are names
};
const std::vector<ReadingRow>& reading_rows();

struct Refusal {
  const Requirement* requirement = nullptr;  ///< null: the way is possible
  std::string why = {};
};

/// The requirements that a run does not meet, with their keys.
std::vector<Problem> problems_of(const EngineQuery& query, const std::vector<Requirement>& requirements);
/// The first requirement of a way that a run does not meet.
Refusal first_refusal(const EngineQuery& query, Way way);
/// Why a run stored in this way makes updates one by one; empty if it fast-forwards.
std::string why_single(const EngineQuery& query, Way layout);

}  // namespace rarefact
