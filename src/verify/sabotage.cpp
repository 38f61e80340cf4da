#include <boost/algorithm/string/replace.hpp>

#include "experiment/keys.hpp"
#include "metrics/metric.hpp"
#include "optim/update_rule.hpp"
#include "verify/claim_finding.hpp"

namespace rarefact {

namespace {

using claims::Array;
using claims::Number;
using Change = std::function<void(Array&)>;

bool green(Verdict verdict) {
  return verdict < Verdict::inconclusive;
}

/// Indices of the numbers along a dimension; empty if a variable has no such dimension.
std::vector<std::vector<std::size_t>> lines(const Array& array, std::size_t dimension) {
  if (dimension >= array.shape.size()) return {};
  auto all = claims::lines_of(array, {dimension}).places;
  std::erase_if(all, [](const auto& line) { return line.empty(); });
  return all;
}

template <class F>
Change entrywise(const F& f) {
  return [f](Array& array) {
    for (Number& number : array.entries) number = number ? Number(f(*number)) : number;
  };
}

/// Changes of which a finding must notice at least one; values change by `factor`.
std::vector<Change> changes(std::size_t dimensions, double factor) {
  std::vector<Change> edits;
  for (const double base : {factor, 1 / factor})
    edits.push_back(entrywise([base](double x) { return x * base; }));
  for (const double base : {factor, 1 / factor}) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      edits.push_back([=](Array& array) {
        for (const auto& line : lines(array, d)) {
          for (std::size_t i = 0; i < line.size(); ++i)
            *array.entries[line[i]] *= std::pow(base, static_cast<double>(i));
        }
      });
    }
  }
  std::vector<Change> all = edits;
  all.push_back(entrywise([](double) { return 1.0; }));
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (const Change& edit : edits) {
      all.push_back([=](Array& array) {
        Array edited = array;
        edit(edited);
        for (const auto& line : lines(array, d)) array.entries[line.back()] = edited.entries[line.back()];
      });
    }
    all.push_back([=](Array& array) {
      const Array plain = array;
      for (const auto& line : lines(plain, d)) {
        for (std::size_t i = 0; i < line.size(); ++i) {
          const Number other = plain.entries[line[line.size() - 1 - i]];
          if (!std::isnan(*other)) array.entries[line[i]] = other;
        }
      }
    });
  }
  return all;
}

/// The change, but to no number above 1,000 times the largest, or outside [0, 1] for a share: such sizes never occur.
Change limited(const Change& change, bool share) {
  return [=](Array& array) {
    double limit = 1;
    for (const Number& x : array.entries)
      if (x && std::isfinite(*x) && !share) limit = std::max(limit, 1000 * std::abs(*x));
    const Array before = array;
    change(array);
    for (std::size_t i = 0; i < array.entries.size(); ++i)
      if (Number& x = array.entries[i]; x && x != before.entries[i])
        x = std::clamp(*x, share ? 0 : -limit, limit);
  };
}

/// The change, but of no number to more than 1.5 times or less than 2/3 of it.
Change slight(const Change& change) {
  return [=](Array& array) {
    const Array before = array;
    change(array);
    for (std::size_t i = 0; i < array.entries.size(); ++i) {
      Number& x = array.entries[i];
      if (!x || std::isnan(*x)) continue;
      const double a = *before.entries[i] / 1.5, b = *before.entries[i] * 1.5;
      x = std::clamp(*x, std::min(a, b), std::max(a, b));
    }
  };
}

/// A false copy of a finding: another text of a key.
struct Restated {
  std::string change, key, text;
  bool bound = true;
};

