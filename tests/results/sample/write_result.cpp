// Writes a result made by hand: write_result NAME FILE.h5 [EDIT...], of swept_result.hpp ("swept"), sample_result.hpp
// ("sample", "wide") or answered_result.hpp ("answered"). Edits change every run, or with "3,4:" before them runs 3 and 4
// alone:
//
//   runs=N                    the first N runs, or as many copies of the first one
//   steps=X,...               the recorded steps
//   FIELD=X,...               of a run, such as class_count; class_rank for class_log_rank
//   KEY=X                     a swept key, a number or a text
//   OPTIMIZER.FIELD=X         such as status
//   OPTIMIZER.NAME=X,...      a series, repeated until every step and class row has a number

#include <boost/algorithm/string.hpp>

#include "results/answered_result.hpp"
#include "results/result_fields.hpp"
#include "results/result_file.hpp"
#include "results/swept_result.hpp"

using namespace rarefact;

namespace {

void put(std::string& field, const std::string& text) {
  field = text;
}
void put(double& field, const std::string& text) {
  field = std::stod(text);
}
void put(std::int64_t& field, const std::string& text) {
  field = std::stoll(text);
}
template <class T>
void put(std::vector<T>& field, const std::string& text) {
  std::vector<std::string> words;
  boost::split(words, text, boost::is_any_of(","));
  field.resize(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) put(field[i], words[i]);
}

void put(StoredMatrix& field, const std::string& text) {
  put(field.entries, text);
  field.rows = 1;
  field.columns = field.entries.size();
}

bool put_field(Run& run, Trajectory* trajectory, const std::string& name, const std::string& text) {
  Trajectory none;
  for (const ResultField& field : result_fields()) {
    if (field.name != name || field.per_optimizer() != (trajectory != nullptr)) continue;
    visit_field(field, run, trajectory != nullptr ? *trajectory : none,
                [&](auto& value) { put(value, text); });
    return true;
  }
  return false;
}

/// As many numbers as steps and rows, those that are there again and again.
void fill(std::vector<double>& series, const Result& result, const Run& run, const std::string& name) {
  const Along along = find_row(result.variables, name)->along;
  const std::size_t rows = along == Along::class_groups    ? run.class_count.size()
                           : along == Along::answer_groups ? (run.answers ? run.answers->count.size() : 0)
                                                           : 1;
  const std::vector<double> given = series;
  series.clear();
  for (std::size_t i = 0; i < result.steps.size() * rows; ++i) series.push_back(given[i % given.size()]);
}

void edit(Run& run, Result& result, const std::string& key, const std::string& text) {
  for (Trajectory& trajectory : run.trajectories) {
    if (!key.starts_with(trajectory.optimizer + ".")) continue;
    const std::string name = key.substr(trajectory.optimizer.size() + 1);
    if (put_field(run, &trajectory, name, text)) return;
    if (find_row(result.variables, name) == nullptr)
      result.variables.push_back({.name = name, .long_name = name, .units = "1"});
    put(trajectory.series[name], text);
    return fill(trajectory.series[name], result, run, name);
  }
  if (key == "class_rank") {
    put(run.class_log_rank, text);
    for (double& x : run.class_log_rank) x = std::log(x);
  } else if (key != "steps" && !put_field(run, nullptr, key, text)) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    run.parameters[key] = *end == '\0' ? SweptValue(number) : SweptValue(text);
  }
  for (Trajectory& trajectory : run.trajectories) {
    for (auto& [name, series] : trajectory.series) fill(series, result, run, name);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argv[1];
  Result result = name == "swept"    ? swept_result()
                  : name == "sample" ? sample_result()
                  : name == "wide"   ? wide_result(300, 200)
                                     : answered_result(4, 0);
  for (int i = 3; i < argc; ++i) {
    const std::string words = argv[i];
    const std::size_t equals = words.rfind('='), colon = words.find(':');
    const std::string key = words.substr(0, equals), text = words.substr(equals + 1);
    std::vector<std::int64_t> chosen;
    if (colon < equals) put(chosen, key.substr(0, colon));
    if (key == "runs") result.runs.resize(std::stoul(text), result.runs[0]);
    if (key == "steps") put(result.steps, text);
    for (std::size_t r = 0; r < result.runs.size(); ++r) {
      result.runs[r].index = static_cast<std::int64_t>(r);
      if (key == "runs" || (!chosen.empty() && std::ranges::count(chosen, result.runs[r].index) == 0))
        continue;
      edit(result.runs[r], result, chosen.empty() ? key : key.substr(colon + 1), text);
    }
  }
  write_result(result, argv[2]);
}
