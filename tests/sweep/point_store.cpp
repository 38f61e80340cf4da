// Names and files of the points of a sweep.

#include "sweep/point_store.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <set>
#include <thread>

#include "experiment/read.hpp"
#include "io/atomic_file.hpp"
#include "io/failing_calls.hpp"
#include "io/scratch_folder.hpp"
#include "io/sealed_record.hpp"
#include "rarefact/error.hpp"
#include "results/same_result.hpp"
#include "sweep/point_writer.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

const std::string base = R"(name = "base"
[classes]
spectrum = "grouped_power_law"
groups = 3
group_size = 4
exponent = 1.5
[run]
steps = 40
[[optimizer]]
rule = "gd"
step_size = 1e-3
)";

std::string id_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  PointNames names;
  return names.id(parse_experiment(text, "e.toml", overrides)).hex();
}

Result sample_point() {
  Result result = sample_result();
  result.runs.erase(result.runs.begin());  // the one that diverges is left
  return result;
}

PointId id_with(char digit) {
  return *point_named(std::string(64, digit));
}

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A store of what is in a file of these bytes.
struct Stored {
  explicit Stored(const std::string& bytes) {
    std::filesystem::create_directories(store.folder());
    spill(store.folder() / "00001.points", bytes);
    store.look();
  }
  std::string found() const {
    std::string digits;
    for (const char digit : std::string("123456789")) digits += store.has(id_with(digit)) ? digit : '.';
    return digits;
  }
  ScratchFolder folder;
  PointStore store{folder / "r.h5"};
};

}  // namespace

TEST_CASE("the name of a point depends on what its numbers depend on, and on nothing else") {
  const std::string id = id_of(base);
  CHECK(id.size() == 64);
  const std::string reordered = R"(# a comment
[[optimizer]]
step_size = 0.001
name = "gd"
rule = "gd"
[run]
steps = 40
[classes]
exponent = 1.50
group_size = 4e0
groups = 3
spectrum = "grouped_power_law"
)";
  CHECK(id_of("name = \"other\"\n" + reordered) == id);
  CHECK(id_of("name = \"base\"\nseed = 1\n" + reordered) == id);
  CHECK(id_of(base, {"seed=2"}) != id);
  CHECK(id_of(base, {"run.steps=41"}) != id);
  CHECK(id_of(base, {"optimizer.gd.step_size=0.0010000000000000002"}) != id);
  CHECK(id_of(base, {"run.record=log"}) != id);
}

TEST_CASE("a value more on an axis leaves the names of the other points as they are") {
  const auto plan = [](const std::string& sweep) { return parse_plan(base + "[sweep]\n" + sweep, "e.toml"); };
  const auto few = point_ids(plan("seed = [1, 2]\n\"classes.exponent\" = [1.1, 1.5]\n"), 2);
  const auto more = point_ids(plan("\"classes.exponent\" = [1.5, 1.1, 2]\nseed = [1, 2]\n"), 1);
  REQUIRE(few.size() == 4);
  REQUIRE(more.size() == 6);
  CHECK(few == std::vector{more[2], more[0], more[3], more[1]});
  CHECK(std::set<PointId>(more.begin(), more.end()).size() == 6);
  // Swept or written out, it is the same experiment.
  CHECK(few[1].hex() == id_of(base));
}

TEST_CASE("a point reads back as it was, whatever its texts and numbers are") {
  Result result = sample_point();
  Trajectory& strange = result.runs[0].trajectories[0];
  strange.status_detail = "tab\tline\nback\\slash\\n \r";
  strange.quadrature_error = std::numeric_limits<double>::quiet_NaN();
  strange.quadrature_nodes = 64;
  strange.series.erase("gap");
  result.runs[0].trajectories[1].quadrature_error = std::numeric_limits<double>::infinity();
  result.variables[5].validity = "";
  const PointId id = id_with('1');
  const auto bytes = encode_point(id, result);
  const PointRecord back = decode_point(bytes, id, "x", PointPart::all);
  CHECK(back.status == "diverged");
  // What tells points apart is in their names.
  Result unnamed = result;
  unnamed.title = unnamed.rules = unnamed.experiment = "";
  unnamed.runs[0].index = 0;
  unnamed.runs[0].parameters.clear();
  require_same(unnamed, back.result);
  CHECK(encode_point(id, result) == bytes);
  const PointRecord head = decode_point(bytes, id, "x", PointPart::head);
  CHECK(head.status == "diverged");
  CHECK(head.result.steps == result.steps);
  CHECK(head.result.runs[0].class_count.size() == 2);
  CHECK(head.result.runs[0].trajectories[0].series.empty());
}

