// Damage inside result files whose checksum agrees: found by the layout, the sizes, the values and HDF5's own
// checksums.

#include <catch2/catch.hpp>
#include <functional>

#include "io/checksum.hpp"
#include "io/hdf5.hpp"
#include "io/scratch_folder.hpp"
#include "io/sealed_record.hpp"
#include "rarefact/error.hpp"
#include "results/findings.hpp"
#include "results/result_fields.hpp"
#include "results/result_file.hpp"
#include "results/sample_result.hpp"

using namespace rarefact;

using Catch::Contains;

namespace {

/// Gives a tampered file a checksum that agrees, so that only its content can give it away.
void seal(const std::filesystem::path& path) {
  spill(checksum_path(path), checksum_line(file_sha256(path), path));
}

/// Opens a written file for changes by `tamper`, and seals it again.
using Tamper = std::function<void(const Hdf5Session&, hid_t file)>;
void tampered(const std::filesystem::path& path, const Tamper& tamper) {
  write_result(sample_result(), path);
  {
    const Hdf5Session session(path.string());
    const auto file = session.own(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open it");
    tamper(session, file);
  }
  seal(path);
}

}  // namespace

TEST_CASE("a truncated file and a flipped byte of a chunk are found where the checksum agrees, too") {
  const ScratchFolder folder;
  const auto path = folder / "r.h5";
  write_result(wide_result(300, 200), path);
  const std::string right = slurp(path);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{100}, right.size() / 2, right.size() - seal_bytes - 1}) {
    spill(path, right.substr(0, size));
    seal(path);
    INFO(size);
    REQUIRE(findings(path) != "");
  }
  // Bytes of compressed chunks make up most of this file; its middle is one of them.
  std::string flipped = right;
  flipped[right.size() / 2] = static_cast<char>(flipped[right.size() / 2] ^ 0x10);
  spill(path, flipped);
  seal(path);
  REQUIRE_THAT(findings(path), Contains("cannot read"));
}

/// What a later program may write.
void give_next_version(const Hdf5Session& session, hid_t file) {
  const auto attribute = session.own(H5Aopen(file, "schema_version", H5P_DEFAULT), H5Aclose, "open");
  const std::int64_t next = 4;
  H5Awrite(attribute, H5T_NATIVE_INT64, &next);
}

