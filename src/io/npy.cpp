#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "io/array_file.hpp"
#include "io/regular_file.hpp"

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

/// Parses a header, a Python dictionary such as {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), },
/// by conversion to JSON. nullopt if it does not describe an array of two dimensions.
std::optional<Header> parsed(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  for (const auto& [python, json] : {std::pair{"'", "\""},
                                     {"(", "["},
                                     {")", "]"},
                                     {"True", "true"},
                                     {"False", "false"},
                                     {",]", "]"},
                                     {",}", "}"}})
    boost::replace_all(text, python, json);
  const auto header = nlohmann::json::parse(text, nullptr, false);
  if (header.size() != 3 || !header.contains("descr") || !header.contains("fortran_order") ||
      !header.contains("shape"))
    return {};
  const auto &type = header["descr"], &order = header["fortran_order"], &shape = header["shape"];
  const bool sizes =
      shape.is_array() && shape.size() == 2 && shape[0].is_number_unsigned() && shape[1].is_number_unsigned();
  if (!type.is_string() || !order.is_boolean() || !sizes) return {};
  return Header{type, order, shape[0], shape[1]};
}

Header read_header(std::ifstream& in, const std::filesystem::path& path) {
  std::array<unsigned char, 12> start{};
  in.read(reinterpret_cast<char*>(start.data()), 8);
  require_read(in, path);
  if (!in || std::memcmp(start.data(), "\x93NUMPY", 6) != 0)
    refuse(path, start[0] == 'P' && start[1] == 'K'
                     ? "not a .npy file but an archive; save one array with numpy.save"
                     : "not a .npy file");
  const int version = start[6];
  if (version < 1 || version > 3) refuse(path, fmt::format("unknown .npy version {}", version));
  in.read(reinterpret_cast<char*>(start.data()) + 8, version == 1 ? 2 : 4);
  std::uint32_t length = 0;
  for (int i = version == 1 ? 9 : 11; i >= 8; --i) length = length << 8 | start[i];
  if (!in || length > longest_header)
    refuse(path, in ? fmt::format("its header claims {} bytes", length) : "truncated in its header");
  std::string text(length, '\0');
  in.read(text.data(), length);
  require_read(in, path);
  if (!in) refuse(path, "truncated in its header");
  const auto header = parsed(text);
  if (!header)
    refuse(path,
           "its header does not describe an array of two dimensions: " + sanitize_text(text.substr(0, 100)));
  return *header;
}

/// Opens a file and checks its header and the size of its data.
Header open_npy(std::ifstream& in, const std::filesystem::path& path) {
  if (const std::string why = reading_objection(path); !why.empty()) refuse(path, why);
  in = open_regular_file(path);
  Header header = read_header(in, path);
  if (header.type != "<f8" && header.type != "<f4") {
    const bool real = header.type.find_first_of("fiu") != std::string::npos;  // others would lose something
    refuse(path,
           fmt::format("its entries are of type '{}', not little-endian float64 ('<f8') or float32{}",
                       header.type, real ? ": save it with numpy.save(file, array.astype('<f8'))" : ""));
  }
  if (header.rows == 0 || header.columns == 0) refuse(path, "an array without entries");
  const std::uint64_t data_bytes = std::filesystem::file_size(path) - static_cast<std::uint64_t>(in.tellg());
  const std::uint64_t entry = header.entry_bytes();
  // By quotients, because the product of sizes in a hostile header could overflow.
  if (header.columns != data_bytes / entry / header.rows ||
      header.rows * header.columns * entry != data_bytes) {
    refuse(path, fmt::format("its header promises {} x {} numbers, but {} bytes of data follow", header.rows,
                             header.columns, data_bytes));
  }
  return header;
}

/// Reads numbers; every float32 is exactly a double.
void read_numbers(std::ifstream& in, const std::filesystem::path& path, const Header& header, double* to,
                  Index count) {
  std::vector<float> narrow(header.entry_bytes() == 4 ? static_cast<std::size_t>(count) : 0);
  char* bytes = narrow.empty() ? reinterpret_cast<char*>(to) : reinterpret_cast<char*>(narrow.data());
  in.read(bytes, static_cast<std::streamsize>(count) * static_cast<std::streamsize>(header.entry_bytes()));
  require_read(in, path);
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

}  // namespace rarefact
