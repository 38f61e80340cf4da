#pragma once

#include <string>

/// The path of a file of the project, named from its root. One source knows where the project is, so that a compiler cache
/// serves every other object to a checkout in another folder.
std::string project_file(const std::string& name);
