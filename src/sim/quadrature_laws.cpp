// Which laws of answers a quadrature holds.

#include <fmt/format.h>

#include <algorithm>

#include "sim/embedded_sides.hpp"

namespace rarefact {

namespace {

/// Why no nodes stand for the answers of a law.
std::string not_smooth(const Component& law) {
  const auto rough = [&law]() -> std::string {
    if (law.kind == "modulo")
      return "on a smooth spectrum it is one with answers.power = 1 and a count that divides the number of queries; "
             "otherwise neighbouring answers have other queries, or one more";
    if (law.kind != "fan_in") return "a node is an answer with queries of its own";
    if (law.parameters.number("within") > 0)
      return "where queries of an answer differ (answers.within), all answers must have the same number of them on a smooth "
             "spectrum; a sum over queries 1..r jumps with r, and is not defined for a real one";
    return "one number for all answers, or answers.rounded = false, on a smooth spectrum is one";
  };
  const bool sometimes = law.kind == "fan_in" || law.kind == "modulo";
  return fmt::format("law of answers '{}' is {} smooth function of the rank: {}", law.kind,
                     sometimes ? "here no" : "not a", rough());
}

/// Whether every class that is asked for is the first or the last.
bool ends_alone(const ClassRule& classes, double last) {
  return classes.kind == ClassRule::Kind::list &&
         std::ranges::all_of(classes.list, [last](const ClassAt& at) {
           const bool end = at.value == 1 || at.value == last;
           return at.kind == ClassAt::Kind::last || (at.kind == ClassAt::Kind::rank && end);
         });
}

/// Why nobody knows which queries run.classes asks for; empty where it is known.
std::string unknown_order(const EngineCase& asked) {
  const SmoothLaw& law = *asked.spectrum.law;
  const ClassRule& classes = asked.experiment.classes;
  if (asked.spectrum.groups || classes.kind == ClassRule::Kind::groups || law.dealt) return "";
  if (!law.query) {
    return likeliest_first(law)
               ? ""
               : "the likeliest queries are not those of the first answers, so that nobody knows which "
                 "ones run.classes asks for";
  }
  return ends_alone(classes, asked.spectrum.classes)
             ? ""
             : "queries of different answers come in no order that is known, but for the first and the last: run.classes "
               "= [1, \"last\"] or \"groups\"";
}

}  // namespace

std::string law_without_nodes(const EngineCase& asked) {
  return asked.spectrum.law ? unknown_order(asked) : not_smooth(asked.experiment.answers);
}

}  // namespace rarefact
