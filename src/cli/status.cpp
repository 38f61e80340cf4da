#include <fmt/format.h>

#include <filesystem>
#include <ostream>

#include "cli/job.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "io/checksum.hpp"
#include "rarefact/catalogue.hpp"
#include "results/result_file.hpp"
#include "sweep/point_merge.hpp"

namespace rarefact::commands {

namespace {

constexpr std::size_t most_damaged = 20;

/// "there", "not there yet", what is wrong with it, or whose it is.
std::string result_state(const std::filesystem::path& path, const std::string& experiment) {
  if (!std::filesystem::is_regular_file(path)) return "not there yet";
  try {
    const ChecksumState state = verify_checksum(path);
    const auto flaw = objection(state, path);
    // Only bytes that the checksum vouches for, or that have none, are handed to a parser.
    if (flaw && state != ChecksumState::missing) return "damaged: " + *flaw;
    if (read_experiment_text(path) != experiment) return "of a different experiment";
    return flaw ? "there, but " + *flaw : "there";
  } catch (const FileError&) {
    return "there, but no readable result file";
  }
}

/// A count, and in brackets the parts it consists of.
std::string with_parts(std::size_t count, const std::map<std::string, std::size_t>& parts) {
  std::vector<std::string> texts;
  for (const auto& [status, points] : parts) texts.push_back(fmt::format("{} {}", points, status));
  return fmt::format("{}{}", count, texts.empty() ? "" : fmt::format(" ({})", joined(texts)));
}

ExitCode run_status(const Arguments& arguments, const Streams& streams) {
  const Job job = read_job(arguments, streams);
  return naming_the_file(job, [&] {
    const std::string result =
        fmt::format("{} ({})", job.output.string(), result_state(job.output, resolved_text(job.plan)));
    if (!job.sweep()) {
      streams.out << "result  " << result << "\n";
      return ExitCode::done;
    }
    const PointReport report =
        inspect_points(PointStore(job.output), point_ids(job.plan, job.threads), job.threads);
    const TextRows rows = {{"points", std::to_string(job.plan.size())},
                           {"done", std::to_string(report.complete)},
                           {"failed", with_parts(report.finished() - report.complete, report.incomplete)},
                           {"running", std::to_string(report.running)},
                           {"missing", std::to_string(report.missing.size() - report.running)},
                           {"damaged", std::to_string(report.damaged.size())},
                           {"result", result}};
    for (const auto& [name, text] : rows) streams.out << fmt::format("{:<8} {}\n", name, text);
    for (std::size_t i = 0; i < std::min(report.damaged.size(), most_damaged); ++i)
      streams.err << fmt::format("damaged: {}\n", report.damaged[i].what);
    return ExitCode::done;
  });
}

}  // namespace

Command status() {
  return {
      .name = "status",
      .summary = "how far a sweep is",
      .description =
          "Prints how many points of a sweep are done, failed (finished, but an optimizer diverged, failed "
          "or is uncertified), running, missing and damaged, and whether the result is there. It reads files "
          "only, so it can be asked anywhere the output folder can be seen. Running is what a process said "
          "in the last five minutes. The options --output and --set must be those of the run.",
      .operands = experiment_operand(),
      .options = job_options({"output", "set", "jobs"}),
      .examples = {"rarefact status sweep.toml"},
      .run = run_status};
}

}  // namespace rarefact::commands
