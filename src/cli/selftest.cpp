#include "cli/selftest.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <ostream>
#include <span>
#include <thread>

#include "algebra/product.hpp"
#include "cli/command.hpp"
#include "cli/job.hpp"
#include "cli/process.hpp"
#include "cli/text_layout.hpp"
#include "core/random.hpp"
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

/// Each against the first one, which any processor runs.
template <class Real>
void compare(std::span<const ProductKernel<Real>> kernels, Compared& all) {
  const RandomStream random(1, "selftest");
  for (const auto& [rows, depth, columns] :
       {std::array<Index, 3>{25, 257, 9}, {97, 300, 61}, {191, 1030, 33}}) {
    Matrix a(rows, depth), b(depth, columns);
    random.fill_normal(0, {a.data(), static_cast<std::size_t>(a.size())});
    random.fill_normal(1, {b.data(), static_cast<std::size_t>(b.size())});
    const auto left = a.template cast<Real>().eval(), right = b.template cast<Real>().eval();
    MatrixOf<Real> first;
    for (const ProductKernel<Real>& kernel : kernels) {
      MatrixOf<Real> product(rows, columns);
      PackedFactor<Real>(view_of(left), Workers::serial(), kernel)
          .times(view_of(right), product.data(), rows);
      if (first.size() == 0) first = product;
      all.add(static_cast<double>((product - first).cwiseAbs().maxCoeff()),
              fmt::format("{}, {} bits, {} x {} x {}", kernel.name, 8 * sizeof(Real), rows, depth, columns));
    }
  }
}

ExitCode run_selftest(const Arguments& arguments, const Streams& streams) {
  return selftest({.threads = thread_count(arguments)}, streams.out);
}

}  // namespace

Compared compare_kernels(const SelftestSetup& setup) {
  Compared all;
  compare<double>(setup.kernels, all);
  compare<float>(product_kernels<float>(), all);
  return all;
}

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
