#pragma once

// A small sweep, or another experiment, in a folder of its own, and what became of its points.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "cli/in_process.hpp"
#include "io/scratch_folder.hpp"
#include "io/sealed_record.hpp"
#include "results/point_record.hpp"

namespace rarefact {

inline const std::string small_sweep = R"(name = "grid"
[classes]
spectrum = "grouped_power_law"
groups = 3
group_size = 4
exponent = 1.5
[run]
steps = 30
[[optimizer]]
rule = "gd"
step_size = 1
[[optimizer]]
rule = "muon"
step_size = 0.5
[sweep]
classes.exponent = [1, 1.5, 2]
"embedding.kind" = ["identity", "orthogonal"]
)";

/// The same without its sweep.
inline const std::string single_run =
    small_sweep.substr(0, small_sweep.find("[sweep]")) + "[embedding]\nkind = \"identity\"\n";

struct StoredSweep {
  ScratchFolder folder;
  std::string experiment = (folder / "e.toml").string(), result = (folder / "e.h5").string();
  std::filesystem::path points = result + ".points";

  explicit StoredSweep(const std::string& text = small_sweep) { std::ofstream(experiment) << text; }

  /// In one thread where `more` does not say otherwise.
  Outcome call(const std::string& command, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {command, experiment, "-o", result};
    words.insert(words.end(), more.begin(), more.end());
    if (std::ranges::find(more, "--jobs") == more.end()) words.insert(words.end(), {"--jobs", "1"});
    return rarefact_program(words);
  }
  Outcome run(const std::vector<std::string>& more = {}) const { return call("run", more); }

  /// Every point that is stored with its record, damaged ones too.
  std::map<std::string, std::string> records() const {
    std::map<std::string, std::string> records;
    for (const auto& [name, bytes] : stored()) {
      for (std::size_t at = 0; name.ends_with(".points") && at < bytes.size();) {
        const std::string line = bytes.substr(at, point_line_bytes);
        const auto size = record_bytes(line).value_or(bytes.size());
        records[line.substr(point_title.size(), 64)] = bytes.substr(at, size);
        at += size;
      }
    }
    return records;
  }

  /// Puts a file of these records in the place of all.
  void store(const std::map<std::string, std::string>& records) const {
    for (const auto& [name, bytes] : stored()) std::filesystem::remove(points / name);
    std::string all;
    for (const auto& [id, record] : records) all += record;
    spill(points / "00001.points", all);
  }

  /// Every file of the store with its bytes, but for the empty one of claims.
  std::map<std::string, std::string> stored() const {
    std::map<std::string, std::string> files;
    if (!std::filesystem::exists(points)) return files;
    for (const auto& entry : std::filesystem::directory_iterator(points)) {
      const std::string name = entry.path().filename().string();
      if (name != "running") files[name] = slurp(entry.path());
    }
    return files;
  }

  void forget_result() const {
    std::filesystem::remove(result);
    std::filesystem::remove(result + ".sha256");
  }
};

}  // namespace rarefact
