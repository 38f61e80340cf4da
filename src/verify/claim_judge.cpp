#include <boost/algorithm/string/replace.hpp>
#include <deque>
#include <numeric>

#include "experiment/keys.hpp"
#include "verify/claim_finding.hpp"

namespace rarefact::claims {

namespace {

/// A value of the key `per`: its text in labels, and its cases.
struct Group {
  std::string words = {};
  std::vector<Case> cases = {};

  /// The same cases with a longer text.
  Group named(const std::string& more) const { return {words.empty() ? more : words + ", " + more, cases}; }
};

/// "K = 30", or the label with {} replaced by the number.
std::string labelled(const std::string& label, const std::string& number) {
  return label.find("{}") == std::string::npos ? label + " = " + number
                                               : boost::replace_all_copy(label, "{}", number);
}

/// Limits for one [[claim.finding]]: its findings, values of `per`, and entries of arrays that they copy.
constexpr std::size_t max_cases = 10000, max_values = 1000, max_copied = std::size_t{1} << 23;

/// Names with a meaning of their own, which no definition or grid may take.
bool is_word(const std::string& name) {
  return contains(std::vector<std::string>{"pi", "class", "point", "seed"}, name);
}

class Judge {
 public:
  Judge(const CheckRow& row, const Evidence& evidence) : row_(row), evidence_(evidence) {
    for (const EvidencePoints& points : evidence.experiments) data_.emplace_back(points);
  }

  CheckReport operator()(CheckReport report) {
    report_ = std::move(report);
    for (const ExperimentData& data : data_) {
      const std::vector<std::string> names = data.names();
      for (const auto& [name, define] : row_.defines)
        if (contains(names, name)) define.failed(InputError("it is a variable or a number of the problem"));
    }
    for (const auto& [name, define] : row_.defines)
      if (is_word(name)) define.failed(bad_input("{} is a word of the language", name));
    for (const ExperimentData& data : data_)
      for (std::string& run : data.unfinished()) report_.unfinished.push_back(std::move(run));
    bool measurable = true;
    for (const Assumption& entry : row_.assumptions) measurable = assume(entry) && measurable;
    if (!measurable) return std::move(report_);
    std::vector<Problem> problems;
    const auto attempt = [&](const Entry& entry, bool finding, const auto& judge) {
      try {
        judge();
      } catch (const InputError& error) {
        // If an assumption is not met, there may be nothing to measure.
        if (report_.all_met())
          problems.push_back(error.problems().front());
        else if (finding)
          undecided(entry, error.problems().front().message);
        if (finding) report_.bases.push_back({.refused = true});
      }
    };
    for (const Entry& entry : row_.findings)
      attempt(entry, true, [&] { report_.bases.push_back(based(entry)); });
    for (const Entry& entry : row_.curves) attempt(entry, false, [&] { curve(entry); });
    raise(std::move(problems));
    return std::move(report_);
  }

  FindingBasis finding(std::size_t number, const Tamper& change, std::size_t work) {
    report_ = {};
    const std::size_t before = this->work();
    for (ExperimentData& data : data_) {
      data.change(change);
      data.allow(work);
    }
    try {
      return based(row_.findings.at(number));
    } catch (const InputError&) {
      return {.work = this->work() - before, .refused = true};
    }
  }

 private:
  std::size_t work() const {
    std::size_t work = 0;
    for (const ExperimentData& data : data_) work += data.work();
    return work;
  }

  std::set<std::string> variables_read() const {
    std::set<std::string> read;
    for (const ExperimentData& data : data_)
      read.insert(data.variables_read().begin(), data.variables_read().end());
    return read;
  }

  FindingBasis based(const Entry& entry) {
    for (ExperimentData& data : data_) data.forget_read();
    const std::size_t begin = report_.findings.size(), before = work();
    basis_ = {};
    add(entry);
    basis_.variables = variables_read();
    basis_.of_runs = !std::ranges::all_of(basis_.variables, is_prediction);
    for (std::size_t i = begin; i < report_.findings.size(); ++i)
      report_.findings[i].of_runs = basis_.of_runs;
    basis_.work = work() - before;
    basis_.findings.assign(report_.findings.begin() + static_cast<std::ptrdiff_t>(begin),
                           report_.findings.end());
    return basis_;
  }

  void undecided(const Entry& entry, std::string rule) {
    report_.findings.push_back({.id = entry.text("id"),
                                .quantity = entry.text("text"),
                                .measured = missing,
                                .rule = std::move(rule)});
  }

  /// What is predicted of a mean over samples is compared with the mean over seeds and its interval.
  void require_seeds(const Entry& entry) const {
    if (entry.has("mean_equals") || entry.has("interval_above") || entry.has("interval_below")) return;
    const std::set<std::string> read = variables_read();
    if (std::ranges::any_of(read, is_mean) && !std::ranges::all_of(read, is_prediction))
      entry.refuse(
          "measured",
          "a prediction of a mean over samples is no prediction of a run; compare it with the mean over seeds, "
          "by mean_equals, interval_above or interval_below");
  }

