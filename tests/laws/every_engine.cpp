// Every engine that takes a run gives what the dense engine gives in the coordinates of W: of every rule, random spectra,
// laws of answers, embeddings, data and losses.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>

#include "core/random.hpp"
#include "laws/experiments.hpp"
#include "laws/zoo.hpp"
#include "model/answer_law.hpp"
#include "reference/cells.hpp"
#include "reference/random_cases.hpp"
#include "sim/resolve.hpp"

using namespace laws;

namespace {

struct Rule {
  std::string name;
  OptimizerChoice choice;
  double tolerance = 1e-11;  ///< of the largest number of a series
  bool of_columns = false;   ///< above all for columns of several answers
};

/// Beside each a remembered vector m. Every way in which columns of several right answers are computed.
const char* const on_columns[] = {"G@C/trace(C)", "(W + 1)*G",
                                  "tanh(W)*G + d_out*G/d_in + 0.1*ambient(T/rms(T))",
                                  "G*colsum(W**2) + sum(G**2)*W + G", "inner(G, W)*G + maximum(G, W/10)",
                                  "where(G > 0, G, 2*W)", "G@(C + C@C)",
                                  // Where a column has no others 1 is not divided by 0.
                                  "(abs(G) + 1)/G*G*G", "G/(colnorm(G) + norm(W) + nuclear(C))",
                                  // A plain mean, and 0/0 where a column has no others.
                                  "G/(m + 0.1*abs(G)) + 0.1*(G - colmean(G))/abs(G)"};

/// Adam in a basis of eigenvectors divides by the square of what is rounding: two digits are left. Adam's first step is
/// signs but for its ε of 1e-8, and singular values of signs that are zero become as small.
double tolerance_of(const std::string& formula) {
  const std::map<std::string, double> known = {{"soap", 0.05}, {"conda", 1e-8}, {"adam_then_polar", 1e-6}};
  const auto found = known.find(formula);
  return found == known.end() ? 1e-11 : found->second;
}

std::vector<Rule> all_rules() {
  std::vector<Rule> rules;
  for (const OptimizerRow& row : complete_rules()) {
    std::vector<ParameterValues> choices = variants(row);
    if (row.name == "muon") {
      choices.push_back(with_defaults(row.parameters, {{"momentum", 0.8}}));
      choices.push_back(with_defaults(row.parameters, {{"momentum", 0.8}, {"nesterov", true}}));
    }
    for (std::size_t v = 0; v < choices.size(); ++v)
      rules.push_back({fmt::format("{} {}", row.name, v),
                       {row.name, row.name, lively_step_size(row.name, true), choices[v]}});
  }
  for (const auto& [name, experiment] : zoo())
    rules.push_back({"formula " + name, experiment.optimizers.front(), tolerance_of(name)});
  // One side alone rotates.
  rules.push_back(
      {"columns at norm 1", {"it", "formula", 0.2, {{"direction", std::string("G/colnorm(G)")}}}});
  rules.push_back({"decay", {"it", "formula", 0.3, {{"direction", std::string("G/norm(G) + 0.1*W")}}}});
  for (const std::string direction : on_columns) {
    const ParameterValues formula{{"state.m", std::string("0.5*m + colmax(G)")}, {"direction", direction}};
    rules.push_back({direction, {"it", "formula", 0.2, formula}, 1e-11, true});
  }
  return rules;
}

/// Queries with one answer and with several, identical classes among both, answers that are likely and not right.
PairCounts some_pairs() {
  PairCounts counts;
  counts.query = {0, 0, 1, 1, 2, 3, 4, 4, 4, 5, 5, 6, 6};
  counts.answer = {0, 1, 0, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10};
  counts.count = {5, 3, 2, 2, 7, 7, 4, 4, 1, 3, 3, 3, 3};
  counts.queries = 7;
  counts.answers = 11;
  return counts;
}

/// One or two components of one to four answers and one to three kinds of queries, one or two of each, with counts
/// of 0 to 3. A query may have all answers there are. One count is 4, so that W = 0 never fits the law.
PairCounts random_pairs(std::uint64_t which) {
  const RandomStream random(which, "pairs");
  std::uint64_t next = 0;
  const auto draw = [&](double most) { return 1 + static_cast<Index>(random.uniform(0, next++) * most); };
  PairCounts pairs;
  for (Index component = draw(2); component > 0; --component) {
    const Index first = pairs.answers;
    pairs.answers += draw(4);
    for (Index kinds = draw(3); kinds > 0; --kinds) {
      const std::uint64_t kind = ++next;
      for (Index copies = draw(2); copies > 0; --copies, ++pairs.queries) {
        for (Index k = first; k < pairs.answers; ++k) {
          const double count = std::floor(4 * random.uniform(kind, static_cast<std::uint64_t>(k)));
          if (count == 0 && k > first) continue;
          pairs.query.push_back(pairs.queries);
          pairs.answer.push_back(k);
          pairs.count.push_back(pairs.count.empty() ? 4 : std::max(count, 1.0));
        }
      }
    }
  }
  return pairs;
}

/// Whether the reference has its embeddings as arrays.
bool in_arrays(const Experiment& e) {
  return e.answers.kind == "identity" && !e.loss->of_outputs;
}

/// Draws an experiment; the same number, the same one.
class Generator {
 public:
  Generator(std::uint64_t which, const Rule& rule) : random_(29, "engines"), which_(which) {
    e_ = identity_run(spectra().front(), "gd");
    e_.optimizers = {rule.choice};
    const OptimizerRow& row = optimizer_row(rule.choice.rule);
    const Symmetries symmetries = row.symmetries_of(rule.choice.parameters);
    e_.steps = 10;
    const bool distinct = symmetries.needs_gaps;
    if (!distinct && chance(rule.of_columns ? 90 : 25)) {
      set_law(rule.of_columns);
    } else {
      e_.spectrum = distinct ? power_law(12.0, 1.5) : spectra()[pick(spectra().size())];
      set_embeddings(symmetries.queries_rotate && symmetries.answers_rotate);
    }
    if (chance(40)) e_.label_noise = chance(50) ? 0.1 : 0.3;
    if (e_.label_noise > 0 && e_.answers.kind != "identity" && chance(50)) e_.noise_answers = "frequency";
    set_data(row.reads_hessian);
    e_.tied = e_.query_embedding == e_.answer_embedding && in_arrays(e_) && chance(30);
    set_measures(rule.name.starts_with("formula "));
    set_decay();
    constexpr double exponents[] = {0, 0.5, 2, -1.5};
    if (chance(25)) e_.sampling_exponent = exponents[pick(4)];
    if (!e_.loss->of_outputs && chance(30)) e_.top = {1, 2};
    if (chance(30)) e_.bands = {{"cut", "rank <= 5"}};
  }
  const Experiment& drawn() const { return e_; }

