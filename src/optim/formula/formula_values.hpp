#pragma once

/// The values of a formula at one step, on one algebra, which its operations read and set.

#include <fmt/format.h>

#include <map>
#include <utility>

#include "optim/formula/planes.hpp"
#include "optim/formula/schedule.hpp"
#include "optim/formula/value.hpp"

namespace rarefact::formula {

template <class M>
class FormulaValues {
 protected:
  using Real = ScalarOf<M>;
  static constexpr bool factors = has_gram_factors<M>;

 public:
  explicit FormulaValues(Compiled rule)
      : rule_(std::move(rule)),
        schedule_(schedule_of(rule_.graph, rule_.traits, factors)),
        values_(rule_.graph.nodes.size()) {}

  const Node& node(int i) const { return rule_.graph.nodes[i]; }
  const Trait& trait(int i) const { return rule_.traits[i]; }
  Value<M>& value(int i) { return values_[i]; }
  const RuleContext<M>& context() const { return *context_; }
  const Gradient<M>& gradient() const { return *gradient_; }
  const Real& step() const { return step_; }
  bool begun() const { return begun_; }

  /// The number of indices along an axis that the stored numbers represent; for W in its own coordinates.
  double true_size(int along) const {
    if (along == axis::single) return 1;
    if (along == axis::out) return context_->shape.rows;
    if (along == axis::in) return context_->shape.columns;
    if (along >= axis::first_basis)
      return true_size(trait(node(along - axis::first_basis).arguments[0]).rows);
    return indices_of(gradient_->task, side_of(along));
  }

  /// Sets a number, or the factor of a Gram matrix.
  void set_number(int i, Real x, int exponent = 0) {
    normalise(x, exponent);
    value(i).numbers.setConstant(1, x);
    value(i).exponent = exponent;
  }

  /// Sets a value to a matrix that it does not own; to a copy in its own unit if all entries are tiny or 0, so that
  /// neither its squares underflow nor what is added to it.
  void view(int i, const M& matrix, int exponent) {
    using std::abs, std::ilogb;
    Value<M>& v = value(i);
    v.view = &matrix;
    v.exponent = exponent;
    constexpr double tiny = 0x1p-100;
    bool usual = false;
    M::for_planes(
        [&](const auto& entries) {
          for (Index k = 0; k < entries.size() && !usual; ++k) usual = abs(entries.data()[k]) > Real(tiny);
        },
        matrix);
    const Real largest = usual ? Real(1) : largest_entry(matrix);
    if (largest == Real(0)) v.exponent = zero_exponent;
    if (usual || !(largest > Real(0))) return;
    const int size = std::max(ilogb(largest), -1000) / 8 * 8;
    v.matrix = matrix;
    combine(v.matrix, power_of_two<Real>(-size), Real(0), v.matrix);
    v.view = nullptr;
    v.exponent += size;
  }

  void set_zero(int i) {
    const Trait& x = trait(i);
    Value<M>& v = value(i);
    v.exponent = zero_exponent;
    if (x.matrix()) {
      v.matrix = zero_of(x.rows, x.columns);
      if constexpr (factors) {
        if (x.gram) v.factor = GramFactor<M>::of(v.matrix);
      }
      v.numbers = VectorOf<Real>::Zero(1);
    } else {
      v.numbers = VectorOf<Real>::Zero(size_along(x.rows == axis::single ? x.columns : x.rows));
    }
  }

  /// The plain matrix of a value: not its root, nor its Gram factor.
  const M& plain(int i) {
    form(i);
    if (!trait(i).squared) return value(i).stored();
    M& square = squares_[i];
    if (formed_[i]) return square;
    formed_[i] = true;
    return square = mapped(value(i).stored(), [](const Real& x) { return Real(x * x); });
  }
  VectorOf<Real> plain_numbers(int i) {
    return trait(i).squared ? VectorOf<Real>(value(i).numbers.cwiseAbs2()) : value(i).numbers;
  }
  int plain_exponent(int i) {
    const int e = value(i).exponent;
    return e == zero_exponent ? e : e * (trait(i).squared ? 2 : 1);
  }

  /// A matrix whose entries can be squared, and its exponent (zero_exponent for zero). Ends the run if an
  /// entry is not finite.
  std::pair<const M*, int> centred(int i) {
    using std::ilogb;
    const M& x = plain(i);
    const int e = plain_exponent(i);
    const Real largest = finite_largest(x, i);
    if (failed() || largest == Real(0)) return {&x, zero_exponent};
    // By multiples of 8, whose roots are powers of two.
    const int size = ilogb(largest) / 8 * 8, usual = 100;
    if (std::abs(size) <= usual) return {&x, e};
    centred_ = x;
    combine(centred_, power_of_two<Real>(-size), Real(0), centred_);
    return {&centred_, e + size};
  }

  /// Reduces all entries of a value to one number, in its unit.
  Real reduced(int i, Aggregate how) {
    using std::abs;
    const Trait& x = trait(i);
    if (x.matrix()) return aggregate(plain(i), how);
    const VectorOf<Real> numbers = plain_numbers(i);
    if (!x.number()) return along_axis(numbers, x, how);
    return how == Aggregate::sum ? numbers(0) : Real(abs(numbers(0)));
  }