std::vector<Restated> restated(const claims::Entry& finding, bool exponent) {
  std::vector<Restated> all;
  const auto add = [&](const std::string& key, const std::string& signs, bool bound) {
    if (!finding.has(key)) return;
    const std::string x = "(" + finding.text(key) + ")";
    for (const char sign : signs)
      all.push_back({fmt::format("{} {} {}", key, sign, exponent ? "0.05" : "10 %"), key,
                     exponent ? fmt::format("{} {} 0.05", x, sign)
                              : fmt::format("{0} {1} where({0} == 0, 0.05, 0.1*abs({0}))", x, sign),
                     bound});
  };
  for (const std::string key : {"equals", "mean_equals", "ends_at"}) add(key, "+-", false);
  for (const std::string key : {"at_most", "interval_below"}) add(key, "-", true);
  for (const std::string key : {"at_least", "interval_above"}) add(key, "+", true);
  if (finding.has("bounded"))
    all.push_back({"exponent of bounded - 0.05", "measured",
                   fmt::format("({})*({})**0.05", finding.text("measured"), finding.text("bounded"))});
  return all;
}

/// "plus_minus = 0.1, widest = 0.2".
std::string tolerances(const claims::Entry& finding) {
  std::vector<std::string> all;
  for (const std::string key : {"within", "plus_minus", "widest", "growth"})
    if (finding.has(key)) all.push_back(fmt::format("{} = {}", key, finding.text(key)));
  return joined(all, ", ");
}

enum class Seen { yes, no, not_examined };

/// True for a text of a finding that is an exponent, with the first of the texts that replace {x}.
bool is_exponent(const claims::Entry& finding, const CheckRow& row) {
  std::string measured = finding.text("measured");
  for (const std::string key : {"each", "grid"})
    for (const auto& [name, chosen] : finding.choices(key))
      boost::replace_all(measured, "{" + name + "}", chosen.front());
  return claims::is_exponent(parsed_condition(measured), row.defines);
}

std::size_t dimensions_of(const Evidence& evidence) {
  std::size_t dimensions = 0;
  for (const EvidencePoints& points : evidence.experiments)
    dimensions = std::max(dimensions, points.axes.size() + 3);
  return dimensions;
}

FindingBasis as_is(const claims::JudgeFinding& judge, std::size_t number) {
  return judge(number, {}, query::Frame::max_work);
}

/// Judges a finding again after changes of what it reads, until `left` numbers have been computed.
struct Sabotage {
  const CheckRow& row;
  std::size_t number;  ///< of the finding
  const FindingBasis& basis;
  const claims::JudgeFinding& judge;
  std::size_t dimensions;
  std::size_t& left;

  const claims::Entry& finding() const { return row.findings[number]; }

  FindingBasis changed(const std::string& variable, const Change& change) const {
    const auto tamper = [&](const std::string& name, Array& values) {
      if (name == variable) change(values);
    };
    FindingBasis other = judge(number, tamper, left);
    left -= std::min(left, other.work);
    return other;
  }

  /// For each measured variable that the finding uses, unless it is `excused`: whether it notices changes of it. A change
  /// after which nothing can be judged does not count as noticed, except NaN with `with_nan`.
  std::map<std::string, Seen> noticed(bool with_nan,
                                      const std::function<bool(const std::string&)>& excused) const {
    std::map<std::string, Seen> noticed;
    const double factor = basis.tolerance > 0 || finding().has("equals")
                              ? 1 + std::clamp(10 * basis.tolerance, 1e-9, 1e3)
                              : 1000;
    const bool evidence_only = std::ranges::none_of(claims::Part::relations(), [&](const auto& relation) {
      return relation.name != "evidence" && finding().has(relation.name);
    });
    for (const std::string& variable : basis.variables) {
      if (claims::is_prediction(variable) || excused(variable)) continue;
      const auto seen = [&](const Change& change) {
        if (left == 0) return false;
        const FindingBasis other = changed(variable, with_nan ? change : limited(change, is_share(variable)));
        return !other.refused && !green(other.verdict());
      };
      const auto none = [&] {
        return !green(changed(variable, entrywise([](double) { return claims::missing; })).verdict());
      };
      const bool shows_nan = !(with_nan || evidence_only) || none(),
                 notices =
                     shows_nan && (evidence_only || std::ranges::any_of(changes(dimensions, factor), seen));
      noticed[variable] = notices ? Seen::yes : left == 0 ? Seen::not_examined : Seen::no;
    }
    return noticed;
  }