 private:
  std::size_t pick(std::size_t below) {
    return static_cast<std::size_t>(random_.uniform(which_, next_++) * static_cast<double>(below));
  }
  bool chance(std::size_t percent) { return pick(100) < percent; }

  /// Decay and steps that change, of rules that do not jump: others bring W where rounding decides.
  void set_decay() {
    OptimizerChoice& choice = e_.optimizers.front();
    if (choice.rule != "gd" && choice.rule != "momentum" && choice.rule != "ngd") return;
    if (chance(50)) choice.weight_decay = 0.05;
    if (chance(50)) choice.weight_decay_kind = "coupled";
    if (choice.schedule == "constant" && chance(30)) choice.schedule = "1-0.5*step/steps";
    if (chance(30)) choice.warmup = 3;
  }

  void set_law(bool of_columns) {
    const ChosenRow grouped{"grouped_power_law", {{"groups", 3.0}, {"group_size", 4.0}, {"exponent", 1.0}}},
        power = power_law(10.0, 1.0);
    const std::vector<std::pair<ChosenRow, ChosenRow>> all = {
        {grouped, law_of("fan_in", {{"fan_in", 3.0}})},
        {grouped, law_of("fan_in", {{"fan_in", 2.0}, {"within", 1.0}})},
        {grouped, law_of("fan_in", {{"fan_in", std::vector<double>{1, 4}}})},
        {power, law_of("modulo", {{"count", 4.0}})},
        {grouped, law_of("right_set", {{"size", 3.0}})},
        {power, law_of("zipf", {{"order", std::string("same")}})},
        {power, law_of("zipf", {{"order", std::string("random")}})},
        {{}, law_of("counts", {{"path", std::string("pairs")}})},
        {{}, law_of("counts", {{"path", std::to_string(which_)}})}};
    std::tie(e_.spectrum, e_.answers) = of_columns && chance(75) ? all.back() : all[pick(all.size())];
    const std::vector<std::pair<ChosenRow, ChosenRow>> sides = {
        {embedding("identity"), embedding("identity")},
        {embedding("orthogonal"), embedding("orthogonal")},
        {embedding("equicorrelated", {{"rho", 0.3}}), embedding("orthogonal")}};
    std::tie(e_.query_embedding, e_.answer_embedding) =
        sides[of_columns || chance(50) ? 0 : pick(sides.size())];
  }

