#pragma once

/// Update rules W <- W - η D, written once for all matrix algebras. The training loop owns W and η; a rule
/// owns its state (momenta, moments) and returns D.

#include <tuple>

#include "algebra/algebra.hpp"
#include "core/archive.hpp"
#include "model/random_rounding.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// D = scale x 2^exponent x *matrix; the pointer is valid until the rule is called again. The exponent is
/// separate because 2^exponent may be outside the range of doubles.
template <class M>
struct Direction {
  const M* matrix = nullptr;
  ScalarOf<M> scale = 1;
  int exponent = 0;
  /// The matrix of whose singular values D is a function, if there is one; else null. D cannot have more
  /// nonzero singular values; further ones are amplified rounding noise.
  const M* of = nullptr;
  const M* also_of = nullptr;  ///< of a sum of functions of two matrices, the second one
  ScalarOf<M> size =
      1;  ///< the intended size of the singular values of D, if all are equal (lr_scale of muon)
  /// The number of singular values of gradients, and of continuous functions of them, that decompositions took for
  /// nonzero; infinite where columns of zeros leave it open. Each irreducible part counts once.
  double rank = 0;
  /// In repetitions with mixing embeddings, the number of dropped columns that may hide a direction (RankDecision); infinite
  /// in a tame one where columns depend on few others.
  double dropped = 0;
  std::string note = {};        ///< a note about this update for the user, or empty; the first one is shown
  std::string not_finite = {};  ///< the first part of the rule that is not finite, if known
  std::string failure = {};     ///< why no direction was found: the run diverged, and `matrix` may be null
};

/// d_out x d_in, the shape of W in its own coordinates. Doubles, because K may exceed 64-bit integers.
struct WeightShape {
  double rows = 1, columns = 1;
};

/// Inputs of a rule besides the gradient.
template <class M>
struct RuleContext {
  std::function<M(const M&)> to_ambient;  ///< X -> Ẽ X Eᵀ, for rules that act in the task basis
  const Workers& workers;
  WeightShape shape = {};               ///< of W itself, even if the matrices are in the task basis
  std::int64_t steps = 1;               ///< T, of the run
  bool of_factor = false;               ///< the gradient is that of a factor of W, which mixes columns
  PolarHint polar = {};                 ///< on gradients
  const Hessian<M>* hessian = nullptr;  ///< the Hessian at W, for rules that use it
  const M* weights = nullptr;           ///< W
  std::function<SecondMoment<M>()> second_moment = {};
  std::function<VectorOf<ScalarOf<M>>(Side)> probabilities =
      {};  ///< in training, of queries (columns) or answers
  const RandomRounding* rounding =
      nullptr;  ///< in a repetition: intermediate values are rounded at random, too
};

template <class M>
class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  /// D for this gradient. Called once a step, in order; a zero gradient without memory gives D = 0.
  virtual Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) = 0;
  /// Saves or loads the state of the rule, without its parameters, for checkpoints.
  virtual void exchange(Archive&) {}
};

/// Declared symmetries and needs of a rule: its behaviour under changes of coordinates and scale decides on
/// which engines it is exact. tests/laws compares each declaration with dense runs, and shows that each
/// absent one is false.
struct Symmetries {
  /// D(Q X) = Q D(X) for orthogonal Q: orthonormal answers do not affect the run.
  bool answers_rotate = false;
  /// D(X Qᵀ) = D(X) Qᵀ for orthogonal Q: orthonormal queries do not affect the run.
  bool queries_rotate = false;
  /// Equal wrong answers within a column stay equal, so the columns engine is exact in the task basis.
  bool keeps_wrong_ties = false;
  /// D(c X) = D(X) for c > 0.
  bool scale_invariant = false;
  /// The smallest entries of the gradient change W as much as the largest (signs, ratios, polar factors), so
  /// none may underflow.
  bool amplifies_small_entries = false;
  /// Needs G itself, not only ∇L.
  bool reads_task = false;
  /// Its formula reads W. (Newton's Hessian depends on W, but D stays in the space of gradients.)
  bool reads_weights = false;
  /// Needs the second moment C of the queries.
  bool reads_second_moment = false;
  /// Needs the probability of each query, or of each answer: in the coordinates of W only for identity embeddings.
  bool reads_queries = false, reads_answers = false;
  /// Defined only if singular values differ, unlike those of equally likely classes.
  bool needs_gaps = false;
  /// D = 0 as long as W is 0.
  bool needs_start = false;
  /// Uses singular values of matrices whose columns it preserves; column matrices with shared answers have
  /// none.
  bool spectrum_of_columns = false;

