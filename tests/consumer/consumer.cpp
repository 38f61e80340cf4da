// A program of somebody else: runs an experiment, writes its result and reads it back.
#include <cstdio>
#include <fstream>
#include <rarefact/run.hpp>

int main() {
  std::ofstream("mine.toml")
      << "name = 'mine'\n[classes]\nspectrum = 'grouped_power_law'\ngroups = 64\ngroup_size = 1e12\nexponent = 1.5\n"
         "[[optimizer]]\nrule = 'ngd'\nstep_size = 1e7\n";
  rarefact::write_result(rarefact::run("mine.toml"), "mine.h5");
  const rarefact::Result result = rarefact::read_result("mine.h5");
  const auto& loss = result.runs.at(0).trajectories.at(0).series.at("loss");
  std::printf("loss after %zu records: %.12g\n", loss.size(), loss.back());
}