  /// Of rules that act entry by entry few engines take rotated sides.
  void set_embeddings(bool rotates) {
    const std::vector<ChosenRow> sides = {
        embedding("identity"), embedding("orthogonal"), embedding("equicorrelated", {{"rho", 0.3}}),
        embedding("block_rotation", {{"angles", std::vector<double>{3.638, 2.949, 5.218}}}),
        embedding("gaussian", {{"dimension", 9.0}})};
    const std::size_t most = rotates ? 4 : chance(90) ? 1 : 5;
    const std::size_t query = pick(most);
    e_.query_embedding = sides[query];
    e_.answer_embedding = sides[chance(50) ? query : pick(rotates ? 4 : 5)];
  }

  void set_data(bool reads_hessian) {
    if (e_.optimizers.front().rule != "formula" && chance(30)) {
      e_.loss = &loss_row("least_squares");
      e_.optimizers.front().step_size = std::min(e_.optimizers.front().step_size.number, 0.11);
      if (chance(30)) e_.squares.query_scale = 2;
      if (chance(50)) e_.squares.query_noise = 0.5;
      e_.noise_answers = "uniform";
      if (e_.answers.kind == "identity" && chance(30))
        e_.squares.queries = "gaussian", e_.squares.query_scale = 1, e_.label_noise = 0;
      if (e_.squares.query_noise > 0) return;
    }
    if (!reads_hessian && chance(35)) {
      const bool minibatch = chance(60);
      e_.data_mode = minibatch ? "minibatch" : "dataset";
      e_.data_parameters = {{minibatch ? "batch" : "size", chance(50) ? 4.0 : 15.0}};
      // More classes than samples show.
      if (e_.answers.kind == "identity" && chance(50)) e_.spectrum = power_law(42.0, 1.2);
    }
    if (e_.loss->of_outputs) return;
    if (chance(15)) e_.recovered = "removed";
    if (chance(10)) e_.precision = 50, e_.steps = 5;
  }

  void set_measures(bool in_zoo) {
    e_.push = e_.curvature = true;
    // Divisions, as in the zoo, lift what rounding leaves of singular values that are 0.
    e_.spectral_metrics = chance(30) && !in_zoo ? "on" : "off";
    // In 50 digits shares have the rank of their rounding.
    e_.alignment = chance(30) && !in_zoo && e_.precision != 50;
    const bool several_answers =
        e_.answers.kind == "right_set" || e_.answers.kind == "counts" || e_.answers.kind == "zipf";
    if (!several_answers && !e_.loss->of_outputs && chance(30)) e_.rho_epsilon = 0.1;
    if (chance(20)) e_.optimizers.front().schedule = "cosine";
  }

