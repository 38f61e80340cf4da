#include "model/symmetric_layout.hpp"

#include "algebra/operations.hpp"
#include "core/real50.hpp"
#include "core/sorted_order.hpp"
#include "core/transform.hpp"
#include "model/softmax_memory_body.hpp"

namespace rarefact {

namespace {

SharedStructure structure_of(const Components& components) {
  std::vector<double> count;
  std::vector<std::vector<double>> rows, columns;
  for (const ComponentGroup& group : components.groups) {
    count.push_back(group.count);
    rows.push_back(group.answer_multiplicity);
    std::vector<double>& multiplicity = columns.emplace_back();
    for (const QueryType& type : group.queries) multiplicity.push_back(type.multiplicity);
  }
  return std::make_shared<const GroupStructure>(std::move(count), GroupTypes(rows), GroupTypes(columns));
}

}  // namespace

template <class Real>
SymmetricLayout<Real>::SymmetricLayout(const Components& components, bool identity,
                                       const Population& population, SymmetricEmbedding<Real> query,
                                       SymmetricEmbedding<Real> answer, bool couples_columns)
    : structure_(structure_of(components)),
      answer_counts_(structure_->numbers<Real>(Side::rows)),
      answer_multiplicity_(structure_->row_types().multiplicities<Real>()),
      query_counts_(structure_->numbers<Real>(Side::columns)),
      answers_(structure_->total<Real>(Side::rows)),
      label_noise_(population.label_noise),
      identity_law_(identity),
      removes_recovered_(population.removes_recovered),
      couples_columns_(couples_columns),
      query_(std::move(query)),
      answer_(std::move(answer)) {
  background_.constant = label_noise_ / answers_;
  if (population.noise == NoiseAnswers::frequency && population.label_noise > 0) {
    const std::vector<Real> q = answer_frequencies<Real>(components);
    noise_ = label_noise_ * Eigen::Map<const VectorOf<Real>>(q.data(), structure_->rows());
    background_ = {noise_.maxCoeff(), {noise_.data(), static_cast<std::size_t>(noise_.size())}};
  }
  set_cells(components, population.sampling);
  set_laws(components);
  rarest_last_ = sorted_order(columns(), std::greater(), [this](Index c) { return training(c); });
  exponent_ = std::ilogb(training(rarest_last_.front()));
}

/// The group of a cell: for the identity its component group, or the query type of attributes, else its place among the
/// query types.
template <class Real>
void SymmetricLayout<Real>::set_cells(const Components& components, const SamplingLaw& sampling) {
  for (std::size_t u = 0; u < components.groups.size(); ++u) {
    Index position = 0;
    for (const QueryType& type : components.groups[u].queries) {
      cells_.push_back({static_cast<Index>(u), position++, components.groups[u].count * type.multiplicity,
                        type.probability, sampling(type.probability)});
      if (query_.attributes) std::swap(cells_.back().group, cells_.back().position);
    }
  }
  if (identity_law_) return;
  Index place = 0;
  for (const TypeAt& at : query_types(components)) {
    cells_[at.number].group = place++;
    cells_[at.number].position = 0;
  }
}

template <class Real>
void SymmetricLayout<Real>::set_laws(const Components& components) {
  Index row = 0;
  CompensatedSumOf<Real> noise;
  for (Index k = 0; k < noise_.size(); ++k) noise.add(answer_counts_(k) * noise_(k));
  if (!identity_law_) first_answer_.push_back(0);
  for (const ComponentGroup& group : components.groups) {
    for (const QueryType& type : group.queries) {
      QueryAnswers<Real>& law = law_.emplace_back();
      for (const AnswerShare& share : type.answers)
        law.add(share.type, (Real(1) - label_noise_) * Real(share.probability), background_(row + share.type),
                Real(group.answer_multiplicity[share.type]), share.right);
      law.finish(label_noise_, answers_, noise_.size() > 0 ? &noise : nullptr);
      if (!identity_law_) first_answer_.push_back(first_answer_.back() + law.size());
    }
    const auto height = std::ssize(group.answer_multiplicity);
    std::vector<Index>& absent = absent_.emplace_back();
    for (Index k = row; group.count <= 1 && k < row + height; ++k) absent.push_back(height + k);
    row += height;
  }
}

template <class Real>
VectorOf<Real> SymmetricLayout<Real>::probabilities(Side side) const {
  const GroupTypes &rows = structure_->row_types(), &queries = structure_->column_types();
  VectorOf<Real> all = VectorOf<Real>::Zero(side == Side::rows ? structure_->rows() : columns());
  for (Index c = 0; c < columns(); ++c) {
    if (side == Side::columns) all(c) = Real(training(c));
    const QueryAnswers<Real>& law = law_[c];
    for (std::size_t i = 0; side == Side::rows && i < law.size(); ++i)
      all(rows.begin(queries.group(c)) + law.at[i]) +=
          Real(queries.multiplicity(c)) * Real(training(c)) * law.share[i] / (Real(1) - label_noise_);
  }
  return all;
}

template <class Real>
std::vector<Index> SymmetricLayout<Real>::right_answers() const {
  return mapped(law_, [](const QueryAnswers<Real>& law) { return law.right_at.front(); });
}

template <class Real>
std::vector<double> SymmetricLayout<Real>::right_logits(const State& x, const Workers&) const {
  const State s = this->logits(x);
  std::vector<double> right;
  for (Index column = 0; column < structure_->columns(); ++column) {
    const QueryAnswers<Real>& law = law_[column];
    const auto logits = s.diagonal_column(column);
    Real sum(0), number(0);
    for (std::size_t i = 0; i < law.size(); ++i) {
      if (!law.right[i]) continue;
      sum += law.times[i] * logits(law.at[i]);
      number += law.times[i];
    }
    right.push_back(static_cast<double>(Real(sum / number)));
  }
  return right;
}

template <class Real>
SymmetricMatrix<Real> SymmetricLayout<Real>::laws() const {
  State all = zero();
  for (Index column = 0; column < columns(); ++column) {
    const Index group = structure_->column_types().group(column);
    auto own = all.diagonal_column(column);
    auto other = all.off_entries().col(column);
    other = noise_.size() > 0 ? noise_ : VectorOf<Real>::Constant(other.size(), background_.constant);
    own = other.segment(structure_->row_types().begin(group), own.size());
    if (!(structure_->count[group] > 1))
      other.segment(structure_->row_types().begin(group), own.size()).setZero();
    const QueryAnswers<Real>& answers = law(column);
    for (std::size_t i = 0; i < answers.size(); ++i) own(answers.at[i]) = answers.target[i];
  }
  return all;
}

/// The column's entries in its own component, and those in others.
template <class Real>
void SymmetricLayout<Real>::put_logits(const State& s, Index column, Real* into) const {
  const auto diagonal = s.diagonal_column(column);
  const Index rows = structure_->rows();
  into = std::copy_n(diagonal.data(), diagonal.size(), into);
  std::copy_n(s.off_entries().data() + column * rows, rows, into);
}

template <class Real>
std::function<void(Index, Eigen::Ref<VectorOf<Real>>)> SymmetricLayout<Real>::logits_of(
    const State& w, const Observation&) const {
  return [this, s = std::make_shared<const State>(logits(w))](Index column, Eigen::Ref<VectorOf<Real>> into) {
    put_logits(*s, column, into.data());
  };
}

/// A pass over all columns, or those of a sample, gathered one by one.
template <class Real>
class SymmetricLayout<Real>::Pass {
 public:
  Pass(const SymmetricLayout& layout, const State& w, const Sample* sample, Gradient<State>* gradient,
       Observation*, const Workers&, const RandomRounding* rounding)
      : layout_(layout), sample_(sample), gradient_(gradient) {
    const bool as_it_is = layout.without_embeddings() && !rounding;
    if (!as_it_is) embedded_ = layout.logits(w);
    if (rounding) rounding->logits(embedded_);
    s_ = as_it_is ? &w : &embedded_;
    // Columns that a sample does not have are zero.
    if (gradient && (sample || gradient->task.shared_structure() != layout.structure_))
      gradient->task = State(layout.structure_);
  }

