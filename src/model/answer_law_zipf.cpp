// The law `zipf`: every query ranks all answers, in an order of its own, and shares fall with the rank.

#include <fmt/format.h>

#include <cmath>

#include "core/random.hpp"
#include "core/sorted_order.hpp"
#include "model/answer_law_rows.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// The answers of query l from its first on.
class Orders {
 public:
  Orders(const AnswerLawRequest& request, std::size_t answers)
      : kind_(request.parameters.text("order")), stream_(request.seed, "answers"), answers_(answers) {}
  std::vector<std::size_t> of(std::size_t l) const {
    std::vector<std::size_t> order(answers_);
    if (kind_ == "random") {
      std::vector<double> drawn(answers_);
      for (std::size_t k = 0; k < answers_; ++k) drawn[k] = stream_.uniform(l, k);
      return sorted_order(answers_, std::less(), [&](std::size_t k) { return drawn[k]; });
    }
    std::iota(order.begin(), order.end(), kind_ == "shift" ? l : 0);
    for (std::size_t& answer : order) answer %= answers_;
    return order;
  }

 private:
  std::string kind_;
  RandomStream stream_;
  std::size_t answers_;
};

Pairs written(const ClassGroups& classes, const SmoothLaw& shares, const Orders& orders) {
  const auto answers = static_cast<std::size_t>(shares.classes);
  const double total = weight_of_ranks(shares, shares.classes);
  Pairs pairs;
  pairs.answers = static_cast<Index>(answers);
  for (const Index g : classes.group_of_each()) {
    const std::vector<std::size_t> order = orders.of(pairs.probability.size());
    const std::size_t begin = pairs.answer.size();
    pairs.answer.resize(begin + answers);
    std::iota(pairs.answer.begin() + static_cast<std::ptrdiff_t>(begin), pairs.answer.end(), Index{0});
    pairs.share.resize(begin + answers);
    pairs.right.resize(begin + answers, 0);
    for (std::size_t k = 0; k < answers; ++k)
      pairs.share[begin + order[k]] = shares.weight(static_cast<double>(k + 1)) / total;
    pairs.right[begin + order[0]] = 1;
    pairs.add_query(classes.probability[g]);
  }
  return pairs;
}

AnswerLaw zipf(const AnswerLawRequest& request) {
  const SmoothLaw shares{request.classes.classes,
                         [b = request.parameters.number("exponent")](double k) { return std::pow(k, -b); }};
  if (!is_normal(shares.weight(shares.classes) / weight_of_ranks(shares, shares.classes)))
    throw too_small(fmt::format("the answer of rank {:g} has a share", shares.classes));
  AnswerLaw law;
  if (request.classes.groups && shares.classes * shares.classes <= max_written_pairs) {
    const Orders orders(request, static_cast<std::size_t>(shares.classes));
    law = in_components(
        [classes = *request.classes.groups, shares, orders] { return written(classes, shares, orders); });
  } else if (request.classes.groups) {
    law.queries = *request.classes.groups;
  }
  law.alike = {shares, request.parameters.text("order") == "same"};
  return law;
}

std::vector<ParameterProblem> problems(const ParameterValues& parameters, std::optional<double> classes) {
  if (!classes || !parameters.has("count") || parameters.number("count") == *classes) return {};
  return {
      {"count",
       fmt::format(
           "answers.count: got {}, and with zipf all {} queries rank the same answers, as many as there are "
           "queries; expected {}, or none",
           parameters.number("count"), *classes, *classes)}};
}

}  // namespace

AnswerLawRow zipf_row() {
  return {
      {"zipf",
       "every query has every answer, with the same shares in an order of its own; the right answer is the first",
       "π₀(k|l) ∝ (rank of k for l)^-b, K = N",
       "kunstner2025",
       {{.name = "exponent",
         .meaning = "exponent b of the shares; 0: all equal",
         .default_value = 1.0,
         .legal = {.low = 0},
         .symbol = "b"},
        {.name = "order",
         .kind = Kind::text,
         .meaning =
             "same: every query ranks the answers alike; shift: query i = 0, 1, ... begins with answer i and goes "
             "round; random: drawn for every query, from the random stream \"answers\" of the seed",
         .default_value = "shift",
         .choices = {"same", "shift", "random"}},
        {.name = "count",
         .kind = Kind::count,
         .meaning = "number of answers K, which must be that of the queries; default: that",
         .legal = {2, max_classes},
         .optional = true,
         .symbol = "K"}}},
      "queries",
      false,
      "law = \"zipf\"\nexponent = 1\norder = \"random\"",
      zipf,
      problems};
}

}  // namespace rarefact
