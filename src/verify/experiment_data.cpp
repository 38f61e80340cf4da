#include "core/status.hpp"
#include "verify/claim_finding.hpp"

namespace rarefact::claims {

namespace {

bool complete(const Trajectory& trajectory) {
  return trajectory.status == text_of(Status::complete);
}

/// The symbol of a swept key: K, s, d, B, α or η; the key itself if several keys would have one.
std::string symbol(const std::string& key, const std::vector<std::vector<std::string>>& axes) {
  static const std::map<std::string, std::string> symbols = {{"classes.count", "K"},
                                                             {"classes.exponent", "s"},
                                                             {"embedding.dimension", "d"},
                                                             {"data.batch", "B"},
                                                             {"data.label_noise", "α"}};
  if (const auto found = symbols.find(key); found != symbols.end()) return found->second;
  const auto is_step_size = [](const std::string& name) { return name.ends_with(".step_size"); };
  std::ptrdiff_t step_sizes = 0;
  for (const auto& axis : axes) step_sizes += std::ranges::count_if(axis, is_step_size);
  return is_step_size(key) && step_sizes == 1 ? "η" : key;
}

}  // namespace

ExperimentData::ExperimentData(const EvidencePoints& evidence)
    : ResultFrame(mapped(evidence,
                         [](const EvidencePoint& point) -> FramePoint {
                           return {&point.run(), &point.result.steps, &point.result.variables,
                                   [&point]() -> const Experiment& { return point.experiment; }};
                         }),
                  evidence.axes),
      evidence_(evidence) {
  // One listed class is a row among others.
  if (std::ranges::any_of(evidence_, [](const EvidencePoint& point) {
        return point.experiment.classes.kind == ClassRule::Kind::list;
      }))
    rows = std::max(rows, std::size_t{2});
  unfinished_.shape = points;
  unfinished_.shape.insert(unfinished_.shape.end(), {labels.size(), 1, 1});
  for (const EvidencePoint& point : evidence_) {
    for (const Trajectory& trajectory : point.run().trajectories)
      unfinished_.entries.push_back(complete(trajectory) ? Number() : Number(1));
  }
  tamper_ = [this](const std::string& variable, Array& values) {
    if (!is_prediction(variable)) remove_unfinished(values);
    if (!change_) return;
    spend(4 * values.entries.size());
    change_(variable, values);
  };
}

void ExperimentData::reading(const std::string& name, const std::function<Array(Array)>& chosen) const {
  if (!is_prediction(name) && is_variable(name) && !numbers(unfinished_).empty() &&
      !numbers(chosen(unfinished_)).empty())
    read_unfinished_ = true;
}

bool ExperimentData::is_variable(const std::string& name) const {
  return std::ranges::any_of(evidence_, [&](const EvidencePoint& point) {
    return std::ranges::count(point.result.variables, name, &Variable::name) > 0;
  });
}

void ExperimentData::remove_unfinished(Array& values) const {
  const std::size_t each = values.entries.size() / unfinished_.entries.size();
  for (std::size_t i = 0; i < values.entries.size(); ++i)
    if (unfinished_.entries[i / each] && values.entries[i]) values.entries[i] = missing;
}

std::vector<std::string> ExperimentData::unfinished() const {
  Shape shape = points;
  shape.resize(dimensions(), 1);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < evidence_.size(); ++i) {
    const std::string where = place(shape, i);
    for (const Trajectory& trajectory : evidence_[i].run().trajectories) {
      if (!complete(trajectory))
        all.push_back(fmt::format("{}{}{}: {} (step {})", trajectory.optimizer, where.empty() ? "" : " at ",
                                  where, trajectory.status, trajectory.status_step));
    }
  }
  return all;
}

std::string ExperimentData::place(const Shape& shape, std::size_t entry) const {
  const std::vector<std::size_t> at = coordinates(shape, entry);
  std::vector<std::string> words;
  for (std::size_t d = 0; d < points.size(); ++d) {
    if (shape[d] == 1) continue;
    for (const std::string& name : keys[d]) {
      const Array values = key(name);
      const double value = values.entries.at(at[d]).value_or(missing);
      words.push_back(fmt::format("{} = {}", symbol(name, keys),
                                  values.is_text ? text_of(value) : fmt::format("{:g}", value)));
    }
  }
  if (shape[optimizer()] > 1) words.push_back(labels.at(at[optimizer()]));
  if (shape[step()] > 1) words.push_back(fmt::format("step {}", steps.at(at[step()])));
  if (shape[row()] > 1) words.push_back(fmt::format("class row {}", at[row()] + 1));
  return joined(words);
}

}  // namespace rarefact::claims