  bool operator==(const Symmetries&) const = default;
};

/// The matrices and operations of a rule, for estimates of memory and time.
struct RuleWork {
  double matrices = 0;  ///< of the size of W, besides W and its gradient
  double polar_factors = 0;
  double decompositions = 0;  ///< and matrix products, in units of a polar factor's time
  double of_gradient = 0;     ///< the part of both that depends only on this step's gradient
};

/// The recursion of a margin under a rule with exact gradients on columns: b ← μb + g ∇, and a step by b or,
/// with Nesterov, by g ∇ + μb; divided by the norm over all margins if `normalised`.
struct MarginRecursion {
  double momentum = 0, gain = 1;
  bool nesterov = false;
  bool normalised = false;
};

template <class M>
using RuleFactory = std::function<std::unique_ptr<UpdateRule<M>>(const ParameterValues&)>;

struct OptimizerRow : CatalogueRow {
  bool reads_hessian = false;  ///< needs the Hessian, which only the dense engine has
  /// The declared symmetries, and RuleWork::matrices, of a rule without definitions (newton).
  Symmetries (*symmetries)(const ParameterValues&) = nullptr;
  double matrices = 0;
  /// Problems with combinations of legal parameters. Null: every combination is legal.
  std::vector<ParameterProblem> (*problems)(const ParameterValues&) = nullptr;
  /// The rule as the definitions of a formula. Null: it is written by hand.
  ParameterValues (*definitions)(const ParameterValues&) = nullptr;
  /// Given parameters without effect. Null: there are none.
  std::vector<std::string> (*unused)(const ParameterValues&) = nullptr;
  /// The recursion of margins, for rules that support run.fast_forward; else null.
  MarginRecursion (*margins)(const ParameterValues&) = nullptr;
  const char* of_gains =
      nullptr;  ///< the rule that moves trained gains (model.train_gains); null: there is none
  /// Columns are also for diagonal matrices, the modes.
  std::tuple<RuleFactory<DenseMatrix>, RuleFactory<SymmetricMatrix<double>>,
             RuleFactory<SymmetricMatrix<Real50>>, RuleFactory<ColumnMatrix>>
      factories = {};

  /// The rule with these parameters on matrices M.
  template <class M>
  std::unique_ptr<UpdateRule<M>> make(const ParameterValues& values) const {
    return std::get<RuleFactory<M>>(factories)(values);
  }
  MarginRecursion margins_of(const ParameterValues& values) const {
    return margins ? margins(values) : MarginRecursion{};
  }
  /// Derived from the definitions, if there are any.
  Symmetries symmetries_of(const ParameterValues& values) const;
  RuleWork work_of(const ParameterValues& values) const;
};

/// The rules: gd, ngd, momentum, signgd, tra_signgd, adam, muon, newton, formula.
const std::vector<OptimizerRow>& optimizer_catalogue();

/// The row of a rule that validation has accepted.
const OptimizerRow& optimizer_row(const std::string& rule);

/// The symmetries of a rule in words.
/// A clause per symmetry.
struct RuleProperties {
  std::string answers, queries;  ///< equivariance under changes of coordinates on this side
  std::string columns;           ///< equal wrong answers within a column stay equal, or not
  std::string scale;             ///< "D(cX) = D(X)"
};

/// The properties of a rule; for a rule with a formula also the part of it that breaks a symmetry.
RuleProperties properties_of(const OptimizerRow& rule, const ParameterValues& parameters);

/// "answers: equivariant to rotations, any orthonormal embedding ...; queries: ...", all clauses joined.
std::string in_one_line(const RuleProperties& properties);

}  // namespace rarefact
