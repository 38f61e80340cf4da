#include <catch2/catch.hpp>

#include "cli/in_process.hpp"
#include "cli/listings.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "experiment/keys.hpp"
#include "experiment/plan.hpp"
#include "experiment/requirements.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

/// A text without line breaks and repeated blanks, so that wrapping makes no difference.
std::string unwrapped(const std::string& text) {
  std::string words;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!words.empty() && words.back() != ' ')) words += blank ? ' ' : c;
  }
  return words;
}

}  // namespace

TEST_CASE("every experiment key is explained: meaning, type, default, legal values, rows it belongs to") {
  for (const ExperimentKey& key : experiment_keys()) {
    const Outcome outcome = rarefact_program({"explain", key.name()});
    CHECK(outcome.code == 0);
    INFO(outcome.out);
    const std::string text = unwrapped(outcome.out);
    CHECK_THAT(text, Catch::StartsWith(key.name()));
    for (const KeyUse& use : key.uses) {
      CHECK_THAT(text, Contains("meaning " + use.parameter.meaning));
      CHECK_THAT(text, Contains("type " + std::string(to_string(use.parameter.kind))));
      CHECK_THAT(text, Contains("default " + default_text(use.parameter)));
      CHECK_THAT(text, Contains("legal " + legal_values(use.parameter)));
      if (!use.owners.empty()) CHECK_THAT(text, Contains(" " + joined(use.owners)));
    }
  }
}

TEST_CASE("explain without a key lists all keys; with a table those of the table") {
  const Outcome all = rarefact_program({"explain"});
  CHECK(all.code == 0);
  for (const std::string& name : key_names()) CHECK_THAT(all.out, Contains("  " + name + " "));
  const Outcome run = rarefact_program({"explain", "run"});
  CHECK_THAT(run.out, Contains("run.steps") && !Contains("classes.count"));
  CHECK_THAT(all.out, Contains("rarefact explain sweep"));
}

TEST_CASE("a key may be named by its last part, for one side, or for an optimizer by name") {
  CHECK(rarefact_program({"explain", "steps"}).out == rarefact_program({"explain", "run.steps"}).out);
  CHECK(rarefact_program({"explain", "embedding.query.rho"}).out ==
        rarefact_program({"explain", "embedding.rho"}).out);
  CHECK(rarefact_program({"explain", "optimizer.muon.momentum"}).out ==
        rarefact_program({"explain", "optimizer.momentum"}).out);
}

TEST_CASE("words of other programs, choices of keys and blanks lead to a key") {
  const std::pair<const char*, const char*> cases[] = {{"optimizer.lr", "optimizer.step_size"},
                                                       {"learning_rate", "optimizer.step_size"},
                                                       {"batch size", "data.batch"},
                                                       {"softmax", "model.loss"},
                                                       {"cosine", "optimizer.schedule"},
                                                       {"hessian", "run.curvature"},
                                                       {"d", "embedding.dimension"}};
  for (const auto& [word, key] : cases)
    CHECK_THAT(rarefact_program({"explain", word}).out, Catch::StartsWith(key));
  CHECK_THAT(rarefact_program({"explain", "polar_factor"}).out, Contains("msgn(UΣVᵀ)"));
  CHECK_THAT(rarefact_program({"explain", "lion"}).err,
             Contains("did you mean experiments/rules/lion.toml?"));
  CHECK_THAT(rarefact_program({"explain", "my.toml"}).err, Contains("rarefact run my.toml --dry-run"));
}

TEST_CASE("whatever is listed is explained by its name, and by the names that results store it under") {
  for (const Listing& listing : listings()) {
    for (const ListedRow& row : listing.rows()) {
      std::vector<std::string> names = row.other_names;
      names.push_back(row.name);
      for (const std::string& name : names) {
        const Outcome outcome = rarefact_program({"explain", name});
        INFO(listing.name << ": " << name);
        CHECK(outcome.code == 0);
        if (find_row(experiment_tables(), name) == nullptr && name != "sweep")
          CHECK_THAT(unwrapped(outcome.out),
                     Contains(unwrapped(name + " (" + listing.name + ") " + row.summary)));
      }
    }
  }
  // A key and a rule.
  const std::string text = rarefact_program({"explain", "momentum"}).out;
  CHECK_THAT(text, Contains("optimizer.momentum") && Contains("momentum (optimizers)"));
  CHECK(rarefact_program({"list", "rules"}).out == rarefact_program({"list", "optimizers"}).out);
  CHECK(rarefact_program({"help", "run"}).out == rarefact_program({"run", "--help"}).out);
}

TEST_CASE("explain sweep shows every way to write an axis, and its example is a sweep that can be read") {
  const Outcome sweep = rarefact_program({"explain", "sweep"});
  CHECK(sweep.code == 0);
  for (const char* form : {"[v1, v2, ...]", "{range = [a, b]}", "{linspace = [a, b, n]}",
                           "{logspace = [a, b, n]}", "[[v1, w1], [v2, w2], ...]"})
    CHECK_THAT(sweep.out, Contains(form));
  const std::size_t begin = sweep.out.find("```toml\n") + 8;
  const std::string example = sweep.out.substr(begin, sweep.out.rfind("```") - begin);
  const std::string file =
      "name = 'x'\n[classes]\nspectrum = 'power_law'\ncount = 9\n[embedding]\nrho = 0.1\n[[optimizer]]\n"
      "rule = 'muon'\n";
  CHECK(parse_plan(file + example, "x.toml").size() == 10 * 2 * 5 * 2);
}

TEST_CASE("a key that means different things to different rows says so for each") {
  const std::string text = unwrapped(rarefact_program({"explain", "optimizer.momentum"}).out);
  CHECK_THAT(text, Contains("default 0.9 legal a number in [0, 1) rule momentum"));
  CHECK_THAT(text, Contains("default 0.0 legal a number in [0, 1) rule muon"));
}

TEST_CASE("an engine says what it cannot do in the words of its requirements") {
  CHECK_THAT(unwrapped(rarefact_program({"explain", "dense"}).out),
             Contains("reasons for a refusal:") && Contains("a group has n classes, not a whole number"));
}