  template <class Body>
  void for_columns(const Workers& workers, const Body& body) {
    const Index rows = layout_.structure_->rows(),
                columns = sample_ ? std::ssize(sample_->query) : layout_.columns();
    workers.for_tiles(columns, 16, [&](Index begin, Index end) {
      VectorOf<Real> values, times, noise;
      Index last = -1;
      for (Index i = begin; i < end; ++i) {
        const Index column = column_at(i), group = layout_.structure_->column_types().group(column),
                    height = layout_.height(column);
        if (group != last) set_group(group, times, noise);
        last = group;
        values.resize(height + rows);
        layout_.put_logits(*s_, column, values.data());
        QueryColumn<Real> gathered{
            {values.data(), values.size()},
            {layout_.background_.constant, {noise.data(), static_cast<std::size_t>(noise.size())}},
            times.data(),
            layout_.absent_[group]};
        body(i, gathered);
        if (!gradient_) continue;
        std::copy_n(values.data(), height, gradient_->task.diagonal_column(column).data());
        std::copy_n(values.data() + height, rows, gradient_->task.off_entries().data() + column * rows);
      }
    });
  }
  void scale(Index i, int change) {
    using std::ldexp;
    const Real factor = ldexp(Real(1), change);
    gradient_->task.diagonal_column(column_at(i)) *= factor;
    gradient_->task.off_entries().col(column_at(i)) *= factor;
  }
  void finish(const Workers&) {
    gradient_->image.reset();
    if (!layout_.without_embeddings()) gradient_->image = layout_.to_ambient(gradient_->task);
  }

