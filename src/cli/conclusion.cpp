#include "conclusion.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <ostream>

#include "rarefact/io/atomic_file.hpp"
#include "rarefact/io/build_info.hpp"
#include "rarefact/io/checksum.hpp"
#include "rarefact/io/result_file.hpp"

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
  for (const Trajectory& trajectory : run.trajectories) {
    if (trajectory.status == "complete") continue;
    failed_ = failed_ || trajectory.status == "failed";
    if (++incomplete_ > most_warnings) continue;
    const std::string where = runs_ > 1 ? fmt::format("run {}: ", run.index) : "";
    warnings_.push_back(fmt::format("warning: {}{} {} after step {}{}{}\n", where, trajectory.optimizer,
                                    trajectory.status, trajectory.status_step,
                                    trajectory.status_detail.empty() ? "" : ": ", trajectory.status_detail));
  }
}

ExitCode Conclusion::print(const std::filesystem::path& path, bool strict, const Streams& streams) const {
  streams.out << table_->text() << "result: " << path.string() << "\n";
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
  if (verify_checksum(path) == ChecksumState::differs) {
    throw DamagedResult(fmt::format("{}: {}; delete it to compute it again", path.string(),
                                    *objection(ChecksumState::differs, path)));
  }
  refuse_other_result(path, experiment);
  const StoredResult stored = read_stored_result(path);
  streams.err << path.string() << ": this experiment's result is there already; nothing to do\n";
  if (stored.provenance.numerics_id != build_info::numerics_id) {
    streams.err << fmt::format(
        "note: rarefact {} wrote it, whose arithmetic (numerics {}) differs from this program's ({}); delete "
        "the file to compute it again\n",
        stored.provenance.rarefact_version, stored.provenance.numerics_id, build_info::numerics_id);
  }
  return conclude(stored.result, path, strict, streams);
}

void require_writable(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw InputError(fmt::format("--output: {} is a folder; expected the name of a file", path.string()));
  }
  make_folder_of(path);
  if (::access(folder_of(path).c_str(), W_OK) != 0) {
    throw FileError(fmt::format("{}: the folder does not allow writing", folder_of(path).string()));
  }
}

}  // namespace rarefact
