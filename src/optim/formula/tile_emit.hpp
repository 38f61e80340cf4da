#pragma once

/// The instructions that the operations of a formula become in a TileProgram.

#include "optim/formula/tile_program.hpp"

namespace rarefact::formula {

template <class M>
typename TileProgram<M>::Unit TileProgram<M>::sum(int i) {
  const auto& a = node(i).arguments;
  if (trait(i).squared) {
    const Unit x = rooted(a[0]), y = rooted(a[1]);
    const int e = common({x, y}, a);
    return add({TileOp::hypotenuse, {factor(x, e), factor(y, e)}}, {x.source, y.source}, e, true);
  }
  Real one(1), other(node(i).number);
  const Unit x = taken_apart(a[0], one), y = taken_apart(a[1], other);
  const int e = common({x, y}, a);
  const TileOp op = schedule_.exact_zeros[i] ? TileOp::exact_zeros : TileOp::combine;
  return add({op, {Real(one * factor(x, e)), Real(other * factor(y, e))}}, {x.source, y.source}, e);
}

template <class M>
typename TileProgram<M>::Unit TileProgram<M>::product(int i) {
  const auto& a = node(i).arguments;
  const bool root = trait(i).squared;
  const Unit x = root ? rooted(a[0]) : plain(a[0]), y = root ? rooted(a[1]) : plain(a[1]);
  const int e = std::max(x.exponent + y.exponent, zero_exponent);
  if (x.source.kind == Source::single && !trait(a[1]).number())
    return add({TileOp::scale, {x.source.number}}, {y.source}, e, root);
  return add({TileOp::multiply}, {x.source, y.source}, e, root);
}

template <class M>
typename TileProgram<M>::Unit TileProgram<M>::quotient(int i) {
  const auto& a = node(i).arguments;
  const bool root = trait(i).squared;
  const Unit x = root ? rooted(a[0]) : plain(a[0]), y = root ? rooted(a[1]) : plain(a[1]);
  const int divisor = y.exponent == zero_exponent ? 0 : y.exponent;
  const int e = x.exponent == zero_exponent ? zero_exponent : x.exponent - divisor;
  const bool by_number =
      y.source.kind == Source::single && !(y.source.number == Real(0)) && !trait(a[0]).number();
  if (by_number) return add({TileOp::scale, {Real(Real(1) / y.source.number)}}, {x.source}, e, root);
  return add({TileOp::divide}, {x.source, y.source}, e, root);
}

template <class M>
typename TileProgram<M>::Unit TileProgram<M>::power(int i) {
  using std::pow;
  const int a = node(i).arguments[0];
  const double p = node(i).number;
  if (trait(i).squared) {
    const Unit x = plain(a);
    return add({TileOp::absolute}, {x.source}, x.exponent, true);
  }
  const Unit x = unit(a);
  const double by = x.root ? 2 * p : p;
  if (x.exponent == zero_exponent)
    return add({TileOp::power, {Real(1)}, by}, {x.source}, p > 0 ? zero_exponent : 0);
  const double exact = x.exponent * by;
  const double whole = std::floor(exact);
  TileInstruction<Real> operation{TileOp::power, {Real(pow(Real(2), Real(exact - whole)))}, by};
  return add(operation, {x.source}, static_cast<int>(whole));
}

template <class M>
typename TileProgram<M>::Unit TileProgram<M>::root(int i) {
  const int a = node(i).arguments[0];
  const Unit x = unit(a);
  if (x.root) return add({TileOp::scale}, {x.source}, x.exponent);
  if (x.exponent == zero_exponent) return add({TileOp::root}, {x.source}, zero_exponent);
  const int odd = x.exponent & 1;
  return add({TileOp::root, {Real(1 << odd)}}, {x.source}, (x.exponent - odd) / 2);
}

template <class M>
typename TileProgram<M>::Unit TileProgram<M>::emitted(int i) {
  using std::log;
  const Node& here = node(i);
  const auto& a = here.arguments;
  switch (here.op) {
    case Op::add:
      return sum(i);
    case Op::multiply:
      return product(i);
    case Op::divide:
      return quotient(i);
    case Op::power:
      return power(i);
    case Op::root:
      return root(i);
    case Op::minimum:
    case Op::maximum: {
      const bool squared = trait(i).squared;
      const Unit x = squared ? rooted(a[0]) : plain(a[0]), y = squared ? rooted(a[1]) : plain(a[1]);
      const int e = common({x, y}, a);
      const TileOp op = here.op == Op::minimum ? TileOp::minimum : TileOp::maximum;
      return add({op, {factor(x, e), factor(y, e)}}, {x.source, y.source}, e, squared);
    }
    case Op::where: {
      const Unit p = plain(a[0]), q = plain(a[1]), x = plain(a[2]), y = plain(a[3]);
      const int compared = common({p, q}, {a[0], a[1]}), e = common({x, y}, {a[2], a[3]});
      return add({TileOp::where, {factor(p, compared), factor(q, compared), factor(x, e), factor(y, e)}},
                 {p.source, q.source, x.source, y.source}, e);
    }
    case Op::absolute: {
      const Unit x = plain(a[0]);
      return add({TileOp::absolute}, {x.source}, x.exponent);
    }
    case Op::sign:
      return add({TileOp::sign}, {plain(a[0]).source}, 0);
    case Op::raise: {
      const Unit x = plain(a[0]), y = plain(a[1]);
      return add({TileOp::raise, {factor(x, 0), factor(y, 0)}}, {x.source, y.source}, 0);
    }
    case Op::logarithm: {
      const Unit x = plain(a[0]);
      const Real more = x.exponent == zero_exponent ? Real(0) : Real(Real(x.exponent) * log(Real(2)));
      return add({TileOp::logarithm, {more}}, {x.source}, 0);
    }
    default: {
      const Unit x = plain(a[0]);
      const TileOp op = here.op == Op::exponential ? TileOp::exponential : TileOp::tangent;
      return add({op, {factor(x, 0)}}, {x.source}, 0);
    }
  }
}

}  // namespace rarefact::formula
