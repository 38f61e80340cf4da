#include "sim/node_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/log_odds.hpp"

namespace rarefact {

NodeTargets::NodeTargets(const SmoothLaw& law, const std::vector<QueryAt>& row_queries,
                         const std::vector<QueryAt>& ends)
    : queries(row_queries), rows(row_queries.size()) {
  queries.insert(queries.end(), ends.begin(), ends.end());
  std::map<double, std::size_t> known;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto [place, fresh] = known.try_emplace(queries[i].rank, ranks.size());
    const bool another = fresh || !law.query;
    rank_of.push_back(another ? ranks.size() : place->second);
    if (another) ranks.push_back(queries[i].rank);
    if (i < rows) row_ranks = ranks.size();
  }
}

NodeRecorder::NodeRecorder(const std::vector<Cell>& cells, const QueryNodes& nodes, const SmoothLaw& law,
                           const NodeTargets& targets, bool noisy, NodeRun& run)
    : Recorder(run.steps, run.ending),
      nodes_(nodes),
      law_(law),
      targets_(targets),
      noisy_(noisy),
      run_(run),
      weights_(weights_of(cells, nodes.size())),
      items_(std::round(law.classes)) {
  for (std::size_t c = 0; c < nodes.places.size(); ++c) {
    place_weight_.push_back(weight_of_place(c, items_));
    total_weight_ += place_weight_.back();
  }
  run_.rank_values.resize(class_metrics().size());
  if (!interpolates()) return;
  for (Index end = 0; end < ends(); ++end) weights_.add(0, 0);
  std::vector<double> places;
  for (const QueryAt& at : targets.queries) places.push_back(at.place);
  rank_parts_ = interpolation_weights(nodes.ranks, targets.ranks);
  place_parts_ = interpolation_weights(nodes.places, places);
}

double NodeRecorder::weight_of_place(std::size_t place, double ranks) const {
  if (ranks < 1) return 0;
  const QuadratureRule rule = panel_rule(ranks, usual_panel_order);
  const double at = nodes_.places.rank[place], count = nodes_.places.count[place];
  double sum = 0;
  for (std::size_t i = 0; i < rule.size(); ++i)
    sum += rule.count[i] * (law_.query ? count * law_.query({rule.rank[i], at}) : law_.weight(rule.rank[i]));
  return sum;
}

void NodeRecorder::add(const Seen& seen, const Seen& chosen, std::size_t first) {
  const std::size_t nodes = nodes_.size(), ends = weights_.size() - nodes, rows = targets_.rows;
  Seen counted;
  for (const auto field : {&Seen::error, &Seen::log_odds, &Seen::excess_loss, &Seen::advantage}) {
    const double *at_nodes = (seen.*field).data(), *beyond = (chosen.*field).data() + first + rows;
    (counted.*field).assign(at_nodes, at_nodes + nodes);
    (counted.*field).insert((counted.*field).end(), beyond, beyond + ends);
  }
  std::vector<double> sums = totals<double>(class_metrics(), counted, weights_), values(weights_.size());
  for (std::size_t m = 0; m < sums.size(); ++m) {
    const MetricRow& metric = *class_metrics()[m];
    if (metric.classes().positive) {
      metric.classes().value(counted, 0, nodes, values.data());
      sums[m] = total_of_steps(values, metric.classes().over);
    }
    if (!metric.per_class()) continue;
    std::vector<double>& at_ranks = run_.rank_values[m];
    at_ranks.resize(at_ranks.size() + rows);
    metric.classes().value(chosen, first, first + rows, at_ranks.data() + at_ranks.size() - rows);
  }
  run_.totals.insert(run_.totals.end(), sums.begin(), sums.end());
}

void NodeRecorder::add_answers(const Observation& seen, const double* error, const double* log_odds,
                               const Vector& mean_log) {
  std::vector<double> node_mass = weights_.mass;
  node_mass.resize(nodes_.size());
  const double right = total_of_steps(seen.advantage, Over::probability);
  run_.top1_error.push_back(top1_error(seen, node_mass, right, law_.classes));
  std::vector<double> means(mean_log.begin(), mean_log.end());
  if (answers_->noisy() && !interpolates()) means = answers_->mean_log(seen, node_mass, log_odds);
  const std::vector<double> errors = answers_->errors(error),
                            losses = answers_->losses(log_odds, means.data());
  run_.answer_error.insert(run_.answer_error.end(), errors.begin(), errors.end());
  run_.answer_loss.insert(run_.answer_loss.end(), losses.begin(), losses.end());
}

