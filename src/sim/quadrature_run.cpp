#include "sim/quadrature_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/column_memory.hpp"
#include "sim/inputs.hpp"
#include "sim/node_recorder.hpp"

namespace rarefact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Smaller numbers are not certified: they fade into subnormal ones and 0.
constexpr double least_certified = 1e-300;

/// What doubling the nodes says of itself: 7 of 293 random runs were up to 8e-12 off where the two agreed to 1e-14.
constexpr double certificate_floor = 1e-11;

/// |a - b| / |a|, infinite where it is no number.
double relative_difference(double a, double b) {
  if (a == b || (std::abs(a) < least_certified && std::abs(b) < least_certified)) return 0;
  const double difference = std::abs(a - b) / std::abs(a);
  return std::isnan(difference) ? infinite : difference;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b, double floor) {
  if (a.size() != b.size()) return infinite;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, relative_difference(floor + a[i], floor + b[i]));
  }
  return largest;
}

/// Of the certified class metrics: totals, and values at the chosen ranks.
double largest_class_difference(const NodeRun& fine, const NodeRun& coarse, double least_loss) {
  if (fine.totals.size() != coarse.totals.size()) return infinite;
  const std::size_t metrics = class_metrics().size();
  double largest = 0;
  for (std::size_t m = 0; m < metrics; ++m) {
    const MetricRow& metric = *class_metrics()[m];
    if (!metric.certified) continue;
    const double floor = metric.classes().above_least ? least_loss : 0;
    largest = std::max(largest, largest_difference(fine.rank_values[m], coarse.rank_values[m], floor));
    for (std::size_t at = m; at < fine.totals.size(); at += metrics)
      largest = std::max(largest, relative_difference(floor + fine.totals[at], floor + coarse.totals[at]));
  }
  return largest;
}

/// Of ϱ where it is measured; where no scale retrieves a class both runs say so.
double largest_rho_difference(const NodeRun& fine, const NodeRun& coarse) {
  double largest = 0;
  for (const MetricRow* metric : metrics_of(MetricKind::retrieval)) {
    const auto a = fine.ending.series.find(metric->name), b = coarse.ending.series.find(metric->name);
    if (!metric->certified || a == fine.ending.series.end() || b == coarse.ending.series.end()) continue;
    for (std::size_t i = 0; i < a->second.size(); ++i) {
      const double x = a->second[i], y = b->second[i];
      if (!std::isnan(x) || !std::isnan(y)) largest = std::max(largest, relative_difference(x, y));
    }
  }
  return largest;
}

/// Of the push at the chosen ranks, relative to the largest of its step: single ones may pass through zero.
double largest_push_difference(const NodeRun& fine, const NodeRun& coarse) {
  if (fine.rank_push.size() != coarse.rank_push.size()) return infinite;
  if (fine.rank_push.empty()) return 0;
  const auto records = static_cast<Index>(fine.records());
  const auto ranks = static_cast<Index>(fine.rank_push.size()) / records;
  const Eigen::Map<const Matrix> a(fine.rank_push.data(), ranks, records),
      b(coarse.rank_push.data(), ranks, records);
  double largest = 0;
  for (Index t = 0; t < records; ++t) {
    const double off = (a.col(t) - b.col(t)).cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
    if (off != 0)
      largest = std::max(largest, std::isnan(off) ? infinite : off / a.col(t).cwiseAbs().maxCoeff());
  }
  return largest;
}

/// Of the loss along the next update: gain, penalty and remainder relative to the largest of them, as they may pass
/// through zero, and directional sharpness, which has digits of its own.
double largest_curvature_difference(const NodeRun& fine, const NodeRun& coarse) {
  const auto of = [](const NodeRun& run, const char* name) -> const std::vector<double>& {
    return run.ending.series.at(name);
  };
  if (!fine.ending.series.contains("nds") || !coarse.ending.series.contains("nds")) return 0;
  double largest = 0;
  for (std::size_t t = 0; t < fine.records(); ++t) {
    double size = 0, off = 0;
    for (const char* name : {"first_order_gain", "curvature_penalty", "taylor_remainder"}) {
      const double a = of(fine, name)[t], b = of(coarse, name)[t];
      size = std::max(size, std::abs(a));
      if (a != b) off = std::isnan(a - b) ? infinite : std::max(off, std::abs(a - b));
    }
    if (size >= least_certified) largest = std::max(largest, off / size);
    const double a = of(fine, "nds")[t], b = of(coarse, "nds")[t];
    if (!std::isnan(a) || !std::isnan(b)) largest = std::max(largest, relative_difference(a, b));
  }
  return largest;
}