  /// True if a sharp finding fails after no change by half of what it reads: its tolerance is wide. Exponents need not see
  /// these.
  bool is_blunt() const {
    if (basis.verdict() != Verdict::sharp || basis.tolerance == 0 || is_exponent(finding(), row))
      return false;
    for (const std::string& variable : basis.variables) {
      if (claims::is_prediction(variable)) continue;
      for (const Change& change : changes(dimensions, 1.5)) {
        if (left == 0) return false;
        const FindingBasis other = changed(variable, slight(change));
        if (other.refused || !green(other.verdict())) return false;
      }
    }
    return true;
  }
};

/// The measured variables that the key `where` of a finding reads.
std::vector<std::string> chosen_by(const CheckRow& row, const claims::Entry& finding,
                                   const FindingBasis& basis) {
  std::vector<std::string> read;
  if (!finding.has("where")) return read;
  const Syntax tree = parsed_condition(finding.text("where"));
  for (const std::string& variable : basis.variables)
    if (!claims::is_prediction(variable) && query::any_part(tree, row.defines, [&](const Syntax& part) {
          return part.kind == Syntax::Kind::name && part.text == variable;
        }))
      read.push_back(variable);
  return read;
}

}  // namespace

std::vector<FalseCopy> false_copies(const CheckRow& row, const Evidence& evidence) {
  std::vector<FalseCopy> passing;
  CheckRow copy = row;
  const claims::JudgeFinding judge = claims::finding_judge(copy, evidence);
  for (std::size_t i = 0; i < row.findings.size(); ++i) {
    const claims::Entry& finding = row.findings[i];
    const Verdict own = as_is(judge, i).verdict();
    if (!green(own)) continue;
    std::string excuse;
    for (const auto& [variable, reason] : finding.labelled("blind"))
      if (variable == "equals" || variable == reason) excuse = reason;
    const std::vector<Restated> others = restated(finding, is_exponent(finding, row));
    const bool evidence_only = finding.text("evidence") == "true";
    const auto report = [&](const std::string& change, bool bound, Verdict verdict) {
      passing.push_back({finding.text("id"), change, tolerances(finding),
                         evidence_only ? "evidence"
                         : bound       ? "a bound"
                                       : excuse,
                         verdict});
    };
    if (others.empty()) report(evidence_only ? "published" : "between", true, own);
    for (const Restated& other : others) {
      copy.findings[i] = finding.with(other.key, other.text);
      const Verdict verdict = as_is(judge, i).verdict();
      // An equality beside a bound does not make the bound sharp.
      if (green(verdict))
        report(other.change, other.bound, other.bound ? std::max(verdict, Verdict::holds) : verdict);
    }
    copy.findings[i] = finding;
  }
  return passing;
}

std::vector<std::string> unseen_changes(const CheckRow& row, const Evidence& evidence,
                                        std::optional<std::size_t> number) {
  std::vector<std::string> unseen;
  const std::vector<claims::Entry>& findings = row.findings;
  const claims::JudgeFinding judge = claims::finding_judge(row, evidence);
  for (std::size_t i = number.value_or(0); i < (number ? *number + 1 : findings.size()); ++i) {
    const auto blind = findings[i].labelled("blind");  // a reason, or one per variable
    const auto excused = [&](const std::string& variable) {
      return std::ranges::any_of(
          blind, [&](const auto& item) { return item.first == item.second || item.first == variable; });
    };
    const FindingBasis basis = as_is(judge, i);
    if (!green(basis.verdict())) continue;
    std::size_t left = query::Frame::max_work;
    const Sabotage sabotage{row, i, basis, judge, dimensions_of(evidence), left};
    for (const auto& [variable, noticed] : sabotage.noticed(true, excused))
      if (noticed != Seen::yes)
        unseen.push_back(fmt::format("finding {}: {}", findings[i].text("id"), variable));
  }
  return unseen;
}

