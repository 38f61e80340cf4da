#include "verify/claim_judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>

#include "core/transform.hpp"
#include "experiment/keys.hpp"
#include "verify/claim_finding.hpp"

namespace rarefact::claims {

namespace {

/// A value of what a finding is `per`: what is added to the words, the entries that have it, by experiment, and what {x} is.
struct Group {
  std::string words;
  std::vector<Array> where;
  std::vector<std::map<std::string, std::string>> choices;

  void tell(const std::string& more) { words += (words.empty() ? "" : ", ") + more; }
};

/// "K = 30"; in the place of {} in a label that has it.
std::string labelled(const std::string& label, const std::string& number) {
  return label.find("{}") == std::string::npos ? label + " = " + number
                                               : boost::replace_all_copy(label, "{}", number);
}

/// With each of several texts in the place of a name: apart where `labels` have the name, else together.
std::vector<Group> divided(const std::vector<Group>& groups, const std::string& name,
                           const std::vector<std::string>& texts, const LabelledTexts& labels, bool numbers) {
  const auto label = std::ranges::find(labels, name, &LabelledTexts::value_type::second);
  std::vector<Group> next;
  for (const Group& group : groups) {
    for (std::size_t t = 0; t < texts.size(); ++t) {
      if (t == 0 || label != labels.end()) {
        next.push_back(group);
        next.back().choices.clear();
        if (label != labels.end()) next.back().tell(numbers ? labelled(label->first, texts[t]) : texts[t]);
      }
      for (auto choice : group.choices) {
        choice[name] = texts[t];
        next.back().choices.push_back(std::move(choice));
      }
    }
  }
  return next;
}

class Judge {
 public:
  Judge(const CheckRow& row, const Evidence& evidence, CheckReport& report)
      : claim_(*row.claim), row_(row), evidence_(evidence), report_(report) {
    for (const EvidencePoints& points : evidence.experiments)
      data_.emplace_back(points.axes, points, evidence.rehearsal);
  }

  void operator()() {
    for (const ExperimentData& data : data_) {
      const std::vector<std::string> names = data.names();
      for (const auto& [name, define] : claim_.defines) {
        if (contains(names, name)) define.table->refuse(name, "it is a variable or a number of the problem");
      }
    }
    bool measurable = true;
    for (const Assumption& entry : claim_.assumptions) measurable = measurable && assume(entry);
    std::vector<Problem> problems;
    const auto attempt = [&](const Entry& entry, void (Judge::*judge)(const Entry&), bool finding) {
      try {
        (this->*judge)(entry);
      } catch (const InputError& error) {
        if (evidence_.rehearsal) problems.push_back(error.problems().front());
        // Outside of its assumptions there may be nothing to measure.
        if (!evidence_.rehearsal && report_.all_met()) throw;
        if (finding) undecided(entry, error.problems().front().message);
      }
    };
    if (!measurable) return;
    for (const Entry& entry : claim_.findings) attempt(entry, &Judge::add, true);
    for (const Entry& entry : claim_.curves) attempt(entry, &Judge::curve, false);
    raise(std::move(problems));
  }

  FindingBasis finding(std::size_t number) {
    add(claim_.findings.at(number));
    for (const ExperimentData& data : data_) basis_.variables.insert(data.read().begin(), data.read().end());
    return basis_;
  }

 private:
  void undecided(const Entry& entry, std::string rule) {
    report_.add(entry.text("id"), "",
                {.quantity = entry.text("text"), .measured = NAN, .rule = std::move(rule)});
  }