TEST_CASE("any flipped bit, a cut and another name are damage, and so is what is sealed but no point") {
  const PointId id = id_with('1');
  const auto bytes = encode_point(id, sample_point());
  const auto refused = [&](std::span<const std::byte> damaged, const PointId& of) {
    for (const PointPart part : {PointPart::head, PointPart::all})
      CHECK_THROWS_AS(decode_point(damaged, of, "x", part), DamagedResult);
  };
  for (std::size_t at = 0; at < bytes.size(); at += 17) {
    auto flipped = bytes;
    flipped[at] ^= std::byte{0x10};
    INFO("byte " << at);
    refused(flipped, id);
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{71}, std::size_t{255}, bytes.size() - 1})
    refused(std::span(bytes).first(length), id);
  refused(bytes, id_with('2'));
  CHECK_THROWS_WITH(decode_point(bytes, id_with('2'), "x", PointPart::head),
                    Contains("x: it belongs to another point"));
  for (std::size_t length = 0; length < bytes.size() - seal_bytes; length += 29) {
    INFO("cut to " << length);
    refused(with_seal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}), id);
  }
  std::string title = "not this";
  refused(sealed("rarefact point 4 " + id.hex(), title), id);
}

TEST_CASE(
    "a record that contradicts itself is damage though its seal is whole, and so is one of other optimizers") {
  const PointId id = id_with('1');
  using Change = void (*)(Result&);
  for (const Change change : std::initializer_list<Change>{
           [](Result& point) { point.variables[0].name = "lost"; },
           [](Result& point) { point.variables[5].name = "a/b"; },
           [](Result& point) { point.variables[5].name = "run"; },
           [](Result& point) { point.variables[5].name = "loss"; },
           [](Result& point) { point.variables[0].along = Along::bands; },
           [](Result& point) { point.variables[5].source = "\xff"; },
           [](Result& point) { point.variables[5].validity = "\xed\xa0\x80"; },
           [](Result& point) { point.runs[0].trajectories[0].status_detail = std::string(1, '\0'); },
           [](Result& point) { point.runs[0].trajectories[0].status = "winning"; },
           [](Result& point) { point.runs[0].trajectories[0].series["error"].pop_back(); },
           [](Result& point) { point.steps.pop_back(); }}) {
    Result point = sample_point();
    change(point);
    const auto bytes = encode_point(id, point);
    for (const PointPart part : {PointPart::head, PointPart::all})
      CHECK_THROWS_AS(decode_point(bytes, id, "x", part), DamagedResult);
  }
  const Stored stored(text_of(encode_point(id, sample_point())));
  PointStore same(stored.folder / "r.h5", sample_point().optimizers), other(stored.folder / "r.h5", {"gd"});
  same.look();
  other.look();
  CHECK(same.holds(id));
  CHECK_FALSE(other.holds(id));
  CHECK_THROWS_AS(other.read(id), DamagedResult);
}

TEST_CASE("a torn tail is nothing, wherever it is torn") {
  const std::string one = text_of(encode_point(id_with('1'), sample_point())),
                    two = text_of(encode_point(id_with('2'), sample_point()));
  for (std::size_t length = 0; length < two.size(); length += 131) {
    INFO("torn after " << length);
    CHECK(Stored(one + two.substr(0, length)).found() == "1........");
  }
  CHECK(Stored(one + std::string(5000, '\0')).found() == "1........");
}

TEST_CASE("a damaged byte is no point, costs none before it, and another copy is read") {
  const std::string one = text_of(encode_point(id_with('1'), sample_point())),
                    two = text_of(encode_point(id_with('2'), sample_point()));
  for (std::size_t at = 0; at < one.size(); at += at < point_line_bytes ? 1 : 61) {
    INFO("byte " << at);
    std::string flipped = one;
    flipped[at] = static_cast<char>(flipped[at] ^ 1);
    Stored damaged(two + flipped);
    CHECK_FALSE(damaged.store.holds(id_with('1')));
    CHECK(damaged.store.holds(id_with('2')));
    spill(damaged.store.folder() / "00002.points", one);
    damaged.store.look();
    CHECK(damaged.store.holds(id_with('1')));
    // Only lengths lead to the records behind.
    if (at >= point_line_bytes && at < one.size() - seal_bytes)
      CHECK(Stored(flipped + two).store.holds(id_with('2')));
  }
}

TEST_CASE("a store has finished points and knows which ones a process computes") {
  const ScratchFolder folder;
  PointStore store(folder / "r.h5");
  store.look();
  CHECK(store.size() == 0);
  const PointId id = id_with('1'), other = id_with('7'), none = id_with('8');
  const auto running = [&](const PointId& point) {
    return PointLocks(store.folder(), PointLocks::Use::look).taken(point);
  };
  CHECK_FALSE(running(id));
  std::size_t stored = 0;
  {
    PointStore elsewhere(folder / "r.h5");
    PointWriter writer(store, [&](std::size_t n) { stored = n; });
    CHECK(writer.begin(id) == Turn::compute);
    CHECK(writer.begin(other) == Turn::compute);
    PointWriter second(elsewhere, {});
    CHECK(second.begin(id) == Turn::later);
    CHECK(running(id));
    CHECK_FALSE(running(none));
    writer.put(id, sample_point());
    writer.finish();
    CHECK(stored == 1);
    store.look();
    CHECK(store.has(id));
    CHECK_FALSE(running(id));
    CHECK(running(other));
    CHECK(second.begin(id) == Turn::skip);
    CHECK_FALSE(running(id));
    CHECK(second.begin(other) == Turn::later);
  }
  CHECK_FALSE(running(other));  // nobody computes it any more
  CHECK(store.read(id).status == "diverged");
  // A file without points is gone with its process: those of the points and of the locks are left.
  CHECK(std::distance(std::filesystem::directory_iterator(store.folder()), {}) == 2);
}

