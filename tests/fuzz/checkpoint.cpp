// Checkpoints, as they are and sealed anew: a file that is not what was kept is not gone on from, and says so. What a
// state means to its training is not fuzzed: the seal's title names the very program and point that wrote it.

#include "fuzz/target.hpp"
#include "io/regular_file.hpp"
#include "sweep/checkpoint_file.hpp"

using namespace rarefact::fuzz;

namespace {

/// The files of one point, which are there as long as the process.
struct Kept {
  PointStore store{file_with("checkpoints", "")};
  PointId id;
  IntervalClock clock{std::chrono::hours(1)};
  std::filesystem::path path;

  Kept() {
    id.digits.fill('1');
    path = file_with("checkpoints.points/" + store.checkpoint(id).filename().string(), "");
    std::filesystem::create_directories(path.parent_path());
  }
  static Kept& files() {
    static Kept kept;
    return kept;
  }
};

/// Every state that is read from a file of these bytes; whether one was.
bool read(const std::string& bytes) {
  Kept& kept = Kept::files();
  file_with("checkpoints.points/" + kept.path.filename().string(), bytes);
  bool said = false;
  CheckpointFiles files(kept.store, kept.id, kept.clock,
                        [&](const std::string& line) { said |= line.find("warning") == 0; });
  for (const char* name : {"0.0", "1.0", "1.1", ""}) files.kept(name);
  return !said;
}

void run(const std::string& bytes) {
  const std::string sealed = sealed_anew(bytes);
  require(!read(bytes) || bytes == sealed, "bytes without their seal are gone on from");
  read(sealed);
}

std::vector<std::string> seeds() {
  Kept& kept = Kept::files();
  CheckpointFiles files(kept.store, kept.id, kept.clock, [](const std::string&) {});
  for (const char* name : {"0.0", "1.0"}) files.keep(name, std::vector<std::byte>(40, std::byte{7}), false);
  return {text_of(read_bytes(kept.path))};
}

std::vector<std::string> words() {
  return {std::string(8, '\0'),
          std::string(8, '\xff'),
          "0.0",
          "1.1",
          std::string("\3\0\0\0\0\0\0\0", 8) + "0.1",
          "rarefact checkpoint 3"};
}

const Added added({"checkpoint", seeds, words, run});

}  // namespace
