// Writes a result made by hand: write_result NAME FILE.h5 [EDIT...], of swept_result.hpp ("swept"), sample_result.hpp
// ("sample") or answered_result.hpp ("answered"). Edits change every run, or with "3,4:" before them runs 3 and 4 alone:
//
//   runs=N                    the first N runs alone
//   class_count=X,...         so class_probability and class_rank
//   KEY=X                     a swept key
//   OPTIMIZER.status=WORD
//   OPTIMIZER.NAME=X,...      a series, repeated until every step and class row has a number

#include <boost/algorithm/string.hpp>

#include "results/answered_result.hpp"
#include "results/result_file.hpp"
#include "results/swept_result.hpp"

using namespace rarefact;

namespace {

std::vector<double> numbers(const std::string& text) {
  std::vector<std::string> words;
  boost::split(words, text, boost::is_any_of(","));
  std::vector<double> all;
  for (const std::string& word : words) all.push_back(std::stod(word));
  return all;
}

/// How many numbers of a variable a run has in a step.
std::size_t rows_of(const Run& run, Along along) {
  if (along == Along::class_groups) return run.class_count.size();
  if (along == Along::answer_groups) return run.answers ? run.answers->count.size() : 0;
  return 1;
}

/// True if the key was of this trajectory.
bool edit(Trajectory& trajectory, const Run& run, Result& result, const std::string& key,
          const std::string& value) {
  if (!key.starts_with(trajectory.optimizer + ".")) return false;
  const std::string name = key.substr(trajectory.optimizer.size() + 1);
  if (name == "status") {
    trajectory.status = value;
    return true;
  }
  if (find_row(result.variables, name) == nullptr)
    result.variables.push_back({.name = name, .long_name = name, .units = "1"});
  const std::size_t size = result.steps.size() * rows_of(run, find_row(result.variables, name)->along);
  const std::vector<double> given = numbers(value);
  std::vector<double>& series = trajectory.series[name];
  series.clear();
  for (std::size_t i = 0; i < size; ++i) series.push_back(given[i % given.size()]);
  return true;
}

void edit(Run& run, Result& result, const std::string& key, const std::string& value) {
  if (key == "class_count") {
    run.class_count = numbers(value);
  } else if (key == "class_probability") {
    run.class_probability = numbers(value);
  } else if (key == "class_rank") {
    run.class_log_rank = numbers(value);
    for (double& x : run.class_log_rank) x = std::log(x);
  } else {
    for (Trajectory& trajectory : run.trajectories) {
      if (edit(trajectory, run, result, key, value)) return;
    }
    run.parameters[key] = std::stod(value);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argv[1];
  Result result = name == "swept"    ? swept_result()
                  : name == "sample" ? sample_result()
                                     : answered_result(4, 0);
  for (int i = 3; i < argc; ++i) {
    const std::string words = argv[i];
    const std::size_t equals = words.rfind('='), colon = words.find(':');
    const std::string key = words.substr(0, equals), value = words.substr(equals + 1);
    if (key == "runs") {
      result.runs.resize(std::stoul(value));
    } else if (colon < equals) {
      for (const double run : numbers(key.substr(0, colon)))
        edit(result.runs.at(std::size_t(run)), result, key.substr(colon + 1), value);
    } else {
      for (Run& run : result.runs) edit(run, result, key, value);
    }
  }
  write_result(result, argv[2]);
}
