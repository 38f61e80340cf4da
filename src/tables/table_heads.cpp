#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/text.hpp"
#include "experiment/keys.hpp"
#include "tables/table.hpp"

namespace rarefact {

namespace {

/// Side by side: a column of each table within each column head.
Table beside_one_another(const std::vector<Table>& tables) {
  Table all = tables.front();
  all.values = tables.size();
  all.column_keys.emplace_back("value");
  all.column_heads.clear();
  for (auto& row : all.cells) row.clear();
  for (std::size_t t = 1; t < tables.size(); ++t) {
    const Table& other = tables[t];
    if (other.row_heads != all.row_heads || other.column_heads != tables.front().column_heads)
      throw std::logic_error("tables of two values have different heads");
    all.description += " | " + other.description;
  }
  for (std::size_t c = 0; c < tables.front().column_heads.size(); ++c) {
    for (const Table& table : tables) {
      all.column_heads.push_back(table.column_heads[c]);
      all.column_heads.back().emplace_back(table.value);
      for (std::size_t r = 0; r < all.cells.size(); ++r) all.cells[r].push_back(table.cells[r][c]);
    }
  }
  return all;
}

}  // namespace

Table pivot_table(const Result& result, TableRequest request, const std::vector<std::string>& values) {
  std::vector<Table> tables;
  std::vector<Problem> problems;
  for (const std::string& value : values) {
    if (std::ranges::count(values, value) > 1) throw bad_input("--value: {} is given twice", value);
    request.value = value;
    try {
      tables.push_back(pivot_table(result, request));
    } catch (const InputError& error) {
      // What is wrong whatever the value is said once.
      for (const Problem& problem : error.problems()) {
        const auto same = [&](const Problem& other) { return other.message == problem.message; };
        if (std::ranges::none_of(problems, same)) problems.push_back(problem);
      }
    }
  }
  raise(std::move(problems));
  return tables.size() == 1 ? tables.front() : beside_one_another(tables);
}

void mark_best(Table& table, Best best, int digits) {
  for (auto& row : table.cells) {
    for (std::size_t value = 0; value < table.values; ++value) {
      const TableCell* winner = nullptr;
      const auto of_value = [&](const auto& visit) {
        for (std::size_t c = value; c < row.size(); c += table.values) {
          if (row[c].kind == TableCell::Kind::number) visit(row[c]);
        }
      };
      of_value([&](TableCell& cell) {
        if (winner == nullptr || (best == Best::least ? cell.mean < winner->mean : cell.mean > winner->mean))
          winner = &cell;
      });
      if (winner == nullptr) continue;
      const auto mean_text = [&](TableCell cell) {
        cell.runs = 1;
        return cell_text(cell, digits);
      };
      const std::string shown = mean_text(*winner);
      of_value([&](TableCell& cell) { cell.best = mean_text(cell) == shown; });
    }
  }
  table.description += fmt::format("; bold: the {} of each row", best == Best::least ? "least" : "largest");
}

void name_by_symbols(Table& table) {
  for (auto* keys : {&table.row_keys, &table.column_keys}) {
    for (std::string& key : *keys) {
      const std::string symbol = symbol_of(key);
      if (symbol != key) table.symbols.insert(symbol);
      key = symbol;
    }
  }
}

}  // namespace rarefact