TEST_CASE("a process reads its own points from memory") {
  const ScratchFolder folder;
  PointStore store(folder / "r.h5"), elsewhere(folder / "r.h5");
  {
    PointWriter writer(store, {});
    for (const char digit : std::string("12")) writer.put(id_with(digit), sample_point());
    writer.finish();
  }
  for (const auto& entry : std::filesystem::directory_iterator(store.folder()))
    if (entry.path().extension() == PointStore::points_end) spill(entry.path(), "");
  store.look();
  elsewhere.look();
  CHECK(store.size() == 2);
  CHECK(elsewhere.size() == 0);
  for (const char digit : std::string("12")) {
    const PointRecord point = store.read(id_with(digit));
    CHECK(point.status == "diverged");
    CHECK(encode_point(id_with(digit), point.result) == encode_point(id_with(digit), sample_point()));
  }
  store.forget({id_with('1'), id_with('2')});
  CHECK_FALSE(std::filesystem::exists(store.folder()));
}

TEST_CASE("files that another process merges and removes at any moment are no error") {
  const ScratchFolder folder;
  const PointId id = id_with('1');
  const auto points = folder / "r.h5.points";
  std::filesystem::create_directories(points);
  const std::string record = text_of(encode_point(id, sample_point()));
  const std::jthread merging([&](const std::stop_token& ending) {
    for (int name = 0; !ending.stop_requested(); ++name) {
      const auto file = points / fmt::format("{:08x}.points", name);
      spill(file, record);
      std::filesystem::remove(file);
    }
  });
  int found = 0;
  while (found < 400) {
    PointStore store(folder / "r.h5");
    REQUIRE_NOTHROW(store.look());
    if (!store.has(id)) continue;
    ++found;
    REQUIRE_NOTHROW(store.holds(id));
  }
}

TEST_CASE("what killed processes left is removed once it is old, and nothing else") {
  const ScratchFolder folder;
  PointStore store(folder / "r.h5");
  std::filesystem::create_directories(store.folder());
  const auto empty = store.folder() / "00001.points",
             temporary = store.folder() / ".x.checkpoint.12345678.tmp",
             of_result = folder / ".r.h5.12345678.tmp";
  const auto foreign = folder / ".other.h5.12345678.tmp", notes = store.folder() / "notes.txt",
             points = store.folder() / "00002.points";
  for (const auto& path : {empty, temporary, of_result, foreign, notes, points}) spill(path, "");
  spill(points, text_of(encode_point(id_with('1'), sample_point())));
  const TemporaryFile suspended(store.folder() / "x", {});  // by a process that still lives
  const AppendFile file(store.folder(), PointStore::points_end);
  const auto& begun = file.path();
  store.remove_leftovers();
  CHECK(std::filesystem::exists(empty));
  for (const auto& path : {empty, temporary, of_result, foreign, notes, points, suspended.path(), begun})
    make_old(path);
  store.remove_leftovers();
  for (const auto& path : {empty, temporary, of_result}) CHECK_FALSE(std::filesystem::exists(path));
  for (const auto& path : {foreign, notes, points, suspended.path(), begun})
    CHECK(std::filesystem::exists(path));
  CHECK(store.has(id_with('1')));
}

TEST_CASE("a point that cannot be stored takes no other one with it, and a file that failed goes on whole") {
  std::size_t failures = 0;
  for (int failing = 1; failing <= 14; ++failing) {
    const ScratchFolder folder;
    PointStore store(folder / "r.h5");
    std::string taken;
    try {
      const FailingCalls fault(failing);
      PointWriter writer(store, {});  // its thread ends before the fault does
      for (const char digit : std::string("123456")) {
        writer.put(id_with(digit), sample_point());  // throws once a failure is known
        taken += digit;
      }
      writer.finish();
    } catch (const FileError&) {
      ++failures;
    }
    INFO("call " << failing);
    PointStore on_disk(folder / "r.h5");
    on_disk.look();
    std::size_t whole = 0;
    for (const char digit : taken) whole += on_disk.holds(id_with(digit));
    CHECK(whole + 1 >= taken.size());
    CHECK(on_disk.size() == whole);
    CHECK(store.size() == whole);
  }
  CHECK(failures > 3);
}
