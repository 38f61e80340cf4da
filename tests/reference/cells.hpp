#pragma once

/// Tables of tests, written as text.

#include <string>
#include <vector>

#include "core/text.hpp"

namespace rarefact {

/// The rows of a table in a text, their cells between bars. ↵ stands for a line break; * begins a heading.
inline std::vector<std::vector<std::string>> rows_of(const std::string& table) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string_view line : split_text(table, '\n')) {
    if (line.empty() || line.starts_with('*')) continue;
    auto& row = rows.emplace_back();
    for (const std::string_view cell : split_text(line, '|')) {
      row.emplace_back(trimmed(cell));
      for (std::size_t at; (at = row.back().find("↵")) != std::string::npos;)
        row.back().replace(at, std::string("↵").size(), "\n");
    }
  }
  return rows;
}

/// All cells, row by row.
inline std::vector<std::string> cells_of(const std::string& table) {
  std::vector<std::string> cells;
  for (const auto& row : rows_of(table)) cells.insert(cells.end(), row.begin(), row.end());
  return cells;
}

}  // namespace rarefact
