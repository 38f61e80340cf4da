#include "model/column_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "algebra/runs.hpp"
#include "core/transform.hpp"
#include "model/softmax_memory_body.hpp"

namespace rarefact {

namespace {

/// The structure of columns of two numbers, if every query has one answer.
ColumnLaws two_numbers(const ClassGroups& queries, std::optional<double> answers) {
  ColumnLaws laws;
  laws.structure = square_columns(queries.count);
  if (!answers) return laws;
  ColumnStructure s = *laws.structure;
  s.answers = *answers;
  laws.structure = std::make_shared<const ColumnStructure>(std::move(s));
  return laws;
}

std::optional<double> answers_of(const Components* components) {
  return components ? std::optional(components->answers()) : std::nullopt;
}

ColumnLaws laws_of(const Population& population) {
  if (population.components && !deterministic(*population.components)) return column_laws(population);
  return two_numbers(population.queries, answers_of(population.components));
}

}  // namespace

/// A pass over the columns, gathered one by one.
class ColumnLayout::Pass {
 public:
  Pass(const ColumnLayout& layout, const State& w, const Sample*, Gradient<State>* gradient, Observation*,
       const Workers&, const RandomRounding* rounding)
      : layout_(layout), task_(gradient ? &gradient->task : nullptr) {
    if (w.stored_groups || rounding) moved_ = with_all_columns(w);
    if (rounding) rounding->logits(moved_);
    s_ = w.stored_groups || rounding ? &moved_ : &w;
    if (task_ && (task_->structure != layout.laws_.structure || task_->stored_groups)) *task_ = layout.zero();
  }

  auto shared(Index l) {
    const Index size = layout_.shared_count(l);
    return task_->shared.segment(size > 0 ? layout_.laws_.structure->shared_begin[l] : 0, size);
  }
  template <class Body>
  void for_columns(const Workers& workers, const Body& body) {
    workers.for_tiles(layout_.columns(), column_tile, [&](Index begin, Index end) {
      Index max_size = 0;
      for (Index l = begin; l < end; ++l) max_size = std::max(max_size, layout_.size_of(l));
      Vector room(2 * max_size);
      for (Index l = begin; l < end; ++l) {
        const Index size = layout_.size_of(l);
        auto values = room.head(size), times = room.segment(max_size, size);
        layout_.put_logits(*s_, l, values);
        layout_.put_times(l, times);
        QueryColumn<double> column{
            {values.data(), size}, {layout_.label_noise_ / layout_.classes_}, times.data()};
        body(l, column);
        if (task_) layout_.take_values(values, l, *task_);
      }
    });
  }
  void scale(Index l, int change) {
    const double factor = std::ldexp(1, change);
    task_->right(l) *= factor;
    task_->wrong(l) *= factor;
    shared(l) *= factor;
  }
  void finish(const Workers&) {}

  /// The mean of the wrong logits over the columns, plus the differences of the queries' answers.
  Vector mean_logits() const {
    double common = 0;
    for (Index l = 0; l < layout_.columns(); ++l)
      common += layout_.count(l) * layout_.probability(l) * s_->wrong(l);
    Vector mean = Vector::Constant(static_cast<Index>(layout_.answer_types_), common);
    Vector values;
    for (Index l = 0; l < layout_.columns(); ++l) {
      values.resize(layout_.size_of(l));
      layout_.put_logits(*s_, l, values);
      std::size_t i = layout_.share_begin_[l];
      for (const Index k : layout_.answers_at(l))
        mean(static_cast<Index>(layout_.share_type_[i++])) +=
            layout_.multiplicity_[l] * layout_.probability(l) * (values(k) - s_->wrong(l));
    }
    return mean;
  }

