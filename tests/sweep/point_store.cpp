// Names and files of the points of a sweep.

#include "sweep/point_store.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "core/digest.hpp"
#include "experiment/read.hpp"
#include "io/atomic_file.hpp"
#include "io/failing_calls.hpp"
#include "io/scratch_folder.hpp"
#include "io/sealed_file.hpp"
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

PointId id_of_text(const std::string& text) {
  const std::string hex = sha256_hex(text);
  PointId id;
  std::copy(hex.begin(), hex.end(), id.digits.begin());
  return id;
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

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

TEST_CASE("the bytes of a file that an experiment names are part of its name") {
  const ScratchFolder folder;
  const std::string text =
      "name = 'f'\n[classes]\nspectrum = 'file'\npath = 'c.tsv'\n[[optimizer]]\nrule = 'gd'\nstep_size = 1\n";
  const auto id = [&] {
    PointNames names;
    return names.id(parse_experiment(text, (folder / "e.toml").string()));
  };
  spill(folder / "c.tsv", "count\n5\n3\n");
  const PointId first = id();
  CHECK(id() == first);
  spill(folder / "c.tsv", "count\n5\n2\n");
  CHECK(id() != first);
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
  const std::string experiment = "seed = 1\n";
  const auto bytes = encode_point(result, experiment);
  const std::string name = sha256_hex(experiment) + ".point";
  const PointFile back = decode_point(bytes, name, PointPart::all);
  CHECK(back.experiment == experiment);
  CHECK(back.status == "diverged");
  // What tells points apart is in their names.
  Result unnamed = result;
  unnamed.title = unnamed.rules = unnamed.experiment = "";
  unnamed.runs[0].index = 0;
  unnamed.runs[0].parameters.clear();
  require_same(unnamed, back.result);
  CHECK(encode_point(result, experiment) == bytes);
  const PointFile head = decode_point(bytes, name, PointPart::head);
  CHECK(head.status == "diverged");
  CHECK(head.result.steps == result.steps);
  CHECK(head.result.runs[0].class_count.size() == 2);
  CHECK(head.result.runs[0].trajectories[0].series.empty());
}

TEST_CASE("any flipped bit, a cut and a wrong name are damage") {
  const std::string experiment = "seed = 1\n", name = sha256_hex(experiment) + ".point";
  const auto bytes = encode_point(sample_point(), experiment);
  const auto refused = [&](std::span<const std::byte> damaged, const std::string& path = "") {
    for (const PointPart part : {PointPart::head, PointPart::all})
      CHECK_THROWS_AS(decode_point(damaged, path.empty() ? name : path, part), DamagedResult);
  };
  for (std::size_t at = 0; at < bytes.size(); at += 17) {
    auto flipped = bytes;
    flipped[at] ^= std::byte{0x10};
    INFO("byte " << at);
    refused(flipped);
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{71}, std::size_t{255}, bytes.size() - 1})
    refused(std::span(bytes).first(length));
  refused(bytes, sha256_hex("seed = 2\n") + ".point");
  CHECK_THROWS_WITH(decode_point(bytes, "x.point", PointPart::head), Contains("another point"));
  refused(bytes_of(std::string(1000, 'x')));
}

TEST_CASE("what is sealed but no point, of another version or cut in its contents, is damage") {
  const std::string experiment = "seed = 1\n", path = sha256_hex(experiment) + ".point";
  const auto bytes = encode_point(sample_point(), experiment);
  constexpr std::size_t seal = 72;
  for (std::size_t length = 0; length < bytes.size() - seal; length += 29) {
    INFO("cut to " << length);
    const auto cut = with_seal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)});
    CHECK_THROWS_AS(decode_point(cut, path, PointPart::all), DamagedResult);
  }
  std::string title = "not this";
  CHECK_THROWS_WITH(decode_point(sealed("rarefact point 2", title), path, PointPart::all),
                    Contains("no point of this version"));
}