  void add(const Entry& entry) {
    const std::vector<Group> all = groups(entry);
    for (const Group& group : all) {
      Part part(entry, cases(entry, group));
      Finding finding = part.finding();
      basis_.tolerance = std::max(basis_.tolerance, part.tolerance());
      if (evidence_.full && finding.rule == nothing_left && !evidence_.rehearsal)
        entry.refuse("where", nothing_left);
      if (evidence_.full && part.few_points()) entry.refuse("measured", few_points_rule);
      finding.quantity = part.interpolated(entry.has("text") ? "text" : "id");
      if (entry.has("published")) finding.published = part.interpolated("published");
      // A published exponent that is the exact one is not said twice.
      if (finding.sharp && entry.has("plus_minus") &&
          finding.published == fmt::format("{:g}", *finding.sharp))
        finding.sharp = {};
      const bool headline = part.condition("headline");
      const std::string id = report_.add(entry.text("id"), group.words, std::move(finding), headline).id;
      if (std::ranges::count(report_.findings, id, &Finding::id) > 1)
        entry.refuse("id", fmt::format("another finding is \"{}\"", id));
    }
    if (all.empty() && evidence_.full) entry.refuse("where", nothing_left);
    if (all.empty()) undecided(entry, nothing_left);
  }

  Evaluator base(const Entry& entry, std::size_t experiment) const {
    Evaluator evaluator(data_.at(experiment), claim_.defines, evidence_.precise);
    if (!entry.has("at")) return evaluator;
    const std::string at = entry.text("at");
    return entry.at(
        "at", [&] { return evaluator.at(evaluator.number(parsed_condition(at == "last" ? "steps" : at))); });
  }

  std::vector<Case> cases(const Entry& entry, const Group& group) const {
    std::vector<Case> all;
    const std::vector<std::size_t> numbers = experiments_of(row_, entry);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      for (const auto& texts : group.choices) {
        Case& added = all.emplace_back(base(entry, numbers[i]).where(group.where[i]), texts);
        for (const auto& [name, values] : entry.choices("grid")) {
          const std::optional<double> number = parse_number<double>(texts.at(name));
          if (!number) entry.refuse("grid", fmt::format("\"{}\" is no number", texts.at(name)));
          added.evaluate.give(name, *number);
        }
      }
    }
    return all;
  }

  std::vector<Group> groups(const Entry& entry) const {
    Group all{.words = {}, .where = {}, .choices = {{}}};
    bool some = false;
    for (const std::size_t number : experiments_of(row_, entry)) {
      Evaluator evaluator = base(entry, number);
      const std::string where = entry.has("where") ? entry.text("where") : "1";
      all.where.push_back(entry.at("where", [&] { return evaluator.number(parsed_condition(where)); }));
      const Array& holds = all.where.back();
      for (std::size_t i = 0; i < holds.size(); ++i)
        some = some || (holds.there[i] ? holds.numbers[i] != 0 : evidence_.rehearsal);
    }
    if (!some) return {};
    std::vector<Group> groups = {all};
    const LabelledTexts labels = entry.labelled("per");
    const auto texts = entry.choices("each"), grid = entry.choices("grid");
    std::set<std::string> chosen;
    // Those that are told apart stand in the order of `per`.
    const auto divide = [&](const std::string& apart) {
      for (const auto* names : {&texts, &grid}) {
        for (const auto& [name, named_texts] : *names) {
          const bool told = std::ranges::count(labels, name, &LabelledTexts::value_type::second) > 0;
          if (apart.empty() ? told : apart != name) continue;
          chosen.insert(name);
          groups = divided(groups, name, named_texts, labels, names == &grid);
        }
      }
    };
    divide("");
    for (const auto& [label, text] : labels) {
      divide(text);
      if (chosen.contains(text)) continue;
      std::vector<Group> next;
      for (const Group& group : groups) {
        for (Group& part : split(entry, group, label, text)) next.push_back(std::move(part));
      }
      groups = std::move(next);
    }
    return groups;
  }

