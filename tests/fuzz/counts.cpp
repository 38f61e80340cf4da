// Count tables: the first line of the input is the column, the rest the file. Numbers > 0, or an InputError with places.

#include <algorithm>
#include <cmath>

#include "fuzz/target.hpp"
#include "io/array_file.hpp"
#include "rarefact/error.hpp"

using namespace rarefact::fuzz;

namespace {

void run(const std::string& bytes) {
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  const auto path = file_with("counts", bytes.substr(std::min(end + 1, bytes.size())));
  try {
    const std::vector<double> counts = read_counts(path, bytes.substr(0, end)).count;
    const auto counted = [](double count) { return std::isfinite(count) && count > 0; };
    require(!counts.empty() && std::ranges::all_of(counts, counted), "a count that is none");
  } catch (const InputError& error) {
    require(!error.problems().empty() && error.problems().size() <= 20,
            "a refusal without problems, or too many");
  }
}

std::vector<std::string> seeds() {
  return {"count\nword\tcount\nthe\t120\nof\t7.5\n", "2\na,b,c\n\"x, \"\"y\"\"\",3,4\nz,5,6\n",
          "1\n# comment\n3 4\n5 6\n", "n\n\xef\xbb\xbfn\r\n1\r\n2\r\n"};
}

std::vector<std::string> words() {
  return {"\t",    ",",     "\"",    "\"\"", "\n", "\r\n",  "#",   " ",
          "count", "1e308", "1e999", "nan",  "-1", "0x1p3", "\v\f"};
}

const Added added({"counts", seeds, words, run});

}  // namespace
