#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text.hpp"
#include "io/array_file.hpp"
#include "io/plain_file.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

constexpr std::size_t most_problems = 20;
constexpr std::string_view white = " \t\v\f";

struct Field {
  std::string text;
  int column = 1;  ///< of its first character in the line, from 1
};

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(white) - first + 1));
}

std::vector<Field> split_on_white(const std::string& line) {
  std::vector<Field> fields;
  for (std::size_t at = line.find_first_not_of(white); at != std::string::npos;) {
    const std::size_t end = std::min(line.find_first_of(white, at), line.size());
    fields.push_back({line.substr(at, end - at), static_cast<int>(at + 1)});
    at = line.find_first_not_of(white, end);
  }
  return fields;
}

/// Fields between separators; with commas a field may be "quoted", with "" for a quote inside.
std::vector<Field> split_on(const std::string& line, char separator) {
  std::vector<Field> fields;
  for (std::size_t at = 0; at <= line.size();) {
    Field field{{}, static_cast<int>(at + 1)};
    if (separator == ',' && at < line.size() && line[at] == '"') {
      for (++at; at < line.size(); ++at) {
        if (line[at] == '"' && (at + 1 == line.size() || line[at + 1] != '"')) break;
        if (line[at] == '"') ++at;
        field.text += line[at];
      }
    }
    const std::size_t end = std::min(line.find(separator, std::min(at, line.size())), line.size());
    if (field.text.empty())
      field.text = trimmed(std::string_view(line).substr(std::min(at, end), end - std::min(at, end)));
    fields.push_back(std::move(field));
    at = end + 1;
  }
  return fields;
}

class TableReader {
 public:
  TableReader(const std::filesystem::path& path, const std::string& column)
      : path_(path), column_(column), in_(open_plain_file(path)) {}

  std::vector<double> read() {
    std::string line;
    while (problems_.size() < most_problems && next(line)) {
      const bool first = !separator_;
      if (first)
        separator_ = line.find('\t') != std::string::npos  ? '\t'
                     : line.find(',') != std::string::npos ? ','
                                                           : ' ';
      const auto fields = *separator_ == ' ' ? split_on_white(line) : split_on(line, *separator_);
      if (!first || !take_header(fields)) take_count(fields);
    }
    if (counts_.empty() && problems_.empty()) problem(0, "a table without counts");
    if (!problems_.empty()) throw InputError(problems_);
    return std::move(counts_);
  }

 private:
  /// The next line that is neither blank nor a comment.
  bool next(std::string& line) {
    while (std::getline(in_, line)) {
      ++line_;
      if (line_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // the mark some editors put
      if (line.ends_with('\r')) line.pop_back();
      if (line.find('\0') != std::string::npos) {
        problem(1, "not a text table: it has a zero byte");
        return false;
      }
      const std::size_t start = line.find_first_not_of(white);
      if (start != std::string::npos && line[start] != '#') return true;
    }
    return false;
  }

  /// Finds the column. True if the line is a header, false if it is a row already.
  bool take_header(const std::vector<Field>& fields) {
    std::vector<std::string> names;
    for (const Field& field : fields) names.push_back(field.text);
    if (const auto found = std::find(names.begin(), names.end(), column_);
        found != names.end() && !parse_number<double>(column_)) {
      index_ = static_cast<std::size_t>(found - names.begin());
      return true;
    }
    const auto number = parse_number<std::size_t>(column_);
    if (!number || *number == 0 || *number > fields.size()) {
      problem(1, fmt::format("no column '{}'{}; the columns are {}, or numbers from 1 to {}", column_,
                             did_you_mean(nearest_name(column_, names), "'"), joined(names), fields.size()));
      throw InputError(problems_);
    }
    index_ = *number - 1;
    return !parse_number<double>(fields[index_].text);
  }

  void take_count(const std::vector<Field>& fields) {
    if (index_ >= fields.size()) {
      problem(1, fmt::format("{} columns, but the counts are in column {}", fields.size(), index_ + 1));
      return;
    }
    const Field& field = fields[index_];
    const auto count = parse_number<double>(field.text);
    if (!count || !std::isfinite(*count) || *count <= 0) {
      problem(field.column, fmt::format("a count must be a number > 0, not '{}'", field.text.substr(0, 40)));
      return;
    }
    counts_.push_back(*count);
  }

  void problem(int column, std::string message) {
    problems_.push_back({path_.string(), column > 0 ? line_ : 0, column, std::move(message)});
  }

  std::filesystem::path path_;
  std::string column_;
  std::ifstream in_;
  int line_ = 0;
  std::optional<char> separator_;
  std::size_t index_ = 0;
  std::vector<double> counts_;
  std::vector<Problem> problems_;
};

}  // namespace

std::vector<double> read_counts(const std::filesystem::path& path, const std::string& column) {
  if (!std::filesystem::exists(path)) throw InputError({{path.string(), 0, 0, "no such file"}});
  return TableReader(path, column).read();
}

}  // namespace rarefact
