#include <ostream>

#include "cli/job.hpp"

namespace rarefact {

namespace {

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
    const PointReport report = points_there(job, point_ids(job.plan, job.threads));
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
    for (std::size_t i = 0; i < std::min(report.damaged.size(), max_named); ++i)
      streams.err << fmt::format("damaged: {}\n", report.damaged[i].what);
    return ExitCode::done;
  });
}

}  // namespace

Command status_command() {
  return {
      .name = "status", .operands = experiment_operand, .options = job_options("status"), .run = run_status};
}

}  // namespace rarefact