/// The error of `fine`, estimated by what doubling the nodes changed.
double certificate(const NodeRun& fine, const NodeRun& coarse, double least_loss) {
  if (fine.exact) return 0;
  if (fine.jumped) return infinite;
  const double error =
      std::max({largest_class_difference(fine, coarse, least_loss), largest_rho_difference(fine, coarse),
                largest_push_difference(fine, coarse), largest_curvature_difference(fine, coarse)});
  // Rules that differ by per cents have not begun to converge, and their difference says little.
  return error > largest_certificate ? infinite : std::max(error, certificate_floor);
}

/// Signs and polar factors jump by 2 where a class is pushed the other way than its neighbour. A class next
/// to the jump may behave as no node does, so no comparison of rules sees it, and every certificate is void.
constexpr double jump_size = 1;

/// Formulas may be of any size: signs and polar factors in larger units jump by more.
template <class... Entries>
double jump_beside(const Entries&... entries) {
  return jump_size * std::max({1.0, entries.cwiseAbs().maxCoeff()...});
}

/// Whether any entry of a direction jumps between neighbouring nodes. Between two nodes that are single
/// classes there is nothing to miss. Node columns come first; there may be others after them.
bool jumps(const ColumnMatrix& d, const QuadratureRule& rule, bool) {
  const double most = jump_beside(d.own, d.other);
  for (Index i = 0; i + 1 < static_cast<Index>(rule.size()); ++i) {
    if (rule.single(i) && rule.single(i + 1)) continue;
    if (std::abs(d.own(i + 1) - d.own(i)) > most || std::abs(d.other(i + 1) - d.other(i)) > most) {
      return true;
    }
  }
  return false;
}

/// `rotates`: the rule, on queries. Of r twins its entries are then 1/√r as large as those of their sum.
bool jumps(const SymmetricMatrix<double>& d, const QuadratureRule& rule, bool rotates) {
  const Index nodes = static_cast<Index>(rule.size());
  const GroupTypes &rows = d.structure().row_types(), &columns = d.structure().column_types();
  const double most = jump_beside(d.own_entries(), d.other_entries());
  const auto contrast = [&](Index i) {
    const double root = rotates ? std::sqrt(columns.twins(columns.begin(i))) : 1;
    return Matrix(root * (d.own(i) - d.other(i, i)));
  };
  const auto jump = [most](const auto& here, const auto& next) {
    return (next - here).cwiseAbs().maxCoeff() > most;
  };
  for (Index i = 0; i + 1 < nodes; ++i) {
    if (rule.single(i) && rule.single(i + 1)) continue;
    if (jump(contrast(i), contrast(i + 1))) return true;
    // A rule that takes signs of entries may jump anywhere.
    const auto& other = d.other_entries();
    const auto columns_of = [&](Index j) { return other.middleCols(columns.begin(j), columns.size(j)); };
    const auto rows_of = [&](Index j) { return other.middleRows(rows.begin(j), rows.size(j)); };
    if (jump(columns_of(i), columns_of(i + 1)) || jump(rows_of(i), rows_of(i + 1))) return true;
  }
  return false;
}

/// A rule under watch.
template <class M>
class JumpWatch : public UpdateRule<M> {
 public:
  JumpWatch(UpdateRule<M>& rule, const QuadratureRule& nodes, bool rotates, bool& jumped)
      : rule_(rule), nodes_(nodes), rotates_(rotates), jumped_(jumped) {}
  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) override {
    const Direction<M> d = rule_.direction(gradient, context);
    if (!jumped_) jumped_ = jumps(*d.matrix, nodes_, rotates_);
    return d;
  }
  /// Whether it jumped belongs to the run on nodes.
  void exchange(Archive& archive) override { archive(rule_); }

 private:
  UpdateRule<M>& rule_;
  const QuadratureRule& nodes_;
  bool rotates_;
  bool& jumped_;
};

