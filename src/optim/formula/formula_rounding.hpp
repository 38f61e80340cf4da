#pragma once

/// What rounding does to the values of a formula: decisions about ranks, and the random rounding of repetitions.

#include <numeric>
#include <set>

#include "optim/formula/formula_values.hpp"

namespace rarefact::formula {

template <class M>
class FormulaRounding : public FormulaValues<M> {
 protected:
  using Base = FormulaValues<M>;
  using Base::context_, Base::gradient_, Base::direction_, Base::schedule_, Base::step_, Base::factors,
      Base::size_along;
  using typename Base::Real;

 public:
  using Base::Base, Base::node, Base::trait, Base::value, Base::plain, Base::plain_numbers, Base::reduced;

  /// If rounding noise of a zero would be amplified: sets entries of a product to 0 that are only rounding
  /// noise of their terms.
  void clear_rounding(int i) {
    using std::abs;
    if (!schedule_.exact_zeros[i] && !context_->rounding) return;
    const auto sizes = [this](int a) { return mapped(plain(a), [](const Real& x) { return Real(abs(x)); }); };
    const M terms = multiplied(sizes(node(i).arguments[0]), sizes(node(i).arguments[1]), context_->workers);
    M& product = value(i).matrix;
    if (context_->rounding) round_planes(i, 8, &terms);
    if (!schedule_.exact_zeros[i]) return;
    const Real tolerance = Real(16) * std::numeric_limits<Real>::epsilon();
    map_in_place(product, terms,
                 [&](const Real& x, const Real& all) { return abs(x) <= tolerance * all ? Real(0) : x; });
  }

  /// msgn of the argument of node i, warm-started; in a repetition its rounding is perturbed.
  M polar(int i, const M& x) {
    const int a = node(i).arguments[0];
    // The hint describes gradients.
    PolarHint hint = context_->polar;
    if (!trait(a).gradient) hint.left_null = nullptr, hint.known_rank = any_rank;
    if (!(trait(a).hoelder > 0)) hint.max_rank = any_rank;  // `decided` judges the gradients in it
    if (size_along(trait(a).rows) != size_along(axis::out) ||
        size_along(trait(a).columns) != size_along(axis::in))
      hint = {};
    if constexpr (factors) {
      // A factorisation from scratch costs several warm starts, and an error made in one step stays in W.
      const auto step = static_cast<std::int64_t>(static_cast<double>(step_));
      constexpr int often = 16, seldom = 32;
      if (context_->rounding && !hint.mixed_columns && (step <= often || step % seldom == 0))
        return polar_in_other_order(i, x, hint.known_rank);
    }
    typename M::Polar& polar = polars_[std::to_string(i)];
    if constexpr (factors) {
      M factor =
          polar(x, context_->workers, hint, context_->rounding ? moved_parts(i) : PartFunction<Real>());
      seen_ = polar.seen();
      return factor;
    } else {
      return polar(x, context_->workers, hint);
    }
  }
  /// What the last msgn found.
  const PolarSeen& seen() const { return seen_; }

  /// Notes how many singular values of its argument node i took for nonzero. The rank of an argument that jumps, as signs
  /// do, may change at any time; then the ranks of the sums of gradients in it are noted: what they have lost is usually
  /// lost there, too.
  /// Zero columns are no lost directions unless embeddings mix columns; then a repetition decides the rank itself, because
  /// msgn may have been refined from earlier steps. `seen`: by msgn.
  void decided(int i, double rank, const PolarSeen* seen = nullptr) {
    int a = node(i).arguments[0];
    if (!(trait(a).hoelder > 0)) {
      if (gradient_->image || context_->of_factor) {
        std::set<int> visited;
        if (!decide_sums(a, visited)) direction_.rank += decide(gradient_->ambient(), any_rank);
      }
      return;
    }
    const bool gram = trait(a).gram;
    if (!gradient_->image && (gram || (seen ? seen->zero_columns : has_zero_columns(plain(a)))))
      rank = std::numeric_limits<double>::infinity();
    // A multiple of X Xᵀ is decided like X and Xᵀ.
    while (trait(a).gram && (node(a).op == op::multiply || node(a).op == op::divide))
      a = node(a).arguments[trait(node(a).arguments[0]).gram ? 0 : 1];
    const bool of_product = gram && node(a).op == op::product;
    // Far above all rounding the decision is the same, and hides nothing.
    constexpr double safe = 1e-6;
    const bool certain =
        !gram && seen && seen->least > safe && context_->rounding && !context_->rounding->tame();
    if (!gradient_->image || !context_->rounding || certain || (gram && !of_product)) {
      direction_.rank += rank;
      return;
    }
    const M& x = plain(of_product ? node(a).arguments[0] : a);
    // Rounding may hide a direction of X and add one to Xᵀ, or one along a null vector that msgn knows.
    direction_.rank += gram ? 2 * std::min(decide(x), decide(transposed(x))) : std::min(decide(x), rank);
  }

  /// The same where node i maps singular values of X far below λ to about 0. If λ is below the rounding of gradients, of a
  /// size of about 1, it takes for zeros what msgn does.
  void decided_above(int i, const M& x, double lambda) {
    constexpr double many = 4096;
    if (!gradient_->image || lambda > many * static_cast<double>(std::numeric_limits<Real>::epsilon()))
      return;
    double rank = 0;
    for_parts(x, [&](const MatrixOf<Real>& part, const VectorOf<Real>& norms, double) {
      rank += static_cast<double>(ranked_qr<Real>(part, norms).r.rows());
    });
    decided(i, rank);
  }

