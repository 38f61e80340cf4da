// Writes the swept result made by hand to the file named on the command line.

#include "io/swept_result.hpp"
#include "rarefact/io/result_file.hpp"

int main(int, char** arguments) {
  rarefact::write_result(rarefact::swept_result(), arguments[1]);
}
