#pragma once

/// What `rarefact info` prints.

#include <filesystem>
#include <string>

namespace rarefact {

/// What is in a result file, for a person: title, shape, every optimizer with engine and status, its loss at
/// the last step measured and predicted, and the program that wrote it. Errors as read_result.
std::string describe_result(const std::filesystem::path& path);

}  // namespace rarefact
