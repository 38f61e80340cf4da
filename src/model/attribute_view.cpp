#include "model/attribute_view.hpp"

#include <algorithm>

#include "core/real50.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

namespace {

/// The kinds of answers that a query sees if both attributes are uniform.
struct KindOfAnswer {
  static constexpr Index right = 0, same_subject = 1, same_relation = 2, neither = 3;
};

Components components_seen(const AttributeGrid& grid) {
  const ClassGroups groups = groups_of(grid);
  const double counted = grid.count[grid.inner()];
  Components components;
  ComponentGroup& group = components.groups.emplace_back();
  if (groups.size() == 1) {
    const double s = grid.count[0] - 1, r = grid.count[1] - 1;
    group.answer_multiplicity = {1, r, s, s * r};
    group.queries = {{grid.classes(), groups.probability[0], {{KindOfAnswer::right, 1, true}}}};
    return components;
  }
  group.count = counted;
  group.answer_multiplicity.assign(groups.size(), 1);
  for (const double p : groups.probability)
    group.queries.push_back({1, p, {{std::ssize(group.queries), 1, true}}});
  return components;
}

SharedStructure structure_of_weights(const AttributeGrid& grid, bool both, std::size_t size) {
  const std::vector<double> ones(size, 1);
  using Types = std::vector<std::vector<double>>;
  const auto of = [](std::vector<double> count, const Types& rows, const Types& columns) {
    return std::make_shared<const GroupStructure>(std::move(count), GroupTypes(rows), GroupTypes(columns));
  };
  if (both) return of({grid.count[0], grid.count[1]}, {{grid.count[1]}, {grid.count[0]}}, {{1}, {1}});
  return of({1, grid.count[grid.inner()]}, {{}, ones}, {ones, {1}});
}

}  // namespace

template <class Real>
AttributeView<Real>::AttributeView(const AttributeGrid& grid, const std::array<double, 2>& gains)
    : components_(components_seen(grid)),
      weights_(structure_of_weights(grid, grid.uniform[0] && grid.uniform[1],
                                    components_.groups.front().queries.size())),
      written_(grid.outer()),
      both_(grid.uniform[0] && grid.uniform[1]),
      gain_{Real(gains[grid.outer()]), Real(gains[grid.inner()])},
      others_{Real(grid.count[grid.outer()]) - Real(1), Real(grid.count[grid.inner()]) - Real(1)} {}

template <class Real>
SymmetricMatrix<Real> AttributeView<Real>::start(const Real& scale) const {
  using std::sqrt;
  State w(weights_);
  const std::array<Real, 2> count = {others_[0] + Real(1), others_[1] + Real(1)},
                            size = {Real(scale / sqrt(count[1])), Real(scale / sqrt(count[0]))};
  MatrixOf<Real>& off = w.off_entries();
  const auto own = [&](std::size_t a) { return Real(size[a] * (others_[a] / count[a])); };
  const auto other = [&](std::size_t a) { return Real(-size[a] / count[a]); };
  if (both_) {
    w.diagonal_entries() << own(0), own(1);
    off(0, 0) = other(0);
    off(1, 1) = other(1);
    return w;
  }
  const Index values = off.rows();
  off.leftCols(values).setConstant(other(0));
  off.leftCols(values).diagonal().setConstant(own(0));
  off.col(values).setConstant(other(1));
  w.diagonal_entries().setConstant(own(1));
  return w;
}

template <class Real>
SymmetricMatrix<Real> AttributeView<Real>::gains(const std::array<double, 2>& b) const {
  using Side = GroupStructure::Side;
  State v(with_sides(weights_, Side::columns, Side::columns));
  v.diagonal_block(0).diagonal().setConstant(Real(b[written_]));
  v.diagonal_block(1).diagonal().setConstant(Real(b[1 - written_]));
  return v;
}

template <class Real>
SymmetricMatrix<Real> AttributeView<Real>::logits(const State& w, const SharedStructure& task) const {
  State s(task);
  const MatrixOf<Real>& off = w.off_entries();
  if (both_) {
    const auto [subject, relation] = gain_;
    const Real own_subject = subject * w.diagonal_entries()(0), other_subject = subject * off(0, 0),
               own_relation = relation * w.diagonal_entries()(1), other_relation = relation * off(1, 1);
    s.diagonal_entries() << own_subject + own_relation, own_subject + other_relation,
        other_subject + own_relation, other_subject + other_relation;
    return s;
  }
  const Index size = off.rows();
  for (Index u = 0; u < size; ++u) {
    const auto written = gain_[0] * off.col(u);
    s.diagonal_column(u) = written + gain_[1] * w.diagonal_entries();
    s.off_entries().col(u) = written + gain_[1] * off.col(size);
  }
  return s;
}

template <class Real>
SymmetricMatrix<Real> AttributeView<Real>::to_ambient(const State& g) const {
  State x(weights_);
  MatrixOf<Real>& off = x.off_entries();
  // An entry of the column's own value is minus the sum of the others, which are sums without cancellation where there is
  // no noise; a sum of the right answer's and of its value's others would lose the digits of a value that is learned.
  if (both_) {
    const auto column = g.diagonal_column(0);
    const auto [subjects, relations] = others_;
    const Real of_subject = gain_[0] *
                            (column(KindOfAnswer::same_relation) + relations * column(KindOfAnswer::neither)),
               of_relation =
                   gain_[1] * (column(KindOfAnswer::same_subject) + subjects * column(KindOfAnswer::neither));
    off(0, 0) = of_subject;
    off(1, 1) = of_relation;
    x.diagonal_entries() << -subjects * of_subject, -relations * of_relation;
    return x;
  }
  const Index size = off.rows();
  VectorOf<Real> inside = VectorOf<Real>::Zero(size), outside = VectorOf<Real>::Zero(size);
  for (Index u = 0; u < size; ++u) {
    auto written = off.col(u);
    written = gain_[0] * (g.diagonal_column(u) + others_[1] * g.off_entries().col(u));
    written(u) = Real(0);
    written(u) = -written.sum();
    inside += g.diagonal_column(u);
    outside += g.off_entries().col(u);
  }
  x.diagonal_entries() = gain_[1] * inside;
  off.col(size) = gain_[1] * outside;
  return x;
}

template <class Real>
std::array<bool, 2> AttributeView<Real>::wrong(Index l, Index k) const {
  if (both_)
    return {k == KindOfAnswer::same_relation || k == KindOfAnswer::neither,
            k == KindOfAnswer::same_subject || k == KindOfAnswer::neither};
  const Index size = weights_->rows();
  std::array<bool, 2> found = {};
  found[written_] = k % size != l;
  found[1 - written_] = k >= size;
  return found;
}

template class AttributeView<double>;
template class AttributeView<Real50>;

}  // namespace rarefact
