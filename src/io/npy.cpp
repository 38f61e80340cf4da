#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "io/array_file.hpp"
#include "io/plain_file.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// NumPy itself refuses longer headers; an array of numbers needs about 100 bytes.
constexpr std::uint32_t longest_header = 10000;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw InputError({{path.string(), 0, 0, why}});
}

struct Header {
  std::string type;
  bool column_major = false;
  std::uint64_t rows = 0, columns = 0;

  std::uint64_t entry_bytes() const { return type == "<f4" ? 4 : 8; }
};

/// Reads the header, a Python dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }.
/// Nothing where it is not exactly of this form (keys in any order, white space free).
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  std::optional<Header> parse() {
    Header header;
    bool type = false, order = false, shape = false;
    if (!take("{")) return std::nullopt;
    while (!take("}")) {
      if (take("'descr':")) {
        if (type || !take("'")) return std::nullopt;
        const std::size_t end = rest_.find('\'');
        if (end == std::string_view::npos) return std::nullopt;
        header.type = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        type = true;
      } else if (take("'fortran_order':")) {
        header.column_major = take("True");
        if (order || (!header.column_major && !take("False"))) return std::nullopt;
        order = true;
      } else if (take("'shape':")) {
        if (shape || !take("(") || !number(header.rows) || !take(",")) return std::nullopt;
        if (!number(header.columns)) return std::nullopt;
        take(",");
        if (!take(")")) return std::nullopt;
        shape = true;
      } else {
        return std::nullopt;
      }
      take(",");
    }
    skip_space();
    if (!type || !order || !shape || !rest_.empty()) return std::nullopt;
    return header;
  }

 private:
  void skip_space() {
    const std::size_t start = rest_.find_first_not_of(" \n\t");
    rest_.remove_prefix(std::min(start, rest_.size()));
  }
  bool take(std::string_view token) {
    skip_space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  bool number(std::uint64_t& value) {
    skip_space();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  std::string_view rest_;
};

Header read_header(std::ifstream& in, const std::filesystem::path& path) {
  std::array<unsigned char, 12> start{};
  in.read(reinterpret_cast<char*>(start.data()), 8);
  if (!in || std::memcmp(start.data(), "\x93NUMPY", 6) != 0) refuse(path, "not a .npy file");
  const int version = start[6];
  if (version < 1 || version > 3) refuse(path, fmt::format("unknown .npy version {}", version));
  in.read(reinterpret_cast<char*>(start.data()) + 8, version == 1 ? 2 : 4);
  std::uint32_t length = 0;
  for (int i = version == 1 ? 9 : 11; i >= 8; --i) length = length << 8 | start[static_cast<std::size_t>(i)];
  if (!in || length > longest_header) {
    refuse(path, in ? fmt::format("its header claims {} bytes", length) : "truncated in its header");
  }
  std::string text(length, '\0');
  in.read(text.data(), length);
  if (!in) refuse(path, "truncated in its header");
  const auto header = HeaderParser(text).parse();
  if (!header) refuse(path, "its header does not describe an array of two dimensions");
  return *header;
}

/// Opens a file of a sound header that as much data follows as it promises.
Header open_npy(std::ifstream& in, const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) refuse(path, "no such file");
  in = open_plain_file(path);
  Header header = read_header(in, path);
  if (header.type != "<f8" && header.type != "<f4") {
    refuse(path,
           fmt::format(
               "its entries are of type '{}', not little-endian float64 ('<f8') or float32: save it with "
               "numpy.save(file, array.astype('<f8'))",
               header.type));
  }
  if (header.rows == 0 || header.columns == 0) refuse(path, "an array without entries");
  const std::uint64_t data_bytes = std::filesystem::file_size(path) - static_cast<std::uint64_t>(in.tellg());
  const std::uint64_t entry = header.entry_bytes();
  // By quotient first: the product of what a hostile header says could overflow.
  if (header.columns != data_bytes / entry / header.rows ||
      header.rows * header.columns * entry != data_bytes) {
    refuse(path, fmt::format("its header promises {} x {} numbers, but {} bytes of data follow", header.rows,
                             header.columns, data_bytes));
  }
  return header;
}

/// Every float32 is a double, too.
void read_numbers(std::ifstream& in, const std::filesystem::path& path, const Header& header, double* to,
                  Index count) {
  std::vector<float> narrow(header.entry_bytes() == 4 ? static_cast<std::size_t>(count) : 0);
  char* bytes = narrow.empty() ? reinterpret_cast<char*>(to) : reinterpret_cast<char*>(narrow.data());
  in.read(bytes, static_cast<std::streamsize>(count) * static_cast<std::streamsize>(header.entry_bytes()));
  if (!in) refuse(path, "truncated");
  std::copy(narrow.begin(), narrow.end(), to);
}

}  // namespace

Matrix read_npy(const std::filesystem::path& path) {
  std::ifstream in;
  const Header header = open_npy(in, path);
  const auto rows = static_cast<Index>(header.rows), columns = static_cast<Index>(header.columns);
  Matrix matrix(rows, columns);
  if (header.column_major) {
    read_numbers(in, path, header, matrix.data(), matrix.size());
  } else {
    Eigen::RowVectorXd row(columns);
    for (Index r = 0; r < rows; ++r) {
      read_numbers(in, path, header, row.data(), columns);
      matrix.row(r) = row;
    }
  }
  if (!matrix.allFinite()) refuse(path, first_not_finite(matrix));
  return matrix;
}

ArrayShape check_npy(const std::filesystem::path& path) {
  std::ifstream in;
  const Header header = open_npy(in, path);
  const auto rows = static_cast<Index>(header.rows), columns = static_cast<Index>(header.columns);
  Eigen::VectorXd some(Index{1} << 16);
  std::vector<bool> nonzero(static_cast<std::size_t>(columns), false);
  for (Index done = 0; done < rows * columns; done += some.size()) {
    const Index count = std::min(some.size(), rows * columns - done);
    read_numbers(in, path, header, some.data(), count);
    if (!some.head(count).allFinite()) read_npy(path);  // says which entry it is
    for (Index i = 0; i < count; ++i) {
      if (some[i] != 0)
        nonzero[static_cast<std::size_t>(header.column_major ? (done + i) / rows : (done + i) % columns)] =
            true;
    }
  }
  const auto zero = std::find(nonzero.begin(), nonzero.end(), false);
  return {rows, columns, zero == nonzero.end() ? -1 : zero - nonzero.begin()};
}

}  // namespace rarefact
