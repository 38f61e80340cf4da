#pragma once

/// The table of requirements: what rules out each way of running an optimizer. Whoever refuses something, chooses an engine or
/// says why reads this table.

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "model/answer_law.hpp"
#include "model/embedding.hpp"
#include "model/spectrum.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

/// How a run is held. The engine quadrature has two ways, of which the first is taken that can. Of columns many updates
/// can be made at once, which is a way of its own beside the one that holds them.
enum class Way { modes, columns, symmetric, node_columns, node_symmetric, dense, leap };

class Ways {
 public:
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
  const char* name;  ///< "queries" or "answers"
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
      : array{{{"queries", experiment.query_embedding, rule.queries_rotate},
               {"answers", experiment.answer_embedding, rule.answers_rotate}}} {}
  explicit Sides(const EngineCase& asked) : Sides(asked.experiment, asked.symmetries) {}
  bool identity() const;
  bool drop_out() const;
  /// Whether the symmetric algebra needs no blocks.
  bool equal_classes() const;
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

/// One thing that ways require of a run.
struct Requirement {
  std::string id;
  Ways rules_out;
  /// A row may take for granted what rows above it require of the same way. Of leaps `way` is the one that holds what leaps.
  Unmet (*unmet)(const EngineCase&, Way way);
  /// Why the way is ruled out, as a clause: {rule} is the rule's name, {} the words in turn.
  std::string sentence;
  bool of_loss = false;  ///< of no engine that another loss has anything is told, unless it is asked for
};

/// In the order in which they are told.
const std::vector<Requirement>& requirements();

struct Refusal {
  const Requirement* requirement = nullptr;  ///< null: the way is open
  std::string why = {};
};

/// The first requirement that a run does not meet.
Refusal first_refusal(const EngineCase& asked, Way way);
/// Why updates of a run that is held this way are made one by one; empty where many are made at once.
std::string why_single(const EngineCase& asked, Way held);

}  // namespace rarefact
