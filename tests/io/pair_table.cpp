#include <zlib.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "io/array_file.hpp"
#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;
using Catch::Matchers::Contains;

namespace {

const ScratchFolder folder;

std::filesystem::path file_with(const std::string& text, const std::string& name = "pairs.tsv") {
  const auto path = folder / name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::filesystem::path packed(const std::string& text) {
  const auto path = folder / "pairs.tsv.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

template <class Read = PairCounts (*)(const std::filesystem::path&)>
std::string message_of(const std::filesystem::path& path, const Read& read = read_pairs) {
  try {
    read(path);
  } catch (const InputError& error) {
    std::string text;
    for (const Problem& problem : error.problems())
      text += to_string(problem).substr(path.parent_path().string().size() + 1) + "\n";
    return text;
  }
  return "no InputError";
}

const std::string small =
    "# a comment\nanswer\tcount\tquery\n7\t2\tthe\nlord\t1.5\tthe\n\n7\t4\tof\nlord\t1\tthe\n";

void check_small(const PairCounts& pairs) {
  CHECK(pairs.query == std::vector<Index>{0, 0, 1});
  CHECK(pairs.answer == std::vector<Index>{0, 1, 0});
  CHECK(pairs.count == std::vector<double>{2, 2.5, 4});
  CHECK(pairs.queries == 2);
  CHECK(pairs.answers == 2);
}

}  // namespace

TEST_CASE("pairs are read by the names of the columns, numbered as they appear, equal ones added up") {
  check_small(read_pairs(file_with(small)));
}

TEST_CASE("tables compressed with gzip are read as the plain ones, in several members too") {
  check_small(read_pairs(packed(small)));
  const auto path = packed(small.substr(0, 40));
  std::ifstream in(path, std::ios::binary);
  std::string first((std::istreambuf_iterator<char>(in)), {});
  const auto rest = packed(small.substr(40));
  std::ifstream more(rest, std::ios::binary);
  std::string second((std::istreambuf_iterator<char>(more)), {});
  check_small(read_pairs(file_with(first + second, "both.gz")));
  CHECK(read_counts(packed("count\n3\n4\n"), "count").count == std::vector<double>{3, 4});
  CHECK(message_of(file_with(first.substr(0, first.size() / 2), "cut.gz")) ==
        "cut.gz: error: the gzip file is cut off\n");
  first[first.size() / 2] ^= 0x55;
  CHECK_THAT(message_of(file_with(first, "bad.gz")), Contains("the gzip file is damaged"));
}

TEST_CASE("what is wrong with a table of pairs is said with line and column") {
  CHECK(
      message_of(file_with("query\tanswers\tcount\na\tb\t1\n")) ==
      "pairs.tsv:1:1: error: no column 'answer'; did you mean 'answers'?; the columns are query, answers, count, and "
      "those of pairs are query, answer and count\n");
  CHECK(
      message_of(file_with("query,answer,count\na,b,0\na,c,-1\na,d,x\na,e,2\na,f\n")) ==
      "pairs.tsv:2:5: error: a count must be a number > 0, not '0'; rows of count 0 are not learned: omit the row, "
      "and its columns of embeddings\n"
      "pairs.tsv:3:5: error: a count must be a number > 0, not '-1'\n"
      "pairs.tsv:4:5: error: a count must be a number > 0, not 'x'\n"
      "pairs.tsv:6:3: error: 2 columns, but the first line has 3\n");
  CHECK(message_of(file_with("query,answer,count\n,b,1\na,,1\na,b,1\n")) ==
        "pairs.tsv:2:1: error: a pair without a name for its query or its answer\n"
        "pairs.tsv:3:1: error: a pair without a name for its query or its answer\n");
  CHECK(message_of(file_with("query,answer,count,count\na,b,1,2\n")) ==
        "pairs.tsv:1:1: error: several columns 'count'\n");
  // A thousands separator, or a name of two words.
  CHECK(message_of(file_with("query,answer,count\nthe,lord,7,035\nthe,king,1\n")) ==
        "pairs.tsv:2:12: error: 4 columns, but the first line has 3\n");
  CHECK(message_of(file_with("query answer count\nthe lord 7\nking of kings 3\n")) ==
        "pairs.tsv:3:15: error: 4 columns, but the first line has 3\n");
  CHECK_THAT(message_of(file_with("query,answer,count\n")), Contains("a table without pairs"));
  CHECK_THAT(message_of(folder / "none.tsv"), Contains("no such file"));
}

TEST_CASE("fan-ins of a table are whole numbers, refused with line and column") {
  const auto fan_ins = [](const std::filesystem::path& path) {
    return read_counts(path, "fan_in", Counting::queries).count;
  };
  CHECK(fan_ins(file_with("fan_in\n3\n1\n")) == std::vector<double>{3, 1});
  CHECK(message_of(file_with("answer,fan_in\na,3\nb,0\nc,1.5\n"), fan_ins) ==
        "pairs.tsv:3:3: error: a fan-in must be an integer >= 1, not '0'\n"
        "pairs.tsv:4:3: error: a fan-in must be an integer >= 1, not '1.5'\n");
}
