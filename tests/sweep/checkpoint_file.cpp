// Checkpoints in files: atomic, and of no use once damaged.

#include "sweep/checkpoint_file.hpp"

#include <catch2/catch.hpp>

#include "io/atomic_file.hpp"
#include "io/failing_calls.hpp"
#include "io/scratch_folder.hpp"
#include "results/sample_result.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

PointId id_with(char digit) {
  PointId id;
  id.digits.fill(digit);
  return id;
}

/// A store with checkpoints of one point and what was said of them.
struct Kept {
  ScratchFolder folder;
  PointStore store{folder / "r.h5"};
  PointId id = id_with('1');
  std::filesystem::path path = store.checkpoint(id);
  IntervalClock clock{std::chrono::seconds(3600)};
  std::string said;

  CheckpointFiles open(const PointId& of) {
    said.clear();
    return {store, of, clock, [this](const std::string& line) { said += line + "\n"; }};
  }
  CheckpointFiles open() { return open(id); }
  std::string training(const std::string& name = "0.0") {
    const auto bytes = open().kept(name);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  void keep_two() {
    CheckpointFiles files = open();
    files.keep("0.0", bytes_of("older"), false);
    files.keep("0.0", bytes_of("newest"), false);
  }
};

}  // namespace

TEST_CASE("the newest checkpoint is the one gone on from") {
  Kept kept;
  CHECK(kept.training().empty());
  CHECK(kept.said.empty());
  CHECK(kept.folder.entries() == 0);
  kept.keep_two();
  CHECK(kept.training() == "newest");
  CHECK_THAT(kept.said, Contains("continuing from the checkpoint " + kept.path.string()));
  remove_checkpoint(kept.store, kept.id);
  CHECK(kept.training().empty());
  CHECK(std::filesystem::is_empty(kept.store.folder()));
}

TEST_CASE("a training that is over is kept with the next state of another") {
  Kept kept;
  {
    CheckpointFiles files = kept.open();
    files.keep("0.0", bytes_of("over"), true);
    CHECK_FALSE(std::filesystem::exists(kept.path));
    files.keep("1.0", bytes_of("running"), false);
  }
  CHECK(kept.training("0.0") == "over");
  CHECK(kept.training("1.0") == "running");
  CHECK(kept.training("2.0").empty());
}

TEST_CASE("a damaged, cut or foreign checkpoint is named and not used") {
  Kept kept;
  kept.keep_two();
  const std::string whole = slurp(kept.path);
  const auto refused = [&](const std::string& why) {
    CHECK(kept.training().empty());
    CHECK_THAT(kept.said,
               Contains("warning: " + kept.path.string() + ": " + why) && Contains("starts from step 0"));
  };
  for (std::size_t at = 0; at < whole.size(); at += 7) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    spill(kept.path, flipped);
    refused("its bytes are not those");
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    spill(kept.path, whole.substr(0, size));
    refused("it");
  }
  // Of another point, under the name of this one.
  const PointId other = id_with('9');
  kept.open(other).keep("0.0", bytes_of("foreign"), false);
  std::filesystem::copy_file(kept.store.checkpoint(other), kept.path,
                             std::filesystem::copy_options::overwrite_existing);
  refused("it belongs to another point or another program");
}

TEST_CASE("whichever call fails or is the last one, a whole checkpoint stays, and no run ends by it") {
  for (int call = 1;; ++call) {
    Kept kept;
    kept.keep_two();
    CheckpointFiles files = kept.open();
    kept.said.clear();
    int made = 0;
    {
      const FailingCalls failing(call);
      files.keep("0.0", bytes_of("third"), false);
      made = failing.made();
    }
    const std::string said = kept.said;
    const std::string found = kept.training();
    CAPTURE(call, said);
    CHECK((found == "third" || found == "newest"));
    if (made < call) {
      CHECK(said.empty());
      CHECK(found == "third");
      CHECK(call > 5);  // open, write, sync, close, rename, open and sync of the folder
      break;
    }
    CHECK_THAT(said, Contains("warning: ") && Contains("continues without this checkpoint"));
    // And the next one is written.
    files.keep("0.0", bytes_of("fourth"), false);
    CHECK(kept.training() == "fourth");
  }
}

TEST_CASE("checkpoints of finished points are leftovers, those of others are not") {
  Kept kept;
  const PointId other = id_with('9');
  kept.keep_two();
  kept.open(other).keep("0.0", bytes_of("x"), false);
  Result finished = sample_result();
  finished.runs.resize(1);
  AppendFile(kept.store.folder(), PointStore::points_end).append({encode_point(kept.id, finished)});
  kept.store.remove_leftovers();
  CHECK_FALSE(std::filesystem::exists(kept.path));
  CHECK(std::filesystem::exists(kept.store.checkpoint(other)));
  CHECK(kept.store.size() == 1);
}

TEST_CASE("a clock counts its intervals and ends at once") {
  const auto start = std::chrono::steady_clock::now();
  {
    const IntervalClock slow(std::chrono::seconds(3600));
    CHECK(slow.count() == 0);
    const IntervalClock fast(std::chrono::seconds(0));
    while (fast.count() < 2) std::this_thread::yield();
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}
