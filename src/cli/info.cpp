#include <ostream>

#include "cli/command.hpp"
#include "tables/summary.hpp"

namespace rarefact::commands {

namespace {

ExitCode run_info(const Arguments& arguments, const Streams& streams) {
  streams.out << describe_result(arguments.operands.front());
  return ExitCode::done;
}

}  // namespace

Command info() {
  return {.name = "info",
          .summary = "what is in a result file",
          .description =
              "Prints what is in a result file, for a person: its shape, every optimizer with engine, status "
              "and last loss, measured and predicted, and the program that wrote it. Programs read the file "
              "itself with h5py or xarray (docs/result-file.md).",
          .operands = {.name = "FILE.h5", .meaning = "a result file"},
          .examples = {"rarefact info results/experiment.h5"},
          .run = run_info};
}

}  // namespace rarefact::commands
