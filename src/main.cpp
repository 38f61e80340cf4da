#include <iostream>

#include "cli/command.hpp"
#include "cli/text_layout.hpp"

int main(int argc, char** argv) {
  rarefact::fit_terminal();
  return rarefact::run_program(argc, argv, std::cout, std::cerr);
}
