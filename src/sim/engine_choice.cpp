#include "sim/engine_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "model/embedding.hpp"
#include "model/quadrature_rule.hpp"

namespace rarefact {

namespace {

/// An exact run shorter than this gains nothing from an approximation.
constexpr double short_run_seconds = 1;

/// Engines that need more are taken only where no other would do. A constant, since what is chosen must not
/// depend on the machine.
constexpr double usual_memory_bytes = 16e9;

/// Why an engine other than symmetric does not do for run.precision = 50.
constexpr const char* only_symmetric =
    "50 significant digits (run.precision) are for the engine symmetric alone";

/// Smallest entry of a residual beside the largest that is still far from the smallest double.
constexpr double least_entry = 1e-303;

std::string size_text(double bytes) {
  if (!(bytes < 1e30)) return "more than 1e30 B";
  const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 5) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

/// What is possible for one optimizer.
struct Options {
  std::optional<Reduction> exact, quadrature;
  std::vector<std::string> names;  ///< of all engines that would do
  std::string objections;          ///< to the engines cheaper than the chosen one
};

/// Why some engines will not do.
struct Objection {
  std::vector<std::string> engines;
  std::string text;
};

void add_objection(const std::string& engine, const std::string& text, std::vector<Objection>& objections) {
  const auto known = std::find_if(objections.begin(), objections.end(),
                                  [&](const Objection& one) { return one.text == text; });
  if (known != objections.end()) {
    known->engines.push_back(engine);
  } else {
    objections.push_back({{engine}, text});
  }
}

class Chooser {
 public:
  Chooser(const Experiment& experiment, const Spectrum& spectrum, double memory_limit_bytes)
      : experiment_(experiment), spectrum_(spectrum), limit_(memory_limit_bytes) {}

  std::vector<ReducedOptimizer> choose() {
    check_experiment();
    raise();
    std::vector<Options> options;
    for (const OptimizerChoice& optimizer : experiment_.optimizers) {
      check_smallest_entries(optimizer);
      options.push_back(options_of(optimizer));
    }
    bool approximate = false;
    for (std::size_t o = 0; o < options.size(); ++o)
      approximate = approximate || prefers_quadrature(o, options[o]);
    std::vector<ReducedOptimizer> chosen;
    for (std::size_t o = 0; o < options.size(); ++o) {
      if (const auto one = one_of(experiment_.optimizers[o], options[o], approximate)) chosen.push_back(*one);
    }
    raise();
    check_together(chosen);
    raise();
    return chosen;
  }

 private:
  bool precise() const { return experiment_.precision == 50; }
  void complain(std::string message) { problems_.push_back({"", 0, 0, std::move(message)}); }
  void raise() {
    if (!problems_.empty()) throw InputError(std::move(problems_));
  }

  void check_experiment() {
    if (spectrum_.classes < 2) complain("[classes] must have at least 2 classes in all");
    for (const auto& [side, name] : {std::pair{&experiment_.query_embedding, "query"},
                                     std::pair{&experiment_.answer_embedding, "answer"}}) {
      const std::string objection = impossible_embedding(*side, name, spectrum_.classes);
      if (!objection.empty()) complain(objection);
    }
  }

  /// Signs, ratios and polar factors follow the smallest entries of the gradient as much as the largest:
  /// p_l/K of the rarest class must not underflow beside the largest p_l. A sample weighs no query less than
  /// one draw.
  void check_smallest_entries(const OptimizerChoice& optimizer) {
    if (experiment_.sampled()) return;
    if (!optimizer_row(optimizer.rule).symmetries_of(optimizer.parameters).equalises || precise()) return;
    double rarest, likeliest;
    if (spectrum_.groups) {
      const auto& p = spectrum_.groups->probability;
      rarest = *std::min_element(p.begin(), p.end());
      likeliest = *std::max_element(p.begin(), p.end());
    } else {
      rarest = spectrum_.law->weight(spectrum_.classes);
      likeliest = 1;
    }
    const double log_entry = std::log(rarest / likeliest) - std::log(spectrum_.classes);
    if (log_entry < std::log(least_entry)) {
      complain(fmt::format(
          "optimizer '{}': the gradient's entries span a factor 1e{:.0f} (K times the ratio of the "
          "largest to the least class probability), and {} needs the smallest as much as the "
          "largest; doubles hold 1e{:.0f}",
          optimizer.name, -log_entry / std::log(10.0), optimizer.rule, -std::log10(least_entry)));
    }
  }

  Options options_of(const OptimizerChoice& optimizer) const {
    const OptimizerRow& rule = optimizer_row(optimizer.rule);
    Options options;
    std::vector<Objection> objections;
    for (const std::string& engine : engine_names) {
      const auto outcome =
          precise() && engine != "symmetric" ? only_symmetric : reduce(experiment_, rule, spectrum_, engine);
      if (const auto* objection = std::get_if<std::string>(&outcome)) {
        const bool wanted = experiment_.engine == engine || (experiment_.engine == "auto" && !options.exact);
        if (wanted) add_objection(engine, *objection, objections);
        continue;
      }
      options.names.push_back(engine);
      if (experiment_.engine != "auto" && experiment_.engine != engine) continue;
      const Reduction& reduction = std::get<Reduction>(outcome);
      if (!is_exact(engine)) {
        options.quadrature = reduction;
      } else if (!options.exact || (!usual(rule, *options.exact) && usual(rule, reduction))) {
        options.exact = reduction;
      }
    }
    for (const Objection& one : objections) {
      options.objections += fmt::format("{}not {}: {}", options.objections.empty() ? "" : "; ",
                                        joined(one.engines, " or "), one.text);
    }
    return options;
  }

