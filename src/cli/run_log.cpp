#include <fmt/chrono.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/job.hpp"
#include "cli/signals_and_limits.hpp"
#include "io/regular_file.hpp"

namespace rarefact {

namespace {

namespace fs = std::filesystem;

/// Largest number of points whose trainings are counted; for more, counting would take too long.
constexpr std::size_t max_counted = 10000;

/// The path of the log: OUT.h5.log.json, or OUT.h5.log-0-of-4.json for a shard.
fs::path log_path(const Job& job) {
  const std::string shard = job.shard ? fmt::format("-{}-of-{}", job.shard->index, job.shard->of) : "";
  return job.output.string() + ".log" + shard + ".json";
}

/// Processor seconds and peak memory in bytes of this process.
std::pair<double, double> used_so_far() {
  rusage used = {};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime), 1024.0 * static_cast<double>(used.ru_maxrss)};
}

Json experiment_json(const Job& job) {
  Json json = {{"name", job.plan.point(0).experiment.name}, {"points", job.plan.size()}};
  if (job.plan.size() > max_counted) return json;
  double runs = 0;
  std::set<std::int64_t> seeds;
  for (std::size_t i = 0; i < job.plan.size(); ++i) {
    const Experiment experiment = job.plan.point(i).experiment;
    for (const OwnSeed& own : {OwnSeed(), experiment.answers.seed, experiment.query_embedding.seed,
                               experiment.answer_embedding.seed, experiment.init.seed, experiment.data_seed})
      seeds.insert(own.value_or(experiment.seed));
    for (const OptimizerChoice& choice : experiment.optimizers) runs += run_count(choice);
  }
  json["runs"] = runs;
  json["seeds"] = seeds;
  return json;
}

/// The processes of an earlier log; none if it is not one of ours.
Json known_processes(const fs::path& path) {
  constexpr int max_depth = 8;  // Json writes what is deep by recursion
  const auto shallow = [](int depth, Json::parse_event_t, const Json&) { return depth < max_depth; };
  const Json log = fs::is_regular_file(path) ? Json::parse(std::ifstream(path), shallow, false) : Json();
  const auto list = log.is_object() ? log.find("processes") : log.end();
  return list != log.end() && list->is_array() ? *list : Json::array();
}

void store(const Job& job, const Json& processes, const Streams& streams) {
  const Json log = {{"experiment", experiment_json(job)}, {"processes", processes}};
  const fs::path path = log_path(job);
  try {
    if (fs::exists(path)) open_regular_file(path);
    write_file(path, log.dump(1, ' ', true, Json::error_handler_t::replace) + "\n");
  } catch (const FileError& error) {
    tell(streams.err, job.progress, fmt::format("warning: no log is kept: {}\n", error.what()));
  }
}

}  // namespace

RunLog::RunLog(const Job& job) : job_(job), cpu_seconds_(used_so_far().first) {}

void RunLog::write(std::size_t computed, const std::string& ending, const Streams& streams) const {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const std::chrono::duration<double> wall = std::chrono::system_clock::now() - started_;
  const Provenance program = this_program();
  Json process = {
      {"command", job_.arguments.command},
      {"started", fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(started_)))},
      {"ending", ending},
      {"points_computed", computed},
      {"wall_seconds", wall.count()},
      {"cpu_seconds", used_so_far().first - cpu_seconds_},
      {"peak_memory_bytes", used_so_far().second},
      {"host", host.data()},
      {"processor", processor_name()},
      {"cores", std::thread::hardware_concurrency()},
      {"jobs", job_.threads}};
  for (const ProvenanceField& field : provenance_fields()) process[field.name] = program.*field.member;
  Json processes = known_processes(log_path(job_));
  processes.push_back(process);
  store(job_, processes, streams);
}

void RunLog::join_shards(const Job& job, const Streams& streams) {
  Json processes = known_processes(log_path(job));
  std::vector<fs::path> joined;
  std::error_code none;
  const std::string start = job.output.filename().string() + ".log-";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_of(job.output), none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(start) && name.ends_with(".json")) joined.push_back(entry.path());
  }
  std::sort(joined.begin(), joined.end());
  for (const fs::path& path : joined)
    for (const Json& process : known_processes(path)) processes.push_back(process);
  if (joined.empty()) return;
  store(job, processes, streams);
  for (const fs::path& path : joined) fs::remove(path, none);
}

}  // namespace rarefact