template <class Memory>
void train_watched(const Memory& memory, RuleFactory<typename Memory::State> make, const QuadratureTask& task,
                   const QuadratureRule& nodes, StateSink& sink, NodeRun& run, const TrainingPlan& plan) {
  using M = typename Memory::State;
  const auto rule = make(task.choice.parameters);
  // The polynomials and smoothings of Muon are steep where its polar factor jumps.
  const Symmetries symmetries = optimizer_row(task.choice.rule).symmetries_of(task.choice.parameters);
  JumpWatch<M> watched(*rule, nodes, symmetries.queries_rotate, run.jumped);
  const bool may_jump = symmetries.equalises || !symmetries.keeps_columns;
  UpdateRule<M>& used = may_jump ? static_cast<UpdateRule<M>&>(watched) : *rule;
  train(memory, used, plan, sink, task.workers, run.ending);
}

NodeRun run_columns(const QuadratureTask& task, std::int64_t nodes, std::vector<double> ranks) {
  const QuadratureRule rule = panel_rule(task.law.classes, std::max(1, static_cast<int>(nodes / 2)));
  const double total = weight_of_ranks(task.law, task.law.classes);
  ClassGroups groups;
  const auto add = [&](double count, double rank) {
    const double queries = task.law.queries(rank);
    groups.count.push_back(count * queries);
    groups.probability.push_back(task.law.weight(rank) / total / queries);
  };
  for (std::size_t i = 0; i < rule.size(); ++i) add(rule.count[i], rule.rank[i]);
  // Classes without weight: they change nothing and are carried along exactly.
  for (const double rank : ranks) add(0, rank);
  const double noise = task.experiment.label_noise;
  const ColumnMemory memory =
      task.law.fan_in ? ColumnMemory(groups, task.law.classes, noise) : ColumnMemory({groups, noise});
  NodeRun run{.nodes = static_cast<Index>(rule.size()), .exact = rule.exact};
  NodeRecorder sink(memory.cells(), rule, task.law, 1, ranks, false, false, run);
  if (task.law.fan_in) sink.measure_answers({task.law, ranks, task.experiment});
  train_watched(memory, optimizer_row(task.choice.rule).columns, task, rule, sink, run, task.plan);
  return run;
}

NodeRun run_symmetric(const QuadratureTask& task, std::int64_t nodes, const std::vector<double>& ranks) {
  const Index block = task.reduction.block;
  const double b = static_cast<double>(block);
  const QuadratureRule rule = gauss_rule(task.law.classes / b, nodes);
  const double total = weight_of_ranks(task.law, task.law.classes);
  Units units = block_units(rule.count, block);
  for (std::size_t i = 0; i < rule.size(); ++i) {
    for (std::size_t c = 0; c < units.groups[i].queries.size(); ++c) {
      QueryType& query = units.groups[i].queries[c];
      query.twins = task.law.queries(rule.rank[i]);
      query.probability =
          task.law.weight(b * (rule.rank[i] - 1) + static_cast<double>(c + 1)) / total / query.twins;
    }
  }
  const bool own_answers = !task.law.fan_in;
  const Symmetries symmetries = optimizer_row(task.choice.rule).symmetries_of(task.choice.parameters);
  const SymmetricEmbeddings embeddings = symmetric_embeddings(task.experiment, symmetries, block);
  const SymmetricMemory<double> memory(units, own_answers, task.experiment.label_noise,
                                       task.experiment.noise_answers, embeddings.query, embeddings.answer,
                                       false, !own_answers && !symmetries.keeps_columns);
  NodeRun run{.nodes = static_cast<Index>(rule.size()), .exact = rule.exact};
  NodeRecorder sink(memory.cells(), rule, task.law, block, ranks, true, task.experiment.label_noise > 0, run);
  if (!own_answers) sink.measure_answers({task.law, ranks, task.experiment});
  TrainingPlan plan = task.plan;
  plan.twins = !own_answers;
  plan.complete_logits = [&sink](OneStepLogits<double> seen) { return sink.with_ends(std::move(seen)); };
  train_watched(memory, optimizer_row(task.choice.rule).symmetric, task, rule, sink, run, plan);
  return run;
}

}  // namespace

