#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <mutex>

#include "cli/selftest.hpp"
#include "core/status.hpp"
#include "experiment/plan.hpp"
#include "experiment/write.hpp"
#include "optim/update_rule.hpp"
#include "results/result_file.hpp"
#include "sim/simulate.hpp"

namespace rarefact {

void Compared::add(double difference, const std::string& what) {
  ++count;
  if (std::isnan(difference)) difference = std::numeric_limits<double>::infinity();
  if (difference > largest || where.empty()) where = what;
  largest = std::max(largest, difference);
}

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A rule and lines of its table that choose one of its ways.
struct Choice {
  const OptimizerRow& rule;
  std::string way = {};  ///< for a message
  std::string lines = {};
};

/// Small enough for the dense engine; both groups of equal classes and classes that are all distinct; every kind of
/// symmetry that an engine uses. The step sizes are such that these steps learn something.
ExperimentPlan plan_of(const Choice& choice, const std::vector<std::string>& overrides) {
  const Symmetries& has = choice.rule.symmetries;
  const double step_size = choice.rule.reads_curvature            ? 0.02
                           : has.equalises || has.scale_invariant ? 0.2
                                                                  : 3.0;
  const std::string text = fmt::format(R"(name = "selftest"
[classes]
groups = 4
group_size = 6
count = 24
exponent = 1.5
[embedding]
rho = 0.3
[data]
batch = 9
[run]
steps = 10
classes = "all"
spectral_metrics = "off"
digits = "off"
[[optimizer]]
rule = "{}"
step_size = {}
{}
[sweep]
"classes.spectrum" = ["grouped_power_law", "power_law"]
"embedding.kind" = ["identity", "orthogonal", "block_rotation", "equicorrelated"]
"data.mode" = ["population", "minibatch"]
"data.label_noise" = [0.0, 0.1]
)",
                                       choice.rule.name, step_size, choice.lines);
  return parse_plan(text, "selftest", overrides);
}

/// Every rule with its defaults, and each other way that it offers by name.
std::vector<Choice> choices() {
  std::vector<Choice> all;
  for (const OptimizerRow& rule : optimizer_catalogue()) {
    if (!rule.complete()) continue;
    all.push_back({rule});
    const std::string memory = find_row(rule.parameters, "momentum") ? "momentum = 0.5\n" : "";
    for (const Parameter& parameter : rule.parameters) {
      for (const std::string& choice : parameter.choices) {
        if (parameter.default_value != Value(choice))
          all.push_back({rule, ", " + choice, fmt::format("{}{} = \"{}\"", memory, parameter.name, choice)});
      }
    }
  }
  return all;
}

Result run_on(Experiment experiment, Engine engine, std::int64_t precision = 16,
              const FileReaders& readers = {}) {
  experiment.engine = engine;
  experiment.precision = precision;
  return simulate(experiment, readers, 1);
}

/// The same run with the embeddings written out as arrays: no symmetry is known.
Result written_out(Experiment experiment) {
  const auto array = [seed = static_cast<std::uint64_t>(experiment.seed)](const Component& side,
                                                                          const char* stream) {
    return embedding_row(side.kind).make(side.parameters, {.classes = 24, .seed = seed, .stream = stream});
  };
  const Matrix query = array(experiment.query_embedding, "query"),
               answer = array(experiment.answer_embedding, "answer");
  const auto file = [](const char* path) {
    return Component{"file", {{"path", std::string(path)}, {"normalise", false}}};
  };
  experiment.query_embedding = file("query");
  experiment.answer_embedding = file("answer");
  return run_on(experiment, Engine::dense, 16,
                {{}, [&](const std::string& path) { return path.ends_with("query") ? query : answer; }, {}});
}

/// What a body is given: one point of a plan.
struct Point {
  const OptimizerRow& rule;
  Experiment experiment;
  std::string what;

  bool fits(Engine engine, std::int64_t precision = 16) const {
    Experiment asked = experiment;
    asked.precision = precision;
    const Spectrum spectrum = spectrum_of(asked.spectrum.kind, asked.spectrum.parameters, {});
    return std::holds_alternative<Reduction>(reduce({asked, spectrum, asked.optimizers.front()}, engine));
  }
};

using Add = std::function<void(double difference, const std::string& what)>;

