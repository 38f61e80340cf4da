#pragma once

/// The answers of a law as the groups of a result, and their measures at a step.

#include "model/answer_law.hpp"
#include "sim/class_rows.hpp"

namespace rarefact {

/// The answers of a result: a group for each answer type, most frequent first, ties in the order of the
/// components; or, if the rows are nodes, the nodes' answers. Members about class groups refer to the rows.
struct ShownAnswers {
  AnswerGroups groups;
  std::vector<std::size_t> among_all = {};  ///< indices among all types of a law; empty if all are shown
};
ShownAnswers shown_answers(const Spectrum& spectrum, const ClassRows& rows, double least_loss);

/// The measures of a step for answer laws other than the identity. Measures of answers are per answer of each
/// group, NaN if q_k = 0.
struct LawMeasures {
  double top1_error = 0;
  std::vector<double> answer_error = {}, answer_loss = {};
};

/// Converts a memory's observation of answers to the groups of answers.
class AnswerMeasures {
 public:
  /// `cells` of the memory, whose groups are query types, most likely first. `written`: of a memory with
  /// written-out answers whose cells are these queries; else null. `shown`: see ShownAnswers::among_all.
  AnswerMeasures(const AnswerLaw& law, const Experiment& experiment, const std::vector<Cell>& cells,
                 const TypedPairs* written, std::vector<std::size_t> shown);

  /// `mass`: the probability of every cell.
  LawMeasures operator()(const Observation& seen, const std::vector<double>& mass) const;

 private:
  /// The weight of an entry of Observation::log_answers, or mean_log, in a group of answers.
  struct Share {
    std::size_t cell, group;
    double weight;
  };

  std::vector<double> frequency_;   // q of one answer of every group
  std::vector<double> background_;  // α b of one answer of every group
  double label_noise_;
  std::vector<Share> shares_, means_;
  std::vector<std::size_t> shown_;
};

}  // namespace rarefact
