#include "cli/conclusion.hpp"

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

void Conclusion::begin(const Result& head, std::size_t runs) {
  Result light;
  light.steps = head.steps;
  light.optimizers = head.optimizers;
  table_.emplace(std::move(light), runs);
  runs_ = runs;
}

void Conclusion::add(const Run& run) {
  table_->add(run);
  const std::string where = runs_ > 1 ? fmt::format("run {}: ", run.index) : "";
  for (const Trajectory& trajectory : run.trajectories) {
    if (trajectory.step_size_edge != 0 && ++at_edge_ <= most_warnings) {
      edges_.push_back(fmt::format(
          "warning: {}{}: the best step size, {}, is the {} tried; a better one may lie beyond\n", where,
          trajectory.optimizer, trajectory.step_size, trajectory.step_size_edge < 0 ? "least" : "largest"));
    }
    if (trajectory.status == "complete") continue;
    failed_ = failed_ || trajectory.status == "failed";
    if (++incomplete_ > most_warnings) continue;
    warnings_.push_back(fmt::format("warning: {}{} {} after step {}{}{}\n", where, trajectory.optimizer,
                                    trajectory.status, trajectory.status_step,
                                    trajectory.status_detail.empty() ? "" : ": ", trajectory.status_detail));
  }
}

ExitCode Conclusion::print(const std::filesystem::path& path, bool strict, const Streams& streams) const {
  streams.out << table_->text() << "result: " << path.string() << "\n";
  for (const std::string& edge : edges_) streams.err << edge;
  if (at_edge_ > edges_.size())
    streams.err << fmt::format("warning: and {} more whose best step size is the least or largest tried\n",
                               at_edge_ - edges_.size());
  for (const std::string& warning : warnings_) streams.err << warning;
  if (incomplete_ > warnings_.size())
    streams.err << fmt::format("warning: and {} more that are not complete\n",
                               incomplete_ - warnings_.size());
  return failed_ || (incomplete_ > 0 && strict) ? ExitCode::check_failed : ExitCode::done;
}

ExitCode conclude(const Result& result, const std::filesystem::path& path, bool strict,
                  const Streams& streams) {
  Conclusion conclusion;
  conclusion.begin(result, result.runs.size());
  for (const Run& run : result.runs) conclusion.add(run);
  return conclusion.print(path, strict, streams);
}

ExitCode conclude_earlier(const std::filesystem::path& path, const std::string& experiment, bool strict,
                          const Streams& streams) {
  const ChecksumState state = verify_checksum(path);
  if (state == ChecksumState::differs || state == ChecksumState::malformed) {
    throw DamagedResult(
        fmt::format("{}: {}; delete it to compute it again", path.string(), *objection(state, path)));
  }
  refuse_other_result(path, experiment);
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
  return conclude(stored.result, path, strict, streams);
}

}  // namespace rarefact