 private:
  const ColumnLayout& layout_;
  State moved_ = {};
  const State* s_ = nullptr;
  State* task_;
};

ColumnLayout::ColumnLayout(const ClassGroups& queries, ColumnLaws laws, double answers, double label_noise,
                           bool removes_recovered, const SamplingLaw& sampling)
    : laws_(std::move(laws)),
      probability_(queries.probability),
      scaled_training_(
          Eigen::Map<const Vector>(queries.probability.data(), std::ssize(queries)).unaryExpr(sampling)),
      classes_(answers),
      label_noise_(label_noise),
      removes_recovered_(removes_recovered),
      exponent_(std::ilogb(scaled_training_.maxCoeff())) {
  for (double& p : scaled_training_) p = std::ldexp(p, -exponent_);
  one_answer_.add(0, 1 - label_noise_, label_noise_ / classes_, 1, true);
  one_answer_.finish(label_noise_, classes_);
}

ColumnLayout::ColumnLayout(const Population& population)
    : ColumnLayout(population.queries, laws_of(population), population.answers(), population.label_noise,
                   population.removes_recovered, population.sampling) {
  if (population.components) set_shares(*population.components);
}

ColumnLayout::ColumnLayout(const ClassGroups& queries, double answers, double label_noise,
                           const SamplingLaw& sampling)
    : ColumnLayout(queries, two_numbers(queries, answers), answers, label_noise, false, sampling) {}

ColumnLayout ColumnLayout::of_classes(const Population& population) {
  std::vector<Index> group = population.pairs ? *population.query_group : population.queries.group_of_each();
  const auto probability = [&](Index g) { return population.queries.probability[g]; };
  ClassGroups classes{std::vector<double>(group.size(), 1),
                      population.pairs ? population.pairs->probability : mapped(group, probability)};
  const Population identity_law{classes};  // for the identity law there are as many answers as queries
  ColumnLayout memory(classes, two_numbers(classes, answers_of(population.components)),
                      population.components ? population.answers() : identity_law.answers(), 0,
                      population.removes_recovered, population.sampling);
  memory.group_ = std::move(group);
  if (population.components) {
    memory.share_value_.assign(classes.size(), 0);
    memory.share_begin_.resize(classes.size() + 1);
    std::iota(memory.share_begin_.begin(), memory.share_begin_.end(), std::size_t{0});
  }
  return memory;
}

ColumnLayout ColumnLayout::along_answers(const ClassGroups& queries, const AlikeAnswers& answers,
                                         const SamplingLaw& sampling) {
  ColumnLayout layout(queries, two_numbers(queries, 1), answers.shares.classes, 0, false, sampling);
  const double norm = answers.norm();
  layout.one_answer_ = {};
  layout.one_answer_.add(0, norm, 0, 1, true);
  layout.right_part_ = answers.first() / norm;
  return layout;
}

ColumnLayout ColumnLayout::one_column(double queries, const AlikeAnswers& answers,
                                      const std::vector<double>& rank, const std::vector<double>& count) {
  const double total = weight_of_ranks(answers.shares, answers.shares.classes);
  ColumnLaws laws;
  ColumnStructure s{.count = {queries}, .answers = answers.shares.classes};
  s.right_times = {count[0]};
  s.wrong_times = {0};
  s.shared_begin = {0, std::ssize(rank) - 1};
  s.shared_times.assign(count.begin() + 1, count.end());
  laws.structure = std::make_shared<const ColumnStructure>(std::move(s));
  QueryAnswers<double>& law = laws.query.emplace_back();
  for (std::size_t i = 0; i < rank.size(); ++i)
    law.add(static_cast<Index>(i), answers.shares.weight(rank[i]) / total, 0, count[i], i == 0);
  return {{{queries}, {1 / queries}}, std::move(laws), answers.shares.classes, 0, false, {}};
}

std::vector<Cell> ColumnLayout::cells() const {
  std::vector<Cell> cells;
  for (Index l = 0; l < scaled_training_.size(); ++l) {
    cells.push_back(
        {group_.empty() ? l : group_[l], 0, laws_.structure->count[l], probability(l), training(l)});
  }
  return cells;
}

Index ColumnLayout::shared_count(Index l) const {
  const std::vector<Index>& begin = laws_.structure->shared_begin;
  return pairs() ? 0 : begin[l + 1] - begin[l];
}

double ColumnLayout::others(Index l) const {
  return pairs() ? classes_ - 1 : laws_.structure->wrong_times[l];
}

void ColumnLayout::put_logits(const State& s, Index l, Eigen::Ref<Vector> into) const {
  const Index shared = shared_count(l);
  into(0) = s.right(l);
  if (shared > 0) into.segment(1, shared) = s.shared.segment(laws_.structure->shared_begin[l], shared);
  if (into.size() > shared + 1) into(shared + 1) = s.wrong(l);
}

void ColumnLayout::put_times(Index l, Eigen::Ref<Vector> into) const {
  const ColumnStructure& structure = *laws_.structure;
  const Index shared = shared_count(l);
  into(0) = pairs() ? 1 : structure.right_times[l];
  for (Index i = 0; i < shared; ++i) into(i + 1) = structure.shared_times[structure.shared_begin[l] + i];
  if (into.size() > shared + 1) into(shared + 1) = others(l);
}

/// Sets column l to the values that put_logits gives.
void ColumnLayout::take_values(const Eigen::Ref<const Vector>& values, Index l, State& into) const {
  const Index shared = shared_count(l);
  into.right(l) = values(0);
  if (shared > 0) into.shared.segment(laws_.structure->shared_begin[l], shared) = values.segment(1, shared);
  into.wrong(l) = values.size() > shared + 1 ? values(shared + 1) : 0;
}

ColumnMatrix ColumnLayout::laws() const {
  State all = zero();
  if (pairs()) {
    all.right.setConstant(one_answer_.target.front());
    all.wrong.setConstant(label_noise_ / classes_);
    return all;
  }
  for (Index l = 0; l < columns(); ++l) {
    Vector values = Vector::Constant(size_of(l), label_noise_ / classes_);
    for (std::size_t i = 0; i < law(l).size(); ++i) values(law(l).at[i]) = law(l).target[i];
    take_values(values, l, all);
  }
  return all;
}

SecondMoment<ColumnMatrix> ColumnLayout::second_moment_root() const {
  ColumnMatrix root(is_square(*laws_.structure) ? laws_.structure : square_columns(laws_.structure->count));
  root.right = scaled_training_.cwiseSqrt();
  return {std::move(root), exponent_};
}

Vector ColumnLayout::probabilities(Side side) const {
  if (side == Side::rows) throw std::logic_error("answers of a column are not told apart");
  return Vector::NullaryExpr(columns(), [this](Index l) { return training(l); });
}

std::vector<double> ColumnLayout::right_logits(const State& x, const Workers&) const {
  const Vector right = with_all_columns(x).right * right_part_;
  return {right.begin(), right.end()};
}

double ColumnLayout::left_null_part(const State& x, const Workers&) const {
  const State full = with_all_columns(x);
  Vector parts = Vector::Zero(full.right.size());
  for_runs(full, [&](Index l, Index, Index size, const double* times, const double* at) {
    const double root = std::sqrt(laws_.structure->count[l] / classes_);
    for (Index i = 0; i < size; ++i) parts(l) += root * (times ? times[i] : 1) * at[i];
  });
  return safe_norm(parts);
}

/// Finds the place of every query's answers among the values of its column.
void ColumnLayout::set_shares(const Components& components) {
  for (const ComponentGroup& group : components.groups) answer_types_ += group.answer_multiplicity.size();
  share_begin_ = {0};
  Index column = 0;
  for (const auto& [component, query, number, first_answer] : query_types(components)) {
    multiplicity_.push_back(query.multiplicity);
    for (const AnswerShare& share : query.answers) {
      share_type_.push_back(first_answer + static_cast<std::size_t>(share.type));
      share_value_.push_back(laws_.structure->two_numbers() ? 0
                                                            : laws_.value_of(column, share, label_noise_));
    }
    share_begin_.push_back(share_type_.size());
    ++column;
  }
}

template class SoftmaxMemory<ColumnLayout>;

}  // namespace rarefact