  bool usual(const OptimizerRow& rule, const Reduction& reduction) const {
    return memory_bytes(experiment_, rule, spectrum_, reduction) <= usual_memory_bytes;
  }

  std::string too_large(const OptimizerChoice& optimizer, const std::string& engine, double bytes) const {
    return fmt::format("optimizer '{}' on engine '{}' would take {} of {} memory for K = {:g} classes{}",
                       optimizer.name, engine, size_text(bytes), size_text(limit_), spectrum_.classes,
                       spectrum_.groups ? fmt::format(" in {} groups", spectrum_.groups->size())
                       : experiment_.classes.kind == ClassRule::Kind::all
                           ? ", of which run.classes asks for all"
                           : "");
  }

  bool prefers_quadrature(std::size_t o, const Options& options) const {
    if (!options.quadrature || !options.exact) return options.quadrature.has_value();
    const OptimizerRow& rule = optimizer_row(experiment_.optimizers[o].rule);
    if (!usual(rule, *options.exact)) return true;
    if (experiment_.classes.kind == ClassRule::Kind::all) return false;
    const double exact = seconds_guess(experiment_, rule, spectrum_, *options.exact);
    return exact > short_run_seconds &&
           exact > seconds_guess(experiment_, rule, spectrum_, *options.quadrature);
  }

  std::optional<ReducedOptimizer> one_of(const OptimizerChoice& optimizer, const Options& options,
                                         bool approximate) {
    if (!options.exact && !options.quadrature) {
      complain(fmt::format("optimizer '{}' cannot run on engine '{}': {}; engines that can: {}",
                           optimizer.name, experiment_.engine, options.objections,
                           options.names.empty() ? "none" : joined(options.names)));
      return {};
    }
    const bool automatic = experiment_.engine == "auto";
    const std::string why = precise()   ? "in 50 significant digits, which no other engine computes in"
                            : automatic ? options.objections
                                        : "as asked";
    const bool quadrature = options.quadrature && (approximate || !options.exact);
    const Reduction& reduction = quadrature ? *options.quadrature : *options.exact;
    const OptimizerRow& rule = optimizer_row(optimizer.rule);
    ReducedOptimizer chosen{reduction,
                            reason_text(experiment_, spectrum_, reduction, why),
                            memory_bytes(experiment_, rule, spectrum_, reduction),
                            {}};
    if (chosen.memory > limit_) {
      complain(too_large(optimizer, reduction.engine, chosen.memory) +
               (options.objections.empty() ? "" : "; " + options.objections));
      return {};
    }
    if (quadrature && automatic && options.exact && usual(rule, *options.exact)) {
      // Exact engines fill one row a class.
      const bool rows_fit =
          experiment_.classes.kind != ClassRule::Kind::groups || !spectrum_.groups ||
          record_bytes(experiment_, static_cast<double>(spectrum_.groups->size())) <= usual_memory_bytes / 2;
      if (rows_fit) chosen.fallback = options.exact;
    }
    return chosen;
  }

  void check_together(const std::vector<ReducedOptimizer>& chosen) {
    double together = 0;  // optimizers may run side by side
    bool exact = false;
    for (const ReducedOptimizer& one : chosen) {
      together += one.memory;
      exact = exact || is_exact(one.reduction.engine);
    }
    if (together > limit_) {
      complain(fmt::format(
          "the {} optimizers together would take {} of {} memory; give them experiments of their own",
          chosen.size(), size_text(together), size_text(limit_)));
    }
    const ClassRule& rule = experiment_.classes;
    const double panel_nodes = usual_panel_order * (2 + std::log2(spectrum_.classes));
    double rows = exact ? static_cast<double>(spectrum_.groups->size()) : panel_nodes;
    if (rule.kind == ClassRule::Kind::all) rows = spectrum_.classes;
    if (rule.kind == ClassRule::Kind::list) rows = static_cast<double>(rule.list.size());
    if (const double bytes = record_bytes(experiment_, rows); bytes > limit_) {
      complain(fmt::format(
          "the recorded results alone would take {} of {} memory; record fewer steps (run.record) "
          "or class groups (run.classes = \"groups\", or a list such as [1, \"last\"])",
          size_text(bytes), size_text(limit_)));
    }
  }

  const Experiment& experiment_;
  const Spectrum& spectrum_;
  double limit_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<ReducedOptimizer> reduce_all(const Experiment& experiment, const Spectrum& spectrum,
                                         double memory_limit_bytes) {
  return Chooser(experiment, spectrum, memory_limit_bytes).choose();
}

}  // namespace rarefact