/// Adds the largest difference of each series that both have: relative to the value or, below 0.1, to that, because what
/// came down from 1 keeps the rounding of 1.
void add_differences(const Result& a, const Result& b, const std::string& what, const Add& add) {
  const Trajectory &x = a.runs.at(0).trajectories.at(0), &y = b.runs.at(0).trajectories.at(0);
  if (x.status != Status::complete || y.status != x.status)
    return add(infinite, what + ", status " + y.status);
  for (const auto& [name, values] : x.series) {
    const auto found = y.series.find(name);
    if (found == y.series.end()) continue;
    const std::vector<double>& others = found->second;
    double worst = values.size() == others.size() ? 0 : infinite;
    for (std::size_t i = 0; i < values.size() && worst < infinite; ++i) {
      if (std::isnan(values[i]) && std::isnan(others[i])) continue;
      const double off = std::abs(values[i] - others[i]) / std::max(std::abs(values[i]), 0.1);
      worst = off >= 0 ? std::max(worst, off) : infinite;
    }
    add(worst, what + ", " + name);
  }
}

/// Calls body(point, add) for every point of the plans of all choices, points side by side.
Compared over_points(const std::vector<std::string>& overrides, int threads,
                     const std::function<void(const Point&, const Add&)>& body) {
  Compared all;
  std::mutex adding;
  const Add add = [&](double difference, const std::string& what) {
    const std::lock_guard lock(adding);
    all.add(difference, what);
  };
  const Workers workers(threads);
  for (const Choice& choice : choices()) {
    const ExperimentPlan plan = plan_of(choice, overrides);
    workers.for_tiles(static_cast<Index>(plan.size()), 1, [&](Index at, Index) {
      const Experiment e = plan.point(static_cast<std::size_t>(at)).experiment;
      body({choice.rule, e,
            fmt::format("{}{}, {}, {}, {}, label noise {}", choice.rule.name, choice.way, e.spectrum.kind,
                        e.query_embedding.kind, e.data_mode, e.label_noise)},
           add);
    });
  }
  return all;
}

Compared rules_on_engines(const SelftestSetup& setup) {
  return over_points({}, setup.threads, [](const Point& point, const Add& add) {
    const Result reference = written_out(point.experiment);
    for (std::size_t i = 0; i < engine_names.size(); ++i) {
      const auto engine = static_cast<Engine>(i);
      if (point.fits(engine))
        add_differences(reference, run_on(point.experiment, engine), point.what + " on " + name_of(engine),
                        add);
    }
  });
}

/// Fewer points and steps: 50 digits take their time.
const std::vector<std::string> fewer = {"data.mode=population", "data.label_noise=0.1",
                                        "classes.spectrum=grouped_power_law", "run.steps=6"};

Compared fifty_digits(const SelftestSetup& setup) {
  return over_points(fewer, setup.threads, [](const Point& point, const Add& add) {
    if (!point.fits(Engine::symmetric, 50)) return;
    const Result precise = run_on(point.experiment, Engine::symmetric, 50);
    add_differences(precise, run_on(point.experiment, Engine::symmetric), point.what, add);
  });
}

/// A folder of this process that is gone afterwards.
struct TemporaryFolder {
  std::filesystem::path path;

  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rarefact-selftest-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw FileError("no folder can be made at " + name);
    path = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

/// Results are written, checked and read back, one after the other.
Compared result_files(const SelftestSetup& setup) {
  const TemporaryFolder folder;
  return over_points(fewer, 1, [&](const Point& point, const Add& add) {
    Result result = simulate(point.experiment, {}, 1);
    result.experiment = resolved_text(point.experiment);
    const std::filesystem::path file = folder.path / (point.what + ".h5");
    write_result(result, file);
    if (setup.after_write) setup.after_write(file);
    for (const std::string& finding : check_result(file)) throw DamagedResult(finding);
    const Result back = read_result(file);
    if (back.experiment != result.experiment) add(infinite, point.what + ", experiment");
    add_differences(result, back, point.what, add);
  });
}

}  // namespace

const std::vector<SelftestPart>& selftest_parts() {
  // 1e-11 is 45,000 roundings of a double: what 10 steps on 24 classes can make of one, where polynomials for the polar
  // factor multiply what rounding leaves of singular values that are zero.
  static const std::vector<SelftestPart> rows = {{"rules on engines", 1e-11, rules_on_engines},
                                                 {"50 digits", 1e-11, fifty_digits},
                                                 {"kernels of products", 0, compare_kernels},
                                                 {"result files", 0, result_files}};
  return rows;
}

}  // namespace rarefact
