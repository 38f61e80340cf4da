#include "model/schedule.hpp"

#include <fmt/format.h>

namespace rarefact {

const std::vector<ScheduleRow>& schedule_catalogue() {
  // The cosine is cos² πt/(2T), as the sine of what is left of the run, which does not cancel at its end.
  static const std::vector<ScheduleRow> rows = {
      {{"constant", "the same step size throughout", "η_t = η", ""}, "1"},
      {{"inverse_sqrt", "slow decay, whatever the number of steps", "η_t = η/√(t + t0)", ""},
       "1/sqrt(step + t0)"},
      {{"linear", "linearly to zero at the end of the run", "η_t = η (1 - t/T)", ""}, "(steps - step)/steps"},
      {{"cosine", "half a cosine wave to zero at the end of the run", "η_t = η (1 + cos(πt/T))/2", ""},
       "sin((steps - step)/steps*(pi/2))**2"}};
  return rows;
}

NumberExpression schedule_factor(const std::string& schedule) {
  const ScheduleRow* row = find_row(schedule_catalogue(), schedule);
  std::vector<std::string> names = {"step", "steps"};
  if (row != nullptr) names.push_back("t0");
  return {row != nullptr ? row->factor : schedule, std::move(names)};
}

std::string overshoot_text(double product) {
  return fmt::format("η_t λ = {:g} is above 1: decay alone would change the sign of W", product);
}

}  // namespace rarefact
