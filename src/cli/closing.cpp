#include <ostream>

#include "cli/job.hpp"
#include "io/build_info.hpp"
#include "io/checksum.hpp"

namespace rarefact {

ExitCode print_closing(const ClosingReport& report, const Job& job, const Streams& streams) {
  streams.out << report.table() << "result: " << job.output.string() << "\n";
  tell(streams.err, job.progress, report.warnings());
  const bool bad = report.any_failed() || (job.arguments.has("strict") && !report.all_complete());
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
  const StoredResult stored = read_stored_result(path, ClosingReport::needs);
  PointStore store = job.store();
  store.remove_leftovers();
  if (job.sweep() && std::filesystem::exists(store.folder())) store.forget(point_ids(job.plan, job.threads));
  // A kill between the last two steps of writing leaves no checksum file; reading has verified the seal.
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

ExitCode unless_there(const Job& job, const Streams& streams, const std::function<ExitCode()>& body) {
  try {
    return body();
  } catch (const DamagedResult&) {
    if (!std::filesystem::is_regular_file(job.output)) throw;
  } catch (const FileError&) {  // the folder was removed between two steps
    if (!std::filesystem::is_regular_file(job.output) || !job.sweep() ||
        std::filesystem::exists(job.points_folder()))
      throw;
  }
  return report_earlier_result(job, streams);
}

PointReport points_there(const Job& job, const std::vector<PointId>& ids, const StopCheck& check) {
  PointStore store = job.store();
  PointReport report = inspect_points(store, ids, job.threads, check);
  if (report.all_there() || result_state(job.output, resolved_text(job.plan)) != "there") return report;
  report = {};
  for (const Run& run : read_stored_result(job.output, [](const Variable&) { return false; }).result.runs)
    report.count(worst_status(run));
  return report;
}

}  // namespace rarefact
