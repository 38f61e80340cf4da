#include "sim/inputs.hpp"

#include <cmath>

#include "algebra/householder.hpp"
#include "algebra/ranked_qr.hpp"
#include "core/sorted_order.hpp"

namespace rarefact {

namespace {

std::shared_ptr<const Matrix> written_out(const ChosenRow& side, const char* stream,
                                          const Experiment& experiment, double classes,
                                          const FileColumns& file, const AttributeGrid* grid,
                                          const ArrayReader& reader) {
  const EmbeddingRow& row = embedding_row(side.kind);
  if (row.identity) return nullptr;
  return std::make_shared<const Matrix>(row.make(side.parameters, {.classes = static_cast<Index>(classes),
                                                                   .seed = experiment.seed_of(side.seed),
                                                                   .stream = stream,
                                                                   .reader = reader,
                                                                   .columns = file.column,
                                                                   .grid = grid}));
}

std::int64_t draws_at_once(const Experiment& experiment) {
  return static_cast<std::int64_t>(draws_of(experiment.data_mode, experiment.data_parameters));
}

/// A dataset is drawn at step 0, and every step takes all of it.
bool one_sample(const Experiment& experiment) {
  return experiment.data_mode == "dataset";
}

}  // namespace

double all_draws(const Experiment& experiment) {
  const double draws = draws_of(experiment.data_mode, experiment.data_parameters);
  return experiment.data_mode == "minibatch" ? draws * static_cast<double>(experiment.steps) : draws;
}

Population population_of(const Experiment& experiment, const Spectrum& spectrum, const ClassGroups& queries) {
  return {.queries = queries,
          .label_noise = experiment.label_noise,
          .noise = experiment.noise(),
          .sampling = spectrum.sampling,
          .removes_recovered = experiment.removes_recovered()};
}

Population population_of(const Experiment& experiment, const Spectrum& spectrum, const WrittenLaw* written) {
  Population population = population_of(experiment, spectrum, *spectrum.groups);
  if (experiment.of_attributes()) population.attributes = &*spectrum.grid;
  if (!spectrum.answers) return population;
  population.components = &*spectrum.answers->components;
  if (written) population.pairs = &written->pairs, population.query_group = &written->group;
  return population;
}

std::shared_ptr<const Matrix> triangular_factor(const std::shared_ptr<const Matrix>& embedding,
                                                const std::vector<Index>& order) {
  if (!embedding) return embedding;
  const bool sorted = std::ranges::is_sorted(order);
  Matrix r = HouseholderQr(sorted ? *embedding : Matrix((*embedding)(Eigen::all, order))).r();
  // A rounded zero would give a column of ∇L a direction, the same in all repetitions.
  const double rounding = rank_tolerance_factor * std::numeric_limits<double>::epsilon() *
                          std::sqrt(static_cast<double>(embedding->rows()));
  for (Index j = 0; j < r.cols(); ++j)
    r.col(j) = (r.col(j).array().abs() <= rounding * r.col(j).stableNorm()).select(0, r.col(j));
  if (!sorted) r(Eigen::all, order) = Matrix(r);
  return std::make_shared<const Matrix>(std::move(r));
}

DenseEmbeddings SharedInputs::embeddings(const Symmetries& rule) {
  const std::lock_guard lock(making_);
  if (!written_out_) {
    DenseEmbeddings both;
    both.query = written_out(experiment_.memory_queries(), "query", experiment_, spectrum_.classes,
                             spectrum_.query_file, spectrum_.grid ? &*spectrum_.grid : nullptr, reader_);
    both.answer = experiment_.tied
                      ? both.query
                      : written_out(experiment_.answer_embedding, "answer", experiment_,
                                    spectrum_.answer_count(), spectrum_.answer_file, nullptr, reader_);
    written_out_ = both;
  }
  DenseEmbeddings chosen = *written_out_;
  for (const auto& [rotates, side] : {std::pair(rule.queries_rotate, &DenseEmbeddings::query),
                                      std::pair(rule.answers_rotate, &DenseEmbeddings::answer)}) {
    if (!rotates) continue;
    if (!(triangular_.*side))
      triangular_.*side = triangular_factor(
          chosen.*side, side == &DenseEmbeddings::query ? rarest_last() : std::vector<Index>());
    chosen.*side = triangular_.*side;
  }
  return chosen;
}

std::shared_ptr<const Matrix> SharedInputs::start(std::size_t factor, Index rows, Index columns) {
  const std::lock_guard lock(making_);
  std::shared_ptr<const Matrix>& start = starts_.at(factor);
  if (start) return start;
  const auto& [kind, parameters, own_seed] = experiment_.init;
  if (start_row(kind).of_attributes)
    return start =
               std::make_shared<const Matrix>(attribute_start(*spectrum_.grid, parameters.number("scale")));
  if (parameters.has("scale")) {
    const std::uint64_t seed = experiment_.seed_of(own_seed);
    return start = std::make_shared<const Matrix>(
               drawn_start(kind, parameters.number("scale"), rows, columns, seed, factor));
  }
  const std::string& path = parameters.text(start_path(factor, experiment_.is_product()));
  start = std::make_shared<const Matrix>(reader_(path));
  require_start_shape(path, {start->rows(), start->cols()}, static_cast<double>(rows),
                      static_cast<double>(columns));
  return start;
}

/// The queries sorted by probability in training, rarest last.
std::vector<Index> SharedInputs::rarest_last() {
  const WrittenLaw* law = law_written();
  const std::vector<Index> group = law ? law->group : spectrum_.groups->group_of_each();
  return sorted_order(std::ssize(group), std::greater(), [&](Index l) {
    return spectrum_.sampling(law ? law->pairs.probability[l] : spectrum_.groups->probability[group[l]]);
  });
}

const WrittenLaw* SharedInputs::law() {
  const std::lock_guard lock(making_);
  return law_written();
}

const WrittenLaw* SharedInputs::law_written() {
  if (!spectrum_.answers) return nullptr;
  if (!law_) law_ = rarefact::written_out(*spectrum_.answers);
  return &*law_;
}

const Sampler& SharedInputs::sampler() {
  if (sampler_) return *sampler_;
  const RandomStream stream(experiment_.seeds().data, experiment_.data_mode);
  if (spectrum_.groups) {
    sampler_ = std::make_shared<const Sampler>(population_of(experiment_, spectrum_, law_written()), stream);
  } else {
    const SmoothLaw drawn = with_power(*spectrum_.law, spectrum_.sampling.exponent);
    const ClassGroups groups = dyadic_groups(drawn);
    sampler_ = std::make_shared<const Sampler>(
        Population{.queries = groups, .label_noise = experiment_.label_noise}, stream, drawn);
  }
  return *sampler_;
}

SampleSource SharedInputs::samples() {
  const std::lock_guard lock(making_);
  const std::int64_t draws = draws_at_once(experiment_);
  const Sampler& made = sampler();
  if (one_sample(experiment_)) {
    if (!dataset_) dataset_ = std::make_shared<const Sample>(made.sample(0, draws, workers_));
    return [dataset = dataset_](std::int64_t) -> const Sample& { return *dataset; };
  }
  return [sampler = sampler_, draws, &workers = workers_,
          drawn = std::make_shared<Sample>()](std::int64_t step) -> const Sample& {
    *drawn = sampler->sample(static_cast<std::uint64_t>(step), draws, workers);
    return *drawn;
  };
}

std::vector<Draw> SharedInputs::drawn_at(std::int64_t step) const {
  return sampler_->draws(static_cast<std::uint64_t>(step), draws_at_once(experiment_), workers_);
}

const SampledClasses& SharedInputs::sampled() {
  const std::lock_guard lock(making_);
  if (!sampled_) {
    const std::int64_t steps =
        one_sample(experiment_) ? 1 : experiment_.steps + 1;  // the last step is only measured
    const std::int64_t max_kept = (std::int64_t{1} << 18) / draws_at_once(experiment_);
    sampler();
    const auto draws = [&](std::int64_t step) {
      std::vector<Draw> drawn = drawn_at(step);
      if (step < max_kept) kept_.push_back(drawn);
      return drawn;
    };
    sampled_ = std::make_unique<const SampledClasses>(
        sampled_classes(draws, steps, spectrum_.groups ? *spectrum_.groups : dyadic_groups(*spectrum_.law),
                        spectrum_.groups ? nullptr : &*spectrum_.law));
  }
  return *sampled_;
}

SampleSource SharedInputs::sampled_draws() {
  const SampledClasses& classes = sampled();
  const bool once = one_sample(experiment_);
  return [this, &classes, once, known = std::make_shared<Sample>()](std::int64_t step) -> const Sample& {
    if (once && !known->query.empty()) return *known;
    const auto place = static_cast<std::size_t>(once ? 0 : step);
    const bool kept = place < kept_.size();
    const std::vector<Draw> anew = kept ? std::vector<Draw>() : drawn_at(static_cast<std::int64_t>(place));
    const auto groups = std::ssize(classes.groups);
    std::vector<std::uint64_t> keys;
    for (const Draw& draw : kept ? kept_[place] : anew)
      keys.push_back(
          static_cast<std::uint64_t>(classes.group_of(draw.query) * groups + classes.group_of(draw.answer)));
    *known = counted(keys, groups);
    return *known;
  };
}

}  // namespace rarefact