TEST_CASE("a store lists finished points and those that a process computes, and no other file") {
  const ScratchFolder folder;
  const PointStore store(folder / "r.h5");
  CHECK(store.list().present.empty());
  const std::string text = "seed = 1\n";
  const PointId id = id_of_text(text);
  PointId other;
  CHECK(id.hex() == sha256_hex(text));
  other.digits.fill('7');
  std::size_t stored = 0;
  {
    PointWriter writer(store, [&](std::size_t n) { stored = n; });
    CHECK(writer.begin(id) == Turn::compute);
    CHECK(writer.begin(other) == Turn::compute);
    PointWriter second(store, {});
    CHECK(second.begin(id) == Turn::later);
    CHECK(store.list().is_running(id));
    CHECK_FALSE(store.list().has(id));
    writer.put(id, text, sample_point());
    writer.finish();
    CHECK(stored == 1);
    CHECK(store.list().has(id));
    CHECK_FALSE(store.list().is_running(id));
    CHECK(store.list().is_running(other));
    CHECK(second.begin(id) == Turn::skip);
    CHECK_FALSE(store.list().is_running(id));
    CHECK(second.begin(other) == Turn::later);
    // Whoever is suspended holds its lock, but touches no mark.
    std::filesystem::last_write_time(store.mark(other),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(6));
    CHECK(second.begin(other) == Turn::compute);
  }
  CHECK_FALSE(store.list().is_running(other));  // nobody computes it any more
  CHECK(store.read(id).experiment == text);
  spill(store.folder() / "notes.txt", "mine");
  spill(store.folder() / (std::string(63, 'a') + "g.point"), "");
  spill(store.folder() / (std::string(64, 'A') + ".point"), "");
  CHECK(store.list().present == std::vector{id});
  // What a killed process left is removed once it is old; what is not the store's stays.
  const auto mark = store.mark(other), temporary = store.folder() / ("." + id.hex() + ".point.12345678.tmp"),
             of_result = folder / ".r.h5.12345678.tmp", foreign = folder / ".other.h5.12345678.tmp";
  for (const auto& path : {mark, temporary, of_result, foreign}) spill(path, "");
  const TemporaryFile suspended(store.folder() / (id.hex() + ".point"), {});  // by a process that still lives
  store.remove_leftovers();
  CHECK(std::filesystem::exists(mark));
  for (const auto& path : {mark, temporary, of_result, foreign, suspended.path()}) {
    std::filesystem::last_write_time(path,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  }
  CHECK_FALSE(store.list().is_running(other));
  store.remove_leftovers();
  CHECK_FALSE(std::filesystem::exists(mark));
  CHECK_FALSE(std::filesystem::exists(temporary));
  CHECK(std::filesystem::exists(suspended.path()));
  CHECK_FALSE(std::filesystem::exists(of_result));
  CHECK(std::filesystem::exists(foreign));
  CHECK(std::filesystem::exists(store.folder() / "notes.txt"));
  CHECK(store.list().has(id));
}

TEST_CASE("a point that cannot be stored takes no other one with it") {
  for (int failing = 12; failing <= 24; ++failing) {
    const ScratchFolder folder;
    const PointStore store(folder / "r.h5");
    std::size_t taken = 0;
    {
      PointWriter writer(store, {});
      const FailingCalls fault(failing);
      const auto all = [&] {
        for (int i = 0; i < 6; ++i) {
          const std::string text = "seed = " + std::to_string(i) + "\n";
          writer.put(id_of_text(text), text, sample_point());  // throws once a failure is known
          ++taken;
        }
        writer.finish();
      };
      CHECK_THROWS_AS(all(), FileError);
    }
    INFO("call " << failing);
    const auto present = store.list().present;
    CHECK(present.size() + 1 >= taken);  // all where the sync of the folder failed
    for (const PointId& id : present) CHECK(store.read(id).status == "diverged");
  }
}
