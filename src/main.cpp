#include <iostream>

#include "cli/program.hpp"

int main(int argc, char** argv) {
  return rarefact::run_program(argc, argv, std::cout, std::cerr);
}
