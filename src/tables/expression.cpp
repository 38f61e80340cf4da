#include "tables/expression.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "query/evaluate.hpp"
#include "tables/result_frame.hpp"
#include "tables/view.hpp"

namespace rarefact {

namespace {

using query::Array;

/// The resolved experiment of a run, with the step sizes that ran.
Experiment experiment_of(const ExpressionSource& source, const Run& run) {
  Experiment experiment =
      parse_plan(source.experiment, "").point(static_cast<std::size_t>(run.index)).experiment;
  for (std::size_t o = 0; o < experiment.optimizers.size(); ++o)
    experiment.optimizers[o].step_size = run.trajectories.at(o).step_size;
  return experiment;
}

/// One run. The class rows of variables of answers are those of answers.
class RunFrame : public ResultFrame {
 public:
  RunFrame(const ExpressionSource& source, const Run& run)
      : ResultFrame({{&run, &source.steps, &source.variables,
                      [this]() -> const Experiment& {
                        if (!experiment_) experiment_ = experiment_of(source_, run_);
                        return *experiment_;
                      }}},
                    {}),
        source_(source),
        run_(run) {}

  std::optional<Array> read(const std::string& name) const override {
    const Quantity* const quantity = find_row(source_.quantities, name);
    if (quantity == nullptr) return ResultFrame::read(name);
    if (quantity->text) return {};
    Array array{.shape = {quantity->per_optimizer ? labels.size() : 1, quantity->per_step ? steps.size() : 1,
                          std::max(width_of(run_, quantity->along), std::size_t{1})}};
    for (std::size_t o = 0; o < array.shape[0]; ++o) {
      const Trajectory& trajectory = run_.trajectories[o];
      const Numbers number = quantity->numbers(run_, trajectory);
      // A run of fewer steps has no later ones; one that diverged has them without a number.
      const std::size_t end = is_finished(trajectory) ? end_of(trajectory, steps) : steps.size();
      for (std::size_t record = 0; record < array.shape[1]; ++record) {
        for (std::size_t row = 0; row < array.shape[2]; ++row) {
          const bool there = record <= end && width_of(run_, quantity->along) > 0;
          array.entries.push_back(there ? query::Number(number(record, row)) : query::Number());
        }
      }
    }
    return array;
  }

 private:
  const ExpressionSource& source_;
  const Run& run_;
  mutable std::optional<Experiment> experiment_ = {};
};

/// The value of an expression in one run at a time.
class RunValue {
 public:
  RunValue(Syntax tree, std::shared_ptr<const ExpressionSource> source)
      : tree_(std::move(tree)), source_(std::move(source)) {}

  std::shared_ptr<const Array> of(const Run& run) {
    if (run_ != &run || index_ != run.index) {
      const RunFrame frame(*source_, run);
      const query::Definitions none;
      value_ = std::make_shared<const Array>(query::Evaluator(frame, none, false).number(tree_));
      run_ = &run;
      index_ = run.index;
    }
    return value_;
  }

