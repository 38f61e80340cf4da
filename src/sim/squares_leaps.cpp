#include <cmath>

#include "algebra/runs.hpp"
#include "sim/fast_forward.hpp"

namespace rarefact {

namespace {

/// True for an even whole number, also above 2^53. (std::fmod takes a third of a run.)
bool even(double n) {
  return 2 * std::floor(n / 2) == n;
}

/// (1 - r)^n.
double power(double r, double n) {
  if (r < 1) return std::exp(n * std::log1p(-r));
  const double size = std::exp(n * std::log1p(r - 2));
  return even(n) ? size : -size;
}

/// The number after n steps of η from 0 towards x, back where it is beyond.
double walked(double step, double x, double n) {
  const double sign = x < 0 ? -1 : 1, aim = std::abs(x);
  double top = std::ceil(aim / step);  // the quotient is rounded
  if (step * (top - 1) >= aim) --top;
  if (step * top < aim) ++top;
  if (n <= top || step * top == aim) return sign * step * std::min(n, top);
  return sign * step * (even(n - top) ? top : top - 1);
}

class SquaresLeaps final : public OneMatrix<ColumnMatrix> {
 public:
  SquaresLeaps(Ruled<ColumnMatrix> rule, const SquaresProblem<ColumnMatrix>& problem,
               const Step<double>& step, bool signs)
      : OneMatrix(std::move(rule)), problem_(problem), step_(step), signs_(signs) {}

  bool advance(TrainingState<ColumnMatrix>& state, const RuleContext<ColumnMatrix>& context,
               std::int64_t until) override {
    const auto n = static_cast<double>(until - state.step), all = static_cast<double>(until);
    ColumnMatrix goal = problem_.minimiser;
    if (!signs_) {
      for_runs(goal, [&](Index c, Index, Index size, const double*, double* at) {
        const double h = problem_.second_diagonal(c);
        for (Index i = 0; i < size; ++i) at[i] *= h / (h + step_.decay);
      });
      combine(state.w, 1, -1, goal);
      for_runs(state.w, [&](Index c, Index, Index size, const double*, double* at) {
        const double left = power(step_.size * (problem_.second_diagonal(c) + step_.decay), n);
        for (Index i = 0; i < size; ++i) at[i] *= left;
      });
      combine(state.w, 1, 1, goal);
    } else {
      map_in_place(goal, goal, [&](double x, double) { return walked(step_.size, x, all); });
      state.w = std::move(goal);
    }
    if (context.rounding) context.rounding->weight(state.w);
    if (!all_finite(state.w)) return false;
    state.step = state.updates = until;
    return true;
  }

 private:
  const SquaresProblem<ColumnMatrix>& problem_;
  Step<double> step_;
  bool signs_;
};

}  // namespace

std::unique_ptr<Stepper<ColumnMatrix>> squares_leaps(Ruled<ColumnMatrix> rule,
                                                     const SquaresProblem<ColumnMatrix>& problem,
                                                     const Step<double>& step, bool signs) {
  return std::make_unique<SquaresLeaps>(std::move(rule), problem, step, signs);
}

}  // namespace rarefact
