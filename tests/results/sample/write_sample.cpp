// Writes the sample results for the Python test: write_sample SMALL.h5 WIDE.h5

#include "results/result_file.hpp"
#include "results/sample_result.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  rarefact::write_result(rarefact::sample_result(), argv[1]);
  rarefact::write_result(rarefact::wide_result(300, 200), argv[2]);
  return 0;
}
