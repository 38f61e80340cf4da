#pragma once

/// All that the source of a check needs.

#include <fmt/format.h>

#include "verify/check_row.hpp"  // IWYU pragma: export
#include "verify/judge.hpp"      // IWYU pragma: export
#include "verify/one_step.hpp"   // IWYU pragma: export
