#pragma once

/// The program `rarefact`.

#include <iosfwd>

namespace rarefact {

/// Runs the program on its arguments (argv[0] is its name) and returns the exit code. Results go to `out`,
/// messages and progress to `err`. Never throws.
int run_program(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace rarefact