 private:
  Syntax tree_;
  std::shared_ptr<const ExpressionSource> source_;
  const Run* run_ = nullptr;
  std::int64_t index_ = 0;
  std::shared_ptr<const Array> value_ = {};
};

/// Refuses what joins the points of a sweep: a cell is of one run, or an average over seeds.
void refuse_points(const Syntax& tree) {
  const auto names = [&](std::initializer_list<const char*> words) {
    return std::any_of(tree.arguments.begin() + 1, tree.arguments.end(), [&](const Syntax& argument) {
      return argument.kind == Syntax::Kind::name && std::ranges::count(words, argument.text) > 0;
    });
  };
  if (tree.kind == Syntax::Kind::call && !tree.arguments.empty() &&
      (names({"point", "seed"}) || (tree.text == "slope" && !names({"class", "step", "optimizer"}))))
    throw bad_input("\"{}\" joins the points of a sweep, and a cell shows one; name class, step or optimizer",
                    to_text(tree));
  for (const Syntax& argument : tree.arguments) refuse_points(argument);
}

/// The labels of the optimizers that an expression names; all if it reduces over them.
void add_optimizers(const Syntax& tree, const std::vector<std::string>& all, std::vector<std::string>& read) {
  if (tree.kind == Syntax::Kind::choice) read.push_back(tree.text);
  if (tree.kind == Syntax::Kind::name && tree.text == "optimizer") read = all;
  for (const Syntax& argument : tree.arguments) add_optimizers(argument, all, read);
}

}  // namespace

ExpressionSource::ExpressionSource(const Result& result)
    : quantities(rarefact::quantities(result)),
      steps(result.steps),
      variables(result.variables),
      experiment(result.experiment),
      optimizers(result.optimizers) {}

std::vector<std::string> other_names(const ExpressionSource& source, const Run& run) {
  return RunFrame(source, run).names();
}

Quantity expression(const Syntax& tree, const std::string& typed,
                    const std::shared_ptr<const ExpressionSource>& source, const Run& run) {
  std::vector<Quantity> parts;
  std::set<Along> along;
  for (const std::string& name : names_in(tree)) {
    if (const Quantity* quantity = find_row(source->quantities, name)) {
      parts.push_back(*quantity);
      along.insert(quantity->along);
    } else if (const auto number = point_numbers().find(name); number != point_numbers().end()) {
      along.insert(number->second.of == PointNumbers::Of::rows ? Along::class_groups : Along::nothing);
    }
  }
  if (tree.kind == Syntax::Kind::name && !parts.empty()) return parts.front();
  along.erase(Along::nothing);
  if (along.size() > 1) throw bad_input("{} joins numbers of classes and of answers", typed);
  refuse_points(tree);
  const auto value = std::make_shared<RunValue>(tree, source);
  const query::Shape shape = value->of(run)->shape;
  // Along a dimension of length 1 a value may be either.
  const auto any = [&](bool Quantity::*member) { return std::ranges::any_of(parts, member); };
  Quantity made{
      .name = typed,
      .per_optimizer = shape[0] > 1 || (run.trajectories.size() == 1 && any(&Quantity::per_optimizer)),
      .per_step = shape[1] > 1 || (source->steps.size() == 1 && any(&Quantity::per_step)),
      .counts = false};
  if (!along.empty() && (shape[2] > 1 || width_of(run, *along.begin()) == 1)) made.along = *along.begin();
  for (const Quantity& part : parts)
    made.meaning += fmt::format("{}{} = {}", made.meaning.empty() ? "" : ", ", part.name, part.meaning);
  if (parts.empty()) made.meaning = "of numbers of the problem";
  add_optimizers(tree, source->optimizers, made.others);
  made.numbers = [value](const Run& of, const Trajectory& trajectory) -> Numbers {
    const auto o = static_cast<std::size_t>(&trajectory - of.trajectories.data());
    return [all = value->of(of), o](std::size_t record, std::size_t row) {
      const query::Shape& length = all->shape;
      const auto at = [&](std::size_t place, std::size_t d) { return length[d] > 1 ? place : 0; };
      const std::size_t entry = (at(o, 0) * length[1] + at(record, 1)) * length[2] + at(row, 2);
      return at(row, 2) < length[2] ? all->entries[entry].value_or(query::missing) : query::missing;
    };
  };
  if (std::ranges::none_of(parts, [](const Quantity& part) { return part.digits != nullptr; })) return made;
  // The fewest of any variable; where it has no steps itself, of all steps.
  made.digits = [parts, others = made.others, own = made.per_optimizer, steps = source->steps.size(),
                 per_step = made.per_step](const Run& of, const Trajectory& trajectory) -> Numbers {
    std::vector<Numbers> all;
    for (const Quantity& part : parts) {
      for (const Trajectory& read : of.trajectories) {
        if (part.digits && ((own && &read == &trajectory) || std::ranges::count(others, read.optimizer) > 0))
          all.push_back(part.digits(of, read));
      }
    }
    return [all, steps, per_step](std::size_t record, std::size_t row) {
      double fewest = query::missing;
      for (std::size_t r = per_step ? record : 0; r < (per_step ? record + 1 : steps); ++r) {
        for (const Numbers& digits : all) fewest = std::fmin(fewest, digits(r, row));
      }
      return fewest;
    };
  };
  return made;
}

}  // namespace rarefact
