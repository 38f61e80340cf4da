// Writes the swept result made by hand to the file named on the command line.

#include "results/result_file.hpp"
#include "results/swept_result.hpp"

int main(int, char** arguments) {
  rarefact::write_result(rarefact::swept_result(), arguments[1]);
}
