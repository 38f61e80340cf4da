#include "reference/project_file.hpp"

std::string project_file(const std::string& name) {
  return RAREFACT_SOURCE_DIR "/" + name;
}