  RandomStream random_;
  std::uint64_t which_, next_ = 0;
  Experiment e_;
};

/// A trajectory of an engine, without the measures of W where it refuses them; nothing where it refuses the run.
std::optional<Result> on(const std::string& engine, Experiment e, const FileReaders& readers) {
  e.engine = engine;
  if (engine != "symmetric") e.precision = 16;
  for (const bool measured : {true, false}) {
    if (!measured) e.alignment = false, e.spectral_metrics = "off", e.rho_epsilon = 0;
    try {
      return simulate(e, readers, 1);
    } catch (const InputError&) {
    }
  }
  return {};
}

/// The dense run; where that can be with the embeddings written out as arrays, so that no symmetry is known.
std::optional<Result> reference_run(const Experiment& e, FileReaders readers) {
  if (!in_arrays(e)) return on("dense", e, readers);
  Experiment dense = e;
  const auto classes = static_cast<Index>(classes_of(e).classes);
  readers.arrays = [&](const std::string& stream) {
    const ChosenRow& side = stream == "query" ? e.query_embedding : e.answer_embedding;
    return array_of(side, classes, e.tied ? "query" : stream);
  };
  dense.tied = false;
  dense.query_embedding = {"file", {{"path", std::string("query")}}};
  dense.answer_embedding = {"file", {{"path", std::string("answer")}}};
  return on("dense", dense, readers);
}

/// The same run but for the last digits of its step size, and of a rotation: what is 0 in exact arithmetic is rounded to
/// the same number at any step size.
std::vector<Experiment> shaken(const Experiment& e) {
  std::vector<Experiment> all;
  for (const double by : {1e-15, -1e-15, 1e-13, -1e-13}) {
    all.push_back(e);
    all.back().optimizers.front().step_size.number *= 1 + by;
    if (e.query_embedding.kind != "block_rotation") continue;
    all.push_back(e);
    std::vector<double> angles = e.query_embedding.parameters.numbers("angles");
    angles.front() += by;
    all.back().query_embedding.parameters.set("angles", angles);
  }
  return all;
}

/// What the measures of a run are on every engine.
void check_measures(const Result& result, const Experiment& e) {
  if (only_trajectory(result).status != "complete") return;
  const auto &loss = series(result, "loss"), &gain = series(result, "first_order_gain"),
             &penalty = series(result, "curvature_penalty"), &rest = series(result, "taylor_remainder");
  for (std::size_t t = 0; t + 1 < loss.size(); ++t)
    CHECK(std::abs(loss[t + 1] - loss[t] + gain[t] - penalty[t] - rest[t]) <
          1e-13 * std::max({1.0, loss[t], loss[t + 1], std::abs(gain[t]), penalty[t], std::abs(rest[t])}));
  if (gain.front() == 0) return;  // W = 0 fits the law
  // The next update of the schedule would be of size 0, and where all is recovered there is none.
  if (e.optimizers.front().schedule == "cosine") CHECK(gain.back() == 0);
  if (!e.removes_recovered()) {
    CHECK((gain.back() == 0) == (e.optimizers.front().schedule == "cosine"));
    CHECK(series(result, "nds").back() > 0);
  }
  const auto orthonormal = [](const ChosenRow& side) { return embedding_row(side.kind).orthonormal; };
  if (!e.loss->of_outputs)
    CHECK(std::isnan(series(result, "nds_effective").front()) !=
          (orthonormal(e.query_embedding) && orthonormal(e.answer_embedding)));
  for (const char* name : {"update_identity_deviation", "weight_identity_deviation"}) {
    if (!only_trajectory(result).series.contains(name)) continue;
    const bool of_other_answers = e.answers.kind != "identity";
    // A rule may leave the right logits, by which those of W are divided, at 0.
    const bool may_divide_by_zero = name == std::string("weight_identity_deviation") && !of_other_answers;
    if (!may_divide_by_zero) CHECK(std::isnan(series(result, name).back()) == of_other_answers);
  }
}

std::string words_of(const Experiment& e) {
  return fmt::format("{}, {}, {} -> {}{}, {}^{}{}, noise {}{}{}{}", e.spectrum.kind, e.answers.kind,
                     e.query_embedding.kind, e.answer_embedding.kind, e.tied ? ", tied" : "", e.data_mode,
                     e.sampling_exponent, e.loss->of_outputs ? ", least squares " + e.squares.queries : "",
                     e.label_noise, e.noise_answers == "frequency" ? " by frequency" : "",
                     e.removes_recovered() ? ", without recovered" : "",
                     e.precision == 50 ? ", 50 digits" : "");
}

/// What must have been compared, and how often in 40 draws of every rule.
const char* const enough = R"(
    modes, least squares: 35 | modes, minibatch: 3 | modes, dataset: 2 | columns, softmax: 250
    columns, least squares: 20 | columns, minibatch: 30 | columns, dataset: 20 | columns, noise: 80
    columns, fan_in: 60 | columns, right_set: 8 | columns, counts: 90 | columns, modulo: 10
    columns, of orthogonal: 40 | columns, of block_rotation: 30 | columns, removes recovered: 40
    symmetric, softmax: 1000 | symmetric, least squares: 80 | symmetric, minibatch: 150
    symmetric, dataset: 80 | symmetric, noise: 400 | symmetric, fan_in: 80 | symmetric, right_set: 40
    symmetric, counts: 120 | symmetric, modulo: 40 | symmetric, of equicorrelated: 180
    symmetric, of orthogonal: 160 | symmetric, of block_rotation: 130 | symmetric, removes recovered: 130
    symmetric, 50 digits: 80 | symmetric, tied: 80 | modes, sampled apart: 8 | columns, sampled apart: 40
    symmetric, sampled apart: 300 | quadrature, sampled apart: 20 | dense, sampled apart: 250
    dense, tied: 80 | quadrature, softmax: 100 | quadrature, noise: 30 | quadrature, of equicorrelated: 8
    quadrature, of block_rotation: 18 | dense, population: 700 | dense, minibatch: 200 | dense, dataset: 120
    modes, alignment: 5 | modes, update_identity_deviation: 5 | columns, update_identity_deviation: 30
    columns, rho: 50 | columns, top_error_2: 40 | symmetric, top_error_2: 300 | columns, band_class_loss: 40
    symmetric, band_class_loss: 300 | dense, band_class_loss: 200 | symmetric, alignment: 80
    symmetric, update_identity_deviation: 100 | symmetric, rho: 200 | quadrature, rho: 12
    dense, alignment: 80 | dense, update_identity_deviation: 100 | dense, rho: 250)";

}  // namespace

