#include "model/column_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/compensated_sum.hpp"
#include "model/log_odds.hpp"

namespace rarefact {

namespace {

/// Answers of one query that share a value.
struct Shared {
  bool right = false;
  double law = 0, times = 0;
};

/// Right answers first, likeliest first, equal ones merged.
std::vector<Shared> shared_values(const QueryType& query, const std::vector<double>& twins, double kept,
                                  double noise) {
  std::vector<Shared> values;
  for (const AnswerShare& share : query.answers)
    values.push_back(
        {share.right, kept * share.probability + noise, twins[static_cast<std::size_t>(share.type)]});
  std::ranges::stable_sort(
      values, [](const Shared& a, const Shared& b) { return a.right != b.right ? a.right : a.law > b.law; });
  std::size_t last = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i].right == values[last].right && values[i].law == values[last].law) {
      values[last].times += values[i].times;
    } else {
      values[++last] = values[i];
    }
  }
  values.resize(last + 1);
  return values;
}

}  // namespace

bool deterministic(const Units& units) {
  for (const UnitGroup& group : units.groups) {
    for (const QueryType& query : group.queries) {
      const bool one = query.answers.size() == 1 && query.answers.front().right;
      if (!one || group.answer_twins[static_cast<std::size_t>(query.answers.front().type)] != 1) return false;
    }
  }
  return true;
}

ColumnLaws column_laws(const Population& population) {
  const Units& units = *population.units;
  ColumnStructure s;
  s.answers = units.answers();
  ColumnLaws laws;
  laws.other = population.label_noise / s.answers;
  s.middle_begin.push_back(0);
  for (const auto& [group, type] : query_types(units)) {
    const UnitGroup& unit = units.groups[group];
    const QueryType& query = unit.queries[type];
    const std::vector<Shared> values =
        shared_values(query, unit.answer_twins, 1 - population.label_noise, laws.other);
    s.count.push_back(unit.count * query.twins);
    CompensatedSum rest, right, wrong;
    rest.add(s.answers);
    for (const Shared& one : values) {
      rest.add(-one.times);
      (one.right ? right : wrong).add(one.law * one.times);
    }
    // Of real multiplicities what rounding leaves of nothing is nothing.
    const double left =
        rest.value() > 8 * std::numeric_limits<double>::epsilon() * s.answers ? rest.value() : 0;
    wrong.add(left * laws.other);
    s.own_times.push_back(values.front().times);
    s.other_times.push_back(left);
    for (std::size_t i = 1; i < values.size(); ++i) {
      s.middle_times.push_back(values[i].times);
      laws.middle.push_back(values[i].law);
    }
    s.middle_begin.push_back(s.middles());
    laws.own.push_back(values.front().law);
    laws.right.push_back(static_cast<std::size_t>(std::ranges::count(values, true, &Shared::right)) - 1);
    laws.right_mass.push_back(right.value());
    laws.wrong_mass.push_back(wrong.value());
  }
  laws.structure = std::make_shared<const ColumnStructure>(std::move(s));
  return laws;
}

ColumnLaw ColumnLaws::of(Index l) const {
  const auto at = static_cast<std::size_t>(l);
  const auto begin = static_cast<std::size_t>(structure->middle_begin[at]),
             size = static_cast<std::size_t>(structure->middle_begin[at + 1]) - begin;
  return {structure->own_times[at],
          own[at],
          structure->other_times[at],
          other,
          std::span(structure->middle_times).subspan(begin, size),
          std::span(middle).subspan(begin, size),
          right[at],
          right_mass[at],
          wrong_mass[at]};
}

Index ColumnLaws::value_of(Index l, const AnswerShare& share, double label_noise) const {
  const ColumnLaw law = of(l);
  const double target = (1 - label_noise) * share.probability + other;
  if (share.right && law.own_law == target) return 0;
  for (std::size_t i = 0; i < law.law.size(); ++i) {
    if ((i < law.right) == share.right && law.law[i] == target) return static_cast<Index>(i) + 1;
  }
  throw std::logic_error("an answer without a value in its column");
}

