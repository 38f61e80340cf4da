// Writes a result made by hand: write_result NAME FILE.h5 [EDIT...], of swept_result.hpp ("swept"), sample_result.hpp
// ("sample") or answered_result.hpp ("answered"). Edits change every run, or run R alone where "R:" stands before them:
//
//   runs=N                    the first N runs; copies of the first one with seeds 0 to N - 1 where there are fewer
//   class_count=X,...         so class_probability and class_rank
//   KEY=X                     a swept key
//   OPTIMIZER.status=WORD
//   OPTIMIZER.NAME=X,...      a series; a single number stands for every entry

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

void edit(Run& run, const std::string& key, const std::string& value) {
  if (key == "class_count") {
    run.class_count = numbers(value);
  } else if (key == "class_probability") {
    run.class_probability = numbers(value);
  } else if (key == "class_rank") {
    run.class_log_rank = numbers(value);
    for (double& x : run.class_log_rank) x = std::log(x);
  } else {
    for (Trajectory& trajectory : run.trajectories) {
      if (!key.starts_with(trajectory.optimizer + ".")) continue;
      const std::string name = key.substr(trajectory.optimizer.size() + 1);
      if (name == "status") {
        trajectory.status = value;
        return;
      }
      std::vector<double>& series = trajectory.series[name];
      const std::size_t size = series.size();
      series = numbers(value);
      if (series.size() == 1) series.assign(size, series[0]);
      return;
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
    std::string key = argv[i];
    const std::string value = key.substr(key.find('=') + 1);
    key.erase(key.find('='));
    if (key == "runs") {
      const std::size_t many = std::stoul(value), before = result.runs.size();
      result.runs.resize(many, result.runs[0]);
      for (std::size_t r = 0; r < many && many > before; ++r)
        result.runs[r].parameters = {{"seed", double(r)}};
      for (std::size_t r = 0; r < many; ++r) result.runs[r].index = std::int64_t(r);
      continue;
    }
    const std::size_t colon = key.find(':');
    for (std::size_t r = 0; r < result.runs.size(); ++r)
      if (colon == std::string::npos || std::stoul(key) == r)
        edit(result.runs[r], key.substr(colon == std::string::npos ? 0 : colon + 1), value);
  }
  write_result(result, argv[2]);
}
