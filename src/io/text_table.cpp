#include "io/text_table.hpp"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/text.hpp"
#include "io/regular_file.hpp"

namespace rarefact {

namespace {

constexpr std::size_t max_table_problems = 20;
constexpr std::size_t largest_unpacked = std::size_t{1} << 30;
constexpr std::string_view white = " \t\v\f";

TableFields split_on_white(const std::string& line) {
  TableFields fields;
  for (std::size_t at = line.find_first_not_of(white); at != std::string::npos;) {
    const std::size_t end = std::min(line.find_first_of(white, at), line.size());
    fields.push_back({line.substr(at, end - at), static_cast<int>(at + 1)});
    at = line.find_first_not_of(white, end);
  }
  return fields;
}

TableFields split_on(const std::string& line, char separator) {
  TableFields fields;
  for (std::size_t at = 0; at <= line.size();) {
    TableField field{{}, static_cast<int>(at + 1)};
    if (separator == ',' && at < line.size() && line[at] == '"') {
      for (++at; at < line.size(); ++at) {
        if (line[at] == '"' && (at + 1 == line.size() || line[at + 1] != '"')) break;
        if (line[at] == '"') ++at;
        field.text += line[at];
      }
    }
    const std::size_t end = std::min(line.find(separator, std::min(at, line.size())), line.size());
    if (field.text.empty())
      field.text = trimmed(std::string_view(line).substr(std::min(at, end), end - std::min(at, end)), white);
    fields.push_back(std::move(field));
    at = end + 1;
  }
  return fields;
}

/// The contents of a gzip file with one or more members.
std::string unpacked(const std::vector<std::byte>& bytes, const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) { raise({{path.string(), 0, 0, why}}); };
  z_stream stream{};
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::runtime_error("zlib cannot unpack");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closed(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text, chunk(std::size_t{1} << 16, '\0');
  int state = Z_OK;
  while (state != Z_STREAM_END || stream.avail_in > 0) {
    if (state == Z_STREAM_END) inflateReset(&stream);
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END)
      refuse(state == Z_BUF_ERROR ? "the gzip file is cut off" : "the gzip file is damaged");
    text.append(chunk, 0, chunk.size() - stream.avail_out);
    if (text.size() > largest_unpacked)
      refuse(fmt::format("the gzip file has more than {} bytes, too many for a table", largest_unpacked));
  }
  return text;
}

}  // namespace

TextTable::TextTable(const std::filesystem::path& path) : path_(path) {
  if (const std::string why = reading_objection(path); !why.empty()) raise({{path.string(), 0, 0, why}});
  auto file = std::make_unique<std::ifstream>(open_regular_file(path));
  char magic[2] = {};
  file->read(magic, 2);
  if (file->gcount() == 2 && magic[0] == '\x1f' && magic[1] == '\x8b') {
    in_ = std::make_unique<std::istringstream>(unpacked(read_bytes(path), path));
    return;
  }
  file->clear();
  file->seekg(0);
  in_ = std::move(file);
}

bool TextTable::next_line(std::string& line) {
  while (std::getline(*in_, line)) {
    ++line_;
    if (line_ == 1 && line.starts_with("\xef\xbb\xbf"))
      line.erase(0, 3);  // the byte order mark of some editors
    if (line.ends_with('\r')) line.pop_back();
    if (line.find('\0') != std::string::npos) {
      problem(1, "not a text table: it has a zero byte");
      return false;
    }
    const std::size_t start = line.find_first_not_of(white);
    if (start != std::string::npos && line[start] != '#') return true;
  }
  require_read(*in_, path_);
  return false;
}

bool TextTable::next(TableFields& fields) {
  std::string line;
  while (problems_.size() < max_table_problems && next_line(line)) {
    if (!separator_)
      separator_ = line.find('\t') != std::string::npos  ? '\t'
                   : line.find(',') != std::string::npos ? ','
                                                         : ' ';
    fields = *separator_ == ' ' ? split_on_white(line) : split_on(line, *separator_);
    if (columns_ == 0) columns_ = fields.size();
    if (fields.size() == columns_) return true;
    problem(fields[std::min(columns_, fields.size() - 1)].column,
            fmt::format("{} columns, but the first line has {}", fields.size(), columns_));
  }
  return false;
}

std::optional<std::size_t> TextTable::column_named(const TableFields& header, std::string_view name) {
  const auto found = std::ranges::find(header, name, &TableField::text);
  if (found == header.end()) return {};
  if (std::ranges::count(header, name, &TableField::text) > 1)
    problem(1, fmt::format("several columns '{}'", name));
  return static_cast<std::size_t>(found - header.begin());
}

void TextTable::problem(int column, Problem problem) {
  problem.file = path_.string(), problem.line = column > 0 ? line_ : 0, problem.column = column;
  problems_.push_back(std::move(problem));
}

std::optional<double> TextTable::count_in(const TableField& field, Counting what) {
  const auto count = parse_number<double>(field.text);
  const bool whole = what == Counting::queries;
  if (count && std::isfinite(*count) && *count > 0 && (!whole || std::floor(*count) == *count)) return count;
  problem(field.column,
          fmt::format("{}, not '{}'{}",
                      whole ? "a fan-in must be an integer >= 1" : "a count must be a number > 0",
                      field.text.substr(0, 40),
                      !whole && count == 0.0
                          ? "; rows of count 0 are not learned: omit the row, and its columns of embeddings"
                          : ""));
  return {};
}

}  // namespace rarefact