TEST_CASE("every engine that takes a run equals the dense run in the coordinates of W") {
  const reference::RandomCases draws(24, 400);
  FileReaders readers;
  readers.pairs = [](const std::string& path) {
    return path == "pairs" ? some_pairs() : random_pairs(std::stoull(path));
  };
  std::map<std::string, int> compared;
  int cases = 0, decided_by_rounding = 0;
  const std::vector<Rule> rules = all_rules();
  for (std::size_t r = 0; r < rules.size(); ++r) {
    for (int i = 0; i < draws.count; ++i) {
      const Experiment e = Generator(1000 * draws[i] + r, rules[r]).drawn();
      CAPTURE(rules[r].name, i, words_of(e));
      const std::optional<Result> dense = reference_run(e, readers);
      if (!dense) continue;
      ++cases;
      for (const std::string engine : {"modes", "columns", "symmetric", "quadrature", "dense"}) {
        if (engine == "dense" && !in_arrays(e)) continue;  // that is the reference itself
        const std::optional<Result> other = on(engine, e, readers);
        if (!other) continue;
        CAPTURE(engine);
        check_measures(*other, e);
        const double off = largest_difference(*other, *dense);
        if (off < rules[r].tolerance) {
          for (const std::string& kind :
               {e.data_mode, e.answers.kind, "of " + e.query_embedding.kind,
                std::string(e.loss->of_outputs ? "least squares" : "softmax"),
                std::string(e.label_noise > 0 ? "noise" : "certain"),
                std::string(e.removes_recovered() ? "removes recovered" : "keeps recovered"),
                std::string(e.sampling_exponent == 1 ? "as measured" : "sampled apart"),
                std::string(e.tied ? "tied" : "not tied"), fmt::format("{} digits", e.precision)})
            ++compared[engine + ", " + kind];
          for (const char* measure :
               {"alignment", "update_identity_deviation", "rho", "top_error_2", "band_class_loss"})
            if (only_trajectory(*other).series.contains(measure)) ++compared[engine + ", " + measure];
          continue;
        }
        // Rounding decides what a run is where others that differ from it in their last digits are off as well; not as
        // far, as roundings go all ways.
        double apart = 0;
        for (const Experiment& other_digits : shaken(e))
          apart = std::max(apart, largest_difference(*reference_run(other_digits, readers), *dense));
        CAPTURE(off, apart);
        CHECK(3 * apart >= std::max(std::min(rules[r].tolerance, 0.01), std::min(off, 1e-3) / 30));
        ++decided_by_rounding;
      }
    }
  }
  CHECK(cases > 6 * static_cast<int>(rules.size()));
  CHECK(decided_by_rounding < cases / 50);
  for (const std::string& line : cells_of(enough)) {
    const std::size_t colon = line.find(": ");
    CAPTURE(line, compared[line.substr(0, colon)]);
    CHECK(compared[line.substr(0, colon)] >= std::stoi(line.substr(colon + 2)) * draws.count / 40);
  }
}