  /// Reduces all entries of the argument of node i, or each row or column, to one number.
  void reduce(int i, Aggregate how) {
    const Node& here = node(i);
    const int a = here.arguments[0];
    const Trait& x = trait(a);
    Value<M>& result = value(i);
    if (how == Aggregate::sum && here.left == KeptAxis::number && x.squared && !x.number()) {
      // The square may underflow where its root does not.
      const Value<M>& roots = value(a);
      Real norm =
          x.matrix() ? frobenius_norm(roots.stored()) : along_axis(roots.numbers, x, Aggregate::euclidean);
      int exponent = roots.exponent;
      normalise(norm, exponent);
      return set_number(i, Real(norm * norm), exponent == zero_exponent ? exponent : 2 * exponent);
    }
    if (here.left == KeptAxis::number || x.number()) return set_number(i, reduced(a, how), plain_exponent(a));
    const Side along = here.left == KeptAxis::rows ? Side::rows : Side::columns;
    // Squares stored as roots stay so.
    const bool roots = trait(i).squared;
    result.exponent = roots ? value(a).exponent : plain_exponent(a);
    if (x.matrix()) {
      result.numbers =
          roots ? aggregate(value(a).stored(), along, Aggregate::euclidean) : aggregate(plain(a), along, how);
      return;
    }
    const bool is_row = x.rows == axis::single;
    if (is_row == (along == Side::columns)) {
      // Nothing to sum over.
      result.numbers = roots ? value(a).numbers : plain_numbers(a);
      if (how != Aggregate::sum) result.numbers = result.numbers.cwiseAbs().eval();
      return;
    }
    set_number(i, reduced(a, how), plain_exponent(a));
  }

  Real inner_of_vectors(int a, int b) {
    const VectorOf<Real> products = plain_numbers(a).cwiseProduct(plain_numbers(b));
    return along_axis(products, trait(a), Aggregate::sum);
  }

  /// The largest of the stored numbers. Ends the run if it is not finite.
  Real finite_largest(const M& x, int i) {
    using std::isfinite;
    const Real largest = largest_entry(x);
    if (!isfinite(largest))
      fail(fmt::format("{} is not finite", direction_.not_finite.empty() ? part(i) : direction_.not_finite));
    return largest;
  }

  /// f(σ), by evaluating the nodes of its body that depend on σ.
  Real function_value(int body, const Real& sigma) {
    using std::ldexp;
    const Node& here = node(body);
    if (here.op == op::variable) return sigma;
    if (!here.varies) {
      const Value<M>& number = value(body);
      return number.exponent == zero_exponent ? Real(0) : Real(ldexp(number.numbers(0), number.exponent));
    }
    Real x[4];
    for (std::size_t k = 0; k < here.arguments.size(); ++k) x[k] = function_value(here.arguments[k], sigma);
    if (here.op == op::divide && x[1] == Real(0) && !(x[0] == Real(0))) divided_by_zero(body);
    return here.op->value(static_cast<const Real*>(x), here.number);
  }

  /// Names node i in messages: "TEXT of KEY".
  std::string part(int i) const { return fmt::format("{} of {}", node(i).text, node(i).key); }

  /// Ends the run.
  void fail(std::string why) { direction_.failure = std::move(why); }
  bool failed() const { return !direction_.failure.empty(); }
  void note(std::string note) {
    if (direction_.note.empty()) direction_.note = std::move(note);
  }

 protected:
  /// The number of stored numbers along an axis.
  Index size_along(int along) const {
    if (along == axis::single) return 1;
    if (along >= axis::first_basis)
      return size_along(trait(node(along - axis::first_basis).arguments[0]).rows);
    const bool in_task_basis = along == axis::answers || along == axis::queries;
    return numbers_along(in_task_basis ? gradient_->task : gradient_->ambient(), side_of(along));
  }

  /// The side of the gradient that an axis belongs to.
  static Side side_of(int along) {
    return along == axis::out || along == axis::answers ? Side::rows : Side::columns;
  }

  /// Zeros of the shape of these axes.
  M zero_of(int rows, int columns) const {
    const M& g = gradient_->ambient();
    if constexpr (std::is_same_v<M, DenseMatrix>) {
      return {Matrix::Zero(size_along(rows), size_along(columns))};
    } else if constexpr (std::is_same_v<M, ColumnMatrix>) {
      // Without rows along the answers it is a diagonal one, queries x queries.
      return ColumnMatrix(size_along(rows) == 0 || is_square(*g.structure)
                              ? g.structure
                              : square_columns(g.structure->count));
    } else {
      return M(with_sides(g.shared_structure(), side_of(rows), side_of(columns)));
    }
  }

  /// Reduces a vector, with multiplicities.
  Real along_axis(const VectorOf<Real>& v, const Trait& x, Aggregate how) const {
    return aggregate(v, gradient_->ambient(), side_of(x.rows == axis::single ? x.columns : x.rows), how);
  }

  /// Forms the matrix of a sum of X Xᵀ, whose entries are read.
  void form(int i) {
    if constexpr (factors) {
      Value<M>& v = value(i);
      if (!trait(i).gram || !v.factor || formed_[i]) return;
      formed_[i] = true;
      v.matrix = v.factor->formed(context_->workers);
      combine(v.matrix, v.numbers(0), Real(0), v.matrix);
      v.view = nullptr;
    }
  }

  void divided_by_zero(int i) { fail(fmt::format("division by zero in {}", part(i))); }

  void note_not_finite(int i) {
    if (direction_.not_finite.empty()) direction_.not_finite = part(i);
  }

  Compiled rule_;
  Schedule schedule_;
  std::vector<Value<M>> values_;
  std::map<int, M> squares_;  ///< of values stored as roots
  std::vector<bool> formed_;  ///< values whose plain matrix was made at this step
  Real step_ = Real(0);
  bool begun_ = false;
  Direction<M> direction_;
  const RuleContext<M>* context_ = nullptr;
  const Gradient<M>* gradient_ = nullptr;

 private:
  M centred_;
};

}  // namespace rarefact::formula