/// A step function of the rank is no business of a quadrature: where the value changes its sign between
/// two nodes the rank of the change is sought, linearly in ln k, and whole classes are counted on its sides.
double NodeRecorder::total_of_steps(const std::vector<double>& value, Over over) const {
  const std::size_t nodes = nodes_.ranks.size(), places = nodes_.places.size();
  const std::vector<double>& log_rank = nodes_.ranks.log_rank;
  double total = 0;
  for (std::size_t c = 0; c < places; ++c) {
    const auto up_to = [&](double end) {
      if (over != Over::count) return weight_of_place(c, end);
      if (law_.query) return nodes_.places.count[c] * end;
      return law_.fan_in && end >= 1 ? queries_of_ranks(law_, end) : end;
    };
    double begin = 0, before = 0;  // of the present stretch of one sign
    const auto close = [&](double end, double up_to_end, bool positive) {
      if (positive) total += up_to_end - before;
      begin = end;
      before = up_to_end;
    };
    for (std::size_t i = 0; i + 1 < nodes; ++i) {
      const double here = value[i * places + c], next = value[(i + 1) * places + c];
      if ((here > 0) == (next > 0)) continue;
      const double x = log_rank[i] + here / (here - next) * (log_rank[i + 1] - log_rank[i]);
      const double end = std::clamp(std::floor(std::exp(x)), begin, items_);
      close(end, up_to(end), here > 0);
    }
    const double all = over == Over::count ? up_to(items_) : place_weight_[c];
    close(items_, all, value[(nodes - 1) * places + c] > 0);
  }
  return over == Over::count ? total : total / total_weight_;
}

OneStepLogits<double> NodeRecorder::with_ends(OneStepLogits<double> nodes) const {
  const auto extended = [this](const Vector& cells) {
    Vector all(cells.size() + ends());
    all << cells, interpolated(cells.data()).tail(ends());
    return all;
  };
  return {[extended, log_odds = nodes.log_odds](const double& scale) { return extended(log_odds(scale)); },
          extended(nodes.margin)};
}

Matrix NodeRecorder::at_ranks(const double* per_cell, Index of_rank) const {
  const auto ranks = static_cast<Index>(nodes_.ranks.size());
  const Eigen::Map<const Matrix> values(per_cell, of_rank, ranks);
  return rank_parts_ * values.transpose();
}

Vector NodeRecorder::chosen(const Matrix& at_ranks) const {
  Vector chosen = Vector::Zero(place_parts_.rows());
  for (Index i = 0; i < chosen.size(); ++i) {
    const auto rank = static_cast<Index>(targets_.rank_of[i]);
    for (Index c = 0; c < places(); ++c) {
      if (place_parts_(i, c) != 0) chosen(i) += place_parts_(i, c) * at_ranks(rank, c);
    }
  }
  return chosen;
}

void NodeRecorder::state(std::size_t record, const Observation& seen) {
  record_ = record;
  if (!interpolates()) {
    add(seen, seen, nodes_.size());
    const std::size_t answers = nodes_.size() + (law_.query ? targets_.rows : 0);
    if (answers_) add_answers(seen, seen.error.data() + answers, seen.log_odds.data() + answers, {});
    return;
  }
  // Without noise the excess loss is a function of the log-odds, accurate where it is tiny; with noise it has
  // zeros, so that only it itself is smooth.
  const auto error_of = [](double x) { return logistic(x); };
  const Matrix odds_at_ranks = at_ranks(seen.log_odds.data(), places());
  const Vector log_odds = chosen(odds_at_ranks);
  const Vector excess_loss = noisy_ ? Vector(interpolated(seen.excess_loss.data()).cwiseMax(0.0))
                                    : Vector(log_odds.unaryExpr([](double x) { return softplus(x); }));
  const Vector error = log_odds.unaryExpr(error_of);
  const Vector advantage = interpolated(seen.advantage.data());
  const auto list = [](const Vector& x) { return std::vector<double>(x.begin(), x.end()); };
  add(seen, {list(error), list(log_odds), list(excess_loss), list(advantage)}, 0);
  if (!answers_) return;
  const Matrix answer_odds = odds_at_ranks.transpose(), answer_errors = answer_odds.unaryExpr(error_of);
  add_answers(seen, answer_errors.data(), answer_odds.data(),
              answers_->noisy() ? Vector(at_ranks(seen.mean_log.data(), 1)) : Vector());
}

void NodeRecorder::cells(const std::string& variable, const std::vector<double>& per_cell) {
  const Vector found = interpolates() ? interpolated(per_cell.data()) : Vector();
  const double* first = interpolates() ? found.data() : per_cell.data() + nodes_.size();
  std::copy(first, first + targets_.rows, present(variable, targets_.rows));
}

}  // namespace rarefact
