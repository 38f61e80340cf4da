// Which laws of answers a quadrature holds.

#include <fmt/format.h>

#include "sim/embedding_reduction.hpp"

namespace rarefact {

namespace {

/// Why no nodes stand for the answers of a law.
std::string not_smooth(const Component& law) {
  const auto rough = [&law]() -> std::string {
    if (law.kind == "modulo")
      return "on a smooth spectrum it is one with answers.power = 1 and a count that divides the number of queries; "
             "otherwise neighbouring answers have other queries, or one more";
    if (law.kind != "fan_in") return "a node is an answer with queries of its own";
    if (law.parameters.number("within") > 0) return "the queries of an answer differ (answers.within)";
    return "one number for all answers, or answers.rounded = false, on a smooth spectrum is one";
  };
  const bool sometimes = law.kind == "fan_in" || law.kind == "modulo";
  return fmt::format("law of answers '{}' is {} smooth function of the rank: {}", law.kind,
                     sometimes ? "here no" : "not a", rough());
}

/// Why nobody knows which queries run.classes asks for; empty where it is known.
std::string unknown_order(const EngineCase& asked) {
  const SmoothLaw& law = *asked.spectrum.law;
  if (asked.spectrum.groups || asked.experiment.classes.kind == ClassRule::Kind::groups || law.dealt ||
      likeliest_first(law))
    return "";
  return "the likeliest queries are not those of the first answers, so that nobody knows which ones run.classes asks for";
}

}  // namespace

std::string law_without_nodes(const EngineCase& asked) {
  return asked.spectrum.law ? unknown_order(asked) : not_smooth(asked.experiment.answers);
}

}  // namespace rarefact
