#pragma once

/// Update rules W <- W - η D, written once against the matrix algebras. The training loop owns W and η; a
/// rule owns its memory (momenta, moments) and returns D.

#include <functional>
#include <memory>

#include "algebra/algebra.hpp"
#include "core/archive.hpp"
#include "core/real50.hpp"
#include "model/random_rounding.hpp"
#include "model/second_moment.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// D = scale x 2^exponent x *matrix; the pointer is valid until the rule is called again. The exponent stays
/// apart because it alone may be outside the range of doubles.
template <class M>
struct Direction {
  const M* matrix = nullptr;
  ScalarOf<M> scale = 1;
  int exponent = 0;
  /// The matrix of which D takes functions of the singular values; null where it does nothing of the kind. D
  /// has no more nonzero ones: what else it shows is rounding that was lifted.
  const M* of = nullptr;
  ScalarOf<M> size = 1;  ///< what singular values of D should be, if all alike (lr_scale of muon)
  std::string note =
      {};  ///< what a user should know of this update, empty if nothing; the first one is shown
  std::string not_finite = {};  ///< the first part of the rule that is not finite, where that is known
  std::string failure = {};     ///< why there is no D after all; the run ends as diverged
};

/// d_out x d_in, the shape of W in its own coordinates. Real, because K may be beyond 64-bit integers.
struct WeightShape {
  double rows = 1, columns = 1;
};

/// What a rule may use besides the gradient.
template <class M>
struct RuleContext {
  std::function<M(const M&)> to_ambient;  ///< X -> Ẽ X Eᵀ, for rules that act in the task basis
  const Workers& workers;
  WeightShape shape = {};  ///< of W itself, also where the matrices are those of the task basis
  PolarHint polar = {};    ///< on gradients
  const Curvature<M>* curvature = nullptr;  ///< at W, for rules that read it
  const M* weights = nullptr;               ///< W
  std::function<SecondMoment<M>()> second_moment = {};
  const RandomRounding* rounding = nullptr;  ///< of a repetition: what is computed in between moves as well
};

template <class M>
class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  /// D for this gradient. Called once a step, in order; a zero gradient without memory gives D = 0.
  virtual Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) = 0;
  /// Saves or loads what the rule remembers from one step to the next, for checkpoints; its parameters stay.
  virtual void exchange(Archive&) {}
};

/// What is known of a rule before it runs: how it behaves under changes of coordinates and scale, which decides on what
/// engine it is exact, and what it needs. The laws in tests/laws hold each declaration against dense runs, and each
/// absent one is shown false.
struct Symmetries {
  /// D(Q X) = Q D(X) for orthogonal Q: orthonormal answers drop out.
  bool answers_rotate = false;
  /// D(X Qᵀ) = D(X) Qᵀ for orthogonal Q: orthonormal queries drop out.
  bool queries_rotate = false;
  /// Wrong answers that agree within a column stay so: the columns engine applies in the task basis.
  bool keeps_columns = false;
  /// D(c X) = D(X) for c > 0.
  bool scale_invariant = false;
  /// The smallest entries of the gradient move W as much as the largest (signs, ratios, polar factors), so
  /// that none may underflow.
  bool equalises = false;
  /// Needs G itself, not only its image ∇L.
  bool reads_task = false;
  /// Needs the second moment C of the queries.
  bool reads_second_moment = false;
  /// Matrices of the size of W that it holds beside those that every rule needs.
  double matrices = 0;
  /// Defined only where singular values differ: equally likely classes have none that do.
  bool needs_gaps = false;
  /// Takes singular values of matrices whose columns it keeps. Columns that share answers do not have them.
  bool spectrum_of_columns = false;

  bool operator==(const Symmetries&) const = default;
};

/// How a margin moves under a rule, that of population gradients of columns: b ← μb + g ∇, then by b or, with Nesterov,
/// by g ∇ + μb; over the norm of all where that is 1.
struct MarginRecursion {
  double momentum = 0, gain = 1;
  bool nesterov = false;
  bool normalised = false;
};

template <class M>
using RuleFactory = std::function<std::unique_ptr<UpdateRule<M>>(const ParameterValues&)>;

/// A row of the optimizer catalogue.
struct OptimizerRow : CatalogueRow {
  Symmetries symmetries;         ///< with default parameters
  bool reads_curvature = false;  ///< needs the Hessian, which the dense engine alone has
  /// What depends on the parameters. Null where nothing does.
  Symmetries (*symmetries_with)(const ParameterValues&) = nullptr;
  /// What is wrong with parameters that are legal one by one; empty where nothing is. Null: nothing ever is.
  std::vector<ParameterProblem> (*problems)(const ParameterValues&) = nullptr;
  /// The same rule as the definitions of a formula. Null where no formula says it.
  ParameterValues (*definitions)(const ParameterValues&) = nullptr;
  /// Parameters that are given and change nothing. Null: there are none.
  std::vector<std::string> (*unused)(const ParameterValues&) = nullptr;
  /// Where margins move slowly, many updates can be made at once (run.fast_forward). Null: not by this rule.
  MarginRecursion (*margins)(const ParameterValues&) = nullptr;
  RuleFactory<DenseMatrix> dense = nullptr;
  RuleFactory<SymmetricMatrix<double>> symmetric = nullptr;
  RuleFactory<SymmetricMatrix<Real50>> symmetric50 = nullptr;  ///< the same in 50 digits
  RuleFactory<ColumnMatrix> columns = nullptr;                 ///< and of diagonal matrices, the modes

  Symmetries symmetries_of(const ParameterValues& values) const {
    return symmetries_with ? symmetries_with(values) : symmetries;
  }
};

/// The factories of a rule template. Rule<M> must have a constructor from ParameterValues.
template <template <class> class Rule, class M>
std::unique_ptr<UpdateRule<M>> make_rule(const ParameterValues& parameters) {
  return std::make_unique<Rule<M>>(parameters);
}

/// A row with the factories of every algebra on which the rule stays exact.
template <template <class> class Rule>
OptimizerRow rule_row(CatalogueRow description, Symmetries symmetries) {
  OptimizerRow row{std::move(description), symmetries};
  row.dense = make_rule<Rule, DenseMatrix>;
  row.symmetric = make_rule<Rule, SymmetricMatrix<double>>;
  row.symmetric50 = make_rule<Rule, SymmetricMatrix<Real50>>;
  if constexpr (requires { typename Rule<ColumnMatrix>; }) row.columns = make_rule<Rule, ColumnMatrix>;
  return row;
}

// The optimizer catalogue: name, formula, source, parameters and declared symmetries of every update rule.

/// gd, ngd, momentum, signgd, tra_signgd, adam, muon, newton, formula.
const std::vector<OptimizerRow>& optimizer_catalogue();

/// The row of a rule that validation has accepted.
const OptimizerRow& optimizer_row(const std::string& rule);

}  // namespace rarefact
