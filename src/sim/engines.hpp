#pragma once

/// The table of the engines: what each one requires of a run, what it holds, and what that takes.

#include <string>
#include <variant>

#include "experiment/experiment.hpp"
#include "model/answer_law.hpp"
#include "model/spectrum.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

/// How an optimizer of an experiment is run.
struct Reduction {
  Engine engine = Engine::columns;
  Index block = 1;          ///< classes per block of the symmetric algebra
  bool task_basis = false;  ///< orthonormal embeddings are taken out of the problem: S = W, ∇L = G
  bool by_columns = false;  ///< quadrature: the nodes are held as columns, not as a symmetric matrix

  /// Whether the matrices are column matrices.
  bool of_columns() const { return engine == Engine::columns || engine == Engine::modes || by_columns; }
};

/// A reduction, or the reason (a clause, no full stop) why an engine would not be exact.
using Reducibility = std::variant<Reduction, std::string>;

/// One optimizer of an experiment, of which engines are asked.
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

struct EngineRow {
  bool exact = true;          ///< else to a certified error
  bool takes_samples = true;  ///< which tell equally likely classes apart
  bool precise = false;       ///< computes in 50 digits, too
  bool aligns = false;        ///< measures run.alignment: has the polar factor of the population's gradient
  bool holds_met_classes = false;  ///< of samples only the classes that they show, of spectra of any size
  using Reduce = Reducibility (*)(const EngineCase&);
  /// Whatever the above leaves open, of each loss; null where the engine does not hold it. Precondition: an exact engine is
  /// asked of a spectrum written out.
  Reduce reduce = nullptr, reduce_squares = nullptr;
  /// What is held, for the reason of a choice.
  std::string (*held)(const EngineCase&, const Reduction&) = nullptr;

  Reduce reduction(const Experiment& experiment) const {
    return experiment.least_squares() ? reduce_squares : reduce;
  }
};

/// The row of an engine:
///
///   modes            least squares alone, of which sim/squares_engines.cpp says what the engines hold
///   columns          both sides drop out, and the rule keeps columns
///   symmetric        each side drops out, or is equicorrelated and the rule rotates on it; or each side drops out or
///                    has blocks of one size, of which group sizes are multiples
///   quadrature       as columns, else as symmetric, where the spectrum is a smooth law of distinct classes
///   dense            always; in the task basis where both sides drop out
///
/// Of laws of answers in units, columns holds those with few values of π in a column (no noise by frequency), symmetric the
/// units, quadrature those of answers with queries of their own whose number is a smooth
/// function of the rank, or that are as many for each and whose probability is a smooth function of rank and place; samples of
/// them are for dense.
///
/// A side (queries, answers) drops out if its embedding is the identity, or orthonormal and the rule rotates on it.
///
/// Samples tell equally likely classes apart: quadrature does not hold them, symmetric holds the classes that samples
/// show one by one and all others as one group, and columns holds each class on its own, without label noise, whose draws tell wrong answers apart. dense and columns of
/// single classes need whole group sizes. Blocks of a quadrature are of consecutive classes. A rule that needs gaps
/// between singular values runs on dense alone, and not on a population with equally likely classes.
const EngineRow& engine_row(Engine engine);

/// The reduction of an optimizer to an engine, or why there is none.
Reducibility reduce(const EngineCase& asked, Engine engine);

/// Whether both embeddings drop out of the run of a rule.
bool runs_in_task_basis(const Experiment& experiment, const Symmetries& rule);

/// Why an embedding cannot exist for K classes, whether or not the run would need it written out; empty when
/// it can. `name` is "query" or "answer".
std::string impossible_embedding(const Component& side, const char* name, double classes);

/// Why a reduction is exact: "answers are identity and queries drop out".
std::string embeddings_text(const EngineCase& asked, const Reduction& reduction);

/// One sentence on a reduction: what is held, and `why`.
std::string reason_text(const EngineCase& asked, const Reduction& reduction, const std::string& why);

}  // namespace rarefact
