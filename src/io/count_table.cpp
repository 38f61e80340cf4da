// Reading counts of classes and of pairs from text tables.

#include <algorithm>
#include <unordered_map>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "io/array_file.hpp"

namespace rarefact {

namespace {

/// The columns of counts and of names, and whether the first line is a header or a row.
struct CountColumn {
  std::size_t index = 0;
  bool header = false;
  std::optional<std::size_t> label = {};
};

/// A hint for a line without separators.
std::string separators(const TableFields& first) {
  return first.size() > 1 ? "" : "; tabs, commas or blanks separate columns";
}

/// The first column whose field in the first row is a text: it names the rows.
std::optional<std::size_t> text_column(const TableFields& row) {
  const auto found = std::ranges::find_if(
      row, [](const TableField& field) { return !field.text.empty() && !parse_number<double>(field.text); });
  return found == row.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - row.begin()));
}

CountColumn count_column(TextTable& table, const TableFields& first, const std::string& column) {
  auto label = table.column_named(first, "class");
  if (!label) label = table.column_named(first, "label");
  if (!parse_number<double>(column)) {
    if (const auto found = table.column_named(first, column)) return {*found, true, label};
  }
  if (first.size() == 1 && !parse_number<double>(column) && parse_number<double>(first[0].text)) return {};
  const auto number = parse_number<std::size_t>(column);
  if (!number || *number == 0 || *number > first.size()) {
    const std::vector<std::string> names = mapped(first, &TableField::text);
    table.problem(1, problem_of("no column '{}'{}; the columns are {}, or numbers from 1 to {}{}", column,
                                did_you_mean(nearest_name(column, names), "'"), joined(names), first.size(),
                                separators(first)));
    table.raise_problems();
  }
  const bool header = !parse_number<double>(first[*number - 1].text);
  return {*number - 1, header, header ? label : std::nullopt};
}

/// Numbers texts in order of appearance.
class Numbering {
 public:
  Index of(const std::string& text) {
    return numbers_.try_emplace(text, static_cast<Index>(numbers_.size())).first->second;
  }
  Index size() const { return static_cast<Index>(numbers_.size()); }

 private:
  std::unordered_map<std::string, Index> numbers_;
};

std::vector<std::size_t> pair_columns(TextTable& table, const TableFields& header) {
  std::vector<std::size_t> columns;
  for (const char* name : {"query", "answer", "count"}) {
    if (const auto found = table.column_named(header, name)) {
      columns.push_back(*found);
      continue;
    }
    const std::vector<std::string> names = mapped(header, &TableField::text);
    table.problem(
        1,
        problem_of("no column '{}'{}; the columns are {}, and those of pairs are query, answer and count{}",
                   name, did_you_mean(nearest_name(name, names), "'"), joined(names), separators(header)));
  }
  table.raise_problems();
  return columns;
}

}  // namespace

CountTable read_counts(const std::filesystem::path& path, const std::string& column, Counting what) {
  TextTable table(path);
  TableFields fields;
  std::optional<CountColumn> place;
  CountTable read;
  while (table.next(fields)) {
    if (!place) {
      place = count_column(table, fields, column);
      if (place->header) continue;
    }
    if (!place->label && read.count.empty()) place->label = text_column(fields);
    if (const auto count = table.count_in(fields[place->index], what)) {
      read.count.push_back(*count);
      if (place->label) read.label.push_back(sanitize_text(fields[*place->label].text));
    }
  }
  if (read.count.empty() && table.sound()) table.problem(0, "a table without counts");
  table.raise_problems();
  return read;
}

PairCounts read_pairs(const std::filesystem::path& path) {
  TextTable table(path);
  TableFields fields;
  std::vector<std::size_t> columns;
  Numbering queries, answers;
  std::unordered_map<std::uint64_t, std::size_t> known;  // place of each pair
  PairCounts pairs;
  while (table.next(fields)) {
    if (columns.empty()) {
      columns = pair_columns(table, fields);
      continue;
    }
    const auto count = table.count_in(fields[columns[2]]);
    if (!count) continue;
    if (fields[columns[0]].text.empty() || fields[columns[1]].text.empty()) {
      table.problem(1, "a pair without a name for its query or its answer");
      continue;
    }
    const Index query = queries.of(fields[columns[0]].text), answer = answers.of(fields[columns[1]].text);
    const std::uint64_t both = (static_cast<std::uint64_t>(query) << 32) | static_cast<std::uint64_t>(answer);
    const auto [place, fresh] = known.try_emplace(both, pairs.count.size());
    if (!fresh) {
      pairs.count[place->second] += *count;
      continue;
    }
    pairs.query.push_back(query);
    pairs.answer.push_back(answer);
    pairs.count.push_back(*count);
  }
  if (pairs.count.empty() && table.sound()) table.problem(0, "a table without pairs");
  table.raise_problems();
  pairs.queries = queries.size();
  pairs.answers = answers.size();
  return pairs;
}

}  // namespace rarefact