double ValueSoftmax::log_odds() const {
  return wrong_peak - right_peak + std::log(wrong_sum / right_sum);
}

ValueSoftmax softmax_of(const ColumnLaw& law, double own, double other, const double* middle) {
  ValueSoftmax found{own, -std::numeric_limits<double>::infinity(), 0, 0};
  for (std::size_t i = 0; i < law.right; ++i) found.right_peak = std::max(found.right_peak, middle[i]);
  if (law.other_times > 0) found.wrong_peak = other;
  for (std::size_t i = law.right; i < law.times.size(); ++i)
    found.wrong_peak = std::max(found.wrong_peak, middle[i]);
  found.right_sum = law.own_times * std::exp(own - found.right_peak);
  for (std::size_t i = 0; i < law.right; ++i)
    found.right_sum += law.times[i] * std::exp(middle[i] - found.right_peak);
  if (law.other_times > 0) found.wrong_sum = law.other_times * std::exp(other - found.wrong_peak);
  for (std::size_t i = law.right; i < law.times.size(); ++i)
    found.wrong_sum += law.times[i] * std::exp(middle[i] - found.wrong_peak);
  return found;
}

double excess_loss(const ColumnLaw& law, const ValueSoftmax& softmax, double own, double other,
                   const double* middle) {
  const double odds = softmax.log_odds();
  const double right_loss = softplus(odds),
               wrong_loss = softplus(-odds);  // -ln of 1 - error, and of the error
  const double log_right = law.wrong_mass < 0.5 ? std::log1p(-law.wrong_mass) : std::log(law.right_mass);
  // Σ π h(ln p̂ - ln π) with h(x) = e^x - 1 - x, and what has π = 0 by its probability: no term cancels another.
  double excess = 0;
  const auto add_right = [&](double times, double pi, double logit) {
    const double inside = logit - softmax.right_peak - std::log(softmax.right_sum * pi / law.right_mass);
    excess += times * pi * exp_remainder(inside - right_loss - log_right);
  };
  const auto add_wrong = [&](double times, double pi, double logit) {
    const double log_guess = logit - softmax.wrong_peak - std::log(softmax.wrong_sum) - wrong_loss;
    excess += times * (pi > 0 ? pi * exp_remainder(log_guess - std::log(pi)) : std::exp(log_guess));
  };
  add_right(law.own_times, law.own_law, own);
  for (std::size_t i = 0; i < law.times.size(); ++i)
    i < law.right ? add_right(law.times[i], law.law[i], middle[i])
                  : add_wrong(law.times[i], law.law[i], middle[i]);
  if (law.other_times > 0) add_wrong(law.other_times, law.other_law, other);
  return excess;
}

void to_residual(const ColumnLaw& law, const ValueSoftmax& softmax, double p, double shift, double& own,
                 double& other, double* middle) {
  // The probability of an answer is e^(logit - peak) times its side's share, over what the sides hold.
  const double peak = std::max(softmax.right_peak, softmax.wrong_peak);
  const double right = std::exp(softmax.right_peak - peak), wrong = std::exp(softmax.wrong_peak - peak);
  const double all = softmax.right_sum * right + softmax.wrong_sum * wrong;
  const double wrong_share = shift == 0 ? wrong / all : std::exp(softmax.wrong_peak - peak - shift) / all;
  const double settled = law.wrong_mass - softmax.wrong_sum * wrong_share;  // 1 - π(R) - error
  CompensatedSum others;
  for (std::size_t i = 0; i < law.times.size(); ++i) {
    const double pi = law.law[i];
    if (i < law.right) {
      const double inside = std::exp(middle[i] - softmax.right_peak) / softmax.right_sum;
      middle[i] = p * (law.right_mass * inside - pi + settled * inside);
    } else {
      middle[i] = p * (std::exp(middle[i] - softmax.wrong_peak) * wrong_share - pi);
    }
    others.add(law.times[i] * middle[i]);
  }
  other = law.other_times > 0 ? p * (std::exp(other - softmax.wrong_peak) * wrong_share - law.other_law) : 0;
  others.add(law.other_times * other);
  own = -others.value() / law.own_times;
}

}  // namespace rarefact