void note_unseen(const CheckRow& row, const Evidence& evidence, CheckReport& report) {
  constexpr std::size_t least_work = 5'000'000;
  std::size_t left = least_work;
  for (const FindingBasis& basis : report.bases) left += 2 * basis.work;
  const claims::JudgeFinding judge = claims::finding_judge(row, evidence);
  for (std::size_t i = 0; i < report.bases.size(); ++i) {
    const FindingBasis& basis = report.bases[i];
    if (!green(basis.verdict())) continue;
    const std::string id = row.findings[i].text("id");
    const Sabotage sabotage{row, i, basis, judge, dimensions_of(evidence), left};
    const auto noticed = sabotage.noticed(false, [](const std::string&) { return false; });
    std::vector<std::string> unseen, skipped;
    for (const auto& [variable, seen] : noticed) {
      if (seen == Seen::no) unseen.push_back(variable);
      if (seen == Seen::not_examined) skipped.push_back(variable);
    }
    const bool vacuous = !noticed.empty() && unseen.size() == noticed.size();
    report.vacuous = report.vacuous || vacuous;
    const bool blunt = !vacuous && sabotage.is_blunt();
    const std::vector<std::string> choosing = chosen_by(row, row.findings[i], basis);
    for (Finding& finding : report.findings) {
      if ((vacuous || blunt || !choosing.empty()) && (finding.id == id || finding.id.starts_with(id + "/")))
        finding.verdict = std::max(finding.verdict, Verdict::holds);
    }
    if (blunt)
      report.unseen.push_back(
          fmt::format("finding {} is not sharp: it passes if what it reads changes by half", id));
    if (!choosing.empty())
      report.unseen.push_back(fmt::format("finding {} is not sharp: `where` chooses by what is measured, {}",
                                          id, joined(choosing)));
    if (noticed.empty()) report.unseen.push_back(fmt::format("finding {} reads no run", id));
    if (!unseen.empty())
      report.unseen.push_back(fmt::format(
          "finding {} {} {}", id,
          vacuous ? "is vacuous: it passes for any values of" : "notices no change of", joined(unseen)));
    if (!skipped.empty())
      report.unseen.push_back(
          fmt::format("finding {}: whether it notices changes of {} was not examined, as it takes long", id,
                      joined(skipped)));
  }
}

std::vector<std::string> unseen_rules(const CheckRow& row, const CheckOptions& options,
                                      const Evidence& evidence) {
  if (row.claim.has("blind")) return {};
  std::set<std::string> labels;
  for (const EvidencePoint* point : evidence.points())
    for (const OptimizerChoice& choice : point->experiment.optimizers) labels.insert(choice.name);
  std::vector<std::string> unseen;
  for (const std::string& label : labels) {
    bool ran = false, seen = false;
    for (const std::string rule : {"gd", "muon", "signgd"}) {
      CheckOptions other = options;
      bool same = false;
      other.change = [&](Experiment& experiment) {
        for (OptimizerChoice& choice : experiment.optimizers) {
          if (choice.name != label) continue;
          same = same || choice.rule == rule;
          choice.rule = rule;
          choice.parameters = {};
          for (const Parameter& parameter : optimizer_row(rule).parameters) {
            if (parameter.default_value)
              choice.parameters.set(parameter.name, canonical(*parameter.default_value, parameter.kind));
          }
        }
      };
      Evidence found;
      try {
        other.threads = 1;
        found = gather_evidence(row, other, {}, evidence);
      } catch (const InputError&) {  // a rule that an engine of these runs does not take
        continue;
      }
      if (same) continue;
      ran = true;
      try {
        seen = !green(judge_check(row, found).verdict());
      } catch (const InputError& error) {
        const Problem& problem = error.problems().front();
        seen = problem.missing;  // the claim reads a key that this rule does not have
        if (!seen) unseen.push_back(fmt::format("rule of {}, as {}: {}", label, rule, problem.message));
      }
      if (seen) break;
    }
    if (ran && !seen) unseen.push_back("rule of " + label);
  }
  return unseen;
}

}  // namespace rarefact
