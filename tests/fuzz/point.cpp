// Points of a sweep, as they are and sealed anew: what is read can be joined with others and written as a result, unless
// it contradicts itself.

#include <limits>

#include "core/digest.hpp"
#include "fuzz/target.hpp"
#include "io/sealed_file.hpp"
#include "rarefact/error.hpp"
#include "results/point_file.hpp"
#include "results/result_file.hpp"
#include "results/sample_result.hpp"
#include "sweep/point_merge.hpp"

namespace rarefact::fuzz {

namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string content_of(const std::string& bytes) {
  const std::size_t end = bytes.size() - std::min(bytes.size(), seal_bytes);
  return is_seal(bytes.substr(end)) ? bytes.substr(0, end) : bytes;
}

/// The name that the file of these bytes has: the SHA-256 of the text that they begin with, after the title.
std::filesystem::path name_of(const std::string& bytes) {
  std::string experiment;
  try {
    Archive archive(bytes_of(bytes).subspan(std::min(bytes.find('\n'), bytes.size() - 1) + 1));
    archive(experiment);
  } catch (const std::runtime_error&) {
  }
  return sha256_hex(experiment) + ".point";
}

bool readable(const std::string& bytes, PointPart part, PointFile& point) {
  try {
    point = decode_point(bytes_of(bytes), name_of(bytes), part);
    return true;
  } catch (const DamagedResult&) {
    return false;
  }
}

void join(Result part) {
  JoinedHead joined;
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
  if (bytes.empty()) return;
  PointFile point, head;
  const std::string content = content_of(bytes);
  const auto whole = bytes_of(content);
  const std::string resealed = text_of(with_seal({whole.begin(), whole.end()}));
  require(!readable(bytes, PointPart::all, point) || bytes == resealed, "bytes without their seal are read");
  const bool read = readable(resealed, PointPart::all, point);
  require(!read || readable(resealed, PointPart::head, head), "the head of a point that is whole is not");
  if (read && point.result.steps.back() < std::numeric_limits<std::int64_t>::max())
    join(std::move(point.result));
}

std::vector<std::string> seeds() {
  std::vector<std::string> seeds;
  for (Result result : {sample_result(), wide_result(2, 1)}) {
    result.runs.resize(1);
    seeds.push_back(text_of(encode_point(result, "name = \"sample\"\n")));
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

}  // namespace

const Target target = {"point", seeds, words, run};

}  // namespace rarefact::fuzz