TEST_CASE("check finds what is missing from the layout or has another shape, type or value") {
  const std::vector<std::pair<std::string, Tamper>> cases = {
      {"'loss' is missing", [](const Hdf5Session&, hid_t file) { H5Ldelete(file, "loss", H5P_DEFAULT); }},
      {"'status'", [](const Hdf5Session&, hid_t file) { H5Ldelete(file, "status", H5P_DEFAULT); }},
      {"'experiment'", [](const Hdf5Session&, hid_t file) { H5Adelete(file, "experiment"); }},
      {"'values_sha256'", [](const Hdf5Session&, hid_t file) { H5Adelete(file, "values_sha256"); }},
      {"schema version is 4", give_next_version},
      {"'schema_version'", [](const Hdf5Session&, hid_t file) { H5Adelete(file, "schema_version"); }},
      {"attribute 'points'",
       [](const Hdf5Session& session, hid_t file) { write_text_attribute(session, file, "points", "["); }},
      {"attribute 'points': it lacks the variable 'loss'",
       [](const Hdf5Session& session, hid_t file) {
         write_text_attribute(session, file, "points",
                              "{\"steps\": [0], \"table\": false, \"variables\": []}\n\n- 0\n- 0");
       }},
      {"'loss': its dimensions",
       [](const Hdf5Session& session, hid_t file) {
         H5Lmove(file, "loss", file, "class_total", H5P_DEFAULT, H5P_DEFAULT);
         const hsize_t size = 7;
         const auto space = session.own(H5Screate_simple(1, &size, nullptr), H5Sclose, "make");
         session.own(H5Dcreate2(file, "loss", H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose, "make");
       }},
      {"'loss': its dimensions",
       [](const Hdf5Session& session, hid_t file) {
         const auto loss = session.open_dataset(file, "loss");
         session.check(H5DSdetach_scale(loss, session.open_dataset(file, "step"), 2), "detach");
       }},
      {"'gap': its entries are of another type",
       [](const Hdf5Session& session, hid_t file) {
         H5Lmove(file, "gap", file, "old", H5P_DEFAULT, H5P_DEFAULT);
         const auto old = session.open_dataset(file, "old");
         const auto space = session.own(H5Dget_space(old), H5Sclose, "make");
         session.own(H5Dcreate2(file, "gap", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose, "make");
         const auto gap = session.open_dataset(file, "gap");
         for (unsigned i = 0; i < 3; ++i) {
           H5DSattach_scale(gap, session.open_dataset(file, series_dimensions(Along::nothing)[i]), i);
         }
         write_text_attribute(session, gap, "long_name", "");
         write_text_attribute(session, gap, "units", "");
       }},
      {"'step' does not ascend",
       [](const Hdf5Session& session, hid_t file) {
         const auto steps = session.open_dataset(file, "step");
         const std::int64_t back[] = {0, 2, 1, 5};
         H5Dwrite(steps, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, back);
       }},
      {"'class_count': run 0",
       [](const Hdf5Session& session, hid_t file) {
         const auto counts = session.open_dataset(file, "class_count");
         const double holes[] = {1, 0, 1, 1, 1, 0};
         H5Dwrite(counts, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, holes);
       }},
  };
  for (const auto& [says, tamper] : cases) {
    INFO(says);
    const ScratchFolder folder;
    tampered(folder / "r.h5", tamper);
    CHECK_THAT(findings(folder / "r.h5"), Contains(says));
  }
}

TEST_CASE("a result whose version this program does not read is never there, nor replaced") {
  const ScratchFolder folder;
  const auto path = folder / "r.h5";
  tampered(path, give_next_version);
  const std::string same = sample_result().experiment;
  CHECK(result_state(path, same) == "damaged: its schema version is 4; this program reads versions 1 to 3");
  CHECK_THROWS_AS(refuse_other_result(path, same), DamagedResult);
}

TEST_CASE(
    "a dataset that claims more than its file can hold, or lies elsewhere, is refused before it is read") {
  const ScratchFolder folder;
  const auto path = folder / "r.h5";
  tampered(path, [](const Hdf5Session& session, hid_t file) {
    H5Ldelete(file, "step", H5P_DEFAULT);
    const hsize_t size = hsize_t{1} << 50, chunk = 1024;
    const auto space = session.own(H5Screate_simple(1, &size, nullptr), H5Sclose, "make");
    const auto plist = session.own(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make");
    H5Pset_chunk(plist, 1, &chunk);
    const auto step = session.own(
        H5Dcreate2(file, "step", H5T_STD_I64LE, space, H5P_DEFAULT, plist, H5P_DEFAULT), H5Dclose, "make");
    H5DSset_scale(step, "step");
  });
  REQUIRE_THAT(findings(path), Contains("'step': it claims 9007199254740992 bytes but stores 0"));

  std::filesystem::remove(path);
  tampered(path, [](const Hdf5Session&, hid_t file) {
    H5Ldelete(file, "step", H5P_DEFAULT);
    H5Lcreate_external("/etc/passwd", "/step", file, "step", H5P_DEFAULT, H5P_DEFAULT);
  });
  REQUIRE_THAT(findings(path), Contains("it is a link to elsewhere"));
}

TEST_CASE("a value that another program changed is found by the hash of all values") {
  const ScratchFolder folder;
  const auto path = folder / "r.h5";
  tampered(path, [](const Hdf5Session& session, hid_t file) {
    const auto gap = session.open_dataset(file, "gap");
    auto values = read_values<double>(session, file, gap, "gap");
    values.front() *= 1 + 1e-15;
    write_values(session, gap, "gap", values);
  });
  REQUIRE(findings(path) == "its values are not those 'values_sha256' was written for\n");
  REQUIRE_THROWS_AS(read_result(path), DamagedResult);
  // What is not asked for is not read.
  const auto loss = [](const Variable& variable) { return variable.name == "loss"; };
  const auto series = read_stored_result(path, loss).result.runs[0].trajectories[0].series;
  CHECK(series.size() == 1);
  CHECK(series.at("loss") == sample_result().runs[0].trajectories[0].series.at("loss"));
}

TEST_CASE("numbers that no result can hold are named") {
  REQUIRE(implausible_values(sample_result()).empty());
  const auto only = [](const Result& result) {
    const auto found = implausible_values(result);
    REQUIRE(found.size() == 1);
    return found[0];
  };
  Result result = sample_result();
  result.steps[0] = -1;
  REQUIRE_THAT(only(result), Contains("'step'"));
  result = sample_result();
  result.optimizers[1] = result.optimizers[0];
  REQUIRE_THAT(only(result), Contains("'optimizer'"));
  result = sample_result();
  result.runs[1].class_probability[0] = std::nan("");
  REQUIRE_THAT(only(result), Contains("'class_probability' leaves (0, 1] in run 1"));
  result = sample_result();
  result.runs[1].index = result.runs[0].index;
  REQUIRE_THAT(only(result), Contains("twice"));
  result = sample_result();
  result.runs[0].trajectories[1].series["error"][2] = 1.01;
  REQUIRE_THAT(only(result), Contains("'error' leaves [0, 1] in run 0, optimizer gd"));
  result = sample_result();
  result.runs[0].trajectories[1].status = "winning";
  REQUIRE_THAT(only(result), Contains("'status' is \"winning\" in run 0, optimizer gd"));
  for (const double digits : {1e300, -1.0, std::numeric_limits<double>::infinity()}) {
    result = sample_result();
    result.runs[0].trajectories[1].series["loss_digits"] = {3, digits, 3};
    REQUIRE_THAT(only(result), Contains("'loss_digits' is no number of digits in run 0, optimizer gd"));
  }
}
