#pragma once

/// Reading text tables line by line: fields with their positions, and problems.

#include <filesystem>
#include <istream>
#include <memory>
#include <optional>
#include <string_view>

#include "rarefact/error.hpp"

namespace rarefact {

/// The kind of counts: of facts (legal are numbers > 0) or of queries of an answer (whole numbers >= 1).
enum class Counting { facts, queries };

struct TableField {
  std::string text;
  int column = 1;  ///< of its first character in the line, from 1
};
using TableFields = std::vector<TableField>;

/// The lines of a table that are neither blank nor comments (# as first character). The first of them decides
/// the separator: a tab if it has one, else a comma, else white space; with commas a field may be "quoted",
/// with "" for a quote inside. Files compressed with gzip are unpacked first.
class TextTable {
 public:
  /// Throws FileError if it cannot be opened, InputError if it does not exist or is a damaged gzip file.
  explicit TextTable(const std::filesystem::path& path);

  /// Reads the fields of the next line; false at the end, and after too many problems. A line with more
  /// or fewer fields than the first is a problem and skipped.
  bool next(TableFields& fields);

  /// The index of the column with this name in a header, the last line read; nullopt for none; a problem for several.
  std::optional<std::size_t> column_named(const TableFields& header, std::string_view name);

  /// Adds a problem of the last line read, or of the whole file if column is 0.
  void problem(int column, Problem problem);
  void problem(int column, const std::string& message) { problem(column, Problem{.message = message}); }
  /// The count in a field; nullopt, with a problem, if it is not legal.
  std::optional<double> count_in(const TableField& field, Counting what = Counting::facts);
  bool sound() const { return problems_.empty(); }
  /// Throws InputError with all problems, if there are any.
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
