#include <fmt/format.h>

#include "model/spectrum.hpp"

namespace rarefact {

namespace {

/// Throws InputError if the probability of the rarest class underflows.
SmoothLaw representable(SmoothLaw law) {
  if (!is_normal(law.weight(law.classes) / weight_of_ranks(law, law.classes)))
    throw too_small(fmt::format("the classes of rank {:g} have a probability", law.classes));
  return law;
}

/// The law with every class as a group of its own.
template <SmoothLaw (*law_of)(const ParameterValues&)>
ClassGroups written_out(const ParameterValues& parameters, const CountReader&) {
  const SmoothLaw law = law_of(parameters);
  if (law.uniform()) return {{law.classes}, {1 / law.classes}};
  if (law.classes > max_groups) {
    throw InputError(
        fmt::format("{:g} distinct classes ({:.3g} GB a number for each) are too many to write out, at "
                    "most {:g} are possible; engine \"quadrature\" needs none of them",
                    law.classes, law.classes * 8 / 1e9, max_groups));
  }
  std::vector<double> weight(static_cast<std::size_t>(law.classes));
  for (std::size_t k = 0; k < weight.size(); ++k) weight[k] = law.weight(static_cast<double>(k + 1));
  return normalised(std::vector<double>(weight.size(), 1.0), weight);
}

SmoothLaw power_law(const ParameterValues& parameters) {
  const double exponent = parameters.number("exponent");
  return representable({parameters.number("count"), [=](double k) { return std::pow(k, -exponent); }});
}

SmoothLaw zipf_mandelbrot(const ParameterValues& parameters) {
  const double exponent = parameters.number("exponent"), shift = parameters.number("shift");
  return representable(
      {parameters.number("count"), [=](double k) { return std::pow((k + shift) / (1 + shift), -exponent); }});
}

SmoothLaw log_normal(const ParameterValues& parameters) {
  const double location = parameters.number("location"), width = parameters.number("width");
  if (!(location <= width * width)) {
    throw InputError(fmt::format(
        "location {:g} is above width² = {:g}: the first class would not be the most frequent one", location,
        width * width));
  }
  const double curvature = 1 / (2 * width * width), slope = 1 - location / (width * width);
  return representable({parameters.number("count"), [=](double k) {
                          const double x = std::log(k);
                          return std::exp(-x * (slope + curvature * x));
                        }});
}

}  // namespace

std::vector<SpectrumRow> smooth_rows() {
  return {{{"power_law",
            "all classes have different frequencies",
            "p_k = k^-s / Σ_j j^-s",
            "",
            {count_parameter(), exponent_parameter("exponent s; 0 is uniform")}},
           written_out<power_law>,
           power_law},
          {{"zipf_mandelbrot",
            "a power law whose head is flattened, as in the words of a language",
            "p_k ∝ (k + q)^-s",
            "",
            {count_parameter(),
             exponent_parameter("exponent s; 0 is uniform"),
             {.name = "shift",
              .meaning = "shift q: the first q ranks or so are about equally likely",
              .default_value = 2.7,
              .legal = {.low = 0, .high = 1e6},
              .symbol = "q"}}},
           written_out<zipf_mandelbrot>,
           zipf_mandelbrot},
          {{"log_normal",
            "a logarithmic parabola of the rank: falls faster and faster",
            "p_k ∝ (1/k) exp(-(ln k - μ)² / (2w²))",
            "",
            {count_parameter(),
             {.name = "location", .meaning = "μ, at most w²", .default_value = 0.0, .symbol = "μ"},
             {.name = "width", .meaning = "w", .legal = {.low = 0, .low_open = true}, .symbol = "w"}}},
           written_out<log_normal>,
           log_normal}};
}

}  // namespace rarefact
