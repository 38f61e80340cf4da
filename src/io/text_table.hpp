#pragma once

/// Text tables line by line: fields with their places, and what is wrong with them.

#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rarefact/error.hpp"

namespace rarefact {

/// What numbers of a table count, and so what they may be: facts any number > 0, queries of an answer (its fan-in) whole
/// numbers >= 1.
enum class Counting { facts, queries };

struct TableField {
  std::string text;
  int column = 1;  ///< of its first character in the line, from 1
};
using TableFields = std::vector<TableField>;

/// The lines of a table that are neither blank nor comments (# as first character). The first of them decides the
/// separator: a tab if it has one, else a comma, else white space; with commas a field may be "quoted", with "" for a
/// quote inside. A file compressed with gzip is unpacked first.
class TextTable {
 public:
  /// FileError if it cannot be opened; InputError if it is not there, or is no sound gzip file.
  explicit TextTable(const std::filesystem::path& path);

  /// The fields of the next line; false at the end, and after enough problems. A line with more of them than the first is one, and passed over.
  bool next(TableFields& fields);

  /// The number of the column of this name in a header; nothing where it is none.
  static std::optional<std::size_t> column_named(const TableFields& header, std::string_view name);

  /// Of the line that was read last; of the whole file where column is 0.
  void problem(int column, Problem problem);
  void problem(int column, const std::string& message) { problem(column, Problem{.message = message}); }
  /// The number in a field; nothing, and a problem, where it is none that may be.
  std::optional<double> count_in(const TableField& field, Counting what = Counting::facts);
  bool sound() const { return problems_.empty(); }
  /// InputError with all problems, if there are any.
  void raise_problems() const { raise(problems_); }

 private:
  bool next_line(std::string& line);

  std::filesystem::path path_;
  std::unique_ptr<std::istream> in_;
  int line_ = 0;
  std::optional<char> separator_;
  std::size_t columns_ = 0;  // of the first line
  std::vector<Problem> problems_;
};

}  // namespace rarefact
