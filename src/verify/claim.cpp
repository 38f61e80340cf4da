#include "verify/claim.hpp"

#include <memory>
#include <stdexcept>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "experiment/read.hpp"
#include "model/embedding.hpp"
#include "optim/formula/graph.hpp"
#include "verify/claim_judge.hpp"
#include "verify/hypotheses.hpp"

namespace rarefact {

namespace {

/// msgn itself wherever the rule is muon: neither a polynomial nor smoothed.
bool exact_polar(const EvidencePoint& point) {
  return std::ranges::all_of(point.experiment.optimizers, [](const OptimizerChoice& one) {
    return one.rule != "muon" ||
           (one.parameters.text("polar") == "exact" && one.parameters.number("smoothing") == 0);
  });
}

bool memoryless(const EvidencePoint& point) {
  return std::ranges::all_of(point.experiment.optimizers, [](const OptimizerChoice& choice) {
    std::vector<ParameterProblem> problems;
    return choice.rule != "formula" || formula::graph_of(choice.parameters, problems).states.empty();
  });
}

HypothesisRow one_answer() {
  return hypothesis::needed(hypothesis::every(
      "every query has one answer, which a law says",
      [](const EvidencePoint& point) {
        const auto& answers = point.run().answers;
        return answers && answers->loss_floor == 0 && std::ranges::min(answers->fan_in) >= 1;
      },
      "all runs", "a run has queries of several answers, answers without queries, or no law"));
}

}  // namespace

const std::vector<AssumptionRow>& assumptions() {
  using namespace hypothesis;
  static const std::vector<AssumptionRow> rows = {
      {"orthonormal", orthonormal()},
      {"identity", identity()},
      {"rotated_blocks", rotated_blocks()},
      {"haar",
       of_embeddings("Haar embeddings", [](const Component& side) { return side.kind == "orthogonal"; })},
      {"gaussian", of_embeddings("independent Gaussian embeddings",
                                 [](const Component& side) { return side.kind == "gaussian"; })},
      {"exact_polar", every("the exact polar factor", exact_polar, "polar = exact, smoothing = 0",
                            "approximate or smoothed")},
      {"population", population()},
      {"no_label_noise", population_without_noise()},
      {"label_noise", label_noise()},
      {"samples", samples()},
      {"exact_gradient", gradient(false)},
      {"thresholded", gradient(true)},
      {"two_levels", two_levels()},
      {"equal_groups", equal_groups()},
      {"equal_fan_in", equal_fan_in()},
      {"constant_step_sizes", constant_step_sizes()},
      {"no_momentum", no_momentum()},
      {"least_squares", least_squares(false)},
      {"gaussian_queries", least_squares(true)},
      {"four_seeds", four_seeds()},
      {"frozen", frozen()},
      {"one_answer", one_answer()},
      {"complete", complete()},
      {"memoryless",
       every("rules that remember nothing", memoryless, "no state in any formula", "a formula has a state")},
      {"every_step", recorded_at_every_step()},
  };
  return rows;
}

namespace {

/// Further experiments are of this folder.
CheckRow row_of(const std::string& id, const std::string& folder,
                const std::shared_ptr<const claims::ClaimText>& text) {
  CheckRow row{.id = id,
               .is_claim = true,
               .thresholded = contains(text->assumes, std::string("thresholded")),
               .momentum = !contains(text->assumes, std::string("no_momentum"))};
  const auto assumption = [](const std::string& name) {
    const AssumptionRow* found = find_row(assumptions(), name);
    if (found == nullptr)
      throw bad_input("no assumption is called \"{}\"{}", name,
                      did_you_mean(nearest_name(name, names_of(assumptions()))));
    return found->row;
  };
  for (const std::string& name : text->assumes)
    row.hypotheses.push_back(text->table->at("assumes", [&] { return assumption(name); }));
  for (const std::string& name : text->further)
    row.further.push_back(folder + name.substr(0, name.rfind(".toml")));
  for (const claims::Entry& one : text->assumptions) {
    if (one.has("holds")) continue;  // the judge evaluates it
    if (!one.has("name")) {
      row.hypotheses.push_back(hypothesis::assumed(one.text("text")));
      continue;
    }
    HypothesisRow named = one.at("name", [&] { return assumption(one.text("name")); });
    if (one.has("of")) named.experiment = claims::experiment_number(row, one);
    row.hypotheses.push_back(named);
  }
  const std::pair<const char*, std::string CheckRow::*> words[] = {
      {"title", &CheckRow::title},     {"statement", &CheckRow::statement},
      {"source", &CheckRow::source},   {"predicted", &CheckRow::predicted},
      {"method", &CheckRow::measured}, {"rule", &CheckRow::rule},
      {"note", &CheckRow::note},       {"only_doubles", &CheckRow::no_precise_runs}};
  for (const auto& [key, member] : words) {
    if (text->words.contains(key)) row.*member = text->words.at(key);
  }
  row.judge = [text, files = row](const Evidence& evidence, CheckReport& report) {
    claims::judge_claim(*text, files, evidence, report);
  };
  return row;
}

}  // namespace

CheckRow claim_row(const std::string& id) {
  const std::string file = id + ".toml";
  CheckRow row = row_of(id, id.substr(0, id.rfind('/') + 1),
                        std::make_shared<const claims::ClaimText>(
                            claims::read_claim(experiment_text(file), "experiments/theorems/" + file)));
  // A claim of the catalogue can be judged, unless somebody changed its runs.
  row.judge = [judge = row.judge](const Evidence& evidence, CheckReport& report) {
    try {
      judge(evidence, report);
    } catch (const InputError& error) {
      throw std::logic_error(error.problems().front().message);
    }
  };
  return row;
}

std::deque<CheckRow>& claims_of_files() {
  static std::deque<CheckRow> rows;
  return rows;
}

const CheckRow& claim_of_file(const std::filesystem::path& path) {
  const std::string file = path.string(), text = experiment_file_text(path);
  const auto claim = std::make_shared<const claims::ClaimText>(claims::read_claim(text, file));
  CheckRow& row = claims_of_files().emplace_back(
      row_of(path.stem().string(), file.substr(0, file.rfind('/') + 1), claim));
  if (row.title.empty()) row.title = row.id;
  row.experiments.push_back({file, file, text, claim->quick, claim->precise});
  for (const std::string& name : row.further) {
    const std::string other = name + ".toml", other_text = experiment_file_text(other);
    CheckExperiment& added = row.experiments.emplace_back(CheckExperiment{other, other, other_text});
    if (parse_toml(other_text, other).get("claim") == nullptr) continue;
    const claims::ClaimText own = claims::read_claim(other_text, other);
    added.quick = own.quick;
    added.precise = own.precise;
  }
  return row;
}

}  // namespace rarefact
