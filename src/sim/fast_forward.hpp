#pragma once

/// Many updates at once, while updates hardly change anything (run.fast_forward).

#include <cstdint>
#include <memory>

#include "model/squares_memory.hpp"
#include "sim/stepper.hpp"

namespace rarefact {

/// Estimated number of single updates before a run leaps.
inline constexpr double usual_single_steps = 3000;

/// The plan of a training that leaps.
struct ForwardPlan {
  MarginRecursion rule;
  /// Use a shorter series from an earlier state; the difference estimates the error.
  bool checking = false;
};

/// Integrates the margins of a training. `exchange` saves or loads its state.
class MarginIntegrator {
 public:
  virtual ~MarginIntegrator() = default;
  /// True if margins that moved from `before` to `now` in this many updates may leap from now on. `farthest`:
  /// the largest distances from `before` in between.
  virtual bool begin(const Vector& before, const Vector& now, const Vector& farthest, double updates) = 0;
  /// The margins n updates after `begin`; n ascends from call to call.
  virtual Vector after(double n) = 0;
  /// Single updates made since `begin`.
  virtual std::int64_t updates() const { return 0; }
  virtual void exchange(Archive& archive) = 0;
};

/// Single updates of a training on columns of two numbers until its margins follow their flow, then leaps to
/// the recorded steps.
class Leaps final : public OneMatrix<ColumnMatrix> {
 public:
  Leaps(Ruled<ColumnMatrix> rule, const ColumnMemory& memory, const ForwardPlan& plan,
        const Step<double>& step, const Workers& workers);
  bool advance(TrainingState<ColumnMatrix>& state, const RuleContext<ColumnMatrix>& context,
               std::int64_t until) override;
  void exchange(Archive& archive) override;

 private:
  /// True if the training may leap to any later step.
  bool ready(std::int64_t step, const ColumnMatrix& w);

  std::unique_ptr<MarginIntegrator> way_;
  double answers_;
  std::int64_t judging_;                  // updates after which momentum has 1/e left; they judge a flow
  Vector before_;                         // the margins at step `judged_`
  Vector farthest_;                       // their greatest distances from it since
  std::int64_t judged_ = 0, begun_ = -1;  // steps
};

/// Leaps of least squares whose numbers move alone from W = 0, in closed form: with constant steps of gradient descent
/// x_t = x* + (1 - r)^t (x_0 - x*), r = η(h + λ), x* = h x°/(h + λ), h of the second moment; with signs to the first
/// multiple of η beyond x°, and then back and forth.
std::unique_ptr<Stepper<ColumnMatrix>> squares_leaps(Ruled<ColumnMatrix> rule,
                                                     const SquaresProblem<ColumnMatrix>& problem,
                                                     const Step<double>& step, bool signs);

}  // namespace rarefact
