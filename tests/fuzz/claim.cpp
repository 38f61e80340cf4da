// Texts of claims, judged on a sweep made by hand. Whatever stands there, it is judged or refused with words, and what
// passes is finite.

#include <cmath>

#include "core/number_operations.hpp"
#include "experiment/keys.hpp"
#include "fuzz/target.hpp"
#include "query/functions.hpp"
#include "tables/result_frame.hpp"
#include "theory/closed_form.hpp"
#include "verify/sweep_by_hand.hpp"

using namespace rarefact::fuzz;

namespace {

void run(const std::string& text) {
  static const Evidence evidence{.experiments = {sweep(1), sweep(2)}, .full = true, .as_written = true};
  CheckReport report;
  try {
    CheckRow row = read_claim("x/e", "x/e.toml", [&](const std::string& file) -> std::string {
      if (file == "x/e.toml") return text;
      if (file == "x/f.toml") return "[claim]\n[claim.define]\ntwice = \"2*loss\"\n";
      throw InputError("no such file");
    });
    row.experiments.resize(1);
    row.experiments.push_back({"x/f.toml"});
    judge_claim(row, evidence, report);
    note_unseen(row, evidence, report);
  } catch (const InputError& error) {
    require(!error.problems().empty(), "a refusal without problems");
    for (const Problem& problem : error.problems())
      require(!problem.message.empty() && problem.message.size() < 25000,
              "a problem without words, or too many");
    return;
  }
  for (const Finding& finding : report.findings)
    require(finding.verdict >= Verdict::inconclusive || std::isfinite(finding.measured),
            "a number that is none passes");
}

std::vector<std::string> seeds() {
  const std::string finding =
      "[claim]\ntitle = \"t\"\n[[claim.finding]]\nid = \"a\"\ntext = \"{K:.3g} classes\"\n";
  return {
      finding + "measured = \"loss@muon/loss@gd\"\nequals = 0.5\nwithin = 1e-9\n",
      finding + "at = \"last\"\nwhere = \"s == 1\"\nmeasured = \"loss@gd\"\nat_most = 9\nper = {K = \"K\"}\n",
      finding + "measured = \"sum(error, class)\"\nbetween = [0, 9]\neach.x = [\"error\", \"loss\"]\n",
      finding + "measured = \"10**s\"\nbounded = \"10**(3*s + seed)\"\ngrowth = 0.5\n",
      finding + "at = 0\nmeasured = \"loss@gd\"\nmean_equals = \"2*s\"\nplus_minus = 1\nwidest = 9\n",
      finding + "at = 0\nmeasured = \"{x}*loss\"\ninterval_above = -9\ngrid.x = [1, 2]\n",
      finding + "measured = \"d\"\nevidence = true\n[claim.define]\nd = \"e@gd + e\"\ne = \"at(loss, 1)\"\n",
      "[claim]\ninclude = \"f.toml\"\nassumes = [\"complete\"]\n[[claim.assumption]]\nholds = \"K == 2\"\n"
      "[[claim.finding]]\nid = \"a\"\nmeasured = \"slope(log(twice), log(s))\"\nat_least = 0\n"};
}

std::vector<std::string> words() {
  std::vector<std::string> words = words_in(
      "0/0|1/0|nan|inf|1e308|@gd|@muon| and | or |not | == |**|{x}|{loss:g}|true|, class|, step|, seed|"
      ", point|, optimizer|step|loss|error|[0, 1]|\n[[claim.finding]]\n|\n[claim.define]\n|"
      "\n[[claim.assumption]]\n|\n[[claim.curve]]\n");
  for (const claims::Part::Relation& relation : claims::Part::relations()) {
    words.push_back("\n" + relation.name + " = ");
    for (const std::string& key : relation.beside) words.push_back("\n" + key + " = ");
  }
  for (const char* key : {"id", "text", "of", "at", "where", "per", "each", "grid", "measured", "headline",
                          "name", "holds", "tested", "x", "y", "include", "assumes"})
    words.push_back(std::string("\n") + key + " = ");
  for (const auto& row : query::functions()) words.push_back(row.first + "(");
  for (const auto& row : number_functions()) words.push_back(row.name + "(");
  for (const ClosedForm& form : closed_forms()) words.push_back(form.name + "(");
  for (const auto& row : point_numbers()) words.push_back(row.first);
  return words;
}

const Added added({"claim", seeds, words, run});

}  // namespace
