#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "cli/job.hpp"
#include "cli/json.hpp"
#include "cli/run_log.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "io/atomic_file.hpp"
#include "io/build_info.hpp"
#include "io/checksum.hpp"
#include "results/result_file.hpp"
#include "tables/view.hpp"

namespace rarefact {

namespace {

/// Points that are missing or damaged.
constexpr std::size_t most_named = 20;

[[noreturn]] void refuse_holes(const Job& job, const PointReport& report) {
  std::vector<std::pair<std::size_t, std::string>> holes;
  for (std::size_t i = 0; i < std::min(report.missing.size(), most_named); ++i)
    holes.emplace_back(report.missing[i], "missing");
  for (std::size_t i = 0; i < std::min(report.damaged.size(), most_named); ++i)
    holes.emplace_back(report.damaged[i].index, "damaged: " + report.damaged[i].what);
  std::sort(holes.begin(), holes.end());
  if (holes.size() > most_named) holes.resize(most_named);
  std::string text =
      fmt::format("{}: of {} points {} are missing and {} damaged", job.store().folder().string(),
                  job.plan.size(), report.missing.size(), report.damaged.size());
  for (const auto& [index, what] : holes)
    text +=
        fmt::format("\n  point {} ({}): {}", index, parameter_text(job.plan.point(index).parameters), what);
  const std::size_t more = report.missing.size() + report.damaged.size() - holes.size();
  if (more > 0) text += fmt::format("\n  and {} more", more);
  text += fmt::format("\nrarefact run {} -o {}", shell_quoted(job.file), shell_quoted(job.output.string()));
  for (const std::string& change : job.overrides) text += " --set " + shell_quoted(change);
  throw DamagedResult(text + " computes them");
}

/// What is there so far, as a result with holes, beside the points: it is no result, and never has the name of one.
ExitCode merge_partly(const Job& job, const Streams& streams) {
  const std::vector<PointId> ids = point_ids(job.plan, job.threads);
  const PointReport report = inspect_points(job.store(), ids, job.threads);
  if (report.finished() == 0) throw DamagedResult("no point is finished yet");
  const FileBytes bytes = merge_points(job.plan, job.store(), ids, report, job.threads, {});
  const std::filesystem::path path = job.store().folder() / "partial.h5";
  const auto* text = reinterpret_cast<const char*>(bytes.bytes().data());
  std::error_code none;
  std::filesystem::remove(checksum_path(path), none);
  write_file(path, {text, bytes.bytes().size()});
  streams.out << fmt::format("{} of {} points: {}\n", report.finished(), job.plan.size(), path.string());
  return ExitCode::done;
}

ExitCode run_merge(const Arguments& arguments, const Streams& streams) {
  return with_job(arguments, streams, [&](const Job& job) {
    if (!job.sweep())
      throw InputError("merge: the experiment has no [sweep]; rarefact run writes its result");
    if (arguments.has("partial")) return merge_partly(job, streams);
    if (std::filesystem::is_regular_file(job.output)) return report_earlier_result(job, streams);
    const std::vector<PointId> ids = point_ids(job.plan, job.threads);
    return merge_job(job, ids, inspect_points(job.store(), ids, job.threads), {}, streams);
  });
}

/// "there", "not there yet", what is wrong with it, or whose it is.
std::string result_state(const std::filesystem::path& path, const std::string& experiment) {
  if (!std::filesystem::is_regular_file(path)) return "not there yet";
  try {
    const ChecksumState state = verify_checksum(path);
    const auto flaw = objection(state, path);
    if (!vouched_for(state)) return "damaged: " + *flaw;
    if (read_experiment_text(path) != experiment) return "of a different experiment";
    return flaw ? "there, but " + *flaw : "there";
  } catch (const FileError&) {
    return "there, but no readable result file";
  }
}

/// A count, and in brackets the parts it consists of.
std::string with_parts(std::size_t count, const std::map<std::string, std::size_t>& parts) {
  const auto text = [](const auto& part) { return fmt::format("{} {}", part.second, part.first); };
  return fmt::format("{}{}", count, parts.empty() ? "" : fmt::format(" ({})", joined(mapped(parts, text))));
}

ExitCode run_status(const Arguments& arguments, const Streams& streams) {
  return with_job(arguments, streams, [&](const Job& job) {
    const std::string state = result_state(job.output, resolved_text(job.plan));
    const std::string result = fmt::format("{} ({})", job.output.string(), state);
    const bool json = arguments.has("json");
    Json all = {{"output", job.output.string()}, {"result", state}, {"points", job.plan.size()}};
    if (!job.sweep()) {
      if (json) print_json(streams.out, all);
      if (!json) streams.out << "result  " << result << "\n";
      return ExitCode::done;
    }
    const PointReport report = inspect_points(job.store(), point_ids(job.plan, job.threads), job.threads);
    if (json) {
      all["done"] = report.complete;
      all["failed"] = report.incomplete;
      all["running"] = report.running;
      all["missing"] = report.missing.size() - report.running;
      all["damaged"] = Json::array();
      for (const DamagedPoint& point : report.damaged)
        all["damaged"].push_back({{"index", point.index}, {"message", point.what}});
      print_json(streams.out, all);
      return ExitCode::done;
    }
    const TextRows rows = {{"points", std::to_string(job.plan.size())},
                           {"done", std::to_string(report.complete)},
                           {"failed", with_parts(report.finished() - report.complete, report.incomplete)},
                           {"running", std::to_string(report.running)},
                           {"missing", std::to_string(report.missing.size() - report.running)},
                           {"damaged", std::to_string(report.damaged.size())},
                           {"result", result}};
    for (const auto& [name, text] : rows) streams.out << fmt::format("{:<8} {}\n", name, text);
    for (std::size_t i = 0; i < std::min(report.damaged.size(), most_named); ++i)
      streams.err << fmt::format("damaged: {}\n", report.damaged[i].what);
    return ExitCode::done;
  });
}

}  // namespace

ExitCode merge_job(const Job& job, const std::vector<PointId>& ids, const PointReport& report,
                   const StopCheck& check, const Streams& streams) {
  if (!report.all_there()) refuse_holes(job, report);
  require_writable(job.output);
  job.store().remove_leftovers();
  std::optional<ClosingReport> closing;
  const FileBytes bytes = merge_points(job.plan, job.store(), ids, report, job.threads,
                                       {[&](const Result& head) { closing.emplace(head, ids.size()); },
                                        [&](const Run& run) { closing->add(run); }},
                                       check);
  write_result_file(bytes.bytes(), resolved_text(job.plan), job.output);
  RunLog::join_shards(job, streams);
  return print_closing(*closing, job, streams);
}

ExitCode print_closing(const ClosingReport& report, const Job& job, const Streams& streams) {
  streams.out << report.table() << "result: " << job.output.string() << "\n";
  tell(streams.err, job.progress, report.warnings());
  const bool bad = report.any_failed() || (job.strict && !report.all_complete());
  const ExitCode code = bad ? ExitCode::check_failed : ExitCode::done;
  if (job.progress.events) {
    print_event(streams.err,
                {{"event", "end"}, {"output", job.output.string()}, {"code", static_cast<int>(code)}});
  }
  return code;
}

ExitCode report_earlier_result(const Job& job, const Streams& streams) {
  const std::filesystem::path& path = job.output;
  refuse_other_result(path, resolved_text(job.plan));
  const StoredResult stored = read_stored_result(path);
  job.store().remove_leftovers();
  // A kill between the two last steps of writing leaves no checksum; reading has verified the seal.
  if (!std::filesystem::exists(checksum_path(path))) {
    write_file(checksum_path(path), checksum_line(file_sha256(path), path));
    tell(streams.err, job.progress, checksum_path(path).string() + " was missing and is written anew\n");
  }
  tell(streams.err, job.progress,
       path.string() + ": this experiment's result is there already; nothing to do\n");
  if (stored.provenance.numerics_id != build_info::numerics_id) {
    tell(
        streams.err, job.progress,
        fmt::format(
            "note: rarefact {} wrote it, whose arithmetic (numerics {}) differs from this program's ({}); delete "
            "the file to compute it again\n",
            stored.provenance.rarefact_version, stored.provenance.numerics_id, build_info::numerics_id));
  }
  return print_closing(ClosingReport(stored.result), job, streams);
}

Command merge_command() {
  return {
      .name = "merge",
      .summary = "one result file from the finished points of a sweep",
      .description =
          "Joins the points that rarefact run --shard computed, on whatever machines, into the result file; "
          "its bytes are those that rarefact run without shards writes. Every point is verified first; if "
          "some are missing or damaged they are listed, nothing is written, and the exit code is 4. With "
          "--partial those that are there are joined into FILE.h5.points/partial.h5, to look at a sweep that "
          "runs: the others have the status missing and no numbers. The options --output and --set must be "
          "those of the run.",
      .operands = experiment_operand,
      .options = job_options({"output", "set", "jobs", "strict", "partial"}),
      .examples = {"rarefact merge sweep.toml"},
      .run = run_merge};
}

Command status_command() {
  return {
      .name = "status",
      .summary = "how far a sweep is",
      .description =
          "Prints how many points of a sweep are done, failed (finished, but an optimizer diverged, failed "
          "or is uncertified), running, missing and damaged, and whether the result is there. It reads files "
          "only, so it can be asked anywhere the output folder can be seen. Running is what a process said "
          "in the last five minutes. The options --output and --set must be those of the run.",
      .operands = experiment_operand,
      .options = job_options({"output", "set", "jobs", "json"}),
      .examples = {"rarefact status sweep.toml"},
      .run = run_status};
}

}  // namespace rarefact
