// Writes the sample results for the Python test, a swept text and a swept boolean among them:
// write_sample SMALL.h5 WIDE.h5

#include "results/result_file.hpp"
#include "results/sample_result.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  rarefact::Result small = rarefact::sample_result();
  small.runs[0].parameters.insert({{"embedding.kind", "identity"}, {"optimizer.muon.nesterov", 1.0}});
  small.runs[1].parameters.insert({{"embedding.kind", "équi"}, {"optimizer.muon.nesterov", 0.0}});
  rarefact::write_result(small, argv[1]);
  rarefact::write_result(rarefact::wide_result(300, 200), argv[2]);
  return 0;
}
