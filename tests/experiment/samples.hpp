#pragma once

// Experiments for the tests of experiment files: one good text, and one experiment for every row of every
// catalogue.

#include <string>
#include <vector>

#include "experiment/keys.hpp"
#include "experiment/read.hpp"
#include "experiment/setting.hpp"
#include "reference/cells.hpp"
#include "reference/with_defaults.hpp"

namespace rarefact {

/// Line by line, so that a test can replace one and say where the error is.
inline const std::vector<std::string> good_lines = {
    /* 1 */ "name = \"t\"",
    /* 2 */ "seed = 1",
    /* 3 */ "",
    /* 4 */ "[classes]",
    /* 5 */ "spectrum = \"power_law\"",
    /* 6 */ "count = 100",
    /* 7 */ "exponent = 1.5",
    /* 8 */ "",
    /* 9 */ "[embedding]",
    /* 10 */ "kind = \"orthogonal\"",
    /* 11 */ "",
    /* 12 */ "[data]",
    /* 13 */ "mode = \"population\"",
    /* 14 */ "label_noise = 0.1",
    /* 15 */ "",
    /* 16 */ "[run]",
    /* 17 */ "steps = 20",
    /* 18 */ "engine = \"auto\"",
    /* 19 */ "record = \"all\"",
    /* 20 */ "classes = \"groups\"",
    /* 21 */ "spectral_metrics = \"off\"",
    /* 22 */ "",
    /* 23 */ "[[optimizer]]",
    /* 24 */ "name = \"a\"",
    /* 25 */ "rule = \"adam\"",
    /* 26 */ "step_size = 0.5",
    /* 27 */ "beta1 = 0.9",
    /* 28 */ "",
    /* 29 */ "[[optimizer]]",
    /* 30 */ "rule = \"muon\"",
    /* 31 */ "step_size = 1.0",
};

/// The good text with one line replaced.
inline std::string text_with(std::size_t line, const std::string& replacement) {
  std::string text;
  for (std::size_t i = 0; i < good_lines.size(); ++i)
    text += (i + 1 == line ? replacement : good_lines[i]) + "\n";
  return text;
}

inline std::string good_text() {
  return text_with(0, "");
}

/// A legal value of a parameter, the same at every call; `variant` gives another one where there are several.
inline Value legal_value(const Parameter& parameter, int variant) {
  const bool low = std::isfinite(parameter.legal.low), high = std::isfinite(parameter.legal.high);
  const double part = (1 + variant % 3) / 4.0;
  double x = 0.1 + variant % 7;
  if (low && high)
    x = parameter.legal.low + part * (std::min(parameter.legal.high, 1e4) - parameter.legal.low);
  else if (low)
    x = parameter.legal.low + 0.1 + variant % 7;
  switch (parameter.kind) {
    case Kind::number:
      return x;
    case Kind::count:
      return 2 * std::ceil(x / 2) + 10;
    case Kind::integer:
      return static_cast<std::int64_t>(x / 100 + 2);
    case Kind::boolean:
      return variant % 2 == 0;
    case Kind::text:
      if (!parameter.choices.empty())
        return parameter.choices[static_cast<std::size_t>(variant) % parameter.choices.size()];
      return std::string("a \"quoted\" \\ text é");
    case Kind::formula:
      return std::string("G");
    case Kind::path:
      return std::string("../no such folder/file.npy");
    case Kind::column:
      return std::string(variant % 2 == 0 ? "7" : "a name");
    case Kind::numbers:
      return std::vector<double>{0.5, x, 3e-7};
    case Kind::matrix:
      return std::vector<double>{0, -1, 1, 0};
    case Kind::ranked:
      return std::vector<double>{0.5, 16};
  }
  return false;
}

/// Parameters of a catalogue row: the required ones, and every other of the rest.
inline ParameterValues some_parameters(const std::vector<Parameter>& parameters, int variant) {
  ParameterValues values;
  int number = variant;
  bool optional_one = false;
  for (const Parameter& parameter : parameters) {
    const bool required = !parameter.default_value && !parameter.optional;
    // Optional parameters of a row may exclude one another: at most one of them.
    const bool wanted = parameter.optional ? !optional_one && number % 2 == 0 : number % 2 == 0;
    if (required || wanted)
      values.set(parameter.name + (parameter.family ? ".x" : ""), legal_value(parameter, number));
    if (parameter.optional && wanted) optional_one = true;
    ++number;
  }
  return with_defaults(parameters, values);
}

}  // namespace rarefact
