#include <fmt/format.h>

#include "optim/formula/calculus.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

namespace {

constexpr char turns[] = "equivariant to rotations, any orthonormal embedding gives the same run";
constexpr char only_permuted[] = "permutations only";
constexpr char stay_equal[] = "yes";
constexpr char do_not_stay[] = "no";

std::string scale_text(std::optional<double> degree) {
  if (!degree) return "D(cX) is not a power of c times D(X)";
  if (*degree == 0) return "D(cX) = D(X)";
  return *degree == 1 ? "D(cX) = c D(X)" : fmt::format("D(cX) = c^{:g} D(X)", *degree);
}

RuleProperties of_formula(const ParameterValues& definitions) {
  const formula::Compiled rule = formula::compiled(definitions);
  const formula::Trait& d = rule.traits[rule.graph.direction];
  const auto because = [&](const std::string& text, const formula::Because& by) {
    return by.node < 0 ? text : fmt::format("{}, because of {}", text, rule.graph.nodes[by.node].text);
  };
  const auto side = [&](const formula::Turning& turning) {
    return turning.rotates ? std::string(turns) : because(only_permuted, turning.because);
  };
  const bool leaves = d.in_columns == formula::InColumns::no;
  const std::optional<double> degree = d.degree.any ? formula::Degree() : d.degree;
  return {.answers = side(d.answers),
          .queries = side(d.queries),
          .columns = leaves ? because(do_not_stay, d.columns_because) : stay_equal,
          .scale = because(scale_text(degree), degree ? formula::Because() : d.degree.because)};
}

}  // namespace

RuleProperties properties_of(const OptimizerRow& rule, const ParameterValues& parameters) {
  if (rule.definitions) return of_formula(rule.definitions(parameters));
  const Symmetries has = rule.symmetries_of(parameters);
  return {.answers = has.answers_rotate ? turns : only_permuted,
          .queries = has.queries_rotate ? turns : only_permuted,
          .columns = has.keeps_wrong_ties ? stay_equal : do_not_stay,
          .scale = has.scale_invariant ? scale_text(0) : "depends on its parameters"};
}

std::string in_one_line(const RuleProperties& properties) {
  return fmt::format("answers: {}; queries: {}; equal wrong logits stay equal: {}; scale: {}",
                     properties.answers, properties.queries, properties.columns, properties.scale);
}

}  // namespace rarefact
