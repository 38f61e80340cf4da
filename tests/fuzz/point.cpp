// Points of a sweep, as they are and sealed anew: what is read can be joined with others and written as a result, unless
// it contradicts itself.

#include <limits>

#include "fuzz/target.hpp"
#include "rarefact/error.hpp"
#include "results/point_record.hpp"
#include "results/result_file.hpp"
#include "results/sample_result.hpp"
#include "sweep/point_merge.hpp"

using namespace rarefact::fuzz;

namespace {

const PointId id = *point_named(std::string(64, '1'));

bool readable(const std::string& bytes, PointPart part, PointRecord& point) {
  try {
    point = decode_point(bytes_of(bytes), id, "fuzzed", part);
    return true;
  } catch (const DamagedResult&) {
    return false;
  }
}

/// Whether a store finds a whole point in a file of these bytes.
bool stored(const std::string& bytes) {
  const auto folder = file_with("fuzzed", "").string() + ".points";
  std::filesystem::create_directories(folder);
  file_with("fuzzed.points/00001.points", bytes);
  PointStore store(folder.substr(0, folder.size() - 7));
  store.look();
  return store.holds(id);
}

void join(Result part) {
  MergedSchema joined;
  joined.add(part);
  Result other;
  other.steps = {part.steps.front(), part.steps.back() + 1};
  joined.add(other);
  Result whole = joined.head();
  whole.runs = spread_runs(std::move(part), whole.steps);
  try {
    encode_result(whole);
  } catch (const std::logic_error&) {
    // It contradicts itself.
  }
}

void run(const std::string& bytes) {
  PointRecord point, head;
  const std::string sealed = sealed_anew(bytes);
  require(!readable(bytes, PointPart::all, point) || bytes == sealed, "bytes without their seal are read");
  const bool read = readable(sealed, PointPart::all, point);
  require(!read || readable(sealed, PointPart::head, head), "the head of a point that is whole is not");
  require(!read || stored(sealed + bytes), "a whole point before others is not found");
  if (read && point.result.steps.back() < std::numeric_limits<std::int64_t>::max())
    join(std::move(point.result));
}

std::vector<std::string> seeds() {
  std::vector<std::string> seeds;
  for (Result result : {sample_result(), wide_result(2, 1)}) {
    result.runs.resize(1);
    seeds.push_back(text_of(encode_point(id, result)));
  }
  return seeds;
}

std::vector<std::string> words() {
  std::vector<std::string> words = {
      std::string(8, '\0'), std::string(8, '\xff'), "\x01", "\x02", "complete", "failed"};
  for (const Variable& variable : sample_variables()) words.push_back(variable.name);
  for (const char length : {'\1', '\2', '\4', '\x10'}) words.push_back(length + std::string(7, '\0'));
  return words;
}

const Added added({"point", seeds, words, run});

}  // namespace
