#pragma once

/// The table of requirements, which decides whether a way of running an optimizer is possible. Refusals, the
/// choice of engines and their explanations use this table.

#include <array>
#include <concepts>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "experiment/experiment.hpp"
#include "model/answer_law.hpp"
#include "model/embedding.hpp"
#include "model/spectrum.hpp"
#include "optim/update_rule.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

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

/// An optimizer of an experiment, for which a way is sought.
struct EngineQuery {
  const Experiment& experiment;
  const Spectrum& spectrum;
  const OptimizerChoice& choice;
  const OptimizerRow& rule = optimizer_row(choice.rule);
  Symmetries symmetries = rule.symmetries_of(choice.parameters);
  RuleWork work = rule.work_of(choice.parameters);

  const AnswerLaw* answers() const { return spectrum.answers.get(); }  ///< null: the identity
};

/// The side of queries or of answers.
struct EmbeddedSide {
  const char* name;  ///< in messages: "queries" or "answers"
  const char* key;   ///< of the experiment: "query" or "answer"
  const ChosenRow& chosen;
  bool rotates;  ///< the rule is rotation-equivariant on this side
  const EmbeddingRow& embedding = embedding_row(chosen.kind);

  bool identity() const { return embedding.identity; }
  /// True if the embedding does not affect the run: identity embeddings for every rule, orthonormal ones if
  /// the rule is rotation-equivariant.
  bool drops_out() const { return embedding.identity || (embedding.orthonormal && rotates); }
  /// True if the symmetric algebra without blocks is exact on this side.
  bool equal_classes() const { return rotates || drops_out(); }
  /// The number of classes per block, if this side needs blocks; else 1.
  Index block() const;
};

struct Sides : std::array<EmbeddedSide, 2> {
  Sides(const Experiment& experiment, const Symmetries& rule)
      : array{{{"queries", "query", experiment.query_embedding, rule.queries_rotate},
               {"answers", "answer", experiment.answer_embedding, rule.answers_rotate}}} {}
  explicit Sides(const EngineQuery& query) : Sides(query.experiment, query.symmetries) {}
  bool identity() const;
  bool drop_out() const;
  /// True if the symmetric algebra needs no blocks.
  bool equal_classes() const;
  /// The number of classes per block of the symmetric algebra; 1 without blocks. Precondition: both sides
  /// have the same size.
  Index block() const;
  /// The first kind without the property, for a message; null if there is none.
  const std::string* first_without(bool EmbeddingRow::*property) const;
};

/// True if a requirement is not met, and the words for its sentence.
struct Unmet {
  bool unmet = false;
  std::vector<std::string> words = {};
  Unmet(bool is) : unmet(is) {}  // NOLINT: a predicate returns one or the other
  Unmet(std::vector<std::string> all) : unmet(!all.empty()), words(std::move(all)) {}  // NOLINT
};

struct Part;

/// The subject of a requirement: a run in a way or, while a file is read, a part of it.
struct Subject {
  const Experiment& experiment;
  const EngineQuery* run = nullptr;  ///< null while a file is read
  Way way = Way::dense;              ///< for rows of `leap`, the underlying way
  const Part* part = nullptr;        ///< null after the file has been read
};

/// A predicate of an experiment, of a run and its way, or of a part of a file. Operands of && and ! may be
/// functions; the words are those of the last operand.
class Predicate {
 public:
  template <class F>
  requires std::invocable<F, const Experiment&> Predicate(F f)
      : test_([f](const Subject& s) { return Unmet(f(s.experiment)); }) {}  // NOLINT
  template <class F>
  requires std::invocable<F, const EngineQuery&> Predicate(F f)
      : test_([f](const Subject& s) { return Unmet(f(*s.run)); }) {}  // NOLINT
  template <class F>
  requires std::invocable<F, const EngineQuery&, Way> Predicate(F f)
      : test_([f](const Subject& s) { return Unmet(f(*s.run, s.way)); }) {}  // NOLINT
  template <class F>
  requires std::invocable<F, const Part&> Predicate(F f)
      : test_([f](const Subject& s) { return Unmet(f(*s.part)); }) {}  // NOLINT

  Unmet operator()(const Subject& subject) const { return test_(subject); }
  friend Predicate operator&&(const Predicate& a, const Predicate& b) {
    return Predicate(Test([a, b](const Subject& s) {
      const Unmet first = a(s);
      return first.unmet ? b(s) : first;
    }));
  }
  friend Predicate operator!(const Predicate& a) {
    return Predicate(Test([a](const Subject& s) { return Unmet(!a(s).unmet); }));
  }

 private:
  using Test = std::function<Unmet(const Subject&)>;
  explicit Predicate(Test test) : test_(std::move(test)) {}
  Test test_;
};

/// When a requirement is checked: while the file is read, once the classes are known, for every optimizer, or
/// for an optimizer in certain ways.
enum class CheckedAt { reading, classes, rule, way };

struct Requirement {
  std::string id;  ///< the key that it is about; always, unless `checked_at` is way
  Ways rules_out;  ///< the ways that it rules out, if `checked_at` is way
  /// A row may rely on the rows above it that concern the same way.
  Predicate unmet;
  /// The reason for a refusal, as a clause: {rule} is the rule's name, other names in braces are replaced by
  /// the words in turn.
  std::string sentence;
  bool of_loss = false;  ///< the engine is for another loss; reported only if the user requested the engine
  CheckedAt checked_at = CheckedAt::way;

  /// The clause for a subject; empty if the requirement is met.
  std::string why(const Subject& subject) const;
  /// The clause with placeholders, for lists.
  std::string shown() const;
};

/// True if samples have normal queries or normal noise (least squares).
bool draws_normals(const EngineQuery& query);

/// All requirements, in the order in which they are checked.
const std::vector<Requirement>& requirements();

struct Refusal {
  const Requirement* requirement = nullptr;  ///< null: the way is possible
  std::string why = {};
};

/// The requirements checked at this time that a run does not meet, with their keys.
std::vector<Problem> problems_of(const EngineQuery& query, CheckedAt checked_at);
/// The first requirement of a way that a run does not meet.
Refusal first_refusal(const EngineQuery& query, Way way);
/// Why a run stored in this way makes updates one by one; empty if it fast-forwards.
std::string why_single(const EngineQuery& query, Way layout);

}  // namespace rarefact