  static bool has_zero_columns(const M& x) {
    return (aggregate(x, Side::columns, Aggregate::largest).array() == Real(0)).any();
  }

  /// X as node i decomposes it; in a repetition rounded at random.
  const M& decomposed(int i, const M& x) {
    if constexpr (factors) {
      if (context_->rounding) return shaken_ = mapped_parts(x, moved_parts(i));
    }
    return x;
  }

  /// In a repetition: moves the parts of which node i makes a Gram factor.
  EntryChange<Real> moved_entries(int i) const requires factors {
    return context_->rounding ? context_->rounding->template entries_moved<Real>(kind_of(i))
                              : EntryChange<Real>();
  }

  /// In a repetition: moves the numbers of node i by units in the last place of the terms that they sum.
  void round_sums(int i, VectorOf<Real> terms, int exponent) {
    Value<M>& v = value(i);
    if (!context_->rounding || v.exponent == zero_exponent) return;
    terms *= power_of_two<Real>(exponent - v.exponent);
    context_->rounding->results(kind_of(i), 1, v.numbers.data(), v.numbers.size(), terms.data());
  }

  /// Norms of the terms that each number of node i sums.
  VectorOf<Real> norms_of_terms(int i) {
    const int a = node(i).arguments[0];
    if (value(i).numbers.size() == 1) return VectorOf<Real>::Constant(1, reduced(a, Aggregate::euclidean));
    if (!trait(a).matrix()) return plain_numbers(a);
    return aggregate(plain(a), node(i).left == KeptAxis::rows ? Side::rows : Side::columns,
                     Aggregate::euclidean);
  }

 protected:
  /// The stream of random bits of a node.
  static std::uint64_t kind_of(int i) { return 2 * static_cast<std::uint64_t>(i); }

  /// In a repetition: moves the matrix of node i by units in the last place, its own or those of `sizes`.
  void round_planes(int i, std::uint64_t first, const M* sizes = nullptr) {
    M& x = value(i).matrix;
    M::for_planes(
        [&](auto& plane, const auto& size) {
          context_->rounding->results(kind_of(i), first++ << 40, plane.data(), plane.size(),
                                      sizes ? size.data() : nullptr);
        },
        x, sizes ? *sizes : x);
  }

  std::map<std::string, typename M::Polar> polars_;

 private:
  /// Adds the ranks of the stored sums of gradients from which node i is computed; false if there are none.
  bool decide_sums(int i, std::set<int>& visited) {
    if (!visited.insert(i).second) return false;
    const Trait& here = trait(i);
    if (here.gradient && here.rows == axis::out && here.columns == axis::in && !constant(node(i)) &&
        (node(i).op->leaf || schedule_.stored[i])) {
      direction_.rank += decide(plain(i), any_rank);
      return true;
    }
    bool found = false;
    for (const int a : node(i).arguments) found = decide_sums(a, visited) || found;
    return found;
  }

  /// The rank of X, each part counted once; in a repetition notes what its decisions may hide.
  double decide(const M& x) { return decide(x, context_->polar.max_rank); }
  double decide(const M& x, Index max_rank) {
    double rank = 0;
    Index known_rank = context_->polar.known_rank;  // of the first part
    for_parts(x, [&](const MatrixOf<Real>& part, const VectorOf<Real>& norms, double) {
      const RankDecision here =
          rank_decision(part, norms, std::min(max_rank, std::exchange(known_rank, any_rank)));
      rank += static_cast<double>(here.rank);
      if (!context_->rounding) return;
      if (!context_->rounding->tame())
        direction_.dropped += static_cast<double>(here.dropped);
      else if (!here.general || here.dropped > 0)  // where nothing is hidden
        direction_.dropped = std::numeric_limits<double>::infinity();
    });
    return rank;
  }

  /// In a repetition: moves the parts that node i decomposes.
  PartFunction<Real> moved_parts(int i) const requires factors {
    return context_->rounding->template parts_moved<Real>(kind_of(i));
  }

  /// In a repetition: msgn with the rows and columns of every part permuted, and without a warm start.
  M polar_in_other_order(int i, const M& x, Index known_rank) {
    std::uint64_t number = std::uint64_t{1} << 50;
    const auto order_of = [&](Index n) {
      std::vector<Index> order(static_cast<std::size_t>(n));
      std::iota(order.begin(), order.end(), Index{0});
      Vector keys = Vector::Ones(n);
      context_->rounding->results(kind_of(i), number++ << 8, keys.data(), n);
      std::stable_partition(order.begin(), order.end(), [&](Index k) { return keys(k) > 1; });
      return order;
    };
    const PartFunction<Real> moved = moved_parts(i);
    Real squares(0);
    Index max_rank = known_rank;  // of the first part
    M result = mapped_parts(x, [&](MatrixOf<Real>& part, const VectorOf<Real>& norms) {
      moved(part, norms);
      std::vector<Index> rows = {0}, columns = {0};
      if (part.size() != 1) rows = order_of(part.rows()), columns = order_of(part.cols());
      MatrixOf<Real> factor = part(rows, columns);
      to_polar<Real>(factor, norms(columns), context_->workers, std::exchange(max_rank, any_rank));
      part(rows, columns) = factor;
      squares += factor.squaredNorm();
    });
    seen_ = {std::round(static_cast<double>(squares)), has_zero_columns(x)};
    return result;
  }

  PolarSeen seen_;
  M shaken_;
};

}  // namespace rarefact::formula
