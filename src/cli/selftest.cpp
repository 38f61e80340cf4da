#include "cli/selftest.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <ostream>
#include <thread>

#include "cli/command.hpp"
#include "cli/job.hpp"
#include "cli/process.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"

namespace rarefact {

namespace {

/// "Linux 6.1.0 x86_64, AMD EPYC 9R14, 2 threads".
std::string machine() {
  utsname system = {};
  ::uname(&system);
  const std::string processor = processor_name();
  return fmt::format("{} {} {}{}{}, {} threads", system.sysname, system.release, system.machine,
                     processor.empty() ? "" : ", ", processor, std::thread::hardware_concurrency());
}

ExitCode run_selftest(const Arguments& arguments, const Streams& streams) {
  return selftest({.threads = thread_count(arguments)}, streams.out);
}

}  // namespace

ExitCode selftest(const SelftestSetup& setup, std::ostream& out) {
  out << fmt::format("{}\n{}; kernels {}\n\n", program_identity(), machine(),
                     joined(names_of(setup.kernels)));
  std::vector<std::string> findings;
  for (const SelftestPart& part : selftest_parts()) {
    const double allowed = setup.slack * part.allowed;
    try {
      const Compared seen = part.compare(setup);
      out << fmt::format("{:<25} {:>4} comparisons, largest difference {:.2g}, allowed {:.2g}\n", part.name,
                         seen.count, seen.largest, allowed)
          << std::flush;
      if (seen.largest > allowed)
        findings.push_back(fmt::format("{}: {} differs by {:.3g}", part.name, seen.where, seen.largest));
      if (seen.count == 0) findings.push_back(part.name + ": nothing was compared");
    } catch (const std::exception& error) {
      out << fmt::format("{:<25} failed\n", part.name);
      findings.push_back(fmt::format("{}: {}", part.name, error.what()));
    }
  }
  for (const std::string& finding : findings) out << "NOT sound: " << finding << "\n";
  if (findings.empty()) out << "sound\n";
  return findings.empty() ? ExitCode::done : ExitCode::check_failed;
}

Command selftest_command() {
  return {
      .name = "selftest",
      .summary = "whether the program computes on this machine what it should",
      .description =
          "Compares on this machine, in a few seconds: every update rule, in each way that it offers by name, on "
          "every engine that holds it with a dense run in the coordinates of W; 50 digits with doubles; the kernels "
          "of matrix products that this processor has with one another; results with what is read back of their "
          "files, in a temporary folder that is removed. Engines agree to 1e-11 of the value or, below 0.1, of that; "
          "kernels and files to the last bit. Prints version, commit, machine and kernels, a line for each part with "
          "the largest difference seen, and then: sound, or (exit code 1) NOT sound and what is not. All of it belongs "
          "in a bug report.",
      .options = job_options({"jobs"}),
      .examples = {"rarefact selftest"},
      .run = run_selftest};
}

}  // namespace rarefact
