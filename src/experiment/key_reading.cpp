// Keys that must not be beside others, reported while a file is read.

#include "experiment/keys.hpp"
#include "experiment/requirements.hpp"

namespace rarefact {

namespace {

using P = const Section&;

/// The experiment names the file of its result.
bool no_file_name(P section) {
  constexpr std::size_t longest = 200;
  const std::string& name = section.experiment->name;
  const bool good = name.find('/') == std::string::npos && !name.starts_with('.') && name.size() <= longest;
  return !good && section.knows("name");
}

bool other_schedule(P section) {
  const OptimizerChoice& choice = *section.optimizer;
  return section.knows("schedule") && choice.schedule != "inverse_sqrt" && choice.schedule_offset != 1;
}

constexpr auto outputs = [](P p) { return p.experiment->loss->of_outputs; };
constexpr auto facts = [](P p) { return outputs(p) && !p.experiment->squares.gaussian(); };
constexpr auto gaussian = [](P p) { return outputs(p) && p.experiment->squares.gaussian(); };
constexpr auto noisy = [](P p) { return p.experiment->label_noise > 0; };
constexpr auto by_frequency = [](P p) { return p.experiment->noise() == NoiseAnswers::frequency; };

}  // namespace

const std::vector<ReadingRow>& reading_rows() {
  static const std::string
      of_facts = "this key is for queries that are facts, and data.queries is \"gaussian\"",
      of_gaussian = "this key is for Gaussian queries, and data.queries is \"facts\"",
      of_softmax = "this key is for the softmax, and the loss here is {loss}",
      of_squares = "this belongs to [model] loss = \"least_squares\", and the loss here is {loss}";
  static const std::vector<ReadingRow> rows = [] {
    std::vector<ReadingRow> all = {
        {"name", no_file_name,
         "it names the result file; expected a string of at most 200 bytes without \"/\" that does not begin with a dot"},
        {"model.measurement", [](P p) { return facts(p) && p.experiment->squares.bilinear(); }, of_gaussian},
        {"model.inner", [](P p) { return !p.experiment->is_product(); },
         "this is the inner dimension of a product, and model.factors is 1"},
        {"data.query_scale", [](P p) { return gaussian(p) && p.experiment->squares.query_scale != 1; },
         of_facts},
        {"data.answer_noise", [](P p) { return facts(p) && p.experiment->squares.answer_noise > 0; },
         of_gaussian},
        {"data.label_noise", [](P p) { return gaussian(p) && noisy(p); }, of_facts},
        {"data.noise_answers", [](P p) { return by_frequency(p) && outputs(p); }, of_softmax},
        {"data.noise_answers", [](P p) { return by_frequency(p) && !noisy(p) && p.knows("label_noise"); },
         "data.label_noise is 0, so no answers are noisy; expected label_noise > 0"},
        {"data.recovered", [](P p) { return p.experiment->removes_recovered() && outputs(p); }, of_softmax},
        {"answers.law", [](P p) { return !p.experiment->own_answers() && gaussian(p); }, of_facts},
        {"embedding.tied",
         [](P p) {
           return p.experiment->tied && p.experiment->query_embedding != p.experiment->answer_embedding;
         },
         "this needs [embedding.query] and [embedding.answer] to be equal"},
        {"embedding.tied", [](P p) { return p.experiment->tied && !p.experiment->own_answers(); },
         "this needs one query for every answer, unlike answers.law"},
        {"target.directions", facts, of_gaussian},
        {"target.exponent", facts, of_gaussian},
        {"target.shift", facts, of_gaussian},
        {"target.scale", facts, of_gaussian},
        {"run.rho_epsilon", [](P p) { return p.experiment->rho_epsilon > 0 && outputs(p); }, of_softmax},
        {"run.top", outputs, of_softmax},
        {"run.test_noise", [](P p) { return p.experiment->test_noise > 0 && outputs(p); }, of_softmax},
        {"run.test_draws",
         [](P p) { return p.experiment->test_draws > 0 && !(p.experiment->test_noise > 0); },
         "without run.test_noise > 0 there is nothing to draw"},
        {"run.test_draws", [](P p) { return p.experiment->test_draws == 1; },
         "one draw has no standard error; expected 0 or at least 2"},
        {"run.arithmetic", [](P p) { return p.experiment->single() && outputs(p); }, of_softmax},
        {"run.precision", [](P p) { return p.experiment->precision == 50 && outputs(p); }, of_softmax},
        {"optimizer.schedule_offset", other_schedule,
         "the schedule {schedule} has no offset; it belongs to inverse_sqrt"},
    };
    for (const ExperimentKey& key : experiment_keys())
      if (key.of_squares) all.push_back({key.name(), [](P p) { return !outputs(p); }, of_squares});
    return all;
  }();
  return rows;
}

}  // namespace rarefact
