// Rules of other programs on the algebras of this one: each matrix they see holds one of DenseMatrix, SymmetricMatrix and
// ColumnMatrix.

#include "rarefact/rule.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "optim/update_rule.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

class RuleMatrix::Storage {
 public:
  using Shared = std::shared_ptr<const Storage>;
  virtual ~Storage() = default;
  virtual Shared combined(double a, double c, const Storage& x) const = 0;
  virtual Shared mapped(const std::function<double(double)>& f) const = 0;
  virtual Shared mapped(const Storage& x, const std::function<double(double, double)>& f) const = 0;
  virtual double norm() const = 0;
};

namespace {

using Storage = RuleMatrix::Storage;

template <class M>
struct Held final : Storage {
  M matrix;
  explicit Held(M m) : matrix(std::move(m)) {}

  static const M& of(const Storage& x) { return static_cast<const Held&>(x).matrix; }
  Shared combined(double a, double c, const Storage& x) const override {
    auto sum = std::make_shared<Held>(matrix);
    combine(sum->matrix, a, c, of(x));
    return sum;
  }
  Shared mapped(const std::function<double(double)>& f) const override {
    return std::make_shared<Held>(rarefact::mapped(matrix, f));
  }
  Shared mapped(const Storage& x, const std::function<double(double, double)>& f) const override {
    auto changed = std::make_shared<Held>(matrix);
    map_in_place(changed->matrix, of(x), f);
    return changed;
  }
  double norm() const override { return frobenius_norm(matrix); }
};

template <class M>
struct Tools final : RuleTools {
  const RuleContext<M>& context;
  explicit Tools(const RuleContext<M>& c) : context(c) {
    rows = c.shape.rows;
    columns = c.shape.columns;
  }

  RuleMatrix polar(const RuleMatrix& x) const override {
    if (!x.storage()) return {};
    if constexpr (HasPolar<M>) {
      typename M::Polar factor;
      const M& matrix = Held<M>::of(*x.storage());
      if constexpr (std::is_same_v<M, DenseMatrix>) {
        return {std::make_shared<Held<M>>(factor(matrix, context.workers, context.polar)), 0};
      } else {
        return {std::make_shared<Held<M>>(factor(matrix, context.workers)), 0};
      }
    } else {
      throw std::logic_error("a rule that keeps columns has no polar factor");
    }
  }
};

/// The rule of another program on one algebra.
template <class M>
class Adapted final : public UpdateRule<M> {
 public:
  explicit Adapted(std::unique_ptr<Rule> rule) : rule_(std::move(rule)) {}

  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) override {
    const RuleMatrix seen(std::make_shared<Held<M>>(gradient.ambient()), gradient.exponent);
    shown_ = rule_->direction(seen, Tools<M>(context));
    // No matrix is the zero matrix.
    if (!shown_.storage()) shown_ = 0.0 * seen;
    return {&Held<M>::of(*shown_.storage()), 1, shown_.exponent()};
  }

  void exchange(Archive& archive) override {
    for (RuleMatrix* one : rule_->memory()) {
      bool held = one->storage() != nullptr;
      int exponent = one->exponent();
      M matrix = held ? Held<M>::of(*one->storage()) : M();
      archive(held, exponent);
      if (held) archive(matrix);
      if (archive.loading())
        *one = held ? RuleMatrix(std::make_shared<Held<M>>(std::move(matrix)), exponent) : RuleMatrix();
    }
  }

 private:
  std::unique_ptr<Rule> rule_;
  RuleMatrix shown_;
};

/// The power of two of ‖a X‖; far below all others where it is 0.
int size_exponent(double a, const RuleMatrix& x) {
  const double size = x.storage()->norm();
  return size > 0 && std::isfinite(size) ? std::ilogb(a) + std::ilogb(size) + x.exponent() : -(1 << 20);
}

/// a 2^exponent, the nearest that is finite.
double scaled(double a, int exponent) {
  return std::ldexp(a, std::min(exponent, 1000 - std::ilogb(a)));
}

}  // namespace

RuleMatrix combined(double a, const RuleMatrix& x, double c, const RuleMatrix& y) {
  const bool has_x = a != 0 && x.storage(), has_y = c != 0 && y.storage();
  if (!has_x && has_y) return combined(c, y, 0, {});
  if (!has_y) return x.storage() ? RuleMatrix(x.storage()->combined(a, 0, *x.storage()), x.exponent()) : y;
  // The unit in which the larger one is about 1: what underflows in it would not have moved the sum.
  const int unit = std::max(size_exponent(a, x), size_exponent(c, y));
  return {x.storage()->combined(scaled(a, x.exponent() - unit), scaled(c, y.exponent() - unit), *y.storage()),
          unit};
}

double norm(const RuleMatrix& x) {
  return x.storage() ? std::ldexp(x.storage()->norm(), x.exponent()) : 0;
}

RuleMatrix normalised(const RuleMatrix& x) {
  const double size = x.storage() ? x.storage()->norm() : 0;
  if (!(size > 0)) return x;
  return {x.storage()->mapped([size](double entry) { return entry / size; }), 0};
}

RuleMatrix sign(const RuleMatrix& x) {
  if (!x.storage()) return x;
  return {x.storage()->mapped([](double entry) { return double((entry > 0) - (entry < 0)); }), 0};
}

RuleMatrix map(const RuleMatrix& x, const std::function<double(double)>& f) {
  if (!x.storage()) return x;
  if (x.exponent() == 0) return {x.storage()->mapped(f), 0};
  return {x.storage()->mapped([&f, e = x.exponent()](double entry) { return f(std::ldexp(entry, e)); }), 0};
}

RuleMatrix map(const RuleMatrix& x, const RuleMatrix& y, const std::function<double(double, double)>& f) {
  if (!x.storage() && !y.storage()) return x;
  const RuleMatrix a = x.storage() ? x : 0.0 * y, b = y.storage() ? y : 0.0 * x;
  const auto at_true_scale = [&f, i = a.exponent(), j = b.exponent()](double p, double q) {
    return f(std::ldexp(p, i), std::ldexp(q, j));
  };
  return {a.storage()->mapped(*b.storage(), at_true_scale), 0};
}

void add_rule(RuleRow row) {
  if (!row.make) throw std::logic_error("rule '" + row.name + "' has no function that makes it");
  OptimizerRow added;
  added.name = row.name;
  added.summary = row.summary;
  added.formula = row.formula;
  added.parameters = row.parameters;
  added.symmetries = {.answers_rotate = row.answers_rotate,
                      .queries_rotate = row.queries_rotate,
                      .keeps_columns = row.keeps_columns,
                      .scale_invariant = row.scale_invariant,
                      .equalises = row.equalises};
  const auto factory = [&row]<class M>(std::type_identity<M>) {
    return [make = row.make](const ParameterValues& values) -> std::unique_ptr<UpdateRule<M>> {
      return std::make_unique<Adapted<M>>(make(values));
    };
  };
  added.dense = factory(std::type_identity<DenseMatrix>());
  added.symmetric = factory(std::type_identity<SymmetricMatrix<double>>());
  added.symmetric50 =
      [name = row.name](const ParameterValues&) -> std::unique_ptr<UpdateRule<SymmetricMatrix<Real50>>> {
    throw InputError("rule '" + name +
                     "' computes in doubles; run.precision = 50 is for the program's own rules");
  };
  if (row.keeps_columns) added.columns = factory(std::type_identity<ColumnMatrix>());
  add_optimizer(std::move(added));
}

}  // namespace rarefact
