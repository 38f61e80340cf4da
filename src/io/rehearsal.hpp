#pragma once

#include <functional>
#include <optional>
#include <string>

namespace rarefact {

/// Runs an action in a copy of this process. Returns nullopt if it succeeded (or lacked memory), the
/// message of the exception that it threw, or `crash` if it crashed or used more than `seconds` of processor
/// time. Nothing else that the action does is seen here. No other thread may be inside what it uses. Throws
/// std::system_error if the system refuses the process.
///
/// HDF5 trusts the files that it reads: a damaged one can make it write beyond its memory, or keep it from
/// ever closing the file. What went well in the copy goes well again here, from the same memory.
std::optional<std::string> rehearse(const std::function<void()>& action, unsigned seconds,
                                    const std::string& crash);

}  // namespace rarefact
