#pragma once

/// The table of requirements: what rules out each way of running an optimizer. Whoever refuses something, chooses an engine or
/// says why reads this table.

#include <array>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "experiment/experiment.hpp"
#include "model/answer_law.hpp"
#include "model/embedding.hpp"
#include "model/spectrum.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

/// How a run is held. The engine quadrature has two ways and takes the first that is possible. `leap` holds nothing itself:
/// it makes many updates at once on top of `columns` or `node_columns`.
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

/// Those of an engine, in the order in which they are tried, and the engine of a way that holds runs.
std::vector<Way> ways_of(Engine engine);
Engine engine_of(Way way);

/// One optimizer of an experiment, of which ways are asked.
struct EngineCase {
  const Experiment& experiment;
  const Spectrum& spectrum;
  const OptimizerRow& rule;
  Symmetries symmetries;  ///< of the rule with its parameters
  std::string schedule;
  ParameterValues parameters;  ///< of the rule

  const AnswerLaw* answers() const { return spectrum.answers.get(); }  ///< null: the identity

  EngineCase(const Experiment& e, const Spectrum& s, const OptimizerChoice& choice)
      : experiment(e),
        spectrum(s),
        rule(optimizer_row(choice.rule)),
        symmetries(rule.symmetries_of(choice.parameters)),
        schedule(choice.schedule),
        parameters(choice.parameters) {}
};

/// Queries or answers.
struct EmbeddedSide {
  const char* name;  ///< in messages: "queries" or "answers"
  const char* key;   ///< of the experiment: "query" or "answer"
  const Component& component;
  bool rotates;  ///< the rule, on this side
  const EmbeddingRow& embedding = embedding_row(component.kind);

  bool identity() const { return embedding.identity; }
  /// Leaves the run unchanged: identity does for every rule, orthonormal ones do where the rule rotates.
  bool drops_out() const { return embedding.identity || (embedding.orthonormal && rotates); }
  /// The symmetric algebra of single classes holds what the rule does on this side.
  bool equal_classes() const { return rotates || drops_out(); }
  /// Classes of a block where this side needs blocks; 1 where it needs none.
  Index block() const;
};

struct Sides : std::array<EmbeddedSide, 2> {
  Sides(const Experiment& experiment, const Symmetries& rule)
      : array{{{"queries", "query", experiment.query_embedding, rule.queries_rotate},
               {"answers", "answer", experiment.answer_embedding, rule.answers_rotate}}} {}
  explicit Sides(const EngineCase& asked) : Sides(asked.experiment, asked.symmetries) {}
  bool identity() const;
  bool drop_out() const;
  /// Whether the symmetric algebra needs no blocks.
  bool equal_classes() const;
  /// Classes of a block of the symmetric algebra; 1 without blocks. Precondition: those of both sides have one size.
  Index block() const;
  /// The kind that stands in the way, for a message; null where none does.
  const std::string* first_without(bool EmbeddingRow::*property) const;
};

/// Whether a requirement is not met, and what its sentence says besides.
struct Unmet {
  bool unmet = false;
  std::vector<std::string> words = {};
  Unmet(bool is) : unmet(is) {}  // NOLINT: a predicate returns one or the other
  /// Unmet where there are words.
  Unmet(std::vector<std::string> all) : unmet(!all.empty()), words(std::move(all)) {}  // NOLINT
};

struct Part;

/// One thing that is required of a run. Some requirements are of ways; those of every run can be told while its file is
/// read, of a key of the part: `early` alone says whether it is not met, and the sentence goes on after "but".
struct Requirement {
  std::string id;  ///< of early ones the key
  Ways rules_out;
  /// A row may rely on the rows above it that concern the same way. For rows of `leap`, `way` is the one underneath.
  Unmet (*unmet)(const EngineCase&, Way way);
  /// Why it is ruled out, as a clause: {rule} is the rule's name, {} the words in turn.
  std::string sentence;
  bool of_loss = false;  ///< the engine is for another loss: only named if the user asked for it
  Unmet (*early)(const Part&) = nullptr;
};

/// Whether samples are of queries that are normal, or have normal noise (least squares).
bool draws_normals(const EngineCase& asked);

/// In the order in which they are told.
const std::vector<Requirement>& requirements();

struct Refusal {
  const Requirement* requirement = nullptr;  ///< null: the way is open
  std::string why = {};
};

/// The first requirement that a run does not meet.
Refusal first_refusal(const EngineCase& asked, Way way);
/// The sentence of an early requirement that a part of a file does not meet; empty where it does.
std::string early_refusal(const Requirement& row, const Part& part);
/// Why updates of a run that is held this way are made one by one; empty where many are made at once.
std::string why_single(const EngineCase& asked, Way held);

}  // namespace rarefact