  void add(const Entry& entry) {
    const std::vector<Group> all = groups(entry);
    for (const Group& group : all) {
      Part part(entry, group.cases);
      Finding finding = part.finding();
      require_seeds(entry);
      basis_.tolerance = std::max(basis_.tolerance, part.tolerance());
      if (evidence_.full && finding.rule == nothing_left) entry.refuse("where", nothing_left);
      if (evidence_.full && part.few_points()) entry.refuse("measured", few_points_rule);
      finding.quantity = part.interpolated(entry.has("text") ? "text" : "id");
      if (entry.has("published")) finding.published = part.interpolated("published");
      // A published exponent that is the exact one is shown once.
      if (finding.sharp && entry.has("plus_minus") &&
          finding.published == fmt::format("{:g}", *finding.sharp))
        finding.sharp = {};
      finding.headline = part.condition("headline");
      finding.id = entry.text("id");
      if (!group.words.empty()) {
        finding.id += "/" + group.words;
        finding.quantity += ", " + group.words;
      }
      if (std::ranges::count(report_.findings, finding.id, &Finding::id) > 0)
        entry.refuse("id", fmt::format("another finding is \"{}\"", finding.id));
      report_.findings.push_back(std::move(finding));
    }
    if (all.empty() && evidence_.full) entry.refuse("where", nothing_left);
    if (all.empty()) undecided(entry, nothing_left);
  }

  void curve(const Entry& entry) {
    for (const Group& group : groups(entry)) {
      Part part(entry, group.cases);
      Curve curve{.title = entry.text("title") + (group.words.empty() ? "" : ", " + group.words),
                  .x_label = entry.text(entry.has("x_label") ? "x_label" : "x")};
      for (const auto& [label, text] : entry.labelled("y")) {
        const Points points = part.curve(text);
        if (curve.series.empty() || keys(points) == keys(curve.series.front().second))
          curve.series.emplace_back(label, points);
      }
      if (!curve.series.empty()) report_.curves.push_back(std::move(curve));
    }
  }

  /// An evaluator for an experiment, at the steps that the entry reads.
  Evaluator experiment(const Entry& entry, std::size_t number) const {
    Evaluator evaluator(data_.at(number), row_.defines, evidence_.precise);
    if (!entry.has("at")) return evaluator;
    const std::string at = entry.text("at");
    return entry.at(
        "at", [&] { return evaluator.at(evaluator.number(parsed_condition(at == "last" ? "steps" : at))); });
  }

  /// A group for each value of the key `per`.
  std::vector<Group> groups(const Entry& entry) const {
    Group all;
    bool some = false;
    for (const std::size_t number : row_.experiments_of(entry)) {
      Evaluator evaluator = experiment(entry, number);
      const std::string where = entry.has("where") ? entry.text("where") : "1";
      const Syntax tree = entry.at("where", [&] { return parsed_condition(where); });
      const Array holds = entry.at("where", [&] { return evaluator.condition(tree); });
      some = some || std::ranges::any_of(holds.entries, [&](const Number& entry_holds) {
               return entry_holds.value_or(0) != 0;
             });
      all.cases.push_back(
          {evaluator, holds, {}, evaluator.lacking({&tree}, evaluator.leaf(data_.at(number).number(1)))});
    }
    if (!some) return {};
    const auto texts = entry.choices("each"), grid = entry.choices("grid");
    const LabelledTexts labels = entry.labelled("per");
    const auto choose = [&](Case in, const std::string& name, const std::string& text) {
      in.texts[name] = text;
      if (!grid.contains(name)) return in;
      const std::optional<double> number = parse_number<double>(text);
      if (!number || !std::isfinite(*number))
        entry.refuse("grid", fmt::format("\"{}\" is no finite number", text));
      in.evaluate.give(name, *number);
      return in;
    };
    auto choices = texts;
    choices.insert(grid.begin(), grid.end());
    for (const ExperimentData& data : data_)
      for (const std::string& name : data.names())
        if (grid.contains(name))
          entry.refuse("grid", fmt::format("{} is a variable or a number of the problem", name));
    for (const auto& [name, chosen] : grid) {
      if (is_word(name)) entry.refuse("grid", fmt::format("{} is a word of the language", name));
      if (row_.defines.contains(name)) entry.refuse("grid", fmt::format("{} is a definition", name));
    }
    std::size_t copied = 0, cases = all.cases.size();
    for (const Case& in : all.cases) copied += in.where.entries.size();
    for (const auto& [name, chosen] : choices) {
      cases *= chosen.size();
      copied *= chosen.size();
      if (cases > max_cases || copied > max_copied)
        entry.refuse(grid.contains(name) ? "grid" : "each",
                     fmt::format("the lists make more than {} cases, or more than {} conditions in all",
                                 max_cases, max_copied));
    }
    for (const auto& [name, chosen] : choices) {
      if (std::ranges::count(labels, name, &LabelledTexts::value_type::second) > 0) continue;
      std::vector<Case> together;
      for (const Case& in : all.cases)
        for (const std::string& text : chosen) together.push_back(choose(in, name, text));
      all.cases = std::move(together);
    }
    std::vector<Group> groups = {all};
    for (const auto& [label, name] : labels) {
      std::vector<Group> next;
      for (const Group& group : groups) {
        if (!choices.contains(name)) split(entry, group, label, name, next);
        if (!choices.contains(name)) continue;
        for (const std::string& text : choices.at(name)) {
          Group& part = next.emplace_back(group.named(grid.contains(name) ? labelled(label, text) : text));
          for (Case& in : part.cases) in = choose(in, name, text);
        }
      }
      groups = std::move(next);
      std::size_t conditions = 0;
      for (const Group& group : groups)
        for (const Case& in : group.cases) conditions += in.where.entries.size();
      if (groups.size() > max_cases || conditions > max_copied)
        entry.refuse("per",
                     fmt::format("the lists make more than {} findings, or more than {} conditions in all",
                                 max_cases, max_copied));
    }
    return groups;
  }

