#include <catch2/catch.hpp>

#include "cli/stored_sweep.hpp"

using namespace rarefact;
using Catch::Matchers::Contains;

namespace {

/// A .npy file of numbers, or of what `type` says they are.
std::string npy_file(int rows, int columns, std::vector<double> entries, const std::string& type = "<f8") {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) +
                       ", " + std::to_string(columns) + "), }";
  header.resize(117, ' ');
  header += '\n';
  const std::string start("\x93NUMPY\x01\x00\x76\x00", 10);
  return start + header +
         std::string(reinterpret_cast<const char*>(entries.data()), entries.size() * sizeof(double));
}

const std::string experiment_text = R"(name = "files"
[classes]
spectrum = "power_law"
count = 2
exponent = 1.5
[embedding]
kind = "file"
path = "good.npy"
normalise = true
[run]
steps = 2
[[optimizer]]
rule = "gd"
step_size = 1
)";

/// The experiment beside files that are no embeddings of two classes, each in its own way.
struct WithFiles : StoredSweep {
  explicit WithFiles(const std::string& more) : StoredSweep(experiment_text + more) {
    keep("good.npy", npy_file(2, 2, {1, 0, 0, 2}));
    keep("wrong.npy", npy_file(2, 1, {1, 0}));
    keep("short.npy", npy_file(2, 2, {1, 0, 0}));
    keep("holed.npy", npy_file(2, 2, {1, 0, NAN, 2}));
    keep("object.npy", npy_file(2, 2, {1, 0, 0, 2}, "|O"));
    keep("zero.npy", npy_file(2, 2, {1, 0, 1, 0}));
  }
  void keep(const char* name, const std::string& bytes) const {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  }
};

}  // namespace

TEST_CASE("a sweep over files of embeddings names every bad one at its line before anything runs") {
  const WithFiles one(
      "[sweep]\n\"embedding.path\" = [\n\"good.npy\",\n\"wrong.npy\",\n\"short.npy\",\n\"holed.npy\",\n\"object.npy\",\n"
      "\"zero.npy\",\n\"none.npy\"]\n");
  const std::vector<std::string> why = {"the array is 2 x 1",
                                        "promises 2 x 2 numbers",
                                        "row 1, column 0",
                                        "of type '|O'",
                                        "column 1 (counted from 0) is zero",
                                        "no such file"};
  for (const std::vector<std::string>& words : {std::vector<std::string>{"run", "--dry-run", one.experiment},
                                                {"run", one.experiment, "-o", one.result}}) {
    const Outcome outcome = rarefact_program(words);
    CHECK(outcome.code == 2);
    for (std::size_t i = 0; i < why.size(); ++i) {
      const std::string line =
          "e.toml:" + std::to_string(18 + i) + ":1: error: point " + std::to_string(i + 1);
      CHECK_THAT(outcome.err, Contains(line) && Contains(why[i]));
    }
    CHECK_THAT(outcome.err, !Contains("point 0"));
    CHECK(!std::filesystem::exists(one.result));
    CHECK(!std::filesystem::exists(one.result + ".points"));
  }
}
