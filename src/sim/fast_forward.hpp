#pragma once

/// Many updates at once, where single ones hardly change anything (run.fast_forward).

#include <cstdint>
#include <memory>
#include <string>

#include "model/column_layout.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

/// The updates that a run is guessed to take one by one before the rest is leapt over.
inline constexpr double usual_single_steps = 3000;

/// How a training leaps.
struct ForwardPlan {
  MarginRecursion rule;
  /// A shorter series, from an earlier state: what differs from the other is an error.
  bool checking = false;
};

/// How margins move that a training has brought so far. Its state is what `exchange` names.
class MarginWay {
 public:
  virtual ~MarginWay() = default;
  /// Whether margins that an update has led from `before` to `now` may leap from now on.
  virtual bool begin(const Vector& before, const Vector& now) = 0;
  /// The margins n updates after `begin`; n ascends from call to call.
  virtual Vector after(double n) = 0;
  /// Updates made one by one since `begin`.
  virtual std::int64_t updates() const { return 0; }
  virtual void exchange(Archive& archive) = 0;
};

/// Where a training on columns of two numbers leaps, and to what.
class FastForward {
 public:
  FastForward(const ColumnMemory& memory, const ForwardPlan& plan, double step_size, const Workers& workers);

  /// To be asked after every update: whether the next state may be that of any later step.
  bool ready(std::int64_t step, const ColumnMatrix& w);
  /// W after `step` updates in all. Precondition: ready.
  void leap(std::int64_t step, ColumnMatrix& w);
  std::int64_t updates() const { return begun_ < 0 ? 0 : begun_ + way_->updates(); }
  void exchange(Archive& archive);

 private:
  std::unique_ptr<MarginWay> way_;
  double answers_;
  Vector before_;                         // the margins one step before they are judged
  std::int64_t judged_ = 0, begun_ = -1;  // steps
};

}  // namespace rarefact
