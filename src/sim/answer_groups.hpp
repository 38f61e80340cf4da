#pragma once

/// The answers of a law as the groups of a result, and what a step shows of them.

#include "experiment/experiment.hpp"
#include "metrics/metric.hpp"
#include "model/answer_law.hpp"
#include "model/observation.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// Answers of one type of the units are a group, the most frequent ones first, equal ones in the order of the units. What is
/// of class groups is of the query types here, in their order.
AnswerGroups answer_groups_of(const AnswerLaw& law, double least_loss);

/// In which order a memory sees queries.
enum class CellOrder {
  units,    ///< query types, unit group by unit group
  types,    ///< query types, likeliest first
  queries,  ///< every query
};

/// What a step shows where the law of answers is not the identity; of answers means of one of each group, NaN where q_k = 0.
struct LawMeasures {
  double top1_error = 0;
  std::vector<double> answer_error = {}, answer_loss = {};
};

/// From what a memory sees of the answers of its queries to the groups of answers.
class AnswerMeasures {
 public:
  /// `written`: for CellOrder::queries; `shown`: the groups of answers that are shown, all of them if empty.
  AnswerMeasures(const AnswerLaw& law, const Experiment& experiment, CellOrder order,
                 const WrittenLaw* written, std::vector<std::size_t> shown = {});

  /// `mass`: the probability of every cell.
  LawMeasures operator()(const Observation& seen, const std::vector<double>& mass) const;

 private:
  /// One of Observation::log_answers, or of mean_log, for a group of answers.
  struct Share {
    std::size_t cell, group;
    double weight;
  };
  void add_types(const AnswerLaw& law, const std::vector<TypeAt>& cells);
  void add_queries(const AnswerLaw& law, const WrittenLaw& written);

  std::vector<std::size_t> group_of_type_;  // of answers, types counted from 0 unit group by unit group
  std::vector<double> frequency_;           // q of one answer of every group
  std::vector<double> background_;          // α b of one answer of every group
  double label_noise_;
  std::vector<Share> shares_, means_;
  std::vector<std::size_t> shown_;
};

}  // namespace rarefact
