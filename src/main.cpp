#include <iostream>

#include "cli/command.hpp"

int main(int argc, char** argv) {
  return rarefact::run_program(argc, argv, std::cout, std::cerr);
}