NodeRun run_on_nodes(const QuadratureTask& task, std::int64_t nodes, const std::vector<double>& ranks) {
  return task.reduction.by_columns ? run_columns(task, nodes, ranks) : run_symmetric(task, nodes, ranks);
}

CertifiedRun run_certified(const QuadratureTask& task, const std::vector<double>& ranks) {
  const auto& asked = task.experiment.nodes;
  std::int64_t nodes = asked.value_or(first_nodes);
  if (task.reduction.by_columns) nodes = std::max<std::int64_t>(nodes, 4);  // 2 a panel, and 1 for comparison
  NodeRun coarse = run_on_nodes(task, std::max<std::int64_t>(1, nodes / 2), ranks);
  double previous = infinite;
  for (;;) {
    NodeRun fine = run_on_nodes(task, nodes, ranks);
    const double error = certificate(fine, coarse, task.loss.least);
    const bool met = error <= task.experiment.quadrature_tolerance;
    // Many nodes where doubling gains less than a factor of two: convergence is not spectral.
    const bool slow = nodes > 4 * first_nodes && std::isfinite(error) && error > previous / 2;
    const bool hopeless = slow || nodes >= most_doubled_nodes;
    if (asked || met || hopeless) return {std::move(fine), nodes, error};
    previous = error;
    coarse = std::move(fine);
    nodes *= 2;
  }
}

void write_rows(const NodeRun& run, const ClassRows& rows, const LossScale& scale,
                const std::vector<double>& row_least, Trajectory& trajectory) {
  const std::size_t count = rows.size(), width = static_cast<std::size_t>(rows.width);
  const MetricRows& metrics = class_metrics();
  if (!run.totals.empty())
    trajectory.total_error = total_error(run.totals.data() + run.totals.size() - metrics.size());
  for (const auto& [name, values] : run.ending.series)
    trajectory.series[name] = values;  // ϱ, if it was measured
  const auto mean = [&](const std::vector<double>& values, std::size_t row) {
    double sum = 0;
    for (std::size_t i = row * width; i < (row + 1) * width; ++i)
      sum += values[i] / static_cast<double>(width);
    return sum;
  };
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    std::vector<double>& series = trajectory.series.at(metrics[m]->name);
    const ClassMeasure& measure = metrics[m]->classes();
    for (std::size_t t = 0; t < run.records(); ++t) {
      if (!metrics[m]->per_class()) series[t] = measure.metric(run.totals[t * metrics.size() + m], scale);
      for (std::size_t i = 0; metrics[m]->per_class() && i < count; ++i) {
        const double value = mean(run.rank_values[m], t * count + i),
                     least = row_least.empty() ? scale.least : row_least[i];
        series[t * count + i] = measure.metric(value, {least, scale.classes});
      }
    }
  }
  if (run.rank_push.empty()) return;
  for (const MetricRow* metric : metrics_of(MetricKind::step)) {
    std::vector<double>& series = series_of(metric->name, trajectory.series.at("error").size(), trajectory);
    for (std::size_t row = 0; row < run.records() * count; ++row) series[row] = mean(run.rank_push, row);
  }
}

void write_answers(const NodeRun& run, const AnswerGroups& groups, Trajectory& trajectory) {
  const std::size_t records = trajectory.series.at("loss").size(), rows = groups.class_answer.size();
  const auto fill = [&](const char* name, const std::vector<double>& values) {
    if (!values.empty()) std::ranges::copy(values, series_of(name, records, trajectory).begin());
  };
  fill("top1_error", run.top1_error);
  fill("twin_gain", run.twin_gain);
  const std::vector<double>& error = trajectory.series.at("error");
  std::vector<double>& answer_error = series_of("answer_error", records * groups.count.size(), trajectory);
  std::vector<double>& answer_loss = series_of("answer_loss", records * groups.count.size(), trajectory);
  for (std::size_t t = 0; t < run.records(); ++t) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t at = t * groups.count.size() + static_cast<std::size_t>(groups.class_answer[row]);
      answer_error[at] = error[t * rows + row];
      answer_loss[at] = run.answer_loss[t * rows + row];
    }
  }
}

}  // namespace rarefact
