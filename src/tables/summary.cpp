#include "tables/summary.hpp"

#include <iterator>

#include "core/status.hpp"
#include "core/transform.hpp"
#include "experiment/plan.hpp"
#include "query/frame.hpp"

namespace rarefact {

namespace {

using Line = std::vector<std::string>;

constexpr double learned_error = 0.1;

/// A number of updates: "34", "2e9".
std::string with_exponent(std::int64_t n) {
  int zeros = 0;
  for (; n > 0 && n % 10 == 0; n /= 10) ++zeros;
  return zeros < 6 ? fmt::format("{}{:0<{}}", n, "", zeros) : fmt::format("{}e{}", n, zeros);
}

constexpr std::size_t max_rows = 40;
/// Largest number of lines of one kind.
constexpr std::size_t max_lines = 10;

/// A column without a head is of the mean over samples, for cells of several that the column before it leaves empty.
struct Column {
  std::string head;
  Query query;
  bool in_sweeps = true;
};

Quantity step_size() {
  Quantity quantity{.name = "step size"};
  quantity.numbers = [](const Run& run) -> Numbers {
    return [&run](std::size_t o, std::size_t, std::size_t) { return run.trajectories[o].step_size; };
  };
  return quantity;
}

/// The columns; the step size comes first in sweeps in which some were searched.
std::vector<Column> columns(bool squares, bool sweep, bool of_means, const std::vector<std::string>& bands) {
  const std::string shown = squares ? "coefficient" : "error";
  const auto column = [&](const std::string& head, Quantity value, const char* rows = "tail") -> Column {
    value.counts = false;
    return {head,
            {.value = std::move(value),
             .rows = row_named(named_rows(), rows, "class row"),
             .at = sweep ? Query::At::last : Query::At::last_finite}};
  };
  const Quantity rows = recorded(shown, Along::class_groups);
  std::vector<Column> all = {column("step size", step_size()), column("loss", recorded("loss")),
                             column("pred. loss", recorded("loss_predicted"))};
  const auto add_mean = [&](const std::string& name, Along along) {
    if (of_means) all.push_back(column("", recorded(name + "_predicted_mean", along)));
  };
  add_mean("loss", Along::nothing);
  if (squares) all.push_back(column("excess loss", recorded("excess_loss")));
  all.push_back(column("head " + shown, rows, "head"));
  all.back().in_sweeps = false;
  all.push_back(column("tail " + shown, rows));
  all.push_back(column("pred. tail", recorded(shown + "_predicted", Along::class_groups)));
  add_mean(shown, Along::class_groups);
  for (const std::string& band : bands) {
    all.push_back(column(band + " " + shown, recorded("band_" + shown, Along::bands)));
    all.back().query.rows = {band, RowChoice::Kind::name};
  }
  if (squares) return all;
  all.push_back(column(fmt::format("steps to {}", learned_error), rows, "max"));
  all.back().query.at = Query::At::first;
  all.back().query.shows_step = true;
  all.back().query.when = {rows, constant(learned_error), "<"};
  return all;
}

/// A number with `left` significant digits, at most 4, and "?" if they are fewer than 3.
std::string number_text(double value, int left) {
  return fmt::format("{:.{}g}{}", value, std::clamp(left, 1, 4), left < 3 ? "?" : "");
}

std::string shown_text(const TableCell& cell, bool squares) {
  if (cell.kind == TableCell::Kind::beyond) return fmt::format(">{}", cell.beyond);
  if (cell.kind != TableCell::Kind::number || (cell.runs > 1 && cell.half_width > 0))
    return cell_text(cell, 4);
  if (cell.counts) return fmt::format("{:.0f}", cell.mean);
  // Errors and losses of a softmax are positive, so a zero is an underflow.
  return cell.mean == 0 && !squares ? "<1e-307" : number_text(cell.mean, cell.digits);
}

std::string run_name(const Run& run) {
  return fmt::format("run {}{}{}", run.index, run.parameters.empty() ? "" : ": ",
                     parameter_text(run.parameters));
}

/// How and why an incomplete trajectory ended; without a sweep, that its last finite numbers are shown.
std::string ending_text(const Trajectory& trajectory, bool sweep) {
  const std::string& label = trajectory.optimizer;
  const std::string why = trajectory.status_detail.empty() ? "" : ": " + trajectory.status_detail;
  if (trajectory.status == Status::failed) return label + " failed and has no numbers" + why;
  if (trajectory.status == Status::uncertified) return label + why + "; results kept";
  if (trajectory.status == Status::digits_lost)
    return fmt::format("{}: fewer than 3 correct digits from step {} on{}", label, trajectory.status_step,
                       why);
  const std::string when = trajectory.status_step == 0 ? "at the first update"
                                                       : fmt::format("after step {}", trajectory.status_step);
  return fmt::format("{} {} {}{}{}", label, trajectory.status, when, why,
                     sweep ? "" : "; last finite values shown");
}

}  // namespace

void ClosingReport::FirstLines::add(const std::string& where, const std::string& what) {
  if (const auto same = std::ranges::find(first, what, &Line::what); same != first.end())
    ++same->times;
  else if (first.size() < max_lines)
    first.push_back({where, what});
  else
    ++beyond;
}

std::string ClosingReport::FirstLines::text(const std::string& start) const {
  std::string text;
  for (const auto& [where, what, times] : first)
    text += start + where + what + (times > 1 ? fmt::format(" ({} times)", times) : "") + "\n";
  return text + (beyond > 0 ? fmt::format("{}and {} more {}\n", start, beyond, kind) : "");
}

ClosingReport::ClosingReport(const Result& head, std::size_t runs)
    : steps_(head.steps), squares_(find_row(head.variables, "coefficient") != nullptr), runs_(runs) {
  if (find_row(head.variables, "loss_predicted_mean") == nullptr) return;
  const ExperimentPlan plan = parse_plan(head.experiment, "");
  std::set<std::string> seeds;
  for (const SweepAxis& axis : plan.axes())
    std::ranges::copy_if(axis.keys, std::inserter(seeds, seeds.end()), query::is_seed);
  // Runs of a cell differ in the first one alone.
  means_ = !seeds.empty() && *seeds.begin() == (plan.point(0).experiment.data_seed ? "data.seed" : "seed");
}

ClosingReport::ClosingReport(const Result& result) : ClosingReport(result, result.runs.size()) {
  for (const Run& run : result.runs) add(run);
}

bool ClosingReport::needs(const Variable& variable) {
  const auto has = [&](const char* part) { return variable.name.find(part) != std::string::npos; };
  return has("error") || has("coefficient") ||
         (variable.along == Along::nothing && (has("loss") || has("digits")));
}

void ClosingReport::add(const Run& run) {
  const bool sweep = runs_ > 1;
  if (!pivot_) {
    TablePlan plan{.max_rows = max_rows};
    bands_ = run.band_name;
    for (const Column& column : columns(squares_, sweep, means_, bands_)) plan.values.push_back(column.query);
    // Means are over one seed alone: runs that share another are not independent.
    bool averaged = false;
    for (const auto& [key, value] : run.parameters)
      if (sweep && (!query::is_seed(key) || std::exchange(averaged, true))) plan.rows.push_back(key);
    plan.rows.emplace_back("optimizer");
    plan.axes = plan.rows;
    pivot_.emplace(std::move(plan), steps_);
  }
  pivot_->add(run);
  const bool any = std::ranges::any_of(run.class_count, [](double count) { return count > 0; });
  other_bands_ = other_bands_ || (any && run.band_name != bands_);
  partial_ = partial_ || (any && !has_all_classes(run));  // none: a point that is missing
  nodes_ = nodes_ || has_nodes(run);
  const std::string where = sweep ? fmt::format("run {}: ", run.index) : "";
  for (const Trajectory& trajectory : run.trajectories) {
    auto& on_engine = engines_[trajectory.engine];
    if (std::ranges::count(on_engine, trajectory.optimizer) == 0) on_engine.push_back(trajectory.optimizer);
    if (trajectory.fast_forward_error > 0 && trajectory.updates < steps_.back()) {
      Updates& made =
          updates_.try_emplace(trajectory.optimizer, Updates{trajectory.updates, trajectory.updates})
              .first->second;
      made.least = std::min(made.least, trajectory.updates);
      made.most = std::max(made.most, trajectory.updates);
      made.error = std::max(made.error, trajectory.fast_forward_error);
    }
    ++trajectories_;
    const std::vector<double>* digits = trajectory.find("digits");
    if (digits && std::ranges::any_of(*digits, [](double x) { return !std::isnan(x); })) ++measured_;
    any_quadrature_ = any_quadrature_ || trajectory.engine == "quadrature";
    // Negated so that NaN (nothing certified) counts as larger than any error.
    if (!(trajectory.quadrature_error <= largest_error_)) largest_error_ = trajectory.quadrature_error;
    if (const std::string& source = trajectory.step_size_source; !source.empty()) {
      if (!sweep)
        step_sizes_ +=
            fmt::format("{}: step size {:.5g} ({})\n", trajectory.optimizer, trajectory.step_size, source);
      chosen_ = true;
    }
    if (trajectory.status == Status::complete) {
      if (!trajectory.status_detail.empty())
        notes_.add(where, fmt::format("{}: {}", trajectory.optimizer, trajectory.status_detail));
      continue;
    }
    failed_ = failed_ || trajectory.status == Status::failed;
    endings_.add("", (sweep ? run_name(run) + ": " : "") + ending_text(trajectory, sweep));
  }
}

std::string ClosingReport::warnings() const {
  return notes_.text("warning: ") + endings_.text("warning: ");
}

std::string ClosingReport::table() const {
  const bool sweep = runs_ > 1;
  const std::vector<Column> all = columns(squares_, sweep, means_, bands_);
  const Table found = pivot_->table();
  const auto is_shown = [&](std::size_t c) {
    return !all[c].head.empty() && (c == 0 ? sweep && chosen_ : all[c].in_sweeps || !sweep);
  };
  std::vector<Line> lines = {found.row_keys};
  bool any_marked = false, averaged = false, differs = false;
  for (const auto& head : found.row_heads) lines.push_back(mapped(head, axis_text));
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (!is_shown(c)) continue;
    lines[0].push_back(all[c].head);
    for (std::size_t r = 0; r < found.cells.size(); ++r) {
      const bool of_mean = found.cells[r][c].kind == TableCell::Kind::missing && found.cells[r][c].runs > 1 &&
                           c + 1 < all.size() && all[c + 1].head.empty();
      const TableCell& cell = found.cells[r][c + (of_mean ? 1 : 0)];
      lines[r + 1].push_back(shown_text(cell, squares_));
      any_marked = any_marked || lines[r + 1].back().ends_with('?');
      averaged = averaged || cell.runs > 1;
      differs = differs || (cell.runs > 1 && (cell.kind == TableCell::Kind::words || cell.half_width > 0));
    }
  }
  std::string text = aligned_table(lines);
  if (pivot_->cut())
    text += fmt::format("only the first {} rows are shown, of {} runs; rarefact table shows any part\n",
                        max_rows, runs_);
  if (averaged && !differs) text += "the seed makes no difference to these numbers\n";
  text += step_sizes_ + endings_.text();
  if (any_marked) text += "?: fewer than 3 digits of a number are left\n";
  if (measured_ > 0 && measured_ < trajectories_)
    text +=
        fmt::format("digits: measured for {} of {} trajectories (run.digits)\n", measured_, trajectories_);
  if (any_quadrature_) {
    text += std::isfinite(largest_error_)
                ? fmt::format("quadrature: estimated relative error of total error and loss at most {:.2g}\n",
                              largest_error_)
                : "quadrature: the error cannot be estimated\n";
  }
  for (const auto& [optimizer, made] : updates_)
    text += fmt::format("{}: fast-forwarded; {} of {} updates simulated; estimated relative error {:.2g}\n",
                        optimizer,
                        made.least == made.most ? fmt::format("{}", made.most)
                                                : fmt::format("{} to {}", made.least, made.most),
                        with_exponent(steps_.back()), made.error);
  const auto engine = [](const auto& item) {
    return fmt::format("{} ({})", item.first, joined(item.second));
  };
  text += fmt::format("engine: {}\n", joined(mapped(engines_, engine)));
  text += fmt::format("head: the most frequent {}; tail: the rarest; {}\n",
                      partial_ ? "of the classes of run.classes" : "classes",
                      squares_ ? "coefficient: of the answer in W's guess" : "losses in nats");
  if (other_bands_)
    text +=
        "bands: those of the first run, and other runs have others; rarefact table ... --rows band shows all\n";
  if (squares_) return text;
  const bool every_step = steps_.back() - steps_.front() + 1 == static_cast<std::int64_t>(steps_.size());
  return text + fmt::format("steps to {0}: the first {1}with every error {2}below {0}\n", learned_error,
                            every_step ? "step " : "recorded step ",
                            partial_ ? "of these classes "
                            : nodes_ ? "at the quadrature nodes "
                                     : "");
}

}  // namespace rarefact
