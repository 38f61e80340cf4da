// NumPy's arrays: every entry of what is read is finite.

#include "fuzz/target.hpp"
#include "io/array_file.hpp"
#include "rarefact/error.hpp"

using namespace rarefact::fuzz;

namespace {

void run(const std::string& bytes) {
  const auto path = file_with("array.npy", bytes);
  try {
    const Matrix matrix = read_npy(path);
    require(matrix.size() > 0 && matrix.allFinite(),
            "an array without entries, or with one that is not finite");
  } catch (const InputError&) {
    // Refused.
  }
}

/// Of 3 x 2 numbers, as NumPy writes it.
std::string array(int version, const std::string& order, const std::string& shape) {
  std::string header = "{'descr': '<f8', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  const std::size_t prefix = version == 1 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (std::size_t i = 8; i < prefix; ++i)
    bytes += static_cast<char>((header.size() + 1) >> 8 * (i - 8) & 0xff);
  bytes += header + '\n';
  const double numbers[] = {1, 0, -2.5, 0, 1e-300, 7};
  return bytes.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
}

std::vector<std::string> seeds() {
  return {array(1, "False", "(3, 2)"), array(2, "True", "(2, 3)"), array(3, "False", "(1, 6)")};
}

std::vector<std::string> words() {
  return {"'descr': ",
          "'fortran_order': ",
          "'shape': ",
          "'<f8'",
          "'>f8'",
          "'<f4'",
          "True",
          "False",
          "(3, 2)",
          "(6,)",
          "(0, 5)",
          "(4294967296, 4294967296)",
          "(2305843009213693952, 8)",
          "(1, 18446744073709551615)",
          "{",
          "}",
          ",",
          std::string(8, '\xff'),
          std::string(6, '\0') + "\xf0\x7f"};
}

const Added added({"npy", seeds, words, run});

}  // namespace
