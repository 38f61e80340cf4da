#pragma once

/// The memory as a referee would write it: long doubles, K x K arrays, no reduction, no trick. GD, SignGD and
/// Adam with identity embeddings, population data.

#include <cmath>
#include <string>
#include <vector>

namespace reference {

struct PlainRun {
  std::vector<long double> error, class_loss;  ///< per class, at the last step
};

inline PlainRun plain_run(const std::string& rule, const std::vector<double>& p, long double noise, int steps,
                          long double step_size) {
  const std::size_t classes = p.size();
  const long double total = static_cast<long double>(classes);
  using Square = std::vector<std::vector<long double>>;  // [column][row]
  Square w(classes, std::vector<long double>(classes)), mean = w, square = w;
  PlainRun run{std::vector<long double>(classes), std::vector<long double>(classes)};
  for (int step = 0; step <= steps; ++step) {
    for (std::size_t l = 0; l < classes; ++l) {
      std::vector<long double> probability(classes);
      long double sum = 0, wrong = 0;
      for (std::size_t k = 0; k < classes; ++k) sum += probability[k] = std::exp(w[l][k] - w[l][l]);
      run.class_loss[l] = 0;
      for (std::size_t k = 0; k < classes; ++k) {
        const long double pi = (k == l ? 1 - noise : 0) + noise / total;
        probability[k] /= sum;
        if (k != l) wrong += probability[k];
        if (pi > 0) run.class_loss[l] -= pi * (k == l ? -std::log1p(sum - 1) : std::log(probability[k]));
      }
      run.error[l] = wrong;
      if (step == steps) continue;
      for (std::size_t k = 0; k < classes; ++k) {
        const long double pi = (k == l ? 1 - noise : 0) + noise / total;
        const long double g = static_cast<long double>(p[l]) * (probability[k] - pi);
        long double d = g;
        if (rule == "signgd") d = g > 0 ? 1 : (g < 0 ? -1 : 0);
        if (rule == "adam") {
          mean[l][k] = 0.9L * mean[l][k] + 0.1L * g;
          square[l][k] = 0.999L * square[l][k] + 0.001L * g * g;
          const long double m = mean[l][k] / (1 - std::pow(0.9L, step + 1));
          const long double v = square[l][k] / (1 - std::pow(0.999L, step + 1));
          d = m / (std::sqrt(v) + 1e-8L);
        }
        w[l][k] -= step_size * d;
      }
    }
  }
  return run;
}

}  // namespace reference
