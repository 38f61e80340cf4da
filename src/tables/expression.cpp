#include "core/transform.hpp"
#include "query/evaluate.hpp"
#include "results/joined_points.hpp"
#include "tables/result_frame.hpp"
#include "tables/view.hpp"

namespace rarefact {

namespace {

using query::Array;

/// The resolved experiment of a run, with the step sizes that ran.
Experiment experiment_of(const Result& result, const Run& run) {
  Experiment experiment;
  try {
    const ExperimentPlan plan = parse_plan(result.experiment, "");
    const auto index = plan.axes().empty() ? 0 : static_cast<std::size_t>(run.index);
    if (index < plan.size()) experiment = plan.point(index).experiment;
  } catch (const InputError& error) {
    throw DamagedResult(fmt::format("the attribute 'experiment' of the file: {}", error.what()));
  }
  if (experiment.optimizers.size() != run.trajectories.size())
    throw DamagedResult("the attribute 'experiment' of the file is not that of its runs");
  for (std::size_t o = 0; o < experiment.optimizers.size(); ++o)
    experiment.optimizers[o].step_size = run.trajectories[o].step_size;
  return experiment;
}

/// One run, of the steps that it recorded. The class rows of variables of answers are those of answers.
class RunFrame : public ResultFrame {
 public:
  RunFrame(const ExpressionSource& source, const Run& run)
      : ResultFrame({{&run, &source.steps_of(run), &source.result.variables,
                      [this]() -> const Experiment& {
                        if (!experiment_) experiment_ = experiment_of(source_.result, run_);
                        return *experiment_;
                      }}},
                    {}),
        source_(source),
        run_(run) {
    steps = source.result.steps;
  }

  std::optional<Array> read(const std::string& name) const override {
    const Quantity* const quantity = find_row(source_.quantities, name);
    if (quantity == nullptr) return ResultFrame::read(name);
    if (quantity->text != nullptr) return {};
    const std::size_t width = width_of(run_, quantity->along);
    const Numbers number = quantity->numbers(run_);
    const std::vector<std::int64_t>& own = source_.steps_of(run_);
    Array array{.shape = {quantity->per_optimizer ? labels.size() : 1, quantity->per_step ? steps.size() : 1,
                          std::max(width, std::size_t{1})}};
    for (std::size_t o = 0; o < array.shape[0]; ++o) {
      for (std::size_t record = 0; record < array.shape[1]; ++record) {
        const bool there =
            width > 0 && (array.shape[1] == 1 || std::ranges::binary_search(own, steps[record]));
        for (std::size_t row = 0; row < array.shape[2]; ++row)
          array.entries.push_back(there ? query::Number(number(o, record, row)) : query::Number());
      }
    }
    return array;
  }

 private:
  const ExpressionSource& source_;
  const Run& run_;
  mutable std::optional<Experiment> experiment_ = {};
};

Array value_in(const Run& run, const Syntax& tree, const ExpressionSource& source) {
  const RunFrame frame(source, run);
  const query::Definitions none;
  return query::Evaluator(frame, none, false).number(tree);
}

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

/// True if a function joins numbers along the class rows.
bool joins_classes(const Syntax& tree) {
  const auto here = [](const Syntax& argument) {
    return argument.kind == Syntax::Kind::name && argument.text == "class";
  };
  return (tree.kind == Syntax::Kind::call && std::ranges::any_of(tree.arguments, here)) ||
         std::ranges::any_of(tree.arguments, joins_classes);
}

/// The labels of the optimizers that an expression names; all if it reduces over them.
void add_optimizers(const Syntax& tree, const std::vector<std::string>& all, std::vector<std::string>& read) {
  if (tree.kind == Syntax::Kind::choice) read.push_back(tree.text);
  if (tree.kind == Syntax::Kind::name && tree.text == "optimizer") read = all;
  for (const Syntax& argument : tree.arguments) add_optimizers(argument, all, read);
}

}  // namespace

ExpressionSource::ExpressionSource(const Result& of) : result(of), quantities(rarefact::quantities(of)) {
  if (of.points.empty()) return;
  const JoinedPoints points = joined_points(of);
  for (std::size_t i = 0; i < of.runs.size(); ++i)
    if (const auto& [id, kind] = points.of_runs[i]; id && points.kinds[kind].steps != of.steps)
      steps_[of.runs[i].index] = points.kinds[kind].steps;
}

const std::vector<std::int64_t>& ExpressionSource::steps_of(const Run& run) const {
  const auto found = steps_.find(run.index);
  return found == steps_.end() ? result.steps : found->second;
}

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
  const bool of_classes = along.contains(Along::class_groups);
  along.erase(Along::nothing);
  if (along.size() > 1) throw bad_input("{} joins numbers of classes, of answers or of bands", typed);
  refuse_points(tree);
  const query::Shape shape = value_in(run, tree, *source).shape;
  // Along a dimension of length 1 a value may be either.
  const auto any = [&](bool Quantity::*member) { return std::ranges::any_of(parts, member); };
  Quantity made{
      .name = typed,
      .per_optimizer = shape[0] > 1 || (run.trajectories.size() == 1 && any(&Quantity::per_optimizer)),
      .per_step = shape[1] > 1 || (source->result.steps.size() == 1 && any(&Quantity::per_step)),
      .counts = false,
      .over_classes = of_classes && joins_classes(tree)};
  if (!along.empty() && (shape[2] > 1 || width_of(run, *along.begin()) == 1)) made.along = *along.begin();
  for (const Quantity& part : parts) {
    made.meaning += fmt::format("{}{}: {}", made.meaning.empty() ? "" : "; ", part.name, part.meaning);
    made.variables.insert(made.variables.end(), part.variables.begin(), part.variables.end());
  }
  if (parts.empty()) made.meaning = "of numbers of the problem";
  add_optimizers(tree, source->result.optimizers, made.others);
  made.numbers = [tree, source](const Run& of) -> Numbers {
    return [all = std::make_shared<const Array>(value_in(of, tree, *source))](
               std::size_t optimizer, std::size_t record, std::size_t row) {
      const query::Shape& length = all->shape;
      const auto at = [&](std::size_t place, std::size_t d) { return length[d] > 1 ? place : 0; };
      const std::size_t entry = (at(optimizer, 0) * length[1] + at(record, 1)) * length[2] + at(row, 2);
      return at(row, 2) < length[2] ? all->entries[entry].value_or(absent) : absent;
    };
  };
  return made;
}

}  // namespace rarefact