  /// Splits a group by the values of an expression.
  void split(const Entry& entry, const Group& group, const std::string& label, const std::string& text,
             std::vector<Group>& parts) const {
    const Syntax tree = entry.at("per", [&] { return parsed_condition(text); });
    std::vector<Array> values;
    std::vector<std::pair<bool, double>> found;  // a text or a number
    for (const Case& in : group.cases) {
      Evaluator evaluator = in.evaluate;
      std::vector<double> own = numbers(entry.at("per", [&] { return evaluator.where(in.where)(tree); }));
      const Array& value = values.emplace_back(evaluator(tree));
      if (in.lacking) std::ranges::copy(numbers(masked(value, *in.lacking)), std::back_inserter(own));
      const bool is_text = value.is_text;
      for (const double x : own) {
        // NaN is one value here.
        const auto same = [&](const std::pair<bool, double>& other) {
          return other.first == is_text &&
                 (equal(other.second, x) || (std::isnan(other.second) && std::isnan(x)));
        };
        if (std::ranges::none_of(found, same)) found.emplace_back(is_text, x);
        if (found.size() > max_values) entry.refuse("per", fmt::format("more than {} values", max_values));
      }
    }
    for (const auto& [is_text, x] : found) {
      Group& part =
          parts.emplace_back(group.named(is_text ? text_of(x) : labelled(label, fmt::format("{:.4g}", x))));
      for (std::size_t i = 0; i < values.size(); ++i) {
        auto& [evaluate, where, texts, lacking] = part.cases[i];
        const bool other = values[i].is_text != is_text;
        where = combined({&where, &values[i]}, [other, x = x](const std::vector<Number>& v) {
          if (!v[0] || !v[1] || std::isnan(*v[0])) return v[1] ? v[0] : v[1];
          return Number(!other && *v[0] != 0 && equal(*v[1], x) ? 1.0 : 0.0);
        });
        // A point that lacks the steps leaves open what is said of it alone.
        if (lacking)
          lacking = combined({&*lacking, &values[i]}, [other, x = x](const std::vector<Number>& v) {
            return v[1] && !std::isnan(*v[1]) && (other || !equal(*v[1], x)) ? Number() : v[0];
          });
      }
    }
  }

  /// Tests an assumption. False if nothing can be measured without it.
  bool assume(const Assumption& assumption) {
    const auto& [entry, row] = assumption;
    if (!assumption.tested()) return true;
    const bool own = row.name.empty();
    std::vector<std::size_t> experiments = row_.experiments_of(entry);
    if (!own && !entry.has("of")) {
      experiments.resize(data_.size());
      std::iota(experiments.begin(), experiments.end(), 0);
    }
    bool met = true, any = false;
    std::string unmet = own ? row.holds : "not on all runs";
    try {
      for (const std::size_t number : experiments) {
        std::vector<double> all = {1.0};
        if (row.met)
          met = met && row.met(evidence_[number]);
        else
          all = numbers(experiment(entry, number).condition(parsed_condition(row.holds)));
        any = any || !all.empty();
        met = met && std::ranges::all_of(all, [](double x) { return truth(x) == 1; });
      }
    } catch (const InputError& error) {  // such as of a key that another rule has not
      if (evidence_.as_written && own) entry.at("holds", [] { throw; });
      met = false;
      if (own) unmet = error.problems().front().message;
    }
    met = met && any;
    report_.hypotheses.push_back({assumption.text(), met, met ? "on all runs" : unmet});
    return met || !row.needed;
  }

  const CheckRow& row_;
  const Evidence& evidence_;
  CheckReport report_ = {};
  std::deque<ExperimentData> data_;
  FindingBasis basis_ = {};
};

}  // namespace

void judge_claim(const CheckRow& row, const Evidence& evidence, CheckReport& report) {
  report = Judge(row, evidence)(std::move(report));
}

JudgeFinding finding_judge(const CheckRow& row, const Evidence& evidence) {
  return [judge = std::make_shared<Judge>(row, evidence)](std::size_t number, const Tamper& change,
                                                          std::size_t work) {
    return judge->finding(number, change, work);
  };
}

}  // namespace rarefact::claims
