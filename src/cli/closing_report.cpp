#include "cli/closing_report.hpp"

#include <fmt/format.h>

#include <ostream>

#include "io/atomic_file.hpp"
#include "io/build_info.hpp"
#include "io/checksum.hpp"
#include "results/result_file.hpp"
#include "sweep/point_store.hpp"

namespace rarefact {

namespace {

constexpr std::size_t most_warnings = 10;

}  // namespace

void Warnings::add(std::string line) {
  if (++count <= most_warnings) lines.push_back(std::move(line));
}

void Warnings::print(std::ostream& err, const char* more) const {
  for (const std::string& line : lines) err << "warning: " << line << "\n";
  if (count > lines.size()) err << fmt::format("warning: and {} more {}\n", count - lines.size(), more);
}

void ClosingReport::begin(const Result& head, std::size_t runs) {
  Result light;
  light.steps = head.steps;
  light.optimizers = head.optimizers;
  table_.emplace(std::move(light), runs);
  runs_ = runs;
}

void ClosingReport::add(const Run& run) {
  table_->add(run);
  const std::string where = runs_ > 1 ? fmt::format("run {}: ", run.index) : "";
  for (const Trajectory& trajectory : run.trajectories) {
    if (trajectory.step_size_edge != 0) {
      at_edge_.add(fmt::format("{}{}: the best step size, {}, is the {} tried; a better one may lie beyond",
                               where, trajectory.optimizer, trajectory.step_size,
                               trajectory.step_size_edge < 0 ? "least" : "largest"));
    }
    if (trajectory.status == "complete") continue;
    failed_ = failed_ || trajectory.status == "failed";
    incomplete_.add(fmt::format("{}{} {} after step {}{}{}", where, trajectory.optimizer, trajectory.status,
                                trajectory.status_step, trajectory.status_detail.empty() ? "" : ": ",
                                trajectory.status_detail));
  }
}

ExitCode ClosingReport::print(const Job& job, const Streams& streams) const {
  streams.out << table_->text() << "result: " << job.output.string() << "\n";
  at_edge_.print(streams.err, "whose best step size is the least or largest tried");
  incomplete_.print(streams.err, "that are not complete");
  return failed_ || (incomplete_.count > 0 && job.strict) ? ExitCode::check_failed : ExitCode::done;
}

ExitCode report_result(const Result& result, const Job& job, const Streams& streams) {
  ClosingReport closing;
  closing.begin(result, result.runs.size());
  for (const Run& run : result.runs) closing.add(run);
  return closing.print(job, streams);
}

ExitCode report_earlier_result(const Job& job, const Streams& streams) {
  const std::filesystem::path& path = job.output;
  const ChecksumState state = verify_checksum(path);
  if (state == ChecksumState::differs || state == ChecksumState::malformed) {
    throw DamagedResult(
        fmt::format("{}: {}; delete it to compute it again", path.string(), *objection(state, path)));
  }
  refuse_other_result(path, resolved_text(job.plan));
  const StoredResult stored = read_stored_result(path);
  PointStore(path).remove_leftovers();
  // A kill between the two last steps of writing leaves no checksum; reading has verified those inside.
  if (state == ChecksumState::missing) {
    write_file(checksum_path(path), checksum_line(file_sha256(path), path));
    streams.err << fmt::format("{} was missing and is written anew\n", checksum_path(path).string());
  }
  streams.err << path.string() << ": this experiment's result is there already; nothing to do\n";
  if (stored.provenance.numerics_id != build_info::numerics_id) {
    streams.err << fmt::format(
        "note: rarefact {} wrote it, whose arithmetic (numerics {}) differs from this program's ({}); delete "
        "the file to compute it again\n",
        stored.provenance.rarefact_version, stored.provenance.numerics_id, build_info::numerics_id);
  }
  return report_result(stored.result, job, streams);
}

}  // namespace rarefact
