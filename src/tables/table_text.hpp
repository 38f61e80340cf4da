#pragma once

// How tables write what stands on an axis or in a cell.

#include <string>

#include "tables/table.hpp"

namespace rarefact {

/// Text of an axis value: whole numbers in digits up to ten million, else the shortest form of 12 digits.
std::string axis_text(const AxisValue& value);

/// "1.23", "1.23 ± 0.04", ">10^6", ">2000", "diverged", "-"; numbers with `digits` significant digits.
std::string cell_text(const TableCell& cell, int digits);

}  // namespace rarefact
