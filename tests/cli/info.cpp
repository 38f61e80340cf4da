#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/in_process.hpp"
#include "io/checksum.hpp"
#include "io/scratch_folder.hpp"
#include "results/answered_result.hpp"
#include "results/result_fields.hpp"
#include "results/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

TEST_CASE("the description for programs has every field of one number or text") {
  const ScratchFolder folder;
  Result result = answered_result(3, 2);
  result.steps.back() = 2'000'000;
  Trajectory& searched = result.runs[0].trajectories[0];
  searched.step_size_edge = -1;
  searched.quadrature_nodes = 64;
  searched.fast_forward_error = 1e-11;
  searched.updates = 1000;
  write_result(result, folder / "r.h5");
  auto info = nlohmann::json::parse(rarefact_program({"info", folder / "r.h5", "--json"}).out);
  for (std::size_t r = 0; r < 2; ++r) {
    auto& told = info["runs"][r];
    for (const ResultField& field : result_fields()) {
      INFO(field.name);
      std::size_t o = 0;
      visit_field(field, result.runs[r], [&]<class T>(const T& value) {
        if constexpr (std::is_same_v<T, StoredMatrix>)
          CHECK(told["trajectories"][o++][field.name].is_null() == value.entries.empty());
        else if constexpr (!of_groups<T>)
          CHECK((field.per_optimizer() ? told["trajectories"][o++] : told["answers"])[field.name] == value);
      });
    }
  }
}

TEST_CASE("a file in which another program changed a value is not described, though its checksum agrees") {
  const ScratchFolder folder;
  const std::string path = (folder / "r.h5").string();
  write_result(sample_result(), path);
  std::string bytes = slurp(path);
  const double gap = std::exp(-1.0) / 3;  // which no line of the description has
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&gap), sizeof gap));
  REQUIRE(at != std::string::npos);
  bytes[at] ^= 1;
  spill(path, bytes);
  spill(checksum_path(path), checksum_line(file_sha256(path), path));
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info", path}, {"info", path, "--json"}}) {
    const Outcome info = rarefact_program(words);
    CHECK(info.code == 4);
    CHECK(info.out.empty());
    CHECK_THAT(info.err, Contains("its values are not those 'values_sha256' was written for"));
  }
}