  /// One group for each value of an expression.
  std::vector<Group> split(const Entry& entry, const Group& group, const std::string& label,
                           const std::string& text) const {
    const Syntax tree = entry.at("per", [&] { return parsed_condition(text); });
    const std::vector<std::size_t> numbers = experiments_of(row_, entry);
    std::vector<Array> values;
    std::vector<double> found;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      Evaluator evaluator = base(entry, numbers[i]);
      for (const double x : entries(entry.at("per", [&] { return evaluator.where(group.where[i])(tree); }))) {
        if (std::ranges::none_of(found, [&](double other) { return equal(other, x); })) found.push_back(x);
      }
      values.push_back(evaluator(tree));
    }
    std::vector<Group> parts;
    for (const double x : found) {
      Group& part = parts.emplace_back(group);
      part.tell(values[0].is_text ? text_of(x) : labelled(label, fmt::format("{:.4g}", x)));
      for (std::size_t i = 0; i < numbers.size(); ++i) {
        part.where[i] = computed({&part.where[i], &values[i]}, [x](const double* v) {
          return std::isnan(v[0]) ? v[0] : v[0] != 0 && equal(v[1], x) ? 1.0 : 0.0;
        });
      }
    }
    return parts;
  }

  /// True if there is something to measure.
  bool assume(const Assumption& assumption) {
    if (!assumption.tested()) return true;
    const Entry& entry = assumption.entry;
    bool met = true, any = false;
    std::string unmet = assumption.row != nullptr ? "not on all runs" : assumption.holds;
    try {
      if (assumption.row != nullptr)
        met = assumption.row->met(entry.has("of") ? evidence_.points(experiments_of(row_, entry).front())
                                                  : evidence_.points());
      for (const std::size_t number : experiments_of(row_, entry)) {
        if (assumption.row != nullptr) break;
        Evaluator evaluator = base(entry, number);
        for (const double value : entries(evaluator.number(parsed_condition(assumption.holds)))) {
          any = true;
          met = met && value != 0 && !std::isnan(value);
        }
      }
    } catch (const InputError& error) {  // such as of a key that another rule has not
      if (evidence_.rehearsal) entry.at("holds", [] { throw; });
      met = false;
      unmet = error.problems().front().message;
    }
    met = met && (any || assumption.row != nullptr);
    report_.hypotheses.push_back({assumption.text, met, met ? "on all runs" : unmet});
    return met || assumption.row == nullptr || !assumption.row->needed;
  }

  void curve(const Entry& entry) {
    for (const Group& group : groups(entry)) {
      Part part(entry, cases(entry, group));
      std::vector<std::pair<std::string, Points>> series;
      for (const auto& [label, text] : entry.labelled("y")) {
        const Points points = part.curve(text);
        if (series.empty() || keys(points) == keys(series.front().second)) series.emplace_back(label, points);
      }
      const std::string title = entry.text("title") + (group.words.empty() ? "" : ", " + group.words);
      if (!series.empty()) report_.curve(title, entry.text(entry.has("x_label") ? "x_label" : "x"), series);
    }
  }

  const ClaimText& claim_;
  const CheckRow& row_;
  const Evidence& evidence_;
  CheckReport& report_;
  std::vector<ExperimentData> data_;
  FindingBasis basis_ = {};
};

}  // namespace

std::vector<std::size_t> experiments_of(const CheckRow& row, const Entry& entry) {
  std::vector<std::size_t> numbers;
  for (const std::string& file : entry.texts("of")) {
    const auto found = std::ranges::find_if(row.experiments, [&](const CheckExperiment& experiment) {
      return experiment.file.substr(experiment.file.rfind('/') + 1) == file;
    });
    if (found == row.experiments.end())
      entry.refuse(
          "of", fmt::format("no experiment of this claim is {}; further names others of its folder", file));
    numbers.push_back(static_cast<std::size_t>(found - row.experiments.begin()));
  }
  return numbers.empty() ? std::vector<std::size_t>{0} : numbers;
}

void judge_claim(const CheckRow& row, const Evidence& evidence, CheckReport& report) {
  Judge(row, evidence, report)();
}

FindingBasis judge_finding(const CheckRow& row, const Evidence& evidence, std::size_t number,
                           CheckReport& report) {
  return Judge(row, evidence, report).finding(number);
}

}  // namespace rarefact::claims