  VectorOf<Real> mean_logits() const {
    const GroupStructure& s = *layout_.structure_;
    const GroupTypes &row_types = s.row_types(), &column_types = s.column_types();
    VectorOf<Real> means = VectorOf<Real>::Zero(s.rows());
    for (Index column = 0; column < s.columns(); ++column) {
      const Index j = column_types.group(column), first = row_types.begin(j), height = row_types.size(j);
      const Real components(s.components(Side::columns, column));
      const Real weight = Real(layout_.probability(column)) * layout_.count(column) / components;
      means += Real(weight * components) * s_->off_entries().col(column);
      means.segment(first, height) +=
          weight * (s_->diagonal_column(column) - s_->off_entries().col(column).segment(first, height));
    }
    return means;
  }

 private:
  Index column_at(Index i) const { return sample_ ? sample_->query[i] : i; }
  /// Sets the number of answers of each entry of a group's columns, and their noise probabilities.
  void set_group(Index group, VectorOf<Real>& times, VectorOf<Real>& noise) const {
    const GroupTypes& types = layout_.structure_->row_types();
    const Index first = types.begin(group), height = types.size(group), rows = layout_.structure_->rows();
    times.resize(height + rows);
    std::copy_n(layout_.answer_multiplicity_.data() + first, height, times.data());
    std::copy_n(layout_.answer_counts_.data(), rows, times.data() + height);
    for (Index k = 0; k < height; ++k) times(height + first + k) -= times(k);
    if (layout_.noise_.size() == 0) return;
    noise.resize(height + rows);
    noise << layout_.noise_.segment(first, height), layout_.noise_;
  }

  const SymmetricLayout& layout_;
  const Sample* sample_;
  Gradient<State>* gradient_;
  State embedded_ = {};
  const State* s_ = nullptr;
};

Components in_blocks(const ClassGroups& groups, Index block) {
  Components components;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    ComponentGroup& component = components.groups.emplace_back();
    component.count = groups.count[i] / static_cast<double>(block);
    component.answer_multiplicity.assign(block, 1);
    for (Index c = 0; c < block; ++c) component.queries.push_back({1, groups.probability[i], {{c, 1, true}}});
  }
  return components;
}

template class SymmetricLayout<double>;
template class SymmetricLayout<Real50>;
template class SoftmaxMemory<SymmetricLayout<double>>;
template class SoftmaxMemory<SymmetricLayout<Real50>>;

}  // namespace rarefact
